"""Extracts tables whose cells are separated by a character (CSV, TSV). Their body stays as it is written."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citemark.extraction.sheets import MOST_ROWS
from citemark.extraction.table_heads import continues, find_head
from citemark.model.text import Block, BlockKind, Extracted, LineIndex, Span

_DELIMITERS = (";", "\t", ",", "|")
"""In the order in which they are preferred: commas are also part of amounts and sentences, bars of texts."""

_NAMED_DELIMITER = re.compile(r"sep=(.)\s*\Z")
"""A first line that tells Excel the delimiter."""

_EXAMINED = 200
"""Lines by which the delimiter is told."""

_MOST_LINES = 200
"""Lines of one row; a quote that runs on for longer was never closed."""


@dataclass(frozen=True, slots=True)
class _Record:
    """The cells of a row, and its first and last line; `is_blank` if nothing is written there, not even a delimiter."""

    cells: list[str]
    first: int
    last: int
    is_blank: bool


def extract_delimited(body: str, *, fallback_title: str) -> Extracted:
    """Extract a table, or several below one another; rows after the first 20,000 are left out.

    Lines above a table are paragraphs. The first row of a table is its header, also if it might be a row.
    """
    lines = LineIndex(body)
    filled = [index for index, start in enumerate(lines.starts) if body[start : lines.ends[index]].strip()]
    note = ""
    if len(filled) > MOST_ROWS + 1:
        filled = filled[: MOST_ROWS + 1]
        note = f"The table goes on: only its first {MOST_ROWS:,} rows are read."
        body = f"{body[: lines.ends[filled[-1]]]}\n\n[{note}]\n"
    blocks: list[Block] = []
    named = _NAMED_DELIMITER.match(body[lines.starts[filled[0]] : lines.ends[filled[0]]]) if filled else None
    if named is not None:
        blocks.append(Block(BlockKind.PARAGRAPH, _span(lines, body, filled[0], filled[0])))
        filled = filled[1:]
    if filled:
        texts = [body[lines.starts[line] : lines.ends[line]] for line in range(filled[0], filled[-1] + 1)]
        delimiter = named[1] if named is not None else _delimiter(texts)
        blocks.extend(_blocks(lines, body, _records(texts, delimiter, filled[0])))
    if note:
        end = len(body.rstrip())
        blocks.append(Block(BlockKind.PARAGRAPH, Span(body.rindex("[", 0, end), end)))
    return Extracted(
        title=fallback_title, body=body, blocks=tuple(blocks), metadata={"truncated": note} if note else {}
    )


def _delimiter(lines: Sequence[str]) -> str:
    """The character that divides most lines into the same number of cells."""

    def agreement(delimiter: str) -> tuple[int, int]:
        some = [line for line in lines if line.strip()][:_EXAMINED]
        counts = Counter(len(_cells(line, delimiter)) for line in some)
        del counts[1]
        width, times = max(counts.items(), key=lambda entry: (entry[1], entry[0]), default=(0, 0))
        return times, width

    return max(_DELIMITERS, key=agreement)


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), list[str]())
    except csv.Error:
        return line.split(delimiter)


def _records(lines: Sequence[str], delimiter: str, first: int) -> list[_Record]:
    """The rows of a table, one for each line unless a quoted cell goes on in the next; empty lines have no cells."""
    try:
        records: list[_Record] = []
        reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
        before = 0
        for cells in reader:
            end = reader.line_num
            records.append(_record(cells, lines[before:end], first + before))
            before = end
        if all(record.last - record.first < _MOST_LINES for record in records):
            return records
    except csv.Error:
        pass
    return [_record(_cells(line, delimiter), [line], first + number) for number, line in enumerate(lines)]


def _record(cells: Sequence[str], lines: Sequence[str], first: int) -> _Record:
    blank = not any(line.strip() for line in lines)
    return _Record([cell.strip() for cell in cells], first, first + len(lines) - 1, blank)


def _blocks(lines: LineIndex, body: str, records: Sequence[_Record]) -> Iterator[Block]:
    """A table for each part of the file with columns of its own, and a paragraph for the lines above each."""
    tables = list(_tables(records))
    for table in tables:
        head = find_head([record.cells for record in table])
        if head.above >= len(table):
            # Lines with a single cell are notes on the tables, or values if there is nothing else.
            kind = BlockKind.TABLE if len(tables) == 1 else BlockKind.PARAGRAPH
            yield Block(kind, _span(lines, body, table[0].first, table[-1].last))
            continue
        above, rows = table[: head.above], table[head.above :]
        if above:
            yield Block(BlockKind.PARAGRAPH, _span(lines, body, above[0].first, above[-1].last))
        header = _span(lines, body, rows[0].first, rows[head.rows - 1].last).of(body) if head.rows else ""
        yield Block(BlockKind.TABLE, _span(lines, body, rows[0].first, rows[-1].last), header)


def _tables(records: Sequence[_Record]) -> Iterator[list[_Record]]:
    table: list[_Record] = []
    for region in _regions(records):
        cells = [record.cells for record in table]
        if table and not continues(cells, find_head(cells), [record.cells for record in region]):
            yield table
            table = []
        table.extend(region)
    if table:
        yield table


def _regions(records: Sequence[_Record]) -> Iterator[list[_Record]]:
    """The rows between empty ones; empty rows that consist of delimiters belong to the rows above them."""
    region: list[_Record] = []
    ended = False
    for record in records:
        if any(record.cells) and ended and region:
            yield region
            region = []
        ended = not any(record.cells)
        if not record.is_blank:
            region.append(record)
    if region:
        yield region


def _span(lines: LineIndex, body: str, first: int, last: int) -> Span:
    start = lines.starts[first]
    return Span(start, start + len(body[start : lines.ends[last]].rstrip()))
