"""A kind of collection as an app of an account: processor, verifier, and the app that joins them with the scanner."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import aclosing

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import AccountApp
from citemark.features.nextcloud.source.dav.api import CollectionNotFound, Resource, fetch, fetch_all
from citemark.features.nextcloud.source.dav.discovery import list_collections
from citemark.features.nextcloud.source.dav.kinds import CollectionKind, ResourceTexts
from citemark.features.nextcloud.source.dav.locations import LocatedResource, ResourceLocations
from citemark.features.nextcloud.source.dav.scanner import DavScanner, resource_state
from citemark.features.nextcloud.source.dav.snapshots import CollectionSnapshots, same_data, says_label, version_of
from citemark.features.nextcloud.source.prefetch_cache import PrefetchCache
from citemark.features.nextcloud.source.webdav import WebDav
from citemark.model.clock import Clock
from citemark.model.documents import DocumentRef, Fetched, Verdict
from citemark.model.errors import SkippableSourceError, SourceError
from citemark.model.ids import NativeId
from citemark.sources.contract import ScanState, Verdicts
from citemark.sources.streams import merged


class DavProcessor:
    """Fetches prefetched data or requests it; the text is made in the parsing process."""

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
        """Fetch a document; None when it is gone, or hidden from this account.

        Raises:
            SkippableSourceError: its data is damaged, or too large.
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
            # Another document is stored there now; the next scan finds out which.
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
            dates=readable.dates,
            days=readable.days,
            labels=readable.labels,
        )

    async def _locate(self, doc_type: str, native_id: NativeId) -> LocatedResource | None:
        """Return where the document is; if no scan has been stored, the collections are listed first."""
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
        """Return the data at the document's location, or at its new one if another process has seen it move."""
        began = asyncio.get_running_loop().time()
        prefetched = self._prefetched.take(found.location.href)
        if prefetched is not None:
            return prefetched
        resource = await self._read(found)
        if resource is not None:
            return resource
        await self._locations.reload(began)
        moved = await self._locations.find(doc_type, native_id)
        if moved is None or moved.location.href == found.location.href:
            return None
        return await self._read(moved)

    async def _read(self, found: LocatedResource) -> Resource | None:
        try:
            resources = await fetch(self._dav, self._kind, found.location.collection, [found.location.href])
        except CollectionNotFound:
            return None
        return resources[0] if resources else None


