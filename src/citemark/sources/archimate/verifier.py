"""Says of indexed elements and views whether the file still has them as they were."""

from collections.abc import Sequence

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import SourceError
from citemark.sources.archimate.model_file import ModelFile, ModelSnapshot
from citemark.sources.contract import Verdicts


class ModelVerifier:
    """One look at the file for all refs; while that stays as it was, no reading."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """A verdict for each ref; all UNKNOWN while the file is missing, broken or being written."""
        try:
            snapshot = await self._file.snapshot()
        except SourceError:
            snapshot = None
        for ref in refs:
            yield ref, _verdict(snapshot, ref)


def _verdict(snapshot: ModelSnapshot | None, ref: DocumentRef) -> Verdict:
    if snapshot is None:
        return Verdict.UNKNOWN
    found = snapshot.documents.get((ref.doc_type, ref.native_id))
    if found is None:
        return Verdict.GONE
    return Verdict.OK if found.version == ref.version else Verdict.CHANGED
