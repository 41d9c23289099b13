"""A folder of documents as a source: its processor, its verifier and the connector that joins them with the scanner."""

import asyncio
import errno
import os
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from citemark.extraction.dispatch import READER_VERSIONS, read_file, read_short_text
from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.documents import DocumentRef, Fetched, Verdict
from citemark.model.errors import FatalSourceError, RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.stated_dates import StatedDates, days_of
from citemark.model.text import Extracted
from citemark.sources.contract import Connector, Verdicts
from citemark.sources.docs.belonging import Belonging
from citemark.sources.docs.links import FolderTree, relationships_of
from citemark.sources.docs.notes import NotesByName
from citemark.sources.docs.scanner import DocsScanner
from citemark.sources.docs.settings import DEFAULT_MAX_BYTES, DocsSettings
from citemark.sources.docs.vault import Vault
from citemark.sources.docs.watcher import DocsWatcher
from citemark.sources.file_system import (
    OutsideRoot,
    RealPaths,
    is_file,
    modified_at,
    open_inside,
    real_path,
    version_of,
)
from citemark.sources.secret_files import REFUSAL, holds_private_key, is_secret_path

_MOVED = frozenset({errno.ELOOP, errno.ENOTDIR})
_TEMPORARY = frozenset(
    {errno.EIO, errno.EAGAIN, errno.ESTALE, errno.ETIMEDOUT, errno.EMFILE, errno.ENFILE, errno.EINTR}
)
_RETRY = 0.5
"""Seconds after which the program that writes a file has usually finished."""


_HEARD_EACH = 0.005
"""Seconds for which the verdicts on pages are gathered while others are checked: about a hundred take as long."""

_EFFECTIVE = os.access in os.supports_effective_ids


@dataclass(frozen=True, slots=True)
class _File:
    """A file that was read: the real root of the folder, the bytes, and the file's status when they were read."""

    root: str
    data: bytes
    info: os.stat_result


class DocsProcessor:
    """Fetches pages: reads files in a thread, and has everything but plain text parsed in a separate process."""

    def __init__(self, settings: DocsSettings, parsers: ParserPool) -> None:
        self._settings = settings
        self._parsers = parsers
        self._notes = NotesByName(settings)

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """Fetch a page; None when it is gone, excluded by a pattern, or reached by a link that leaves the folder.

        Raises:
            SkippableSourceError: it is too large, binary, damaged, locked, without text, unreadable, not a file, or a
                private key.
            RetriableSourceError: it changed while it was read, or the disk has a temporary fault.
            FatalSourceError: the folder itself is missing, which says nothing about its pages.
        """
        found = await asyncio.to_thread(self._file_or_page, doc_type, native_id)
        if not isinstance(found, _File):
            return found
        extracted = await read_file(native_id, found.data, self._parsers, ocr=self._settings.ocr)
        return await asyncio.to_thread(self._page, doc_type, native_id, found, extracted)

    def _file_or_page(self, doc_type: str, native_id: NativeId) -> "Fetched | _File | None":
        """The page, if its file is a short text; any other file, whose text is still to be read."""
        found = self._bytes(native_id)
        if found is None:
            return None
        extracted = read_short_text(native_id, found.data, ocr=self._settings.ocr)
        return found if extracted is None else self._page(doc_type, native_id, found, extracted)

    def _page(self, doc_type: str, native_id: NativeId, file: _File, extracted: Extracted) -> Fetched:
        vault = self._settings.vault()
        dates = _dates_of(native_id, vault)
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=version_of(file.info),
            modified_at=modified_at(file.info),
            url=self._settings.url_of(native_id, vault),
            extracted=extracted,
            relationships=relationships_of(native_id, extracted, self._tree(file.root)),
            dates=dates,
            days=() if dates is None else days_of(dates),
        )

    def _tree(self, root: str) -> FolderTree:
        belonging = self._settings.belonging()
        return FolderTree(
            # Path.is_file and is_dir raise on names that are too long.
            is_file=lambda path: os.path.isfile(f"{root}/{path}"),  # noqa: PTH113
            is_folder=lambda path: os.path.isdir(f"{root}/{path}"),  # noqa: PTH112
            takes=belonging.takes,
            note=self._notes.find,
            place_of_id=self._notes.find_id,
        )

    def _bytes(self, native_id: NativeId) -> "_File | None":
        root = os.path.realpath(self._settings.root)
        if not Path(root).is_dir():
            raise FatalSourceError(f"The folder {str(self._settings.root)!r} does not exist.")
        if not self._settings.takes(native_id):
            return None
        try:
            return _File(root, *self._read(root, native_id))
        except (OutsideRoot, FileNotFoundError):
            return None
        except OSError as error:
            if error.errno in _MOVED:
                return None
            if error.errno in _TEMPORARY:
                raise RetriableSourceError(f"The file cannot be read now: {error.strerror}.") from error
            raise SkippableSourceError(f"The file cannot be read: {error.strerror}.") from error

    def _read(self, root: str, native_id: NativeId) -> tuple[bytes, os.stat_result]:
        most = self._settings.max_file_bytes
        real = real_path(root, native_id)
        if is_secret_path(os.path.relpath(real, root)):
            raise SkippableSourceError(REFUSAL)
        descriptor = open_inside(root, real)
        with os.fdopen(descriptor, "rb") as file:
            before = os.fstat(descriptor)
            if not is_file(before):
                raise SkippableSourceError("It is not a regular file.")
            if before.st_size > most:
                raise SkippableSourceError(
                    f"The file has {before.st_size:,} bytes, more than the {most:,} that are read."
                )
            data = file.read(most + 1)
            after = os.fstat(descriptor)
        if version_of(before) != version_of(after) or len(data) != after.st_size:
            raise RetriableSourceError("The file changed while it was read.", retry_after=_RETRY)
        if holds_private_key(Path(real).name, data):
            raise SkippableSourceError(REFUSAL)
        return data, after


