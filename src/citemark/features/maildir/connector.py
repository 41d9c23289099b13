"""Mailboxes as a source: scanner, processor and verifier share one `MailFolder`."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from citemark.extraction.dispatch import READER_VERSIONS, read_file, readers_of_name
from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.text_recognition import asks_for_ocr
from citemark.features.maildir.mail_folder import MailFolder, Unsettled
from citemark.features.maildir.mails import ANSWERS, MAIL, Contents, Mail, state_of
from citemark.features.maildir.watcher import MailWatcher
from citemark.model.documents import (
    DocumentRef,
    Fetched,
    Listed,
    Problem,
    ScanEnd,
    StatedRelationship,
    TooLarge,
    Verdict,
)
from citemark.model.errors import ConfigurationError, RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId, Version
from citemark.model.text import Span
from citemark.sources.contract import Connector, Verdicts
from citemark.sources.file_system import OutsideRoot

_READ_AS = "mail without a subject.eml"
"""The name under which mails are read; without a subject, it becomes the title."""

_BATCH = 2_000
"""Mails that are handed out before the event loop may turn to others."""


class MailScanner:
    """Lists mailboxes. The file of a mail is looked at; its headers are read once, to find its thread."""

    def __init__(self, folder: MailFolder, *, ocr: bool = False) -> None:
        self._folder = folder
        self._ocr = ocr

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield the mails and the problems found, then ScanEnd; incomplete while a mailbox is being changed.

        Raises:
            FatalSourceError: the folder is missing, cannot be read, or holds no mailbox.
        """
        contents = await asyncio.to_thread(self._folder.listed)
        for name in contents.misnamed:
            yield Problem(NativeId(name), "The name of its file is no UTF-8; rename the file.")
        for number, mail in enumerate(contents.mails.values()):
            if number % _BATCH == 0:
                await asyncio.sleep(0)
            yield self._entry(contents, mail)
        yield ScanEnd(complete=not contents.unsettled, reason=contents.unsettled)

    def _entry(self, contents: Contents, mail: Mail) -> Listed | Problem:
        version = contents.version_of(mail)
        readers = readers_of_name(_READ_AS, ocr=self._ocr)
        listed = Listed(MAIL, mail.native_id, version, mail.modified_at, readers, mail.size)
        if mail.size <= self._folder.max_file_bytes:
            return listed
        return TooLarge(mail.native_id, _too_large(mail.size, self._folder.max_file_bytes), document=listed)


class MailProcessor:
    """Fetches mails; they are parsed in a separate process, like the mails in a folder of documents."""

    def __init__(self, folder: MailFolder, parsers: ParserPool, *, ocr: bool = False) -> None:
        self._folder = folder
        self._parsers = parsers
        self._ocr = ocr

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """Fetch a mail; None when it is gone.

        Raises:
            SkippableSourceError: it is too large, encrypted, has no text, or cannot be read.
            RetriableSourceError: it is being written.
            FatalSourceError: the folder itself is missing, which says nothing about its mails.
        """
        found = await asyncio.to_thread(self._content, native_id)
        if found is None:
            return None
        mail, data, answered, version = found
        if len(data) > self._folder.max_file_bytes:
            raise SkippableSourceError(_too_large(mail.size, self._folder.max_file_bytes))
        extracted = await read_file(_READ_AS, data, self._parsers, ocr=self._ocr)
        heading = Span(0, len(extracted.body.partition("\n\n")[0]))
        answers = () if answered is None else (StatedRelationship(ANSWERS, None, answered, None, heading),)
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=version,
            modified_at=mail.modified_at,
            url=None,
            extracted=extracted,
            relationships=answers,
            metadata={"folder": mail.box} if mail.box else {},
            names=f"{mail.box} mail".replace("/", " ").strip(),
        )

    def _content(self, native_id: NativeId) -> tuple[Mail, bytes, NativeId | None, Version] | None:
        try:
            found = self._folder.content(native_id)
        except (OutsideRoot, FileNotFoundError, NotADirectoryError):
            self._folder.require()
            return None
        except Unsettled:
            raise RetriableSourceError("The mailbox is being written.") from None
        except OSError as error:
            raise SkippableSourceError(f"The mail cannot be read: {error.strerror}.") from error
        if found is None:
            return None
        mail, data = found
        contents = self._folder.contents()
        return mail, data, contents.answered_by(mail), contents.version_of(mail)


class MailVerifier:
    """Looks at the file of each mail, and reads it again where it is part of a larger one."""

    def __init__(self, folder: MailFolder) -> None:
        self._folder = folder

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict for each ref; UNKNOWN while the folder itself is missing, such as an unmounted drive."""
        for ref in refs:
            yield ref, await asyncio.to_thread(self._verdict, ref)

    def _verdict(self, ref: DocumentRef) -> Verdict:
        try:
            if not Path(self._folder.real_root()).exists():
                return Verdict.UNKNOWN
            state = self._folder.state(ref.native_id)
        except OutsideRoot:
            return Verdict.EXCLUDED
        except (FileNotFoundError, NotADirectoryError):
            return Verdict.GONE
        except (OSError, Unsettled):
            return Verdict.UNKNOWN
        if state is None:
            return Verdict.GONE
        return Verdict.OK if state == state_of(ref.version) else Verdict.CHANGED


def _too_large(size: int, most: int) -> str:
    return f"The mail has {size:,} bytes, more than the {most:,} that are read."


def path_of(config: Mapping[str, Any]) -> Path:
    """The folder of a stored configuration.

    Raises:
        ConfigurationError: it does not name one.
    """
    path: object = config.get("path")
    if not isinstance(path, str) or not path:
        raise ConfigurationError("A source of kind maildir needs `path`, the folder or file that holds the mails.")
    return Path(path)


def maildir_connector(config: Mapping[str, Any], parsers: ParserPool, *, max_file_bytes: int) -> Connector:
    """Build the connector of a stored configuration. Reads nothing from disk yet.

    Args:
        config: as stored with the source.
        parsers: processes that parse mails; the caller closes them.
        max_file_bytes: larger mails are reported as problems.

    Raises:
        ConfigurationError: it does not name a path.
    """
    folder, ocr = MailFolder(path_of(config), max_file_bytes), asks_for_ocr(config)
    return Connector(
        MailScanner(folder, ocr=ocr),
        MailProcessor(folder, parsers, ocr=ocr),
        MailVerifier(folder),
        MailWatcher(folder),
        reader_versions=parsers.recognition.versions(READER_VERSIONS, asked=ocr),
    )
