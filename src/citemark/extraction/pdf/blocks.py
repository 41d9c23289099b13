"""Turns the lines of a page into blocks: paragraphs with their divided words joined, headings, items and tables.

Limits on lengths are in line heights, so that they hold for every font size; test_pdf.py has the layouts that they
tell apart.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from citemark.extraction.pdf.lines import PdfLine, PdfRun, overlap
from citemark.model.text import BlockKind

_NEXT_ROW = 3.5
"""Most line heights to the next row of a table; anything further down is another block."""


_SAME_CELL = 1.6
"""Most line heights to the next line of the same cell."""


_LEAST_ROWS = 2
"""Fewest rows, and fewest columns, of a table."""


_MOST_ROWS = 500
"""Most lines of a table on one page, which bounds the search for its end."""


_NAMED = 3
"""Fewest columns for which a first row of words is a header; two columns may be a list of terms."""


_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")

_END = re.compile(r"([^\W\d_]+)([-\u2010])$")

_BEGIN = re.compile(r"[^\W_]+")

_SUSPENDED = frozenset({"and", "or", "und", "oder", "bis", "et", "ou", "en", "of", "y", "e", "o", "and/or", "sowie"})

_LEAST_HALF = 3
"""Fewest letters of each half for both to count as words: "an-" and "-de" are words of some language."""


_LONGEST_WORD = 100
"""How many characters at a line end are examined."""


_BULLET = re.compile(r"([•‣◦▪●○■□➢✓\uf0b7\uf0a7\uf0d8]|[-–—](?=\s))\s*(?=\S)")  # noqa: RUF001 - bullets look alike

_NUMBER = re.compile(r"(\(?(?:\d{1,3}|[a-z])[.)])\s+(?=\S)")

_LONE_MARK = re.compile(r"[•‣◦▪●○■□➢✓\uf0b7\uf0a7\uf0d8–—-]|\(?(?:\d{1,3}|[a-z])[.)]")  # noqa: RUF001 - see above

_SENTENCE_END = re.compile(r"[.!?:;…。！？؟][\"'”’»)\]]*$")  # noqa: RUF001 - as they are in each script

_LEADERS = re.compile(r"(?<![.·…_])(?<![.·…_][ \u00a0])(?:[ \u00a0]?[.·…_]){4,}+(?=[ \u00a0]?\d{0,9}$)")

_HEADING_SIZE = 1.15
"""A heading is larger than the text by at least this factor."""


_LONGEST_HEADING = 200
"""Most characters of a heading; longer large text is a pull quote or a summary."""


_OTHER_SIZE = 1.12
"""Lines whose sizes differ by more than this factor do not belong to one paragraph."""


_WIDE_LEADING = 1.35
"""Times the usual distance from line to line: a larger distance begins a paragraph."""


_LARGEST_LEADING = 1.8
"""Most line heights of a usual distance; a page of single lines has no usual distance that could be trusted."""


_INDENT = 0.8
"""Line heights by which a first line is indented."""


_SAME_COLUMN = 0.3
"""Share of the narrower line's width that two lines of one column have in common."""


_RIGHT_EDGE = 0.8
"""The quantile of widths that counts as the width of a column; a few lines are wider."""


_SLACK = 1.0
"""Line heights of room that a ragged line leaves without breaking on purpose."""


_NEAR = 100
"""Lines before and after a line that determine the width of its column."""


