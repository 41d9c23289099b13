"""A model file as its scanner, processor and verifier share it: read once per state of the file."""

import asyncio
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source.element_texts import ElementTexts
from citemark.features.archimate.source.model_texts import model_document, view_documents
from citemark.features.archimate.source.neighbours import capabilities_of
from citemark.features.archimate.source.part_documents import PartDocument, document_from_json, document_to_json
from citemark.features.archimate.source.parts import Model
from citemark.features.archimate.source.reader import COARCHI, read_model
from citemark.features.archimate.source.xml_file import MOST_MODEL_BYTES
from citemark.model.documents import Problem
from citemark.model.errors import FatalSourceError, RetriableSourceError, SkippableSourceError, SourceError
from citemark.model.ids import NativeId, Version
from citemark.sources.file_system import modified_at, version_of

_TEMPORARY = frozenset(
    {errno.EIO, errno.EAGAIN, errno.ESTALE, errno.ETIMEDOUT, errno.EMFILE, errno.ENFILE, errno.EINTR}
)
_RETRY = 0.5
"""Seconds after which a file that was being written is read again."""

_TASK = ParseTask("citemark.features.archimate.source.model_file", "read_documents", "architecture models")
_FOLDER = "folder.xml"
"""The file in each folder of coArchi that describes it; that of the top folder has the name of the model."""

_DOCUMENTS_PER_PART = 200
"""Documents per message from the parsing process, some hundred kilobytes."""


@dataclass(frozen=True, slots=True)
class ModelSnapshot:
    """All documents of a model, and its problems, at one state of the file."""

    modified_at: datetime | None
    documents: Mapping[tuple[str, NativeId], PartDocument]
    problems: tuple[Problem, ...]


class ModelFile:
    """One file. Concurrent callers share one reading of it, which continues even if a caller gives up."""

    def __init__(self, path: Path, parsers: ParserPool, language: str = "") -> None:
        """Take a path, and the language whose names and texts come first; if it is empty, that of the model."""
        self.path = path
        self._language = language
        self._parsers = parsers
        self._state: Version | None = None
        self._reading: asyncio.Task[ModelSnapshot] | None = None

    async def snapshot(self) -> ModelSnapshot:
        """Return the model as the file holds it now.

        Raises:
            FatalSourceError: the file is missing or cannot be read as a model.
            RetriableSourceError: it changed while it was read, or the disk has a temporary fault.
        """
        state = await asyncio.to_thread(self._now)
        reading = self._reading
        if reading is None or state != self._state or _failed(reading):
            self._state = state
            reading = self._reading = asyncio.create_task(read_snapshot(self.path, self._parsers, self._language))
            reading.add_done_callback(_failed)
        return await asyncio.shield(reading)

    def _now(self) -> Version:
        try:
            return version_of(self.path.stat())
        except OSError as error:
            raise _unreadable(self.path, error) from None


async def read_snapshot(path: Path, parsers: ParserPool, language: str = "") -> ModelSnapshot:
    """Read a file and write the texts of its model, in a process with limits of time and memory.

    Raises:
        FatalSourceError, RetriableSourceError: as `ModelFile.snapshot`.
    """
    data, info = await asyncio.to_thread(_bytes, path)
    try:
        parts = await parsers.parts(_TASK, ParseItem(data, {"language": language}), _part_from_json)
    except SkippableSourceError as error:
        raise FatalSourceError(f"{str(path)!r} cannot be read as a model. {error.message}") from None
    return ModelSnapshot(
        modified_at=modified_at(info),
        documents={(each.doc_type, each.native_id): each for part in parts for each in part.documents},
        problems=tuple(each for part in parts for each in part.problems),
    )


def read_documents(data: bytes, *, language: str = "") -> Iterator[dict[str, Any]]:
    """Yield the texts and problems of a model in parts; runs in a parsing process.

    Raises:
        SkippableSourceError: the bytes are not a model, or not safe to read.
    """
    model = read_model(data, language)
    yield {"problems": [[each.native_id, each.message] for each in model.problems], "documents": []}
    documents = documents_of(model)
    for start in range(0, len(documents), _DOCUMENTS_PER_PART):
        some = documents[start : start + _DOCUMENTS_PER_PART]
        yield {"problems": [], "documents": [document_to_json(each) for each in some]}


@dataclass(frozen=True, slots=True)
class _Part:
    documents: tuple[PartDocument, ...]
    problems: tuple[Problem, ...]


def _part_from_json(message: Mapping[str, Any]) -> _Part:
    return _Part(
        tuple(map(document_from_json, message["documents"])),
        tuple(Problem(NativeId(str(part)), str(told), remark=True) for part, told in message["problems"]),
    )


def documents_of(model: Model) -> list[PartDocument]:
    """Write the texts of a model: of the model itself, its elements and its views."""
    return [*model_document(model), *ElementTexts(model, capabilities_of(model)).all(), *view_documents(model)]


def _bytes(path: Path) -> tuple[bytes, os.stat_result]:
    if _is_coarchi(path):
        raise FatalSourceError(f"{str(path)!r} cannot be read as a model. {COARCHI}")
    try:
        with os.fdopen(_open(path), "rb") as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise FatalSourceError(f"{str(path)!r} is not a file; give the file that holds the model.")
            if before.st_size > MOST_MODEL_BYTES:
                raise FatalSourceError(
                    f"{str(path)!r} has {before.st_size:,} bytes, more than the {MOST_MODEL_BYTES:,} that are read. "
                    "Split the model, or export the part that is asked about."
                )
            data = file.read(MOST_MODEL_BYTES + 1)
            after = os.fstat(file.fileno())
    except OSError as error:
        raise _unreadable(path, error) from None
    if version_of(before) != version_of(after) or len(data) != after.st_size:
        raise RetriableSourceError("The model changed while it was read.", retry_after=_RETRY)
    return data, after


def _is_coarchi(path: Path) -> bool:
    """Tell whether a path is a folder that coArchi writes, or the file in it that describes a folder."""
    described = (path, path / _FOLDER, path / "model" / _FOLDER)
    return any(each.name == _FOLDER and each.is_file() for each in described)


def _open(path: Path) -> int:
    """Open the file for reading without blocking, in case the path is a pipe."""
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)


def _unreadable(path: Path, error: OSError) -> SourceError:
    if error.errno in _TEMPORARY:
        return RetriableSourceError(f"{str(path)!r} cannot be read now: {error.strerror}.")
    return FatalSourceError(
        f"{str(path)!r} cannot be read: {error.strerror}. Bring it back, or remove the source.", path=str(path)
    )


def _failed(reading: "asyncio.Task[ModelSnapshot]") -> bool:
    """Tell whether a reading ended without a model. Failures are not cached: the next caller reads the file again."""
    return reading.done() and (reading.cancelled() or reading.exception() is not None)
