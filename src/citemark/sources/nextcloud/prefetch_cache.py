"""What was read while listing or checking, kept for the reader that comes for it next."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

_MOST_CHARACTERS = 32_000_000
_SECONDS = 900.0
"""What nobody came for until then is read anew. A first sync has thousands of texts before its last event."""

_T = TypeVar("_T")


class PrefetchCache(Generic[_T]):
    """Each thing is given out once, while it is young; the oldest make room.

    What is kept is of one version. Whoever learns that the server has another version calls `discard_stale`,
    so that the older one is not used.
    """

    def __init__(self, size: Callable[[_T], int], *, most: int = _MOST_CHARACTERS, seconds: float = _SECONDS) -> None:
        """Take how many characters a thing has, how many may be kept, and for how long."""
        self._characters = size
        self._most = most
        self._seconds = seconds
        self._kept: OrderedDict[str, tuple[float, str, _T]] = OrderedDict()
        self._size = 0

    def put(self, key: str, version: str, thing: _T) -> None:
        """Keep it in place of what was kept under its key."""
        self._drop(key)
        self._kept[key] = (asyncio.get_running_loop().time(), version, thing)
        self._size += self._characters(thing)
        while self._size > self._most:
            self._drop(next(iter(self._kept)))

    def take(self, key: str) -> _T | None:
        """Give it out, if it is there and young."""
        self.discard_expired()
        return self._drop(key)

    def discard_stale(self, key: str, version: str | None) -> None:
        """Forget what is kept under a key unless it is of the version that the server has now; None for none."""
        kept = self._kept.get(key)
        if kept is not None and kept[1] != version:
            self._drop(key)

    def discard_all_stale(self, versions: Mapping[str, str]) -> None:
        """Forget whatever a complete listing shows in another version or not at all, and what is not young any more."""
        self.discard_expired()
        for key in [key for key, (_, version, _) in self._kept.items() if versions.get(key) != version]:
            self._drop(key)

    def has_room_for(self, thing: _T) -> bool:
        """Whether it could be kept without another one making room."""
        return self._size + self._characters(thing) <= self._most

    def discard_expired(self) -> None:
        """Forget what is not young any more."""
        oldest = asyncio.get_running_loop().time() - self._seconds
        while self._kept:
            key, (at, _, _) = next(iter(self._kept.items()))
            if at > oldest:
                break
            self._drop(key)

    def _drop(self, key: str) -> _T | None:
        kept = self._kept.pop(key, None)
        if kept is None:
            return None
        self._size -= self._characters(kept[2])
        return kept[2]
