"""The sheets of an OpenDocument spreadsheet: what each cell shows is stored beside its value."""

from collections.abc import Iterator

from citemark.extraction.building import Builder
from citemark.extraction.inline import inline
from citemark.extraction.odf_text import OdfText
from citemark.extraction.xlsx_regions import MOST_COLUMNS, MOST_ROWS, Allowance, Row, write_sheet
from citemark.extraction.xml_nodes import Node, attribute, children, name_of

_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_NO_ROW: Row = []


def write_sheets(builder: Builder, text: OdfText, spreadsheet: Node, hidden_styles: frozenset[str]) -> list[str]:
    """Add a section per visible sheet; gives the names of the hidden ones."""
    hidden: list[str] = []
    allowance = Allowance()
    for sheet in children(spreadsheet, "table"):
        name = attribute(sheet, "name")
        if attribute(sheet, "style-name") in hidden_styles:
            hidden.append(name)
            continue
        write_sheet(builder, name, _rows(sheet, text, allowance), allowance)
    return hidden


def _rows(node: Node, text: OdfText, allowance: Allowance) -> Iterator[Row]:
    """The rows as text; those that say nothing count once, however often they are repeated."""
    for row in _row_nodes(node):
        cells = _cells(row, text)
        allowance.looked_at -= 1 + len(cells)
        if allowance.is_spent:
            return
        times = attribute(row, "number-rows-repeated")
        repeated = int(times) if times.isdigit() and any(cells) else 1
        for _ in range(min(repeated, MOST_ROWS + 1)):
            yield cells


def _row_nodes(node: Node) -> Iterator[Node]:
    for part in children(node):
        if name_of(part) == "table-row":
            yield part
        elif name_of(part) in _GROUPS:
            yield from _row_nodes(part)


def _cells(row: Node, text: OdfText) -> Row:
    cells: Row = []
    for node in children(row, "table-cell", "covered-table-cell"):
        shown = inline(text.pieces(node)).text
        times = attribute(node, "number-columns-repeated")
        room = MOST_COLUMNS - len(cells)
        cells.extend([shown] * min(int(times) if times.isdigit() else 1, room))
    return cells if any(cells) else _NO_ROW
