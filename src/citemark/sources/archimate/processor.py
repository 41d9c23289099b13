"""Gives out one element or view of a model."""

from citemark.model.documents import Fetched
from citemark.model.ids import NativeId
from citemark.sources.archimate.model_file import ModelFile


class ModelProcessor:
    """The texts were written when the file was read."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """The element or view as the file has it now; None when it is gone.

        Raises:
            FatalSourceError: there is no file, or none that can be read as a model.
            RetriableSourceError: it is being written.
        """
        snapshot = await self._file.snapshot()
        found = snapshot.documents.get((doc_type, native_id))
        if found is None:
            return None
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=found.version,
            modified_at=snapshot.modified_at,
            url=None,
            extracted=found.extracted,
            relationships=found.relationships,
            metadata=found.metadata,
            # Who asks for an id says of what: these words weigh nothing where all elements have them, and the id all.
            names=f"{doc_type} id {native_id}",
        )
