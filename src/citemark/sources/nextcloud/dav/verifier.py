"""Says of indexed resources whether this account still gets them, and gets the same."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import aclosing

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import SourceError
from citemark.sources.contract import Verdicts
from citemark.sources.nextcloud.dav.fetching import NoCollection, Resource, fetch_all
from citemark.sources.nextcloud.dav.kinds import Kind
from citemark.sources.nextcloud.dav.places import Found, Places
from citemark.sources.nextcloud.dav.scanner import held_of
from citemark.sources.nextcloud.dav.versions import same_data
from citemark.sources.nextcloud.handover import Handover
from citemark.sources.nextcloud.webdav import WebDav
from citemark.sources.streams import merged


class DavVerifier:
    """One request per collection, side by side. Data is compared, since a server hides parts under the same etag."""

    def __init__(self, dav: WebDav, kind: Kind, places: Places, handover: Handover[Resource]) -> None:
        self._dav = dav
        self._kind = kind
        self._places = places
        self._handover = handover

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """A verdict for each ref; UNKNOWN where the server does not answer as it should.

        What is not where it was may have moved, so it is looked for once more before it is gone.
        """
        began = asyncio.get_running_loop().time()
        absent: dict[DocumentRef, Found | None] = {}
        async with aclosing(self._round(refs)) as verdicts:
            async for ref, verdict in verdicts:
                if verdict is Verdict.GONE:
                    absent[ref] = await self._found(ref)
                else:
                    yield ref, verdict
        if not absent:
            return
        await self._places.reload(began)
        moved = [ref for ref, place in absent.items() if _elsewhere(place, await self._found(ref))]
        for ref in absent.keys() - set(moved):
            yield ref, Verdict.GONE
        async with aclosing(self._round(moved)) as verdicts:
            async for ref, verdict in verdicts:
                yield ref, verdict

    async def _round(self, refs: Sequence[DocumentRef]) -> Verdicts:
        asked: dict[str, dict[str, list[tuple[DocumentRef, Found]]]] = defaultdict(lambda: defaultdict(list))
        for ref in refs:
            found = await self._found(ref)
            if found is not None:
                asked[found.place.collection][found.place.href].append((ref, found))
            else:
                yield ref, Verdict.GONE if self._places.listed else Verdict.UNKNOWN
        async with aclosing(merged(self._collection(href, wanted) for href, wanted in asked.items())) as verdicts:
            async for ref, verdict in verdicts:
                yield ref, verdict

    async def _collection(self, collection: str, wanted: Mapping[str, Sequence[tuple[DocumentRef, Found]]]) -> Verdicts:
        """The verdicts on documents of one collection, by their paths."""
        unseen = dict.fromkeys(wanted, Verdict.GONE)
        try:
            async with aclosing(fetch_all(self._dav, self._kind, collection, list(wanted))) as resources:
                async for resource in resources:
                    unseen.pop(resource.href, None)
                    for ref, found in wanted[resource.href]:
                        yield ref, self._verdict(ref, found, resource)
        except NoCollection:
            pass
        except SourceError:
            unseen = dict.fromkeys(unseen, Verdict.UNKNOWN)
        for href, verdict in unseen.items():
            for ref, _ in wanted[href]:
                yield ref, verdict

    def _verdict(self, ref: DocumentRef, found: Found, resource: Resource) -> Verdict:
        held = held_of(resource.data, resource.etag or found.held.etag, self._kind, found.held)
        if held.doc_type == ref.doc_type and same_data(held, ref.version):
            return Verdict.OK
        self._handover.put(resource.href, held.etag, resource)
        return Verdict.CHANGED

    async def _found(self, ref: DocumentRef) -> Found | None:
        return await self._places.find(ref.doc_type, ref.native_id)


def _elsewhere(before: Found | None, now: Found | None) -> bool:
    return now is not None and (before is None or before.place.href != now.place.href)
