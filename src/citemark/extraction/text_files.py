"""Extracts files whose text is taken as it is: prose, lines of code or data, and delimited tables (CSV, TSV).

Their bodies stay as written, so that the lines of a citation are those of the file.
"""

import csv
import re

from citemark.extraction.office import names_columns
from citemark.extraction.sheets import MOST_ROWS
from citemark.model.text import Block, BlockKind, Extracted, LineIndex, Span

_DELIMITERS = ",;\t|"

_NAMED_DELIMITER = re.compile(r"sep=.\s*\Z")
"""A first line that tells Excel the delimiter."""

_MOST_BLOCKS = 200_000
"""Most blocks of a text; the rest of a longer one is a single block, which is cut like any other."""


def extract_code(body: str, *, fallback_title: str) -> Extracted:
    """Like `extract_plain`, for text made of lines (source code, data, logs): long paragraphs are cut at line ends."""
    return _extract(body, fallback_title, BlockKind.CODE)


def extract_plain(body: str, *, fallback_title: str) -> Extracted:
    """Extract a text whose blocks are its paragraphs; its title is `fallback_title`."""
    return _extract(body, fallback_title, BlockKind.PARAGRAPH)


def _extract(body: str, title: str, kind: BlockKind) -> Extracted:
    lines = LineIndex(body)
    blocks: list[Block] = []
    first: int | None = None
    last = 0
    for start, end in zip(lines.starts, lines.ends, strict=True):
        text = body[start:end]
        if text and not text.isspace():
            first = start if first is None else first
            last = start + len(text.rstrip())
        elif first is not None and len(blocks) < _MOST_BLOCKS:
            blocks.append(Block(kind, Span(first, last)))
            first = None
    if first is not None:
        blocks.append(Block(kind, Span(first, last)))
    return Extracted(title=title, body=body, blocks=tuple(blocks))


def extract_delimited(body: str, *, fallback_title: str) -> Extracted:
    """Extract a table. Its first line is the header unless it has numbers; rows after the first 20,000 are left out."""
    lines = LineIndex(body)
    filled = [index for index, start in enumerate(lines.starts) if body[start : lines.ends[index]].strip()]
    cut = len(filled) > MOST_ROWS + 1
    if cut:
        filled = filled[: MOST_ROWS + 1]
        note = f"[The table goes on: only its first {MOST_ROWS:,} rows are read.]"
        body = f"{body[: lines.ends[filled[-1]]]}\n\n{note}\n"
    blocks: list[Block] = []
    if filled and _NAMED_DELIMITER.match(body[lines.starts[filled[0]] : lines.ends[filled[0]]]):
        blocks.append(Block(BlockKind.PARAGRAPH, _span(lines, body, filled[0], filled[0])))
        filled = filled[1:]
    if filled:
        head = _span(lines, body, filled[0], filled[0])
        header = head.of(body) if _is_header(head.of(body)) else ""
        blocks.append(Block(BlockKind.TABLE, Span(head.start, _span(lines, body, filled[0], filled[-1]).end), header))
    if cut:
        end = len(body.rstrip())
        blocks.append(Block(BlockKind.PARAGRAPH, Span(body.rindex("[", 0, end), end)))
    return Extracted(
        title=fallback_title, body=body, blocks=tuple(blocks), metadata={"truncated": "true"} if cut else {}
    )


def _span(lines: LineIndex, body: str, first: int, last: int) -> Span:
    end = lines.ends[last]
    return Span(lines.starts[first], lines.starts[first] + len(body[lines.starts[first] : end].rstrip()))


def _is_header(line: str) -> bool:
    """Whether the cells of a line name columns; the cell above an index column may be empty."""
    delimiter = max(_DELIMITERS, key=line.count)
    try:
        cells = next(csv.reader([line], delimiter=delimiter), list[str]())
    except csv.Error:
        return False
    return names_columns([cell for cell in cells if cell.strip()])
