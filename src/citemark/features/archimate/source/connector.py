"""An architecture model as a source: scanner, processor and verifier share one `ModelFile`."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source.model_file import ModelFile, ModelSnapshot
from citemark.features.archimate.source.watcher import ModelWatcher
from citemark.model.documents import DocumentRef, Fetched, Listed, Problem, ScanEnd, Verdict
from citemark.model.errors import ConfigurationError, RetriableSourceError, SourceError
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector, Verdicts

READER_VERSIONS: Mapping[str, int] = MappingProxyType({"archimate": 2})
"""Raised by one with every change that makes other texts of the same model; its documents are then read again."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The file of a model. The stored `capability` only names tools, so the connector ignores it."""

    path: Path

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "ModelSettings":
        """Read a stored configuration.

        Raises:
            ConfigurationError: it does not name a file.
        """
        path: object = config.get("path")
        if not isinstance(path, str) or not path:
            raise ConfigurationError("A source of kind archimate needs `path`, the file that holds the model.")
        return cls(Path(path))


class ModelScanner:
    """Lists elements and views by reading the whole file; nothing less shows what changed."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield the problems of the model, its documents, then ScanEnd; incomplete if the file was being written.

        Raises:
            FatalSourceError: the file is missing or cannot be read as a model.
        """
        try:
            snapshot = await self._file.snapshot()
        except RetriableSourceError as error:
            yield ScanEnd(complete=False, reason=error.message)
            return
        for problem in snapshot.problems:
            yield problem
        for each in snapshot.documents.values():
            yield Listed(each.doc_type, each.native_id, each.version, snapshot.modified_at, tuple(READER_VERSIONS))
        yield ScanEnd(complete=True)


class ModelProcessor:
    """Returns texts that were written when the file was read."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """Return an element or view as the file has it now; None when it is gone.

        Raises:
            FatalSourceError: the file is missing or cannot be read as a model.
            RetriableSourceError: the file is being written.
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
            # Questions that name an id say of what. As every element has these words, only the id carries weight.
            names=f"{doc_type} id {native_id}",
        )


class ModelVerifier:
    """Checks all refs against one snapshot; an unchanged file is not read again."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict for each ref; all are UNKNOWN while the file is missing, damaged or being written."""
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


def archimate_connector(config: Mapping[str, Any], *, parsers: ParserPool, language: str = "") -> Connector:
    """Build the connector of a stored configuration. Reads nothing from disk yet.

    Args:
        config: as stored with the source.
        parsers: the processes that parse the file.
        language: the language whose names and texts come first, by its English name; if empty, that of the model.

    Raises:
        ConfigurationError: it does not name a file.
    """
    settings = ModelSettings.from_config(config)
    file = ModelFile(settings.path, parsers, language)
    return Connector(
        ModelScanner(file),
        ModelProcessor(file),
        ModelVerifier(file),
        ModelWatcher(settings.path),
        reader_versions=READER_VERSIONS,
    )
