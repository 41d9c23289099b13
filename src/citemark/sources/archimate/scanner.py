"""Lists a model: every element and every view."""

from collections.abc import AsyncIterator

from citemark.model.documents import Listed, Problem, ScanEnd
from citemark.model.errors import RetriableSourceError
from citemark.sources.archimate.model_file import ModelFile


class ModelScanner:
    """Reads the file as a whole; there is no smaller way to learn what changed."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """What is wrong in the model, all that is right, then ScanEnd; incomplete when the file was being written.

        Raises:
            FatalSourceError: there is no file, or none that can be read as a model.
        """
        try:
            snapshot = await self._file.snapshot()
        except RetriableSourceError as error:
            yield ScanEnd(complete=False, reason=error.message)
            return
        for problem in snapshot.problems:
            yield problem
        for each in snapshot.documents.values():
            yield Listed(each.doc_type, each.native_id, each.version, snapshot.modified_at)
        yield ScanEnd(complete=True)
