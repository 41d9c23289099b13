"""Reads one file and makes text of it."""

import asyncio
import errno
import os
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from citemark.extraction.decoding import decode
from citemark.extraction.markdown import extract_markdown
from citemark.extraction.plain import extract_plain
from citemark.model.documents import Fetched
from citemark.model.errors import FatalSourceError, RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.text import Extracted
from citemark.sources.docs.places import inside, version_of
from citemark.sources.docs.references import References
from citemark.sources.docs.settings import PLAIN, DocsSettings

_BUSY = frozenset({errno.EIO, errno.EAGAIN, errno.ESTALE, errno.ETIMEDOUT, errno.EMFILE, errno.ENFILE})


class DocsProcessor:
    """Fetches pages of one folder; everything blocking happens in a thread."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings
        self._references = References(settings.root)

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """The page as it is now, None when it is gone.

        Raises:
            SkippableSourceError: not readable, too large, binary, or a link that leaves the folder.
            RetriableSourceError: the disk answers with a passing fault.
            FatalSourceError: the folder itself is gone.
        """
        return await asyncio.to_thread(self._fetch, doc_type, native_id)

    def _fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        if not self._settings.root.is_dir():
            raise FatalSourceError(f"The folder {self._settings.root} is not there.")
        path = inside(self._settings.root, native_id)
        if path is None:
            raise SkippableSourceError("The link leaves the folder of the source and is not followed.")
        read = self._read(path)
        if read is None:
            return None
        data, status = read
        extracted = self._extract(native_id, decode(data))
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=version_of(status),
            modified_at=datetime.fromtimestamp(status.st_mtime_ns / 1e9, UTC),
            url=None if self._settings.url is None else f"{self._settings.url}/{native_id}",
            extracted=extracted,
            relationships=self._references.of(native_id, extracted),
        )

    def _read(self, path: Path) -> tuple[bytes, os.stat_result] | None:
        """Bytes and the status of the very file they came from; opening follows no link that appeared meanwhile."""
        limit = self._settings.max_file_bytes
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(descriptor, "rb") as file:  # noqa: PTH123 - the descriptor is what was checked
                status = os.fstat(descriptor)
                data = file.read(limit + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in _BUSY:
                raise RetriableSourceError(f"The file cannot be read now: {error.strerror}.") from None
            raise SkippableSourceError(f"The file cannot be read: {error.strerror}.") from None
        if len(data) > limit:
            raise SkippableSourceError(f"The file is larger than {limit / 2**20:.0f} MiB and is not indexed.")
        return data, status

    def _extract(self, native_id: str, body: str) -> Extracted:
        path = PurePosixPath(native_id)
        if path.suffix.lower() in PLAIN:
            return extract_plain(body, fallback_title=path.name)
        return extract_markdown(body, fallback_title=path.name)
