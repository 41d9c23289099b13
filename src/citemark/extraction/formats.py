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
"""`reader(data, *, fallback_title)`; blocking, raises SkippableSourceError."""

_SNIFFED = 4096
"""Bytes at the begin of a file that are looked at."""

_ZIP = b"PK\x03\x04"
_COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")
_EPUB = b"mimetypeapplication/epub+zip"
_PAGE = re.compile(rb"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL)
_HEADER = re.compile(
    rb"(?:^|(?<=\n))(received|return-path|message-id|mime-version|from|to|date|subject):", re.IGNORECASE
)
_LEAST_HEADERS = 4
"""Of different names: letters in text files begin with "From:" and "To:" too."""

_MAILDIR = ":2,"


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file. Its reader is loaded when the first file of the kind comes.

    `suffixes` are lower case with their dot. `parts`: names of entries that distinguish zip formats.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    function: str
    parts: tuple[bytes, ...] = ()

    def load(self) -> Reader:
        """The function that reads such a file."""
        return cast("Reader", getattr(import_module(f"citemark.extraction.{self.module}"), self.function))


FORMATS: tuple[Format, ...] = (
    Format("html", (".html", ".htm", ".xhtml"), "html.document", "extract_html"),
    Format("mail", (".eml",), "mail", "extract_mail"),
    Format("mhtml", (".mht", ".mhtml"), "mail", "extract_saved_page"),
    Format("pdf", (".pdf",), "pdf.document", "extract_pdf"),
    Format("docx", (".docx", ".docm", ".dotx", ".dotm"), "docx.document", "extract_docx", (b"word/document",)),
    Format("xlsx", (".xlsx", ".xlsm", ".xltx", ".xltm"), "xlsx", "extract_xlsx", (b"xl/workbook",)),
    Format("pptx", (".pptx", ".pptm"), "pptx", "extract_pptx", (b"ppt/presentation",)),
    Format("odt", (".odt", ".ods", ".odp"), "odf.document", "extract_odt", (b"opendocument.",)),
    Format("notebook", (".ipynb",), "notebook", "extract_notebook"),
)
"""Files whose bytes are not their text: they are parsed in a process with limits."""

_OLD_OFFICE = "The file is in the format of office programs before 2007; save it as .docx, .xlsx or .pptx."
_RICH_TEXT = "Rich text (RTF) is not read; save the file as .docx or PDF."
_MAILBOX = "The file is a mailbox of many messages (mbox); save them as one .eml file each."
_OUTLOOK = "Messages in Outlook's own format (.msg) are not read; save the message as .eml."
_BOOK = "Electronic books (EPUB) are not read; convert the file to HTML, .docx or PDF."
_APPLE = "Files of Apple's office programs are not read; export the file as .docx, .xlsx, .pptx or PDF."
_ARCHIVE = "The file is a zip archive and no document; unpack it to have what is in it indexed."

FOREIGN: Mapping[str, str] = MappingProxyType(
    {
        ".doc": _OLD_OFFICE,
        ".xls": _OLD_OFFICE,
        ".ppt": _OLD_OFFICE,
        ".pps": _OLD_OFFICE,
        ".rtf": _RICH_TEXT,
        ".mbox": _MAILBOX,
        ".msg": _OUTLOOK,
        ".epub": _BOOK,
        ".pages": _APPLE,
        ".numbers": _APPLE,
    }
)
"""Documents that are not read, with what to do about it: they are reported, so that nobody believes them indexed."""

_BY_SUFFIX = {suffix: each for each in FORMATS for suffix in each.suffixes}
_BY_NAME = {each.name: each for each in FORMATS}
SUFFIXES = frozenset({*_BY_SUFFIX, *FOREIGN})


def format_named(name: str) -> Format:
    """The format of a name."""
    return _BY_NAME[name]


def read_format(data: bytes, *, name: str, title: str) -> Iterator[dict[str, Any]]:
    """The text of a file of a named format as one part: what a parsing process is asked to do with files.

    Raises:
        SkippableSourceError: it cannot be read.
    """
    yield extracted_to_json(format_named(name).load()(data, fallback_title=title))


def format_of(path: str, data: bytes) -> Format | None:
    """The format of the file at `path`, by its first bytes, else by its suffix; None for plain text.

    Raises:
        SkippableSourceError: it is a document of a kind that is not read; the message says what to do.
    """
    suffix = PurePosixPath(path).suffix.lower()
    named = _BY_SUFFIX.get(suffix)
    head = data[:_SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"%PDF-"):
        return _BY_NAME["pdf"]
    if data.startswith(_ZIP):
        return _of_zip(named, data)
    if data.startswith(_COMPOUND):
        if named is not None and named.parts:
            return named
        raise SkippableSourceError(FOREIGN.get(suffix, _OLD_OFFICE))
    if head.startswith(b"{\\rtf"):
        raise SkippableSourceError(_RICH_TEXT)
    if _PAGE.match(head):
        return _BY_NAME["html"]
    if suffix in FOREIGN:
        raise SkippableSourceError(FOREIGN[suffix])
    if named is None and (not suffix or _MAILDIR in suffix) and _is_message(head):
        return _BY_NAME["mail"]
    return named


def _of_zip(named: Format | None, data: bytes) -> Format:
    """By the names of its entries; the suffix is asked first, since one document may be packed into another."""
    if data[: len(_EPUB) + 64].find(_EPUB) > 0:
        raise SkippableSourceError(_BOOK)
    asked = FORMATS if named is None else (named, *FORMATS)
    found = next((each for each in asked if each.parts and all(part in data for part in each.parts)), None)
    if found is None and (named is None or not named.parts):
        raise SkippableSourceError(_ARCHIVE)
    return found or cast("Format", named)


def _is_message(head: bytes) -> bool:
    """True for what begins as messages do that a mail program stores without a suffix."""
    block = head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return len({name.lower() for name in _HEADER.findall(block)}) >= _LEAST_HEADERS
