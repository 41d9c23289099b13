"""Data read while listing or checking, kept for the reader that comes for it next."""

import asyncio
from collections import OrderedDict

from citemark.sources.nextcloud.dav.fetching import Resource

_MOST_CHARACTERS = 32_000_000
_SECONDS = 900.0
"""What nobody came for until then is read anew. A first sync has thousands of texts before its last event."""


class Handover:
    """Each resource is given out once, while it is young; the oldest make room."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[float, Resource]] = OrderedDict()
        self._size = 0

    def put(self, resource: Resource) -> None:
        """Keep it."""
        self.take(resource.href)
        self._kept[resource.href] = (asyncio.get_running_loop().time(), resource)
        self._size += len(resource.data)
        while self._size > _MOST_CHARACTERS:
            self.take(next(iter(self._kept)))

    def take(self, href: str) -> Resource | None:
        """Give it out, if it is there and young."""
        kept = self._kept.pop(href, None)
        if kept is None:
            return None
        at, resource = kept
        self._size -= len(resource.data)
        return resource if asyncio.get_running_loop().time() - at < _SECONDS else None

    def expire(self) -> None:
        """Forget what is not young any more."""
        now = asyncio.get_running_loop().time()
        for href in [href for href, (at, _) in self._kept.items() if now - at >= _SECONDS]:
            self.take(href)
