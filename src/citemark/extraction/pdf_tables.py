"""Finds the rows and columns of a table by where its cells stand."""

from collections.abc import Sequence
from dataclasses import dataclass

from citemark.extraction.pdf_lines import Line
from citemark.extraction.pdf_runs import Run

_NEXT_ROW = 3.5
_SAME_CELL = 1.6
_LEAST_ROWS = 2
_MOST_ROWS = 500
_NAMED = 3


@dataclass(frozen=True, slots=True)
class PdfTable:
    """Rows of as many cells; `header` says that the first names the columns. `beyond` is the line after it."""

    rows: tuple[tuple[str, ...], ...]
    header: bool
    beyond: int


def table_at(lines: Sequence[Line], first: int) -> PdfTable | None:
    """The table that begins with line `first`; None when its cells are none of a table.

    Rows are lines of several cells below each other. A single cell right of the first column goes on with the cell
    above it. A table has at least two rows, and two columns that no cell bridges.
    """
    rows: list[list[Run]] = []
    beyond = first
    for at in range(first, min(len(lines), first + _MOST_ROWS)):
        line = lines[at]
        fall = lines[at - 1].whole.bottom - line.whole.bottom
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
        beyond = at + 1
    columns = _columns([cell for row in rows for cell in row])
    if len(rows) < _LEAST_ROWS or len(columns) < _LEAST_ROWS:
        return None
    texts = tuple(tuple(_cells(row, columns)) for row in rows)
    return PdfTable(texts, _names_columns(texts), beyond)


def _same_row(row: Sequence[Run], line: Line) -> bool:
    """True for cells that stand right of a row whose last cell had more than one line."""
    top = row[0].top + row[0].height / 2
    return row[0].bottom < line.whole.top <= top and line.whole.left > max(cell.right for cell in row)


def _columns(cells: Sequence[Run]) -> list[tuple[float, float]]:
    """The stretches of the line that cells cover, from left to right."""
    found: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda cell: cell.left):
        if found and cell.left <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], cell.right))
        else:
            found.append((cell.left, cell.right))
    return found


def _cells(row: Sequence[Run], columns: Sequence[tuple[float, float]]) -> list[str]:
    return [" ".join(cell.text for cell in row if left <= cell.left <= right) for left, right in columns]


def _names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """A first row of words above numbers, or above enough columns to be no list of terms."""
    figures = any(map(str.isdigit, "".join(cell for row in rows[1:] for cell in row)))
    return all(rows[0]) and not any(map(str.isdigit, "".join(rows[0]))) and (figures or len(rows[0]) >= _NAMED)
