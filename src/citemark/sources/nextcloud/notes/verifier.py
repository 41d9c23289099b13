"""Says of indexed notes whether the account may open them and whether they are as they were."""

from collections.abc import Sequence

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import SourceError
from citemark.sources.contract import Verdicts
from citemark.sources.nextcloud.notes.api import FullNote, NotesApi
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache
from citemark.sources.streams import completed


class NotesVerifier:
    """A conditional request per note, all at once."""

    def __init__(self, api: NotesApi, prefetched: PrefetchCache[FullNote]) -> None:
        self._api = api
        self._prefetched = prefetched

    def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """A verdict for each ref."""
        return completed(map(self._judged, refs))

    async def _judged(self, ref: DocumentRef) -> list[tuple[DocumentRef, Verdict]]:
        return [(ref, await self._verdict(ref))]

    async def _verdict(self, ref: DocumentRef) -> Verdict:
        try:
            etag = await self._api.etag_now(ref.native_id, ref.version)
        except SourceError:
            return Verdict.UNKNOWN
        self._prefetched.discard_stale(ref.native_id, etag)
        if etag is None:
            return Verdict.GONE
        return Verdict.OK if etag == ref.version else Verdict.CHANGED