class Hyphens:
    """The words of a document, which tell a hyphen at a line end from one that belongs to the word."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: set[str] = set()
        for line in lines:
            words = _WORD.findall(line)
            if words and line.endswith(("-", "\u2010")):
                words.pop()
            self._words.update(word.casefold().replace("\u2010", "-") for word in words)

    def joined(self, before: str, after: str) -> str | None:
        """Join two lines if the first ends inside a word; return None if it does not.

        The hyphen is removed if the whole word is written without it elsewhere, and if nothing is known about the word.
        It stays if the word is written with it, if both halves are words, before a capital or a digit, and in "up- and
        down".
        """
        end, begin = _END.search(before[-_LONGEST_WORD:]), _BEGIN.match(after[:_LONGEST_WORD])
        if end is None or begin is None:
            return None
        left, right = end[1].casefold(), begin[0].casefold()
        if right in _SUSPENDED:
            return f"{before} {after}"
        whole, compound = left + right, f"{left}-{right}"
        two_words = min(len(left), len(right)) >= _LEAST_HALF and left in self._words and right in self._words
        keep_hyphen = not after[0].islower() or compound in self._words or two_words
        if whole not in self._words and keep_hyphen:
            return before + after
        return before[:-1] + after


@dataclass(frozen=True, slots=True)
class PdfBlock:
    """A block of a page, with `text` for all kinds except tables, `marker` for items, and `rows` for tables."""

    kind: BlockKind
    text: str = ""
    marker: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    header: bool = False


def blocks_of(lines: Sequence[PdfLine], hyphens: Hyphens, size: float) -> Iterator[PdfBlock]:
    """The blocks of one page; `size` is that of the document's running text, in points."""
    page = _Page(lines, hyphens, size)
    index = 0
    while index < len(lines):
        table = table_at(lines, index) if len(lines[index].cells) > 1 and not _is_marked(lines[index]) else None
        if table is not None:
            yield PdfBlock(BlockKind.TABLE, rows=table.rows, header=table.header)
            index = table.beyond
            continue
        beyond = page.end_of_paragraph(index)
        yield page.paragraph(index, beyond)
        index = beyond


class _Page:
    """Tells the lines that continue a block from those that begin one, by the layout of the page."""

    def __init__(self, lines: Sequence[PdfLine], hyphens: Hyphens, size: float) -> None:
        self._lines = lines
        self._hyphens = hyphens
        self._size = size
        falls = [
            one.whole.bottom - other.whole.bottom
            for one, other in pairwise(lines)
            if one.whole.bottom > other.whole.bottom and overlap(one.whole, other.whole) > 0
        ]
        self._leading = median(falls) if falls else 0.0
        self._edges: dict[int, float] = {}

    def end_of_paragraph(self, first: int) -> int:
        """The index of the line after the paragraph, heading or item that begins with line `first`."""
        index = first + 1
        while index < len(self._lines) and self._continues(first, index):
            index += 1
        return index

    def paragraph(self, first: int, beyond: int) -> PdfBlock:
        """The lines from `first` up to, but not including, `beyond` as one text, with divided words joined."""
        text = self._lines[first].whole.text
        for index in range(first + 1, beyond):
            after = self._lines[index].whole.text
            rejoined = self._hyphens.joined(text, after)
            between = "\n" if self._breaks_on_purpose(index - 1, index) else " "
            text = rejoined if rejoined is not None else text + between + after
        text = _LEADERS.sub(" ...", text)
        whole = self._lines[first].whole
        if self._is_heading(whole) and len(text) <= _LONGEST_HEADING and any(map(str.isalpha, text)):
            return PdfBlock(BlockKind.HEADING, " ".join(text.split()))
        if (bullet := _BULLET.match(text)) is not None:
            return PdfBlock(BlockKind.LIST_ITEM, text[bullet.end() :], "-")
        if (number := _NUMBER.match(text)) is not None:
            return PdfBlock(BlockKind.LIST_ITEM, text[number.end() :], number[1])
        return PdfBlock(BlockKind.PARAGRAPH, text)

    def _continues(self, first: int, index: int) -> bool:
        before, line = self._lines[index - 1], self._lines[index]
        one, other = before.whole, line.whole
        if one.hyphen:
            return True
        if self._begins_block(index) or max(one.size, other.size) > _OTHER_SIZE * min(one.size, other.size):
            return False
        fall = one.bottom - other.bottom
        if fall <= 0 or overlap(one, other) == 0:
            return other.text[0].islower() and not _SENTENCE_END.search(one.text)
        usual = min(self._leading, _LARGEST_LEADING * one.height)
        if fall > _WIDE_LEADING * max(usual, one.height * _SLACK):
            return False
        if self._is_heading(one):
            return True
        return not (self._is_indented(first, index) or self._ended(index))

    def _begins_block(self, index: int) -> bool:
        """True for the first line of an item or a table, and for the line after an entry of a table of contents."""
        line, before = self._lines[index], self._lines[index - 1]
        if _is_marked(line) or _LEADERS.search(before.whole.text):
            return True
        return len(line.cells) > 1 and not _is_marked(before) and table_at(self._lines, index) is not None

    def _is_indented(self, first: int, index: int) -> bool:
        """True for a line that begins a block: it is indented, or outdented after an item. The second line may hang."""
        one, other = self._lines[index - 1].whole, self._lines[index].whole
        if _is_marked(self._lines[first]):
            return other.left < self._lines[first].whole.left + _INDENT * other.height / 2 and self._ended(index)
        return index - first > 1 and other.left - one.left > _INDENT * other.height and other.right >= one.right

    def _ended(self, index: int) -> bool:
        """True if the line above ends a sentence, and ends although the next word had room."""
        return _SENTENCE_END.search(self._lines[index - 1].whole.text) is not None and self._breaks_on_purpose(
            index - 1, index
        )

    def _breaks_on_purpose(self, before: int, index: int) -> bool:
        one, other = self._lines[before].whole, self._lines[index].whole
        if self._is_heading(one) or overlap(one, other) == 0:
            return False
        word = len(other.text.split(maxsplit=1)[0]) / len(other.text) * (other.right - other.left)
        return self._right_edge(before) - (one.right - one.left) > word + _SLACK * one.height

    def _right_edge(self, number: int) -> float:
        """The width of a line's column: four fifths of its lines are no wider."""
        if number not in self._edges:
            own = self._lines[number].whole
            widths = sorted(
                line.whole.right - min(line.whole.left, own.left)
                for line in self._lines[max(0, number - _NEAR) : number + _NEAR]
                if overlap(line.whole, own) > _SAME_COLUMN
            )
            self._edges[number] = widths[int((len(widths) - 1) * _RIGHT_EDGE)] if widths else 0.0
        return self._edges[number]

    def _is_heading(self, run: PdfRun) -> bool:
        return run.size > _HEADING_SIZE * self._size


