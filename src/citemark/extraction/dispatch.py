"""Chooses the reader for a file by its name and its first bytes, whatever source it came from."""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from citemark.extraction.attachments import (
    DEEPEST,
    Attachment,
    ReadAttachment,
    attachment_from_json,
    with_attachments,
)
from citemark.extraction.canvases import extract_canvas, extract_drawing
from citemark.extraction.decoding import decoded
from citemark.extraction.delimited import extract_delimited
from citemark.extraction.formats import (
    FORMAT_VERSIONS,
    SUFFIXES,
    Format,
    format_of,
    readers_of_format,
    readers_of_suffix,
)
from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.noise import quieted
from citemark.extraction.org import extract_org
from citemark.extraction.references import extract_bibtex, extract_csl
from citemark.extraction.sandbox.ipc import ParseItem, ParseTask, extracted_from_json, extracted_to_json
from citemark.extraction.sandbox.pool import BROKE, ParserPool
from citemark.extraction.text_files import extract_code, extract_plain
from citemark.extraction.text_recognition import OCR_VERSIONS, PICTURES, readers_with_ocr
from citemark.model.documents import suffix_of
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.model.text import Extracted

MARKDOWN = frozenset({".md", ".mdx", ".markdown", ".mdown"})
PLAIN = frozenset({".txt", ".text", ".rst"})
DELIMITED = frozenset({".csv", ".tsv"})
_WHEN_NAMED = frozenset({".ipynb"})
REFERENCES = frozenset({".bib"})
NOTES = frozenset({".canvas", ".excalidraw", ".base", ".org"})
READ_SUFFIXES = (MARKDOWN | PLAIN | DELIMITED | NOTES | REFERENCES | SUFFIXES) - _WHEN_NAMED
"""The suffixes of files that are read, and of those that are reported because they cannot be read.

Any other file is read as text if a pattern of its source names it.
"""

_PROSE = PLAIN | {"", ".tex", ".adoc", ".asciidoc", ".textile", ".wiki"}
"""Suffixes of texts made of sentences; all other texts are code, data or logs, made of lines."""


@dataclass(frozen=True, slots=True)
class TextReader:
    """A reader of files whose text is their content. `version` and `uses` mean the same as those of a `Format`."""

    name: str
    extract: Callable[..., Extracted]
    suffixes: frozenset[str] = frozenset()
    version: int = 1
    uses: tuple[str, ...] = ()


_CODE = TextReader("code", extract_code, version=2)
"""Reads every text that no other reader is for."""

TEXT_READERS = (
    TextReader("markdown", extract_markdown, MARKDOWN, version=2),
    TextReader("table", extract_delimited, DELIMITED, version=2),
    TextReader("plain", extract_plain, _PROSE, version=2),
    TextReader("org", extract_org, frozenset({".org"})),
    TextReader("bibtex", extract_bibtex, REFERENCES),
    TextReader("csl", extract_csl, frozenset({".json"}), uses=("code",)),
    TextReader("canvas", extract_canvas, frozenset({".canvas"}), uses=("markdown",)),
    TextReader("excalidraw", extract_drawing, frozenset({".excalidraw"}), uses=("markdown",)),
    _CODE,
)

_BY_SUFFIX: Mapping[str, TextReader] = MappingProxyType(
    {suffix: reader for reader in TEXT_READERS for suffix in reader.suffixes}
)

READER_VERSIONS: Mapping[str, int] = MappingProxyType(
    {**FORMAT_VERSIONS, **{reader.name: reader.version for reader in TEXT_READERS}}
)
"""The version of every reader of files, by its name."""

_LARGE = 64 * 1024
"""Bytes from which a text is read in a process, too. No smaller text, whatever it contained, took its reader more
than 0.11 s (1 MiB: 0.85 s), while a process would add a quarter of a second to the first edit after an idle minute."""

_SCANS = "citemark.extraction.ocr.scans"
"""The module that recognises text, which only the processes with limits load."""

_SHARE_OF_PAGE = 0.8
"""Of the time that a file may take, for a program that reads one page: a page that it gives up then costs no other."""

_INDEX_NAMES = frozenset({"index", "readme"})
_BETWEEN_WORDS = re.compile(r"_|(?<!\d)-|-(?!\d)")


