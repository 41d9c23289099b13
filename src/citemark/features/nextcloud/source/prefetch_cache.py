"""A cache of documents read while scanning or verifying, for the processor that fetches them next."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

_MOST_CHARACTERS = 32_000_000
"""32 to 128 MB of memory, depending on the script: several thousand notes or events."""

_SECONDS = 900.0
"""Age at which an entry is discarded. A first sync has thousands of texts to process before its last event."""

_T = TypeVar("_T")


class PrefetchCache(Generic[_T]):
    """Hands out each entry once, while it is young; the oldest entries are dropped when space runs out.

    Each entry is of one version. A caller that learns of another version at the server calls `discard_stale`, so
    that the older one is not used.
    """

    def __init__(self, size: Callable[[_T], int], *, most: int = _MOST_CHARACTERS, seconds: float = _SECONDS) -> None:
        """Create an empty cache.

        Args:
            size: counts the characters of an entry.
            most: characters to keep.
            seconds: age at which an entry is discarded.
        """
        self._characters = size
        self._most = most
        self._seconds = seconds
        self._kept: OrderedDict[str, tuple[float, str, _T]] = OrderedDict()
        self._size = 0

    def put(self, key: str, version: str, thing: _T) -> None:
        """Keep an entry in place of an earlier one under its key."""
        self._drop(key)
        self._kept[key] = (asyncio.get_running_loop().time(), version, thing)
        self._size += self._characters(thing)
        while self._size > self._most:
            self._drop(next(iter(self._kept)))

    def take(self, key: str) -> _T | None:
        """Remove and return an entry if it exists and is young."""
        self.discard_expired()
        return self._drop(key)

    def discard_stale(self, key: str, version: str | None) -> None:
        """Discard the entry under a key unless it has the current version, which is None if the server has none."""
        kept = self._kept.get(key)
        if kept is not None and kept[1] != version:
            self._drop(key)

    def discard_all_stale(self, versions: Mapping[str, str]) -> None:
        """Discard what a complete listing shows in another version or not at all, and what is too old."""
        self.discard_expired()
        for key in [key for key, (_, version, _) in self._kept.items() if versions.get(key) != version]:
            self._drop(key)

    def has_room_for(self, thing: _T) -> bool:
        """Tell whether an entry fits without dropping others."""
        return self._size + self._characters(thing) <= self._most

    def discard_expired(self) -> None:
        """Discard entries that are too old."""
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
