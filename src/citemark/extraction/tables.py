"""Passes tables of any format to the builder: lines above them as text, and their headers in one row."""

from collections.abc import Sequence

from citemark.extraction.builder import Builder, RunsOrText, TextRun, inline
from citemark.extraction.table_heads import EXAMINED, Across, TableHead, find_head, joined_names


def write_table(
    builder: Builder, rows: Sequence[Sequence[RunsOrText]], across: Across | None = None, marked: int | None = None
) -> None:
    """Add a table, whose header is one row with the whole name of each column ("2024 Q1").

    Args:
        builder: takes it.
        rows: its rows, with the lines above it, if any.
        across: the cells that cover several columns, for a format that says so.
        marked: how many rows the format marks as header; 0 if it says that there is none, None if it does not say.
    """
    texts = [[inline(cell).text for cell in row] for row in rows[:EXAMINED]]
    head = find_head(texts, across) if marked is None else _marked(texts, marked)
    _write_above(builder, rows[: head.above], texts)
    below = rows[head.above + head.rows :]
    if not head.rows:
        builder.table(below, header=False)
        return
    last = head.above + head.rows
    names = joined_names(texts[head.above : last], across, head.above)
    builder.table([[_name(rows[head.above : last], parts) for parts in names], *below], header=True)


def _marked(texts: Sequence[Sequence[str]], marked: int) -> TableHead:
    """The header that a format marks; a row with a single cell above it is the title of the table."""
    above = 0
    while above < marked - 1 and sum(map(bool, texts[above])) <= 1:
        above += 1
    return TableHead(above, marked - above)


def _write_above(builder: Builder, rows: Sequence[Sequence[RunsOrText]], texts: Sequence[Sequence[str]]) -> None:
    pairs: list[Sequence[RunsOrText]] = []
    for row, cells in zip(rows, texts, strict=False):
        if sum(map(bool, cells)) > 1:
            pairs.append(row)
            continue
        builder.table(pairs, header=False)
        pairs = []
        for cell, text in zip(row, cells, strict=True):
            if text:
                builder.paragraph(cell)
    builder.table(pairs, header=False)


def _name(rows: Sequence[Sequence[RunsOrText]], parts: Sequence[tuple[int, int]]) -> list[TextRun]:
    runs: list[TextRun] = []
    for number, column in parts:
        cell = rows[number][column]
        runs += [*([TextRun(cell)] if isinstance(cell, str) else cell), TextRun(" ")]
    return runs
