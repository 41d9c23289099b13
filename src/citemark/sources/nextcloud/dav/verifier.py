"""Says of indexed resources whether this account still gets them, and gets the same."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import SourceError
from citemark.sources.nextcloud.dav.fetching import NoCollection, Resource, fetch_all
from citemark.sources.nextcloud.dav.kinds import Kind
from citemark.sources.nextcloud.dav.places import Found, Places
from citemark.sources.nextcloud.dav.scanner import held_of
from citemark.sources.nextcloud.dav.versions import same_data
from citemark.sources.nextcloud.handover import Handover
from citemark.sources.nextcloud.http import Client


class DavVerifier:
    """One request per collection, side by side. Data is compared, since a server hides parts under the same etag."""

    def __init__(self, client: Client, kind: Kind, places: Places, handover: Handover[Resource]) -> None:
        self._client = client
        self._kind = kind
        self._places = places
        self._handover = handover

    async def verify(self, refs: Sequence[DocumentRef]) -> Mapping[DocumentRef, Verdict]:
        """A verdict for each ref; UNKNOWN where the server does not answer as it should."""
        began = asyncio.get_running_loop().time()
        verdicts = await self._round(refs)
        absent = [ref for ref, verdict in verdicts.items() if verdict is Verdict.GONE]
        places = {ref: await self._places.find(ref.doc_type, ref.native_id) for ref in absent}
        if absent:
            await self._places.reload(began)
        moved = [ref for ref in absent if _elsewhere(places[ref], await self._found(ref))]
        return {**verdicts, **await self._round(moved)} if moved else verdicts

    async def _round(self, refs: Sequence[DocumentRef]) -> dict[DocumentRef, Verdict]:
        verdicts = dict.fromkeys(refs, Verdict.UNKNOWN)
        asked: dict[str, dict[str, list[tuple[DocumentRef, Found]]]] = defaultdict(lambda: defaultdict(list))
        for ref in refs:
            found = await self._found(ref)
            if found is not None:
                asked[found.place.collection][found.place.href].append((ref, found))
            elif self._places.listed:
                verdicts[ref] = Verdict.GONE
        for answers in await asyncio.gather(*(self._collection(href, wanted) for href, wanted in asked.items())):
            verdicts.update(answers)
        return verdicts

    async def _collection(
        self, collection: str, wanted: Mapping[str, Sequence[tuple[DocumentRef, Found]]]
    ) -> dict[DocumentRef, Verdict]:
        """The verdicts on documents of one collection, by their paths."""
        verdicts = {ref: Verdict.GONE for each in wanted.values() for ref, _ in each}
        try:
            async for resource in fetch_all(self._client, self._kind, collection, sorted(wanted)):
                for ref, found in wanted[resource.href]:
                    held = held_of(resource.data, resource.etag or found.held.etag, self._kind, found.held)
                    same = held.doc_type == ref.doc_type and same_data(held, ref.version)
                    verdicts[ref] = Verdict.OK if same else Verdict.CHANGED
                    if not same:
                        self._handover.put(resource.href, held.etag, resource)
        except NoCollection:
            return dict.fromkeys(verdicts, Verdict.GONE)
        except SourceError:
            return dict.fromkeys(verdicts, Verdict.UNKNOWN)
        return verdicts

    async def _found(self, ref: DocumentRef) -> Found | None:
        return await self._places.find(ref.doc_type, ref.native_id)


def _elsewhere(before: Found | None, now: Found | None) -> bool:
    return now is not None and (before is None or before.place.href != now.place.href)
