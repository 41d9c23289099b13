"""What the library for workbooks does not tell: merged cells and missing sheets, and how broken parts are mended."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast
from zipfile import ZipFile

from openpyxl.utils import datetime as openpyxl_dates
from openpyxl.utils.cell import range_boundaries

from citemark.extraction.office import Node, attribute, child, children, name_of, parse_xml
from citemark.extraction.packages import kept
from citemark.extraction.sheets import MOST_COLUMNS, Row

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"']([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})[\"']")

_MOST_MERGED = 10_000
"""Merged cells of a sheet that are looked at; more are a drawing made of cells."""

_MOST_SPANNED = 100
"""Rows that a merged cell is repeated in; a cell that covers more is a frame around the table."""

_LONGEST_REPEATED = 200
"""Characters of a merged cell that is repeated; a longer one is a note beside the table."""

_WORKBOOK = "xl/workbook.xml"
_COORDINATE = re.compile(r"[A-Z]{1,3}[1-9]\d{0,6}")
_CELL_TYPES = frozenset({"b", "d", "e", "inlineStr", "n", "s", "str"})
_FURNITURE = tuple(f"{which}{what}" for which in ("odd", "even", "first") for what in ("Header", "Footer"))
_STATES = frozenset({"visible", "hidden", "veryHidden"})
_LARGEST_INDEX = 9
"""Digits of an index; a larger number is none."""


@dataclass(slots=True)
class MergedCells:
    """The merged cells of a sheet.

    Attributes:
        across: how many columns a cell covers, by the position of its row among the rows given so far, and by column.
        given: how many rows were given.
    """

    ranges: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict[int, list[tuple[int, int, int]]])
    across: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    given: int = 0
    _reaching: dict[int, tuple[int, str, int]] = field(default_factory=dict[int, tuple[int, str, int]])

    def spread(self, number: int, row: Row) -> Row:
        """A row with the cells that reach down to it; `number` counts the rows of the sheet from 1.

        Called for each row in order, before it is given.
        """
        if not self._reaching and number not in self.ranges:
            return row
        row = list(row)
        for column, (last, text, width) in list(self._reaching.items()):
            if number > last:
                del self._reaching[column]
                continue
            row.extend([""] * (column + 1 - len(row)))
            row[column] = row[column] or text
            self._cover(column, width)
        for column, width, last in self.ranges.get(number, ()):
            self._cover(column, width)
            text = row[column] if column < len(row) else ""
            if last > number and text and len(text) <= _LONGEST_REPEATED:
                self._reaching[column] = min(last, number + _MOST_SPANNED), text, width
        return row

    def _cover(self, column: int, width: int) -> None:
        if width > 1:
            self.across[self.given, column] = width


def merged_cells(archive: ZipFile, sheet: Any) -> MergedCells:
    """The merged cells of a sheet of the library, which does not read them row by row."""
    merged = MergedCells()
    try:
        content = archive.read(sheet._worksheet_path)  # noqa: SLF001 - the library does not tell it otherwise
    except KeyError:
        return merged
    for found in _MERGED.findall(content)[:_MOST_MERGED]:
        left, top, right, bottom = range_boundaries(found.decode())
        if left is not None and top is not None and right is not None and bottom is not None and left <= MOST_COLUMNS:
            width = min(right, MOST_COLUMNS) - left + 1
            merged.ranges.setdefault(top, []).append((left - 1, width, bottom))
    return merged


def missing_sheets(archive: ZipFile, read: int) -> int:
    """How many sheets a workbook names that the library did not find."""
    try:
        sheets = child(parse_xml(archive.read(_WORKBOOK)), "sheets")
    except KeyError:
        return 0
    return max(0, sum(1 for _ in children(sheets, "sheet")) - read)


def mend_workbook_part(_name: str, root: Node) -> int:
    """Leave of a part only what is read of it, without values that the library refuses.

    Returns:
        The number of cells whose value is shown as it is stored, since it is not what its type says.
    """
    match name_of(root):
        case "worksheet":
            kept(root, "sheetData", "mergeCells", "headerFooter")
            for furniture in children(root, "headerFooter"):
                furniture.attrib.clear()
                kept(furniture, *_FURNITURE)
            return sum(_mend_cell(cell) for row in _rows(root) for cell in children(row, "c"))
        case "workbook":
            _mend_workbook(root)
        case "styleSheet":
            _mend_styles(root)
        case "coreProperties":
            kept(root, "title", "creator", "subject", "keywords")
        case _:
            pass
    return 0


def _rows(root: Node) -> list[Node]:
    rows = list(children(child(root, "sheetData"), "row"))
    for row in rows:
        if not _is_index(attribute(row, "r")):
            row.attrib.pop("r", None)
        row.attrib.pop("spans", None)
    return rows


def _mend_cell(cell: Node) -> bool:
    """Show the stored value of a cell whose type does not fit it."""
    if not _COORDINATE.fullmatch(attribute(cell, "r")):
        cell.attrib.pop("r", None)
    if not _is_index(attribute(cell, "s")):
        cell.attrib.pop("s", None)
    kind = attribute(cell, "t") or "n"
    value = child(cell, "v")
    text = str(value.text or "").strip() if value is not None else ""
    if kind in _CELL_TYPES and (not text or _fits(kind, text)):
        return False
    cell.set("t", "str")
    return bool(text)


def _fits(kind: str, text: str) -> bool:
    from_iso = cast("Callable[[str], object]", cast("Any", openpyxl_dates).from_ISO8601)
    try:
        match kind:
            case "n":
                float(text)
            case "d":
                from_iso(text)
            case "s" | "b":
                return _is_index(text)
            case _:
                pass
    except (ValueError, OverflowError, TypeError):
        return False
    return True


def _is_index(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LARGEST_INDEX


def _mend_workbook(root: Node) -> None:
    kept(root, "workbookPr", "sheets")
    for properties in children(root, "workbookPr"):
        _keep_attributes(properties, "date1904")
    for number, sheet in enumerate(children(child(root, "sheets"), "sheet"), 1):
        if attribute(sheet, "state") not in _STATES:
            sheet.attrib.pop("state", None)
        if not _is_index(attribute(sheet, "sheetId")):
            sheet.set("sheetId", str(number))


def _mend_styles(root: Node) -> None:
    """Leave of the styles the formats of numbers and what fonts say about the text."""
    kept(root, "numFmts", "fonts", "cellXfs")
    for formats in children(root, "numFmts"):
        for entry in list(children(formats)):
            if not _is_index(attribute(entry, "numFmtId")):
                formats.remove(entry)
    fonts = list(children(child(root, "fonts"), "font"))
    for font in fonts:
        kept(font, "name", "strike", "vertAlign")
    for style in children(child(root, "cellXfs"), "xf"):
        kept(style)
        font = attribute(style, "fontId")
        _keep_attributes(style, "numFmtId", *(["fontId"] if _is_index(font) and int(font) < len(fonts) else []))
        if not _is_index(attribute(style, "numFmtId")):
            style.attrib.pop("numFmtId", None)


def _keep_attributes(node: Node, *names: str) -> None:
    for name in list(node.attrib):
        if name not in names:
            del node.attrib[name]
