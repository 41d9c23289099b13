"""Plain aligned text tables."""

from collections.abc import Sequence

Cell = str | int | float | None


def table(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Columns two blanks apart: text to the left, numbers to the right, rates with three digits, None as a dash."""
    grid = [list(head), *([_show(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in grid) for column in range(len(head))]
    numeric = [all(not isinstance(row[column], str) for row in rows) and bool(rows) for column in range(len(head))]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in grid
    ]
    return "\n".join(lines)


def _show(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