async def read_file(path: str, data: bytes, parsers: ParserPool, *, ocr: bool = False) -> Extracted:
    """Return the text of a file: short texts are read in a thread, all other files in a process with limits.

    With `ocr`, text is recognised in scanned pages and pictures, those that are attached to a message included, if that
    is installed.

    Raises:
        SkippableSourceError: the file is binary, broken, locked, without text, or of a kind that is not read.
        RetriableSourceError: no parsing process could be started, or what recognises text has to be mended first.
    """
    kind = format_of(path, data)
    if _is_short_text(path, data, kind, ocr=ocr):
        return await asyncio.to_thread(_short_text, path, data, ocr=ocr)
    readers = (*readers_of_name(path, ocr=ocr), *(readers_of_format(kind) if kind is not None else ()))
    try:
        found = await _read(path, data, kind, parsers, ocr=ocr)
    except SkippableSourceError as error:
        raise SkippableSourceError(error.message, readers) from error
    return _read_by(found, readers)


def read_short_text(path: str, data: bytes, *, ocr: bool = False) -> Extracted | None:
    """Return what `read_file` does for a short text, and None for any other file.

    It blocks, for a caller that is in a thread already: to change threads costs half as much as to read a page.

    Raises:
        SkippableSourceError: the file is not text.
    """
    return _short_text(path, data, ocr=ocr) if _is_short_text(path, data, format_of(path, data), ocr=ocr) else None


def _is_short_text(path: str, data: bytes, kind: Format | None, *, ocr: bool) -> bool:
    picture = ocr and suffix_of(PurePosixPath(path).name) in PICTURES
    return kind is None and not picture and len(data) < _LARGE


def _short_text(path: str, data: bytes, *, ocr: bool) -> Extracted:
    readers = readers_of_name(path, ocr=ocr)
    try:
        return _read_by(_text_of(path, data), readers)
    except SkippableSourceError as error:
        raise SkippableSourceError(error.message, readers) from error


def _read_by(found: Extracted, readers: Iterable[str]) -> Extracted:
    """The same text with the readers that its file needed, and those that its parts did."""
    return replace(found, readers=tuple(dict.fromkeys([*readers, *found.readers])))


def readers_of_name(path: str, *, ocr: bool = False) -> tuple[str, ...]:
    """The names of the readers that a file is expected to need, by its name alone; its content may need others.

    `ocr`: whether its source asks for text recognition.
    """
    name = PurePosixPath(path).name
    suffix = suffix_of(name)
    reader = _BY_SUFFIX.get(suffix, _CODE)
    return readers_with_ocr(readers_of_suffix(suffix) or (reader.name, *reader.uses), name, asked=ocr)


async def _read(path: str, data: bytes, kind: Format | None, parsers: ParserPool, *, ocr: bool) -> Extracted:
    if kind is not None and not data:
        raise SkippableSourceError("The file is empty. Get it again, or leave it out of the source.")
    if kind is not None and kind.name == "mail":
        return await _read_mail(path, data, kind, parsers, depth=1, ocr=ocr)
    if ocr and kind is None and suffix_of(PurePosixPath(path).name) in PICTURES:
        if not parsers.recognition.is_installed:
            raise SkippableSourceError(parsers.recognition.missing)
        return await _recognised(parsers, "read_picture", path, data)
    if ocr and kind is not None and kind.name == "pdf" and parsers.recognition.is_installed:
        return await _recognised(parsers, "read_scanned_pdf", path, data)
    if kind is not None:
        return await parse(parsers, kind, data, fallback_title=title_of(path))
    task = ParseTask("citemark.extraction.dispatch", "read_text", "texts")
    return await _only_part(parsers, task, ParseItem(data, {"path": path}))


async def parse(parsers: ParserPool, kind: Format, data: bytes, *, fallback_title: str) -> Extracted:
    """Read a file of a known format in one of the parsing processes.

    Raises:
        SkippableSourceError: the file is broken, locked or has no text, or needs more time or memory than allowed.
        RetriableSourceError: the process could not be started, or is being closed.
    """
    task = ParseTask("citemark.extraction.formats", "read_format", f"{kind.name} files")
    return await _only_part(parsers, task, ParseItem(data, {"name": kind.name, "title": fallback_title}))


