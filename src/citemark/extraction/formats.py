"""What files can be read, how each is told from the others, and who reads it."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath
from typing import cast

from citemark.model.text import Extracted

Reader = Callable[..., Extracted]
"""`reader(data, *, fallback_title)`; blocking, raises SkippableSourceError."""

_SNIFFED = 4096
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file. Its reader is loaded when the first file of the kind comes.

    `suffixes` are lower case with their dot. `parts`: names of entries that tell zip formats from each other.
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
    Format("html", (".html", ".htm", ".xhtml"), "html", "extract_html"),
    Format("mail", (".eml",), "mail", "extract_mail"),
    Format("pdf", (".pdf",), "pdf", "extract_pdf"),
    Format("docx", (".docx", ".docm"), "docx", "extract_docx", (b"word/document.xml",)),
    Format("xlsx", (".xlsx", ".xlsm"), "xlsx", "extract_xlsx", (b"xl/workbook.xml",)),
    Format("pptx", (".pptx", ".pptm"), "pptx", "extract_pptx", (b"ppt/presentation.xml",)),
    Format("odt", (".odt", ".ods", ".odp"), "odt", "extract_odt", (b"opendocument.",)),
)
"""Files whose bytes are not their text: parsed apart, in a process with limits."""

_BY_SUFFIX = {suffix: each for each in FORMATS for suffix in each.suffixes}
_BY_NAME = {each.name: each for each in FORMATS}
SUFFIXES = frozenset(_BY_SUFFIX)


def format_named(name: str) -> Format:
    """The format of a name."""
    return _BY_NAME[name]


def format_of(path: str, data: bytes) -> Format | None:
    """Who reads the file at `path`: by its suffix, unless its first bytes say otherwise; None for plain text."""
    named = _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
    if named is None:
        return None
    head = data[:_SNIFFED].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"%PDF-"):
        return _BY_NAME["pdf"]
    if head.startswith(_ZIP):
        return next((each for each in FORMATS if each.parts and all(part in data for part in each.parts)), named)
    if head[:15].lower().startswith((b"<!doctype html", b"<html")):
        return _BY_NAME["html"]
    return named
