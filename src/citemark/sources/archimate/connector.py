"""A file with an architecture model as a source."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.documents import DocumentRef, Fetched, Listed, Problem, ScanEnd, Verdict
from citemark.model.errors import ConfigurationError, RetriableSourceError, SourceError
from citemark.model.ids import NativeId
from citemark.sources.archimate.model_file import ModelFile, ModelSnapshot
from citemark.sources.archimate.watcher import ModelWatcher
from citemark.sources.contract import Connector, Verdicts


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The file of a model. Its capability only names the tools, and is no business of a connector."""

    path: Path

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "ModelSettings":
        """Read a stored configuration.

        Raises:
            ConfigurationError: it names no file.
        """
        path: object = config.get("path")
        if not isinstance(path, str) or not path:
            raise ConfigurationError("A source of kind archimate needs `path`, the file that holds the model.")
        return cls(Path(path))


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


def archimate_connector(config: Mapping[str, Any], *, parsers: ParserPool) -> Connector:
    """The connector of a stored configuration; nothing is touched yet.

    Raises:
        ConfigurationError: it names no file.
    """
    settings = ModelSettings.from_config(config)
    file = ModelFile(settings.path, parsers)
    return Connector(ModelScanner(file), ModelProcessor(file), ModelVerifier(file), ModelWatcher(settings.path))
