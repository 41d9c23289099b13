"""The formats of files that can be read, how each is recognised, and the function that reads it."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, cast

from citemark.extraction.sandbox.ipc import extracted_to_json
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Extracted

Reader = Callable[..., Extracted]
"""`reader(data, *, fallback_title)`: blocks, and raises SkippableSourceError for a file that it cannot read."""

_SNIFFED = 4096
"""How many bytes at the beginning of a file are examined."""

_ZIP = b"PK\x03\x04"
_COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")
_EPUB = b"mimetypeapplication/epub+zip"
_PAGE = re.compile(
    rb"(?:<\?xml[^>]*+>\s*+)?+(?:<!--(?>.*?-->)\s*+)*+<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)
_HEADER = re.compile(
    rb"(?:^|(?<=\n))(received|return-path|message-id|mime-version|from|to|date|subject):", re.IGNORECASE
)
_LEAST_HEADERS = 4
"""Fewest different headers of a message: letters in text files begin with "From:" and "To:" too."""

_MAILDIR = ":2,"


@dataclass(frozen=True, slots=True)
class Format:
    """A file format. Its reader is loaded when the first file of that format arrives.

    `suffixes` are in lower case, with their dot. `parts` are names of entries that tell zip formats apart. Raise
    `version` by one with every change that produces another text from the same bytes: what the reader has read or given
    up is then read again. `uses` are the names of other readers that it leaves parts of its files to.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    function: str
    parts: tuple[bytes, ...] = ()
    version: int = 1
    uses: tuple[str, ...] = ()

    def load(self) -> Reader:
        """Import and return the function that reads files of this format."""
        return cast("Reader", getattr(import_module(f"citemark.extraction.{self.module}"), self.function))


FORMATS: tuple[Format, ...] = (
    Format("html", (".html", ".htm", ".xhtml"), "html.document", "extract_html", version=2),
    Format("mail", (".eml",), "mail", "extract_mail", version=2, uses=("html", "icalendar")),
    Format("mhtml", (".mht", ".mhtml"), "mail", "extract_saved_page", version=2, uses=("html",)),
    Format("pdf", (".pdf",), "pdf.document", "extract_pdf", version=2),
    Format(
        "docx", (".docx", ".docm", ".dotx", ".dotm"), "docx.document", "extract_docx", (b"word/document",), version=2
    ),
    Format("xlsx", (".xlsx", ".xlsm", ".xltx", ".xltm"), "xlsx", "extract_xlsx", (b"xl/workbook",), version=2),
    Format("pptx", (".pptx", ".pptm"), "pptx", "extract_pptx", (b"ppt/presentation",), version=2),
    Format("odt", (".odt", ".ods", ".odp"), "odf.document", "extract_odt", (b"opendocument.",), version=2),
    Format("epub", (".epub",), "epub", "extract_epub", (b"META-INF/container.xml",), uses=("html",)),
    Format("icalendar", (".ics", ".ical"), "calendar.document", "extract_calendar", uses=("html",)),
    Format("notebook", (".ipynb",), "notebook", "extract_notebook", version=2, uses=("markdown",)),
)
"""Formats whose bytes are not their text; their files are parsed in a process with limits."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A kind of document that is not read, and a message that says what to do.

    Such files are reported, so that no user believes them indexed. A later release that reads them gives its `Format`
    the same name: its version, 1, is then newer than this one, and the files that were given up are read.
    """

    name: str
    message: str
    version: int = 0

    def refused(self) -> SkippableSourceError:
        """The error for a file of this kind."""
        return SkippableSourceError(self.message, readers=(self.name,))


_OLD_OFFICE = Unread(
    "old-office", "The file is in the format of office programs before 2007; save it as .docx, .xlsx or .pptx."
)
_RICH_TEXT = Unread("rtf", "Rich text (RTF) is not read; save the file as .docx or PDF.")
_MAILBOX = Unread("mbox", "The file is a mailbox of many messages (mbox); save them as one .eml file each.")
_OUTLOOK = Unread("msg", "Messages in Outlook's own format (.msg) are not read; save the message as .eml.")
_APPLE = Unread(
    "apple", "Files of Apple's office programs are not read; export the file as .docx, .xlsx, .pptx or PDF."
)
_ARCHIVE = Unread("zip", "The file is a zip archive and not a document; unpack it to have its content indexed.")

