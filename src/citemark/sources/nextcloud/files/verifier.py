"""Says of indexed files whether the account may open them and whether they are as they were."""

from collections import defaultdict
from collections.abc import Sequence

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import SourceError
from citemark.model.ids import NativeId
from citemark.sources.contract import Verdicts
from citemark.sources.nextcloud.files.api import FilesApi
from citemark.sources.nextcloud.files.entries import Entry
from citemark.sources.nextcloud.files.locator import FileLocator
from citemark.sources.streams import completed


class FilesVerifier:
    """A request per file, all at once: a look where the scan saw it, or a search by its id."""

    def __init__(self, api: FilesApi, locator: FileLocator) -> None:
        self._api = api
        self._locator = locator

    def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """A verdict for each ref; a file that was moved is looked for, and is a changed one."""
        files: dict[NativeId, list[DocumentRef]] = defaultdict(list)
        for ref in refs:
            files[ref.native_id].append(ref)
        return completed(self._judged(file_id, asked) for file_id, asked in files.items())

    async def _judged(self, file_id: NativeId, refs: Sequence[DocumentRef]) -> list[tuple[DocumentRef, Verdict]]:
        now = await self._now(file_id)
        return [(ref, _verdict(ref, now)) for ref in refs]

    async def _now(self, file_id: NativeId) -> Entry | Verdict:
        try:
            known = self._locator.last_seen(file_id)
            if known is not None:
                entry = await self._api.entry_at(known.path)
                if entry is not None and entry.file_id == file_id:
                    return entry if self._locator.allowed(entry) else Verdict.GONE
            return await self._locator.locate(file_id) or Verdict.GONE
        except SourceError:
            return Verdict.UNKNOWN


def _verdict(ref: DocumentRef, now: Entry | Verdict) -> Verdict:
    if isinstance(now, Verdict):
        return now
    return Verdict.OK if ref.version == now.version else Verdict.CHANGED
