"""Finds the rows of a table that name its columns, and the lines above it that are no part of it.

A doubtful header is carried: rows below a header that is itself a row can be understood, rows without any cannot.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

Texts = Sequence[Sequence[str]]
"""The texts of the cells of each row; "" for an empty cell."""

Across = Mapping[tuple[int, int], int]
"""How many columns a cell covers, by its row and column; cells that cover one are not in it."""

_FIGURES = re.compile(r"[^\w~]*+\d(?:\d|[^\w~])*+(?:[A-Z]{3})?")
_YEAR = re.compile(r"[^\W\d]{0,3}\s?(?:1[89]|20|21)\d\d(?:\s?[/\u2013-]\s?\d{2,4})?\*?")

EXAMINED = 200
"""Rows at the beginning of a table that tell how wide it is."""

_MOST_HEAD_ROWS = 4
"""A header with more rows is a table of merged cells."""

_FULL = 0.7
"""A row with this share of the usual number of cells belongs to the table; notes above it have fewer."""

_PAIR = 2


@dataclass(frozen=True, slots=True)
class TableHead:
    """How many rows are above the table, and how many rows below them name its columns."""

    above: int = 0
    rows: int = 0


def is_figure(cell: str) -> bool:
    """True for a number, an amount, a date or a time, but not for a year, which may name a column."""
    return _FIGURES.fullmatch(cell) is not None and _YEAR.fullmatch(cell) is None


def find_head(rows: Texts, across: Across | None = None) -> TableHead:
    """Find the header of a table, whose first rows may be a title or notes.

    Args:
        rows: the table from its top; only the first 200 rows are examined.
        across: the cells that cover several columns, for a format that says so.
    """
    rows = rows[:EXAMINED]
    filled = [sum(map(bool, row)) for row in rows]
    wide = Counter(count for count in filled if count > 1)
    if not wide:
        return TableHead(len(rows))
    usual = max(wide, key=lambda count: (wide[count], count))
    first = next(number for number, row in enumerate(rows) if _is_full(row, filled[number], usual))
    last = first
    while first and first > last - _MOST_HEAD_ROWS and _is_over(rows, first - 1, across):
        first -= 1
    while last + 2 < len(rows) and last < first + _MOST_HEAD_ROWS - 1 and _goes_on(rows, last, across):
        last += 1
    if last + 1 >= len(rows) or (usual == _PAIR and last == first and _is_pair(rows[first], rows[first + 1 :])):
        return TableHead(first)
    return TableHead(first, last + 1 - first)


def continues(table: Texts, head: TableHead, rows: Texts) -> bool:
    """Whether rows below an empty line go on with the table above it, instead of having a header of their own."""
    body = table[head.above + head.rows :]
    if not body or not rows or not head.rows:
        return False
    kinds, first = _kinds(body), [_kind(cell) for cell in rows[0]]
    width = max(map(len, table))
    alike = all(kind in {"", above} for kind, above in zip(first, [*kinds, *[""] * len(first)], strict=False))
    return len(first) <= width and first.count("figure") > 0 and alike and sum(map(bool, first)) > 1


def joined_names(rows: Texts, across: Across | None = None, first: int = 0) -> list[list[tuple[int, int]]]:
    """The cells that make up the name of each column, as (row, column) in `rows`, the header rows of a table.

    Args:
        rows: the header rows.
        across: as in `find_head`, by rows of the whole table.
        first: the number of the first header row in the whole table.
    """
    names: list[list[tuple[int, int]]] = []
    for column in range(max(map(len, rows), default=0)):
        parts: list[tuple[int, int]] = []
        said: list[str] = []
        for number in range(len(rows)):
            at = _origin(rows, number, column, across, first)
            text = rows[number][at] if at is not None else ""
            if at is not None and text and text not in said:
                parts.append((number, at))
                said.append(text)
        names.append(parts)
    return names


def _is_full(row: Sequence[str], count: int, usual: int) -> bool:
    corner = bool(row) and not row[0] and count == usual - 1
    return count > 1 and (count >= ceil(_FULL * usual) or corner)


def _is_over(rows: Texts, number: int, across: Across | None) -> bool:
    """Whether a row groups the columns that the row below it names."""
    upper, lower = rows[number], rows[number + 1]
    columns = [column for column, cell in enumerate(upper) if cell]
    if not columns or any(map(is_figure, upper)):
        return False
    if across is not None:
        widest = max((across.get((number, column), 1) for column in columns), default=1)
        return 1 < widest < max(map(len, rows)) or (len(columns) > 1 and _fills(upper, lower))
    return len(columns) > 1 and (_fills(upper, lower) or _has_gap(columns))


def _goes_on(rows: Texts, number: int, across: Across | None) -> bool:
    """Whether the row below a header row is one, too: it names the columns below a cell that covers several."""
    upper, lower, data = rows[number], rows[number + 1], rows[number + 2]
    if not any(lower) or any(map(is_figure, lower)):
        return False
    if across is not None:
        return any(across.get((number, column), 1) > 1 for column in range(len(upper)))
    columns = [column for column, cell in enumerate(upper) if cell]
    below = {column for column, cell in enumerate(lower) if cell}
    filled_gap = any(column not in columns and column > columns[0] for column in below) if columns else False
    return filled_gap and not lower[0] and bool(data) and bool(data[0])


def _fills(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether the upper row names a column that the lower one leaves open."""
    return any(cell and (column >= len(lower) or not lower[column]) for column, cell in enumerate(upper))


def _has_gap(columns: Sequence[int]) -> bool:
    return columns[-1] - columns[0] >= len(columns)


def _is_pair(first: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """Whether a table of two columns lists terms with their values, from its first row on."""
    cells = [cell for cell in first if cell]
    if cells[0].endswith(":"):
        return True
    if _names(cells[-1]):
        return False
    below = [values[-1] for row in rows if len(values := [cell for cell in row if cell]) == _PAIR]
    return not all(map(is_figure, [cells[-1], *below]))


def _names(cell: str) -> bool:
    """Whether a text may be the name of a column: a year, or more letters than figures."""
    return bool(_YEAR.fullmatch(cell)) or sum(map(str.isdigit, cell)) <= sum(map(str.isalpha, cell))


def _kind(cell: str) -> str:
    if not cell:
        return ""
    return "figure" if _FIGURES.fullmatch(cell) else "words"


def _kinds(rows: Texts) -> list[str]:
    """The kind of the last cell of each column that is not empty."""
    kinds: dict[int, str] = {}
    for row in rows[-EXAMINED:]:
        kinds.update((column, _kind(cell)) for column, cell in enumerate(row) if cell)
    return [kinds.get(column, "") for column in range(max(kinds, default=-1) + 1)]


def _origin(rows: Texts, number: int, column: int, across: Across | None, first: int) -> int | None:
    """The column of the cell that names a column in a header row, perhaps from further left; None if there is none."""
    row = rows[number]
    if column < len(row) and row[column]:
        return column
    left = next((at for at in range(min(column, len(row)) - 1, -1, -1) if row[at]), None)
    if left is None:
        return None
    if across is not None:
        return left if across.get((first + number, left), 1) > column - left else None
    below = rows[number + 1 :]
    return left if any(column < len(lower) and lower[column] for lower in below) else None
