"""Chooses the reader for a file by its name and its first bytes, whatever source it came from."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from citemark.extraction.canvases import extract_canvas, extract_drawing
from citemark.extraction.decoding import decode
from citemark.extraction.formats import SUFFIXES, Format, format_of
from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.noise import quieted
from citemark.extraction.org import extract_org
from citemark.extraction.sandbox.ipc import ParseItem, ParseTask, extracted_from_json, extracted_to_json
from citemark.extraction.sandbox.pool import BROKE, ParserPool
from citemark.extraction.text_files import extract_code, extract_delimited, extract_plain
from citemark.model.documents import suffix_of
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Extracted

MARKDOWN = frozenset({".md", ".mdx", ".markdown", ".mdown"})
PLAIN = frozenset({".txt", ".text", ".rst"})
DELIMITED = frozenset({".csv", ".tsv"})
_WHEN_NAMED = frozenset({".ipynb"})
NOTES = frozenset({".canvas", ".excalidraw", ".base", ".org"})
READ_SUFFIXES = (MARKDOWN | PLAIN | DELIMITED | NOTES | SUFFIXES) - _WHEN_NAMED
"""The suffixes of files that are read, and of those that are reported because they cannot be read.

Any other file is read as text if a pattern of its source names it.
"""

_PROSE = PLAIN | {"", ".tex", ".adoc", ".asciidoc", ".textile", ".wiki"}
"""Suffixes of texts made of sentences; all other texts are code, data or logs, made of lines."""

_EXTRACTORS: Mapping[str, Callable[..., Extracted]] = MappingProxyType(
    dict.fromkeys(MARKDOWN, extract_markdown)
    | dict.fromkeys(DELIMITED, extract_delimited)
    | dict.fromkeys(_PROSE, extract_plain)
    | {".org": extract_org, ".canvas": extract_canvas, ".excalidraw": extract_drawing}
)

_LARGE = 64 * 1024
"""Bytes from which a text is read in a process, too. No smaller text, whatever it contained, took its reader more
than 0.11 s (1 MiB: 0.85 s), while a process would add a quarter of a second to the first edit after an idle minute."""

_INDEX_NAMES = frozenset({"index", "readme"})


async def read_file(path: str, data: bytes, parsers: ParserPool) -> Extracted:
    """Return the text of a file: short texts are read in a thread, all other files in a process with limits.

    Raises:
        SkippableSourceError: the file is binary, broken, locked, without text, or of a kind that is not read.
        RetriableSourceError: no parsing process could be started.
    """
    kind = format_of(path, data)
    if kind is not None and not data:
        raise SkippableSourceError("The file is empty. Get it again, or leave it out of the source.")
    if kind is not None:
        return await parse(parsers, kind, data, fallback_title=title_of(path))
    if len(data) < _LARGE:
        return await asyncio.to_thread(_text_of, path, data)
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


def read_text(data: bytes, *, path: str) -> Iterator[dict[str, Any]]:
    """Yield a text file as its only part; parsing processes run this for long files.

    Raises:
        SkippableSourceError: the file is not text.
    """
    yield extracted_to_json(_text_of(path, data))


def title_of(path: str) -> str:
    """The title of a file that does not contain one: its name in words, or its folder's name for an index."""
    whole = PurePosixPath(path)
    name = whole.parent.name if whole.stem.lower() in _INDEX_NAMES and whole.parent.name else whole.stem
    return " ".join(name.replace("-", " ").replace("_", " ").split()) or whole.name


async def _only_part(parsers: ParserPool, task: ParseTask, item: ParseItem) -> Extracted:
    parts = await parsers.parts(task, item, extracted_from_json)
    if len(parts) != 1:
        raise SkippableSourceError(BROKE)
    return parts[0]


def _text_of(path: str, data: bytes) -> Extracted:
    extract = _EXTRACTORS.get(suffix_of(PurePosixPath(path).name), extract_code)
    read = quieted(decode(data))
    return read.apart(extract(read.text, fallback_title=title_of(path)))