FOREIGN: Mapping[str, Unread] = MappingProxyType(
    {
        ".doc": _OLD_OFFICE,
        ".xls": _OLD_OFFICE,
        ".ppt": _OLD_OFFICE,
        ".pps": _OLD_OFFICE,
        ".rtf": _RICH_TEXT,
        ".mbox": _MAILBOX,
        ".msg": _OUTLOOK,
        ".pages": _APPLE,
        ".numbers": _APPLE,
    }
)
"""Suffixes of documents that are not read."""

FORMAT_VERSIONS: Mapping[str, int] = MappingProxyType(
    {kind.name: kind.version for kind in (*FOREIGN.values(), _ARCHIVE, *FORMATS)}
)
"""The version of each format by its name; 0 for those that are not read."""

_BY_SUFFIX = {suffix: kind for kind in FORMATS for suffix in kind.suffixes}
_BY_NAME = {kind.name: kind for kind in FORMATS}
SUFFIXES = frozenset({*_BY_SUFFIX, *FOREIGN})


def format_named(name: str) -> Format:
    """The format with this name."""
    return _BY_NAME[name]


def readers_of_suffix(suffix: str) -> tuple[str, ...]:
    """The names of the format that files with this suffix are expected to have, and of what it uses; () for text."""
    if suffix in FOREIGN:
        return (FOREIGN[suffix].name,)
    return readers_of_format(_BY_SUFFIX[suffix]) if suffix in _BY_SUFFIX else ()


def readers_of_format(kind: Format) -> tuple[str, ...]:
    """The names of the readers that have a part in a file of this format."""
    return (kind.name, *kind.uses)


def read_format(data: bytes, *, name: str, title: str) -> Iterator[dict[str, Any]]:
    """Yield the text of a file of a named format as its only part; parsing processes run this.

    Raises:
        SkippableSourceError: the file cannot be read.
    """
    yield extracted_to_json(format_named(name).load()(data, fallback_title=title))


def format_of(path: str, data: bytes) -> Format | None:
    """The format of the file at `path`, by its first bytes, else by its suffix, or None for plain text.

    Raises:
        SkippableSourceError: the file is a kind of document that is not read; the message says what to do.
    """
    suffix = PurePosixPath(path).suffix.lower()
    suffix_format = _BY_SUFFIX.get(suffix)
    head = data[:_SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"%PDF-"):
        return _BY_NAME["pdf"]
    if data.startswith(_ZIP):
        return _of_zip(suffix_format, data)
    if data.startswith(_COMPOUND):
        if suffix_format is not None and suffix_format.parts:
            return suffix_format
        raise FOREIGN.get(suffix, _OLD_OFFICE).refused()
    if head.startswith(b"{\\rtf"):
        raise _RICH_TEXT.refused()
    if _PAGE.match(head):
        return _BY_NAME["html"]
    if suffix in FOREIGN:
        raise FOREIGN[suffix].refused()
    if suffix_format is None and (not suffix or _MAILDIR in suffix) and _is_message(head):
        return _BY_NAME["mail"]
    return suffix_format


def _of_zip(suffix_format: Format | None, data: bytes) -> Format:
    """The format of a zip file by its entry names.

    The format of its suffix is tried first, since one document may be packed into another.
    """
    if data[: len(_EPUB) + 64].find(_EPUB) > 0:
        return _BY_NAME["epub"]
    candidates = FORMATS if suffix_format is None else (suffix_format, *FORMATS)
    found = next((kind for kind in candidates if kind.parts and all(part in data for part in kind.parts)), None)
    if found is None and (suffix_format is None or not suffix_format.parts):
        raise _ARCHIVE.refused()
    return found or cast("Format", suffix_format)


def _is_message(head: bytes) -> bool:
    """True for a file that begins like the messages that mail programs store without a suffix."""
    block = head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return len({name.lower() for name in _HEADER.findall(block)}) >= _LEAST_HEADERS
