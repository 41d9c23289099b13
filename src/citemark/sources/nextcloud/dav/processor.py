"""Fetches one resource and makes text of it."""

import asyncio

from citemark.model.clock import Clock
from citemark.model.documents import Fetched
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId
from citemark.sources.nextcloud.dav.fetching import CollectionNotFound, Resource, fetch
from citemark.sources.nextcloud.dav.kinds import CollectionKind
from citemark.sources.nextcloud.dav.locations import LocatedResource, ResourceLocations
from citemark.sources.nextcloud.dav.scanner import DavScanner, resource_state
from citemark.sources.nextcloud.dav.texts import ResourceTexts
from citemark.sources.nextcloud.dav.versions import version_of
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache
from citemark.sources.nextcloud.webdav import WebDav


class DavProcessor:
    """Gives what the scan has just read, else asks the server; texts are made in the parsing process."""

    def __init__(
        self,
        dav: WebDav,
        kind: CollectionKind,
        locations: ResourceLocations,
        prefetched: PrefetchCache[Resource],
        scanner: DavScanner,
        texts: ResourceTexts,
        clock: Clock,
    ) -> None:
        self._scanner = scanner
        self._listing = asyncio.Lock()
        self._dav = dav
        self._kind = kind
        self._locations = locations
        self._prefetched = prefetched
        self._texts = texts
        self._clock = clock

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """The document now; None when it is gone, or hidden from this account.

        Raises:
            SkippableSourceError: its data is broken, or too large.
            RetriableSourceError: the server did not answer as it should.
            FatalSourceError: there are no such collections for this account.
        """
        found = await self._locate(doc_type, native_id)
        if found is None:
            return None
        resource = await self._resource(doc_type, native_id, found)
        if resource is None:
            return None
        if resource.too_large:
            raise SkippableSourceError(resource.too_large)
        state = resource_state(resource.data, resource.etag or found.state.etag, self._kind, found.state)
        if (state.doc_type, state.native_id) != (doc_type, native_id):
            # Something else lies there now; the next scan names it.
            return None
        if state != found.state:
            await self._locations.update(found, state)
        readable = await self._texts.read(resource.data, native_id, found.location)
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=version_of(state, found.location.label, self._clock()),
            modified_at=state.modified_at,
            url=readable.url,
            extracted=readable.extracted,
            relationships=readable.relationships,
            metadata=readable.metadata,
        )

    async def _locate(self, doc_type: str, native_id: NativeId) -> LocatedResource | None:
        """Where the document lies; where nothing is remembered, the collections are listed first."""
        began = asyncio.get_running_loop().time()
        found = await self._locations.find(doc_type, native_id)
        if found is not None:
            return found
        async with self._listing:
            if not self._locations.listed:
                async for _ in self._scanner.scan():
                    pass
        # Another process may have listed it a moment ago, and None would say that it is gone.
        await self._locations.reload(began)
        return await self._locations.find(doc_type, native_id)

    async def _resource(self, doc_type: str, native_id: NativeId, found: LocatedResource) -> Resource | None:
        """The data at the document's place, or at its new one when another process has seen it move."""
        began = asyncio.get_running_loop().time()
        kept = self._prefetched.take(found.location.href)
        if kept is not None:
            return kept
        given = await self._read(found)
        if given is not None:
            return given
        await self._locations.reload(began)
        moved = await self._locations.find(doc_type, native_id)
        if moved is None or moved.location.href == found.location.href:
            return None
        return await self._read(moved)

    async def _read(self, found: LocatedResource) -> Resource | None:
        try:
            given = await fetch(self._dav, self._kind, found.location.collection, [found.location.href])
        except CollectionNotFound:
            return None
        return given[0] if given else None
