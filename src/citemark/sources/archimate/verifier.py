"""Says of indexed elements and views whether the file still has them as they were."""

from collections.abc import Mapping, Sequence

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import SourceError
from citemark.sources.archimate.model_file import ModelFile, Snapshot


class ModelVerifier:
    """One look at the file for all refs; while that stays as it was, no reading."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file

    async def verify(self, refs: Sequence[DocumentRef]) -> Mapping[DocumentRef, Verdict]:
        """A verdict for each ref; all UNKNOWN while the file is missing, broken or being written."""
        try:
            snapshot = await self._file.snapshot()
        except SourceError:
            return dict.fromkeys(refs, Verdict.UNKNOWN)
        return {ref: _verdict(snapshot, ref) for ref in refs}


def _verdict(snapshot: Snapshot, ref: DocumentRef) -> Verdict:
    found = snapshot.documents.get((ref.doc_type, ref.native_id))
    if found is None:
        return Verdict.GONE
    return Verdict.OK if found.version == ref.version else Verdict.CHANGED
