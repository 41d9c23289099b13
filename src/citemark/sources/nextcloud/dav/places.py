"""Where each document lies, shared by the scanner, the processor and the verifier of one app."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from citemark.model.ids import NativeId
from citemark.sources.nextcloud.dav.kinds import Kind, Place
from citemark.sources.nextcloud.dav.mirrors import Held, Mirror, Mirrors

_YOUNG = 1.0
"""Seconds for which what was read from the memory is not read again, however many documents are looked for."""


@dataclass(frozen=True, slots=True)
class Found:
    """A document's place and its resource as it was read last."""

    place: Place
    held: Held


class Places:
    """Loaded from the memory when first needed and when a document is not where it was: another process may scan."""

    def __init__(self, mirrors: Mirrors, kind: Kind) -> None:
        self._mirrors = mirrors
        self._kind = kind
        self._by_id: dict[tuple[str, NativeId], Found] = {}
        self._loaded_at: float | None = None
        self._listed = False
        self._loading = asyncio.Lock()

    @property
    def listed(self) -> bool:
        """False while no scan has been remembered, so that nothing can be said of what is not found."""
        return self._listed

    def take(self, mirrors: Mapping[str, Mirror]) -> None:
        """Know what a scan has just seen."""
        self._by_id = {
            (held.doc_type, held.native_id): Found(Place(path, collection, mirror.label), held)
            for collection, mirror in mirrors.items()
            for path, held in mirror.held.items()
            if held.doc_type
        }
        self._loaded_at = asyncio.get_running_loop().time()
        self._listed = True

    async def find(self, doc_type: str, native_id: NativeId) -> Found | None:
        """Where a document lies; None when the last scan did not list it."""
        found = self._by_id.get((doc_type, native_id))
        if found is None:
            await self.reload(asyncio.get_running_loop().time() - _YOUNG)
            found = self._by_id.get((doc_type, native_id))
        return found

    async def reload(self, since: float) -> None:
        """Read the memory again, unless that has been done since a time of the event loop."""
        async with self._loading:
            now = asyncio.get_running_loop().time()
            if self._loaded_at is not None and self._loaded_at > since:
                return
            home = await self._mirrors.home()
            self._loaded_at = now
            if home is None:
                return
            loaded = {href: await self._mirrors.mirror(href) for href in home.collections}
            self.take({href: mirror for href, mirror in loaded.items() if mirror is not None})

    async def update(self, found: Found, held: Held) -> None:
        """Remember that a resource turned out to be other than at the last scan though its etag is the same.

        What has another etag by now is left to the next scan. It is the memory's own state that is changed: another
        process may have scanned since this one read it.
        """
        self._by_id[held.doc_type, held.native_id] = replace(found, held=held)
        mirror = await self._mirrors.mirror(found.place.collection)
        before = None if mirror is None else mirror.held.get(found.place.href)
        if mirror is None or before is None or before.etag != held.etag or before == held:
            return
        changed = replace(mirror, held={**mirror.held, found.place.href: held})
        await self._mirrors.save(found.place.collection, changed)
