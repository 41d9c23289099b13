"""Tables of a web page: those that hold data to rows, those that only arrange a page left to their cells."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from citemark.extraction.html_nodes import children, is_left_out, pieces_of
from citemark.extraction.inline import Piece, inline

_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_NO_DATA = "table, h1, h2, h3, h4, h5, h6, pre, blockquote, form"
_MOST_SPANNED = 100
_LONGEST_CELL = 2_000

Row = list[list[Piece]]


def rows_of(table: LexborNode, base: str) -> tuple[list[Row], bool] | None:
    """The rows of a table of data, and whether the first names the columns; None for one that arranges a page.

    A cell that spans columns leaves those behind it empty; one that spans rows is repeated in each, so that every row
    can be read alone.
    """
    inside = any(node.mem_id != table.mem_id for node in table.css(_NO_DATA))
    if inside or table.attributes.get("role") in {"presentation", "none"}:
        return None
    rows: list[Row] = []
    header = False
    hanging: dict[int, tuple[int, list[Piece]]] = {}
    for node, in_head in _row_nodes(table):
        row, named = _row(node, base, hanging)
        if row:
            header = header or (not rows and (in_head or named))
            rows.append(row)
    if max((len(row) for row in rows), default=0) < 2:  # noqa: PLR2004 - one column is a list of texts
        return None
    if any(len(inline(cell).text) > _LONGEST_CELL for row in rows for cell in row):
        return None
    return rows, header


def _row_nodes(table: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    for node in children(table):
        if node.tag == "tr":
            yield node, False
        elif node.tag in _ROW_GROUPS:
            for row in children(node):
                if row.tag == "tr":
                    yield row, node.tag == "thead"


def _row(node: LexborNode, base: str, hanging: dict[int, tuple[int, list[Piece]]]) -> tuple[Row, bool]:
    """The cells of a row by column, and whether all of them are headings; `hanging` are cells of rows above."""
    row: Row = []
    headings = 0
    cells = 0
    for cell in children(node):
        tag = cell.tag or ""
        if tag not in {"td", "th"} or is_left_out(tag, cell.attributes, in_content=True):
            continue
        _fill(row, hanging)
        attributes = cell.attributes
        pieces = pieces_of(cell, base)
        across = _span(attributes.get("colspan"))
        down = _span(attributes.get("rowspan"))
        if down > 1:
            hanging[len(row)] = (down - 1, pieces)
        row.append(pieces)
        row.extend([] for _ in range(across - 1))
        cells += 1
        headings += tag == "th"
    _fill(row, hanging)
    return row, cells > 0 and headings == cells


def _fill(row: Row, hanging: dict[int, tuple[int, list[Piece]]]) -> None:
    while len(row) in hanging:
        left, pieces = hanging.pop(len(row))
        if left > 1:
            hanging[len(row)] = (left - 1, pieces)
        row.append(pieces)


def _span(said: str | None) -> int:
    text = (said or "").strip()
    return max(1, min(int(text), _MOST_SPANNED)) if text.isascii() and text.isdigit() else 1