def _dates_of(native_id: NativeId, vault: Vault | None) -> StatedDates | None:
    """The day of a daily note, which its name tells; None for any other page."""
    day = None if vault is None or vault.daily is None else vault.daily.day_of(native_id)
    return None if day is None else StatedDates(begin=day.isoformat())


class DocsVerifier:
    """Checks pages with one stat call each, all in one thread; one that hangs hardly delays the verdicts before it."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict for each ref; UNKNOWN while the folder itself is missing, such as an unmounted drive."""
        abandoned, verdicts = Event(), deque[Verdict]()

        def check() -> None:
            # Every link on the way to the folder is looked at, so this is done once and not for each page.
            belonging, root = self._settings.belonging(), os.path.realpath(self._settings.root)
            paths = RealPaths(root)
            for ref in refs:
                if abandoned.is_set():
                    return
                verdicts.append(self._verdict(ref, belonging, root, paths))

        # Starting and ending a thread per page, or waking the loop for each, takes as long as all the checks together.
        checking = asyncio.get_running_loop().run_in_executor(None, check)
        rest = iter(refs)
        try:
            while not checking.done():
                await asyncio.wait((checking,), timeout=_HEARD_EACH)
                while verdicts:
                    yield next(rest), verdicts.popleft()
            await checking  # raises the exception that ended it
        finally:
            abandoned.set()

    def _verdict(self, ref: DocumentRef, belonging: Belonging, root: str, paths: RealPaths) -> Verdict:
        if not belonging.takes(ref.native_id):
            return Verdict.EXCLUDED
        try:
            if not os.path.isdir(root):  # noqa: PTH112 - asked for each page; Path takes three times as long
                return Verdict.UNKNOWN
            real, info = paths.of(ref.native_id)
            inside = real.removeprefix(root).lstrip(os.sep)
            return Verdict.EXCLUDED if is_secret_path(inside) else self._of_file(real, info, ref)
        except OutsideRoot:
            return Verdict.EXCLUDED
        except (FileNotFoundError, NotADirectoryError):
            return Verdict.GONE
        except OSError:
            return Verdict.UNKNOWN

    def _of_file(self, real: str, info: os.stat_result, ref: DocumentRef) -> Verdict:
        unchanged = version_of(info) == ref.version
        if not is_file(info) or (info.st_size > self._settings.max_file_bytes and not unchanged):
            return Verdict.GONE
        if not os.access(real, os.R_OK, effective_ids=_EFFECTIVE):
            return Verdict.UNKNOWN
        return Verdict.OK if unchanged else Verdict.CHANGED


def docs_connector(
    config: Mapping[str, Any], parsers: ParserPool, *, max_file_bytes: int = DEFAULT_MAX_BYTES
) -> Connector:
    """Build the connector of a stored configuration. Reads nothing from disk yet.

    Args:
        config: as stored with the source.
        parsers: processes that parse everything but plain text; the caller closes them.
        max_file_bytes: larger files are reported as problems.

    Raises:
        ConfigurationError: a key or value is not acceptable.
    """
    settings = DocsSettings.from_config(config, max_file_bytes=max_file_bytes)
    scanner = DocsScanner(settings)
    return Connector(
        scanner,
        DocsProcessor(settings, parsers),
        DocsVerifier(settings),
        DocsWatcher(settings, scanner),
        reader_versions=parsers.recognition.versions(READER_VERSIONS, asked=settings.ocr),
    )
