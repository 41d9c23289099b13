"""Turns the rows of a sheet, in any spreadsheet format, into tables and the lines of text above and between them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citemark.extraction.builder import Builder
from citemark.extraction.table_heads import Across, continues, find_head
from citemark.extraction.tables import write_table

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


def write_sheet(
    builder: Builder, name: str, rows: Iterable[Row], allowance: CellBudget, across: Across | None = None
) -> None:
    """Add a section with a sheet's rows; rows beyond the limits are left out, and the text says so.

    `across` are the cells that cover several columns, by the position of their row among `rows`.
    """
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
    _write_rows(builder, taken, across)
    if cut or allowance.is_spent:
        builder.cut(f"The sheet {name!r} goes on: only its first {filled:,} rows are read.")


def _write_rows(builder: Builder, rows: Sequence[Row], across: Across | None) -> None:
    """Write tables, which are separated by empty rows, unless the rows below one go on with the table above it."""
    for first, region in _tables(rows, across):
        used = _used(region)
        column_of = {column: position for position, column in enumerate(used)}
        covering = {
            (row - first, column_of[column]): sum(column <= each < column + count for each in used)
            for (row, column), count in (across or {}).items()
            if 0 <= row - first < len(region) and column in column_of
        }
        table = [[row[column] if column < len(row) else "" for column in used] for row in region]
        write_table(builder, table, covering if across is not None else None)


def _tables(rows: Sequence[Row], across: Across | None) -> Iterator[tuple[int, list[Row]]]:
    """The rows of each table, without empty ones between them, and the position of the first."""
    begin, table = 0, list[Row]()
    for first, region in _regions(rows):
        # Merged cells are found by their position, so that a table with them does not grow over an empty row.
        whole = not any(begin <= row < first + len(region) for row, _ in across or {})
        if table and whole and continues(table, find_head(table), region):
            table = [*table, *region]
            continue
        if table:
            yield begin, table
        begin, table = first, region
    if table:
        yield begin, table


def _regions(rows: Sequence[Row]) -> Iterator[tuple[int, list[Row]]]:
    begin = 0
    for number, row in enumerate([*rows, []]):
        if not _filled(row):
            if begin < number:
                yield begin, list(rows[begin:number])
            begin = number + 1


def _filled(row: Row) -> int:
    return sum(bool(cell) for cell in row)


def _used(rows: Sequence[Row]) -> list[int]:
    """The columns in which at least one row has text."""
    return sorted({column for row in rows for column, cell in enumerate(row) if cell})
