"""Converts spreadsheets to text with spans: a section per sheet, tables as rows, values as the sheet shows them."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import openpyxl
from openpyxl.styles.numbers import is_date_format

from citemark.extraction.builder import Builder, sensible_title, tags_of
from citemark.extraction.number_formats import displayed
from citemark.extraction.office import nothing_in, reading
from citemark.extraction.packages import read_package, until_it_breaks
from citemark.extraction.sheets import MOST_COLUMNS, CellBudget, Row, write_sheet
from citemark.extraction.workbook_parts import MergedCells, mend_workbook_part, merged_cells, missing_sheets
from citemark.model.text import Extracted

_WHAT = "spreadsheet"

_NO_VALUE = "#VALUE!"


def extract_xlsx(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the visible sheets of a workbook, each as a section with the sheet's name.

    Values are those that the program computed last, with dates and numbers as shown. Hidden sheets are left out and
    named in the metadata: people who open the file to check a citation do not see them. A sheet's rows beyond the first
    20,000 are left out, and the text and the metadata say so.

    Raises:
        SkippableSourceError: the file has a password, an old format or no text, is broken, or is a zip bomb.
    """

    def read(package: bytes, mended: bool) -> Extracted:
        with reading(_WHAT), ZipFile(BytesIO(package)) as archive:
            book: Any = openpyxl.load_workbook(BytesIO(package), read_only=True, data_only=True, keep_links=False)
            try:
                return _extract(book, archive, fallback_title, mended=mended)
            finally:
                book.close()

    return read_package(data, read, mend_workbook_part, prune=False)


def _extract(book: Any, archive: ZipFile, fallback_title: str, *, mended: bool) -> Extracted:
    builder = Builder()
    hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
    allowance = CellBudget()
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible" and not builder.full:
            merged = merged_cells(archive, sheet)
            rows = _rows(builder, sheet, allowance, merged)
            # A sheet that cannot be read to its end is read as far as it goes, once nothing more can be mended.
            whole = until_it_breaks(builder, rows, "unreadable part of a sheet") if mended else rows
            write_sheet(builder, sheet.title, whole, allowance, merged.across)
    builder.leave_out("missing sheet", missing_sheets(archive, len(book.sheetnames)))
    properties = book.properties
    return builder.finish(
        title=sensible_title(properties.title or "") or fallback_title,
        nothing=nothing_in(_WHAT),
        tags=tags_of(properties.keywords or ""),
        metadata={
            "author": properties.creator if properties.creator != "openpyxl" else "",
            "subject": properties.subject or "",
            "created": properties.created.date().isoformat() if properties.created else "",
            "modified": properties.modified.date().isoformat() if properties.modified else "",
            "hidden_sheets": ", ".join(hidden),
        },
    )


def _rows(builder: Builder, sheet: Any, allowance: CellBudget, merged: MergedCells) -> Iterator[Row]:
    """The rows of a sheet as text, up to the first 256 columns; consecutive empty rows become one."""
    # The size that a file declares is often wrong, and rows would be padded to it with empty cells.
    sheet.reset_dimensions()
    blank = False
    for number, cells in enumerate(sheet.iter_rows(), 1):
        allowance.looked_at -= 1 + len(cells)
        if allowance.is_spent:
            return
        builder.leave_out("unreadable date", sum(map(_is_no_date, cells)))
        row = [" ".join(displayed(cell.value, _code(cell)).split()) for cell in cells[:MOST_COLUMNS]]
        row = merged.spread(number, row)
        if any(row) or not blank:
            merged.given += 1
            yield row
        blank = not any(row)


def _is_no_date(cell: Any) -> bool:
    """True for a number that is formatted as a date and is none; the library gives an error in its place."""
    return cell.value == _NO_VALUE and is_date_format(_code(cell, of_text=True))


def _code(cell: Any, *, of_text: bool = False) -> str:
    if cell.value is None or (isinstance(cell.value, str) and not of_text):
        return ""
    try:
        return str(cell.number_format)
    except IndexError:  # a style that the file does not have
        return ""