class DavVerifier:
    """Checks with one request per collection, beside one for the collections, whose names are part of the texts.

    Data is compared, because servers hide parts under the same etag.
    """

    def __init__(
        self,
        dav: WebDav,
        kind: CollectionKind,
        locations: ResourceLocations,
        snapshots: CollectionSnapshots,
        prefetched: PrefetchCache[Resource],
        clock: Clock,
    ) -> None:
        self._snapshots = snapshots
        self._clock = clock
        self._dav = dav
        self._kind = kind
        self._locations = locations
        self._prefetched = prefetched

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict for each ref; UNKNOWN where the server does not answer as it should.

        A document that is not where it was may have moved, so it is looked for once more before it counts as gone.
        """
        began = asyncio.get_running_loop().time()
        absent: dict[DocumentRef, LocatedResource | None] = {}
        async with aclosing(self._round(refs)) as verdicts:
            async for ref, verdict in verdicts:
                if verdict is Verdict.GONE:
                    absent[ref] = await self._locate(ref)
                else:
                    yield ref, verdict
        if not absent:
            return
        await self._locations.reload(began)
        moved = [ref for ref, location in absent.items() if _has_moved(location, await self._locate(ref))]
        for ref in absent.keys() - set(moved):
            yield ref, Verdict.GONE
        async with aclosing(self._round(moved)) as verdicts:
            async for ref, verdict in verdicts:
                yield ref, verdict

    async def _round(self, refs: Sequence[DocumentRef]) -> Verdicts:
        by_collection: dict[str, dict[str, list[tuple[DocumentRef, LocatedResource]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for ref in refs:
            found = await self._locate(ref)
            if found is not None:
                by_collection[found.location.collection][found.location.href].append((ref, found))
            else:
                yield ref, Verdict.GONE if self._locations.listed else Verdict.UNKNOWN
        if not by_collection:
            return
        names = asyncio.create_task(self._names())
        try:
            rounds = (self._collection(href, wanted, names) for href, wanted in by_collection.items())
            async with aclosing(merged(rounds)) as verdicts:
                async for ref, verdict in verdicts:
                    yield ref, verdict
        finally:
            names.cancel()
            await asyncio.gather(names, return_exceptions=True)

    async def _names(self) -> Mapping[str, str]:
        """The names of the collections now, by path.

        Raises:
            SourceError: the server does not list them now.
        """
        home = await self._snapshots.home()
        listed = None if home is None else await list_collections(self._dav, self._kind, home.href)
        return {collection.href: collection.label for collection in listed or ()}

    async def _collection(
        self,
        collection: str,
        wanted: Mapping[str, Sequence[tuple[DocumentRef, LocatedResource]]],
        names: "asyncio.Task[Mapping[str, str]]",
    ) -> Verdicts:
        """Yield the verdicts on documents of one collection, given by path.

        A collection that answers but is not listed has no known name now, so nothing is said of its documents.
        """
        unseen = dict.fromkeys(wanted, Verdict.GONE)
        try:
            async with aclosing(fetch_all(self._dav, self._kind, collection, list(wanted))) as resources:
                async for resource in resources:
                    label = (await asyncio.shield(names)).get(collection)
                    unseen.pop(resource.href, None)
                    if label is not None:
                        self._locations.relabel(collection, label)
                    for ref, found in wanted[resource.href]:
                        verdict = Verdict.UNKNOWN if label is None else self._verdict(ref, found, resource, label)
                        yield ref, verdict
        except CollectionNotFound:
            pass
        except SourceError:
            unseen = dict.fromkeys(unseen, Verdict.UNKNOWN)
        for href, verdict in unseen.items():
            for ref, _ in wanted[href]:
                yield ref, verdict

    def _verdict(self, ref: DocumentRef, found: LocatedResource, resource: Resource, label: str) -> Verdict:
        state = resource_state(resource.data, resource.etag or found.state.etag, self._kind, found.state)
        if state.doc_type == ref.doc_type and same_data(state, ref.version):
            named = says_label(state, label, ref.version, self._clock())
            return Verdict.OK if named else Verdict.CHANGED
        self._prefetched.put(resource.href, state.etag, resource)
        return Verdict.REDUCED if self._kind.reduced(resource.data) else Verdict.CHANGED

    async def _locate(self, ref: DocumentRef) -> LocatedResource | None:
        return await self._locations.find(ref.doc_type, ref.native_id)


def _has_moved(before: LocatedResource | None, now: LocatedResource | None) -> bool:
    return now is not None and (before is None or before.location.href != now.location.href)


def dav_app(dav: WebDav, kind: CollectionKind, scan_state: ScanState, parsers: ParserPool, clock: Clock) -> AccountApp:
    """Build the app of a kind. Sends nothing to the server yet."""
    snapshots, prefetched = (
        CollectionSnapshots(scan_state, kind),
        PrefetchCache[Resource](lambda resource: len(resource.data)),
    )
    locations = ResourceLocations(snapshots, kind)
    scanner = DavScanner(dav, kind, snapshots, locations, prefetched, clock)
    texts = ResourceTexts(parsers, kind.reading, dav.client.server, clock)
    return AccountApp(
        name=kind.name,
        doc_types=kind.doc_types,
        scanner=scanner,
        processor=DavProcessor(dav, kind, locations, prefetched, scanner, texts, clock),
        verifier=DavVerifier(dav, kind, locations, snapshots, prefetched, clock),
    )