def _is_marked(line: PdfLine) -> bool:
    """True for a line that begins with a bullet or a number."""
    if len(line.cells) > 1 and _LONE_MARK.fullmatch(line.cells[0].text):
        return True
    return len(line.cells) == 1 and (_BULLET.match(line.whole.text) or _NUMBER.match(line.whole.text)) is not None


@dataclass(frozen=True, slots=True)
class PdfTable:
    """Rows of equally many cells; `header` is True if the first names the columns, `beyond` is the line after it."""

    rows: tuple[tuple[str, ...], ...]
    header: bool
    beyond: int


def table_at(lines: Sequence[PdfLine], first: int) -> PdfTable | None:
    """The table that begins with line `first`, or None if its cells are not those of a table.

    Rows are lines of several cells below each other. A single cell to the right of the first column continues the cell
    above it. A table has at least two rows, and two columns that no cell bridges.
    """
    rows: list[list[PdfRun]] = []
    beyond = first
    for index in range(first, min(len(lines), first + _MOST_ROWS)):
        line = lines[index]
        fall = lines[index - 1].whole.bottom - line.whole.bottom
        if rows and _same_row(rows[-1], line):
            rows[-1].extend(line.cells)
        elif rows and not 0 < fall < _NEXT_ROW * line.whole.height:
            break
        elif len(line.cells) > 1:
            rows.append(list(line.cells))
        elif rows and line.whole.left > rows[0][0].right and fall < _SAME_CELL * line.whole.height:
            rows[-1].append(line.whole)
        else:
            break
        beyond = index + 1
    columns = _columns([cell for row in rows for cell in row])
    if len(rows) < _LEAST_ROWS or len(columns) < _LEAST_ROWS:
        return None
    texts = tuple(tuple(_cells(row, columns)) for row in rows)
    return PdfTable(texts, _names_columns(texts), beyond)


def _same_row(row: Sequence[PdfRun], line: PdfLine) -> bool:
    """True for cells to the right of a row whose last cell has more than one line."""
    top = row[0].top + row[0].height / 2
    return row[0].bottom < line.whole.top <= top and line.whole.left > max(cell.right for cell in row)


def _columns(cells: Sequence[PdfRun]) -> list[tuple[float, float]]:
    """The horizontal ranges that cells cover, from left to right."""
    found: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda cell: cell.left):
        if found and cell.left <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], cell.right))
        else:
            found.append((cell.left, cell.right))
    return found


def _cells(row: Sequence[PdfRun], columns: Sequence[tuple[float, float]]) -> list[str]:
    return [" ".join(cell.text for cell in row if left <= cell.left <= right) for left, right in columns]


def _names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """True for a first row of words above numbers, or with too many columns for a list of terms."""
    figures = any(map(str.isdigit, "".join(cell for row in rows[1:] for cell in row)))
    return all(rows[0]) and not any(map(str.isdigit, "".join(rows[0]))) and (figures or len(rows[0]) >= _NAMED)
