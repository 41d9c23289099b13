"""Chooses the reader of a file by its name and its first bytes, whatever source it came from."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from citemark.extraction.decoding import decode
from citemark.extraction.formats import SUFFIXES, Format, format_of
from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.sandbox.ipc import ParseItem, ParseTask, extracted_from_json
from citemark.extraction.sandbox.pool import BROKE, ParserPool
from citemark.extraction.text_files import extract_code, extract_delimited, extract_plain
from citemark.model.documents import suffix_of
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Extracted

MARKDOWN = frozenset({".md", ".mdx", ".markdown", ".mdown"})
PLAIN = frozenset({".txt", ".text", ".rst"})
DELIMITED = frozenset({".csv", ".tsv"})
_WHEN_NAMED = frozenset({".ipynb"})
READ = (MARKDOWN | PLAIN | DELIMITED | SUFFIXES) - _WHEN_NAMED
"""The suffixes of files that are read, and of those that are reported because they cannot be.

Every other file is read as text where a pattern of its source names it.
"""

_PROSE = PLAIN | {"", ".org", ".tex", ".adoc", ".asciidoc", ".textile", ".wiki"}
"""Texts in sentences; all others are code, data or logs, in lines."""

_WRITTEN_IN: Mapping[str, Callable[..., Extracted]] = MappingProxyType(
    dict.fromkeys(MARKDOWN, extract_markdown)
    | dict.fromkeys(DELIMITED, extract_delimited)
    | dict.fromkeys(_PROSE, extract_plain)
)

_INDEX_NAMES = frozenset({"index", "readme"})


async def read_file(path: str, data: bytes, parsers: ParserPool) -> Extracted:
    """The text of a file: plain kinds are read in a thread, all others in a process of their own.

    Raises:
        SkippableSourceError: binary, broken, locked, without text, or of a kind that is not read.
        RetriableSourceError: no process for parsing could be started.
    """
    kind = format_of(path, data)
    if kind is not None and not data:
        raise SkippableSourceError("The file is empty. Get it again, or leave it out of the source.")
    if kind is None:
        return await asyncio.to_thread(_plain, path, data)
    return await parse(parsers, kind, data, fallback_title=title_of(path))


async def parse(parsers: ParserPool, kind: Format, data: bytes, *, fallback_title: str) -> Extracted:
    """Read a file of a format in one of the processes.

    Raises:
        SkippableSourceError: it is broken, locked or empty of text, or wants more time or memory than it may have.
        RetriableSourceError: the process could not be started, or is being closed.
    """
    task = ParseTask("citemark.extraction.formats", "read_format", f"{kind.name} files")
    item = ParseItem(data, {"name": kind.name, "title": fallback_title})
    parts = await parsers.parts(task, item, extracted_from_json)
    if len(parts) != 1:
        raise SkippableSourceError(BROKE)
    return parts[0]


def title_of(path: str) -> str:
    """The title of a file that has none inside: its name in words, or its folder's for an index."""
    whole = PurePosixPath(path)
    name = whole.parent.name if whole.stem.lower() in _INDEX_NAMES and whole.parent.name else whole.stem
    return " ".join(name.replace("-", " ").replace("_", " ").split()) or whole.name


def _plain(path: str, data: bytes) -> Extracted:
    extract = _WRITTEN_IN.get(suffix_of(PurePosixPath(path).name), extract_code)
    return extract(decode(data), fallback_title=title_of(path))
