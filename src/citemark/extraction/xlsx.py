"""Converts spreadsheets to text with spans: a section per sheet, tables as rows, values as the sheet shows them."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import openpyxl
from openpyxl.cell.rich_text import CellRichText
from openpyxl.styles.numbers import is_date_format
from openpyxl.worksheet._reader import WorkSheetParser

from citemark.extraction.builder import Builder, inline, sensible_title, tags_of
from citemark.extraction.number_formats import displayed
from citemark.extraction.office import nothing_in, reading
from citemark.extraction.own_dates import own_dates
from citemark.extraction.packages import costing, read_package, until_it_breaks
from citemark.extraction.sheet_notes import SheetNotes
from citemark.extraction.sheets import MOST_COLUMNS, CellBudget, Row, write_sheet
from citemark.extraction.symbol_fonts import with_symbols
from citemark.extraction.text_runs import PLAIN, Look, TextRun
from citemark.extraction.workbook_parts import MergedCells, mend_workbook_part, merged_cells, missing_sheets
from citemark.model.text import Extracted

_WHAT = "spreadsheet"

_PLACES = {"superscript": 1, "subscript": -1}

_NO_VALUE = "#VALUE!"


def extract_xlsx(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the visible sheets of a workbook, each as a section with the sheet's name.

    Values are those that the program computed last, with dates and numbers as shown. Below a sheet are its comments and
    text boxes. Hidden sheets are left out and named in the metadata: people who open the file to check a citation do
    not see them. A sheet's rows beyond the first 20,000 are left out, and the text and the metadata say so.

    Raises:
        SkippableSourceError: the file has a password, an old format or no text, is broken, or is a zip bomb.
    """

    def read(package: bytes, mended: bool) -> Extracted:
        with reading(_WHAT), ZipFile(BytesIO(package)) as archive:
            options = {"read_only": True, "data_only": True, "keep_links": False, "rich_text": True}
            book: Any = openpyxl.load_workbook(BytesIO(package), **options)
            try:
                return _extract(book, archive, fallback_title, mended=mended)
            finally:
                book.close()

    return read_package(data, read, mend_workbook_part, prune=False)


def _extract(book: Any, archive: ZipFile, fallback_title: str, *, mended: bool) -> Extracted:
    builder = Builder()
    hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
    allowance = CellBudget()
    notes = SheetNotes(archive)
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible" and not builder.full:
            merged = merged_cells(archive, sheet)
            rows = _rows(builder, sheet, allowance, merged)
            # A sheet that cannot be read to its end is read as far as it goes, once nothing more can be mended.
            whole = until_it_breaks(builder, rows, "unreadable part of a sheet") if mended else rows
            write_sheet(builder, sheet.title, whole, allowance, merged.across)
            with costing(builder, "unreadable note", when=mended):
                notes.write(builder, str(sheet._worksheet_path))  # noqa: SLF001 - the library has no name for it
    builder.leave_out("hidden sheet", len(hidden))
    builder.leave_out("missing sheet", missing_sheets(archive, len(book.sheetnames)))
    properties = book.properties
    return builder.finish(
        title=sensible_title(properties.title or "") or fallback_title,
        nothing=nothing_in(_WHAT),
        tags=tags_of(properties.keywords or ""),
        metadata={
            "author": properties.creator if properties.creator != "openpyxl" else "",
            "subject": properties.subject or "",
            **own_dates(properties.created, properties.modified),
            "hidden_sheets": ", ".join(hidden),
        },
    )


def _rows(builder: Builder, sheet: Any, allowance: CellBudget, merged: MergedCells) -> Iterator[Row]:
    """The rows of a sheet as text, up to the first 256 columns; consecutive empty rows become one."""
    blank = False
    styles = _Styles()
    for number, cells in _cells(sheet):
        allowance.looked_at -= 1 + len(cells)
        if allowance.is_spent:
            return
        builder.leave_out("unreadable date", sum(_is_no_date(cell, styles) for cell in cells))
        row = merged.spread(number, [_shown(cell, styles) for cell in cells[:MOST_COLUMNS]])
        if any(row) or not blank:
            merged.given += 1
            yield row
        blank = not any(row)


def _cells(sheet: Any) -> Iterator[tuple[int, Sequence[Any]]]:
    """The number and the cells of each row, and an empty row for those that are missing between two.

    Unlike the library's own rows, they have the looks of texts that a cell holds itself, and no cells up to the size
    that a file declares, which is often wrong.
    """
    book = sheet.parent
    with sheet._get_source() as source:  # noqa: SLF001 - the library has no public way to these texts
        parser = WorkSheetParser(
            source,
            sheet._shared_strings,  # noqa: SLF001 - as above
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,  # noqa: SLF001 - as above
            timedelta_formats=book._timedelta_formats,  # noqa: SLF001 - as above
            rich_text=True,
        )
        last = 0
        for number, row in parser.parse():
            if number > last + 1:
                yield last + 1, ()
            last = number
            yield number, sheet._get_row(row, 1)  # noqa: SLF001 - as above


class _Styles:
    """What the styles of cells say, each looked up once: the look, the number format and the font."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Look, str, str]] = {}

    def of(self, cell: Any) -> tuple[Look, str, str]:
        """The look, the number format and the font of a cell."""
        number: int = cell._style_id  # noqa: SLF001 - the library has no public name for it
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = _style_of(cell)
        return found


def _style_of(cell: Any) -> tuple[Look, str, str]:
    try:
        font = cell.font
        return _look_of(font), str(cell.number_format), str(font.name or "")
    except IndexError:  # a style that the file does not have
        return PLAIN, "", ""


def _is_no_date(cell: Any, styles: _Styles) -> bool:
    """True for a number that is formatted as a date and is none; the library gives an error in its place."""
    return cell.value == _NO_VALUE and is_date_format(styles.of(cell)[1])


def _shown(cell: Any, styles: _Styles) -> str:
    """The text of a cell on one line."""
    value = cell.value
    if value is None:
        return ""
    look, code, font = styles.of(cell)
    if isinstance(value, CellRichText):
        parts: list[Any] = list(value)
        runs = [
            TextRun(part, "", look)
            if isinstance(part, str)
            else TextRun(with_symbols(part.text or "", part.font.rFont or ""), "", _look_of(part.font, look))
            for part in parts
        ]
        return inline(runs).text
    text = displayed(value, code)
    if isinstance(value, str):
        text = with_symbols(text, font)
    return " ".join(text.split()) if look == PLAIN else inline([TextRun(text, "", look)]).text


def _look_of(font: Any, outer: Look = PLAIN) -> Look:
    aligned: str | None = font.vertAlign
    if aligned is None and not font.strike:
        return outer
    return outer.with_(place=_PLACES.get(str(aligned), 0), struck=bool(font.strike))
