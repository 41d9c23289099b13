"""Converts spreadsheets to text with spans: a section per sheet, tables as rows, values as the sheet shows them."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import openpyxl

from citemark.extraction.builder import Builder, sensible_title, tags_of
from citemark.extraction.number_formats import displayed
from citemark.extraction.office import nothing_in, reading
from citemark.extraction.sheet_notes import SheetNotes
from citemark.extraction.sheets import MOST_COLUMNS, CellBudget, Row, write_sheet
from citemark.extraction.zips import open_zip
from citemark.model.text import Extracted

_WHAT = "spreadsheet"


def extract_xlsx(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the visible sheets of a workbook, each as a section with the sheet's name.

    Values are those that the program computed last, with dates and numbers as shown. Below a sheet are its comments and
    text boxes. Hidden sheets are left out and named in the metadata: people who open the file to check a citation do
    not see them. A sheet's rows beyond the first 20,000 are left out, and the text and the metadata say so.

    Raises:
        SkippableSourceError: the file has a password, an old format or no text, is broken, or is a zip bomb.
    """
    with open_zip(data) as archive, reading(_WHAT):
        book: Any = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        try:
            return _extract(book, SheetNotes(archive), fallback_title)
        finally:
            book.close()


def _extract(book: Any, notes: SheetNotes, fallback_title: str) -> Extracted:
    builder = Builder()
    hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
    allowance = CellBudget()
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible" and not builder.full:
            write_sheet(builder, sheet.title, _rows(sheet, allowance), allowance)
            notes.write(builder, str(sheet._worksheet_path))  # noqa: SLF001 - the library has no name for it
    builder.leave_out("hidden sheet", len(hidden))
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


def _rows(sheet: Any, allowance: CellBudget) -> Iterator[Row]:
    """The rows of a sheet as text, up to the first 256 columns; consecutive empty rows become one."""
    # The size that a file declares is often wrong, and rows would be padded to it with empty cells.
    sheet.reset_dimensions()
    blank = False
    for cells in sheet.iter_rows():
        allowance.looked_at -= 1 + len(cells)
        if allowance.is_spent:
            return
        row = [" ".join(displayed(cell.value, _code(cell)).split()) for cell in cells[:MOST_COLUMNS]]
        if any(row) or not blank:
            yield row
        blank = not any(row)


def _code(cell: Any) -> str:
    return "" if cell.value is None or isinstance(cell.value, str) else str(cell.number_format)