async def _recognised(parsers: ParserPool, function: str, path: str, data: bytes) -> Extracted:
    """Read a file whose pages may be pictures; its process tells of each page, and last of the whole."""
    task = ParseTask(_SCANS, function, "scans", ends_process=True)
    recognition = parsers.recognition.arguments(_SHARE_OF_PAGE * parsers.limits.seconds)
    item = ParseItem(data, {"title": title_of(path), "recognition": recognition})
    parts = await parsers.parts(task, item, _recognised_part)
    found = parts[-1] if parts else None
    if isinstance(found, RetriableSourceError):
        raise found
    if not isinstance(found, Extracted):
        raise SkippableSourceError(found or BROKE)
    return replace(found, readers=(*found.readers, *OCR_VERSIONS))


def _recognised_part(given: Any) -> Extracted | RetriableSourceError | str:
    """A document, the reason why there is none for now or at all, or "" for a page that was read."""
    if "unavailable" in given:
        return RetriableSourceError(str(given["unavailable"]))
    return str(given["refused"]) if "refused" in given else "" if "page" in given else extracted_from_json(given)


async def _read_mail(path: str, data: bytes, kind: Format, parsers: ParserPool, *, depth: int, ocr: bool) -> Extracted:
    """Read a message, and each of its attachments like a file of its own: one that fails costs the others nothing.

    Args:
        path: of the message.
        data: its bytes.
        kind: the format of messages.
        parsers: processes that read both.
        depth: 1 for a message in a source, 2 for one that is attached to it.
        ocr: whether text is recognised in pictures and scanned pages that are attached.
    """
    task = ParseTask("citemark.extraction.mail", "read_mail", "mail files")
    item = ParseItem(data, {"title": title_of(path), "pictures": ocr and parsers.recognition.is_installed})
    parts = await parsers.parts(task, item, _mail_part)
    mail = parts[0] if parts else None
    if not isinstance(mail, Extracted):
        raise SkippableSourceError(BROKE)
    attachments = [part for part in parts[1:] if isinstance(part, Attachment)]
    mail = replace(mail, readers=readers_of_format(kind))
    return with_attachments(mail, [await _read_attachment(each, parsers, depth, ocr=ocr) for each in attachments])


def _mail_part(given: Any) -> Extracted | Attachment:
    return attachment_from_json(given) if "attachment" in given else extracted_from_json(given)


async def _read_attachment(attachment: Attachment, parsers: ParserPool, depth: int, *, ocr: bool) -> ReadAttachment:
    name = attachment.name
    try:
        kind = format_of(name, attachment.data)
        if kind is None or kind.name != "mail":
            return ReadAttachment(name, await read_file(name, attachment.data, parsers, ocr=ocr))
        if depth < DEEPEST:
            return ReadAttachment(
                name, await _read_mail(name, attachment.data, kind, parsers, depth=depth + 1, ocr=ocr)
            )
    except SkippableSourceError as error:
        return ReadAttachment(name, error.message, error.readers)
    return ReadAttachment(name, "It is a message in a message in a message.")


def read_text(data: bytes, *, path: str) -> Iterator[dict[str, Any]]:
    """Yield a text file as its only part; parsing processes run this for long files.

    Raises:
        SkippableSourceError: the file is not text.
    """
    yield extracted_to_json(_text_of(path, data))


def title_of(path: str) -> str:
    """The title of a file that does not contain one: its name in words, or its folder's name for an index.

    A hyphen between two digits is part of a date or a number, and stays.
    """
    whole = PurePosixPath(path)
    name = whole.parent.name if whole.stem.lower() in _INDEX_NAMES and whole.parent.name else whole.stem
    return " ".join(_BETWEEN_WORDS.sub(" ", name).split()) or whole.name


async def _only_part(parsers: ParserPool, task: ParseTask, item: ParseItem) -> Extracted:
    parts = await parsers.parts(task, item, extracted_from_json)
    if len(parts) != 1:
        raise SkippableSourceError(BROKE)
    return parts[0]


def _text_of(path: str, data: bytes) -> Extracted:
    reader = _BY_SUFFIX.get(suffix_of(PurePosixPath(path).name), _CODE)
    found = decoded(data)
    read = quieted(found.text)
    extracted = read.apart(reader.extract(read.text, fallback_title=title_of(path)))
    return replace(extracted, read_as=found.read_as) if found.read_as else extracted
