"""The rows of a sheet, of any spreadsheet format, to tables and the lines of text above and between them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citemark.extraction.builder import Builder
from citemark.extraction.office import names_columns

Row = list[str]

MOST_ROWS = 20_000
"""Of one sheet; a longer table is a database, and passages of it answer no question."""

MOST_COLUMNS = 256
"""Of one sheet; what is further right is a stray value."""


@dataclass(slots=True)
class CellBudget:
    """How many cells of one file may still be looked at, empty ones included, and how many with text may be kept.

    The cells that are kept need far less memory than a parser may have while they are written.
    """

    looked_at: int = 20_000_000
    kept: int = 500_000

    @property
    def is_spent(self) -> bool:
        """True when no more is read."""
        return min(self.looked_at, self.kept) <= 0


def write_sheet(builder: Builder, name: str, rows: Iterable[Row], allowance: CellBudget) -> None:
    """Add a section of a sheet's rows; what is beyond the caps is left out, which the text then says."""
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
    """An empty row parts two tables; rows of one cell above a table are text."""
    for region in _regions(rows):
        first = next((at for at, row in enumerate(region) if _filled(row) > 1), len(region))
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
    """The rows with the columns only in which any of them says something."""
    used = sorted({at for row in rows for at, cell in enumerate(row) if cell})
    return [[row[at] if at < len(row) else "" for at in used] for row in rows]


def _is_partly_named(table: list[Row]) -> bool:
    """True for the head of a crosstab, whose corner is empty."""
    first = table[0]
    return len(table) > 1 and not first[0] and names_columns(["corner", *first[1:]])
