"""Says of indexed resources whether this account still gets them, and gets the same."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import aclosing

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import SourceError
from citemark.sources.contract import Verdicts
from citemark.sources.nextcloud.dav.fetching import CollectionNotFound, Resource, fetch_all
from citemark.sources.nextcloud.dav.kinds import CollectionKind
from citemark.sources.nextcloud.dav.locations import LocatedResource, ResourceLocations
from citemark.sources.nextcloud.dav.scanner import resource_state
from citemark.sources.nextcloud.dav.versions import same_data
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache
from citemark.sources.nextcloud.webdav import WebDav
from citemark.sources.streams import merged


class DavVerifier:
    """One request per collection, side by side. Data is compared, since a server hides parts under the same etag."""

    def __init__(
        self, dav: WebDav, kind: CollectionKind, locations: ResourceLocations, prefetched: PrefetchCache[Resource]
    ) -> None:
        self._dav = dav
        self._kind = kind
        self._locations = locations
        self._prefetched = prefetched

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """A verdict for each ref; UNKNOWN where the server does not answer as it should.

        What is not where it was may have moved, so it is looked for once more before it is gone.
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
        asked: dict[str, dict[str, list[tuple[DocumentRef, LocatedResource]]]] = defaultdict(lambda: defaultdict(list))
        for ref in refs:
            found = await self._locate(ref)
            if found is not None:
                asked[found.location.collection][found.location.href].append((ref, found))
            else:
                yield ref, Verdict.GONE if self._locations.listed else Verdict.UNKNOWN
        async with aclosing(merged(self._collection(href, wanted) for href, wanted in asked.items())) as verdicts:
            async for ref, verdict in verdicts:
                yield ref, verdict

    async def _collection(
        self, collection: str, wanted: Mapping[str, Sequence[tuple[DocumentRef, LocatedResource]]]
    ) -> Verdicts:
        """The verdicts on documents of one collection, by their paths."""
        unseen = dict.fromkeys(wanted, Verdict.GONE)
        try:
            async with aclosing(fetch_all(self._dav, self._kind, collection, list(wanted))) as resources:
                async for resource in resources:
                    unseen.pop(resource.href, None)
                    for ref, found in wanted[resource.href]:
                        yield ref, self._verdict(ref, found, resource)
        except CollectionNotFound:
            pass
        except SourceError:
            unseen = dict.fromkeys(unseen, Verdict.UNKNOWN)
        for href, verdict in unseen.items():
            for ref, _ in wanted[href]:
                yield ref, verdict

    def _verdict(self, ref: DocumentRef, found: LocatedResource, resource: Resource) -> Verdict:
        state = resource_state(resource.data, resource.etag or found.state.etag, self._kind, found.state)
        if state.doc_type == ref.doc_type and same_data(state, ref.version):
            return Verdict.OK
        self._prefetched.put(resource.href, state.etag, resource)
        return Verdict.CHANGED

    async def _locate(self, ref: DocumentRef) -> LocatedResource | None:
        return await self._locations.find(ref.doc_type, ref.native_id)


def _has_moved(before: LocatedResource | None, now: LocatedResource | None) -> bool:
    return now is not None and (before is None or before.location.href != now.location.href)
