"""Turns the rows of a sheet, in any spreadsheet format, into tables and the lines of text above and between them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citemark.extraction.builder import Builder
from citemark.extraction.office import names_columns

Row = list[str]

MOST_ROWS = 20_000
"""Most rows of one sheet; a longer table is a database, and passages of it answer no question."""

MOST_COLUMNS = 256
"""Most columns of one sheet; anything further right is a stray value."""


@dataclass(slots=True)
class CellBudget:
    """How many cells of one file may still be examined, including empty ones, and how many with text may be kept.

    While they are written, the kept cells need far less memory than a parser may use.
    """

    looked_at: int = 20_000_000
    kept: int = 500_000

    @property
    def is_spent(self) -> bool:
        """True when no more cells are read."""
        return min(self.looked_at, self.kept) <= 0


def write_sheet(builder: Builder, name: str, rows: Iterable[Row], allowance: CellBudget) -> None:
    """Add a section with a sheet's rows; rows beyond the limits are left out, and the text says so."""
    builder.section(name)
    taken: list[Row] = []
    filled = 0
    cut = False
    for row in rows:
        if filled >= MOST_ROWS or allowance.is_spent:
            cut = True
            break
        cells = _filled(row)
        filled += bool(cells)
        allowance.kept -= cells
        taken.append(row)
    _write_rows(builder, taken)
    if cut or allowance.is_spent:
        builder.cut(f"The sheet {name!r} goes on: only its first {filled:,} rows are read.")


def _write_rows(builder: Builder, rows: Iterable[Row]) -> None:
    """Write tables, which are separated by empty rows; rows of one cell above a table become text."""
    for region in _regions(rows):
        first = next((index for index, row in enumerate(region) if _filled(row) > 1), len(region))
        for row in region[:first]:
            builder.paragraph("".join(row))
        if first < len(region):
            table = _trimmed(region[first:])
            builder.table(table, header=names_columns(table[0]) or _is_partly_named(table))


def _regions(rows: Iterable[Row]) -> Iterator[list[Row]]:
    region: list[Row] = []
    for row in rows:
        if _filled(row):
            region.append(row)
        elif region:
            yield region
            region = []
    if region:
        yield region


def _filled(row: Row) -> int:
    return sum(bool(cell) for cell in row)


def _trimmed(rows: list[Row]) -> list[Row]:
    """The rows with only the columns in which at least one of them has text."""
    used = sorted({column for row in rows for column, cell in enumerate(row) if cell})
    return [[row[column] if column < len(row) else "" for column in used] for row in rows]


def _is_partly_named(table: list[Row]) -> bool:
    """True if the first row is the header of a crosstab, whose corner is empty."""
    first = table[0]
    return len(table) > 1 and not first[0] and names_columns(["corner", *first[1:]])
