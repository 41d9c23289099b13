"""One bad detail of a file costs that detail: everything else of it is read, and the loss is counted."""

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import openpyxl
import pptx
import pytest
from odf import table as odf_table
from odf import text as odf_text
from odf.opendocument import OpenDocumentSpreadsheet, OpenDocumentText
from tests.support.docx_files import with_parts, word

from citemark.extraction.docx.document import extract_docx
from citemark.extraction.notebook import extract_notebook
from citemark.extraction.odf.document import extract_odt
from citemark.extraction.pptx import extract_pptx
from citemark.extraction.xlsx import extract_xlsx
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Extracted

FAULTS = Path(__file__).resolve().parents[4] / "shared" / "data" / "faults" / "19"
Change = Callable[[bytes], bytes]


def saved(save: Callable[[BytesIO], Any]) -> bytes:
    out = BytesIO()
    save(out)
    return out.getvalue()


def changed(data: bytes, changes: dict[str, Change | None]) -> bytes:
    """A package with some parts changed, or left out (None); the first name that a key is part of counts."""
    out = BytesIO()
    with ZipFile(BytesIO(data)) as source, ZipFile(out, "w", ZIP_DEFLATED) as target:
        left = dict(changes)
        for name in source.namelist():
            key = next((key for key in left if key in name), None)
            change = left.pop(key) if key is not None else bytes
            if change is not None:
                target.writestr(name, change(source.read(name)))
        assert not left
    return out.getvalue()


def put(before: bytes, after: bytes) -> Change:
    """Replace the first occurrence, which must be there."""

    def change(content: bytes) -> bytes:
        assert before in content
        return content.replace(before, after, 1)

    return change


def all_of(*changes: Change) -> Change:
    def change(content: bytes) -> bytes:
        for each in changes:
            content = each(content)
        return content

    return change


def everywhere(data: bytes, *names: tuple[bytes, bytes]) -> bytes:
    out = BytesIO()
    with ZipFile(BytesIO(data)) as source, ZipFile(out, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            for before, after in names:
                content = content.replace(before, after)
            target.writestr(name, content)
    return out.getvalue()


def with_wrong_checksum(data: bytes, name: str) -> bytes:
    """The package with a damaged byte in an entry that is stored as it is."""
    out = BytesIO()
    with ZipFile(BytesIO(data)) as source, ZipFile(out, "w", ZIP_STORED) as target:
        for entry in source.namelist():
            target.writestr(entry, source.read(entry))
        found = next(info for info in target.infolist() if name in info.filename)
    damaged = bytearray(out.getvalue())
    start = damaged.index(found.filename.encode(), found.header_offset) + len(found.filename)
    damaged[start + found.file_size - 1] ^= 1  # the last byte of the closing tag
    return bytes(damaged)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for name, words in (("One", "Lamp"), ("Two", "Chair")):
        sheet = book.create_sheet(name)
        for row in (["Item", "Colour"], [words, f"vermilion {name}"], ["Desk", 12.5]):
            sheet.append(row)
    del book["Sheet"]
    book.properties.title = "Furniture of the hall"
    return saved(book.save)


def letter() -> bytes:
    def fill(document: Any) -> None:
        document.core_properties.title = "Furniture of the hall"
        document.add_paragraph("The lamp is vermilion.")
        document.add_paragraph("The chair is green.")
        document.sections[0].header.paragraphs[0].text = "Header"

    return word(fill)


def slides() -> bytes:
    show: Any = pptx.Presentation()
    for words in ("lamp is vermilion", "chair is green"):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"The {words}"
        slide.placeholders[1].text = f"Body: {words}"
        slide.notes_slide.notes_text_frame.text = f"Notes: {words}"
    return saved(show.save)


def _table(of: Any) -> Any:
    text, table = cast("Any", odf_text), cast("Any", odf_table)
    for words in (["Item", "Colour"], ["Lamp", "vermilion"], ["Chair", "green"]):
        row = table.TableRow()
        for each in words:
            cell = table.TableCell()
            cell.addElement(text.P(text=each))
            row.addElement(cell)
        of.addElement(row)
    return of


def open_sheet() -> bytes:
    document: Any = OpenDocumentSpreadsheet()
    document.spreadsheet.addElement(_table(cast("Any", odf_table).Table(name="One")))
    return saved(document.save)


def open_text() -> bytes:
    document: Any = OpenDocumentText()
    for words in ("The lamp is vermilion.", "The chair is green."):
        document.text.addElement(cast("Any", odf_text).P(text=words))
    return saved(document.save)


VALIDATION = b'<dataValidations count="1"><dataValidation type="bogus" sqref="A1"/></dataValidations><pageMargins'
MARGINS = b"<pageMargins"
STRICT = tuple(
    (b"http://schemas.openxmlformats.org/" + usual, b"http://purl.oclc.org/ooxml/" + strict)
    for usual, strict in (
        (b"officeDocument/2006/relationships", b"officeDocument/relationships"),
        (b"spreadsheetml/2006/main", b"spreadsheetml/main"),
        (b"wordprocessingml/2006/main", b"wordprocessingml/main"),
        (b"presentationml/2006/main", b"presentationml/main"),
        (b"drawingml/2006/main", b"drawingml/main"),
    )
)
XLSX: dict[str, dict[str, Change | None]] = {
    "a bad validation": {"sheet1.xml": put(MARGINS, VALIDATION)},
    "a bad conditional format": {
        "sheet1.xml": put(MARGINS, b'<conditionalFormatting sqref="A1"><cfRule type="no" priority="x"/>'
                          b"</conditionalFormatting><pageMargins")
    },
    "a bad view": {"sheet1.xml": put(b"<sheetViews>", b'<sheetViews><sheetView workbookViewId="z" view="no"/>')},
    "a bad page": {"sheet2.xml": put(b'left="0.75"', b'left="wide"')},
    "a bad date": {"sheet1.xml": put(b"<v>12.5</v>", b"<v>12.5</v></c><c r='C3' t='d'><v>2026-02-30</v>")},
    "a bad number": {"sheet1.xml": put(b"<v>12.5</v>", b"<v>twelve</v>")},
    "a bad kind of cell": {"sheet1.xml": put(b't="n"', b't="odd"')},
    "a bad coordinate": {"sheet1.xml": put(b'<c r="B3"', b'<c r="?3"')},
    "a bad row number": {"sheet1.xml": put(b'<row r="3"', b'<row r="three"')},
    "a style that is not there": {"sheet1.xml": put(b'<c r="B3"', b'<c r="B3" s="4711"')},
    "a style that is no number": {"sheet1.xml": put(b'<c r="B3"', b'<c r="B3" s="bold"')},
    "a bad defined name": {
        "workbook.xml": put(b"<definedNames", b'<definedNames><definedName name="x" localSheetId="no">1</definedName>'
                            b"</definedNames><definedNames")
    },
    "a bad state of a sheet": {"workbook.xml": put(b'state="visible"', b'state="sunny"')},
    "a bad style": {"styles.xml": put(b"<fonts", b'<numFmts><numFmt numFmtId="x" formatCode="0"/></numFmts><fonts')},
    "a bad colour": {"styles.xml": put(b"<fill>", b'<fill><patternFill patternType="stars"/></fill><fill>')},
    "a bad date in the properties": {"core.xml": put(b"Z</dcterms:created>", b"Q</dcterms:created>")},
    "a theme that is not XML": {"theme1.xml": lambda _: b"<a:theme"},
    "an unknown namespace": {"sheet1.xml": put(MARGINS, b'<o:odd xmlns:o="urn:odd" o:a="b"/><pageMargins')},
    "tags that are not closed": {"sheet1.xml": put(MARGINS, b"<sheetProtection><pageMargins")},
}  # fmt: skip


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize("name", XLSX)
def test_a_bad_detail_of_a_workbook_costs_that_detail(name: str) -> None:
    try:
        data = changed(workbook(), XLSX[name])
    except AssertionError:
        pytest.fail("the workbook is written in another way")
    extracted = extract_xlsx(data, fallback_title="t")
    for words in ("Lamp | vermilion One", "Chair | vermilion Two"):
        assert words in extracted.body
    assert [section.title for section in extracted.sections] == ["One", "Two"]
    assert extracted.title == "Furniture of the hall"


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize(
    ("name", "words", "shown"),
    [("baddv.xlsx", "Lamp | vermilion", ""), ("baddates.xlsx", "Lamp | vermilion", "2026-02-30T25:00:00")],
)
def test_the_cells_of_a_workbook_with_an_invalid_attribute_or_date_are_read(name: str, words: str, shown: str) -> None:
    extracted = extract_xlsx((FAULTS / name).read_bytes(), fallback_title="t")
    assert words in extracted.body
    assert shown in extracted.body
    assert [part.kind for part in extracted.left_out] == (["unreadable date", "unreadable detail"] if shown else [])


def losses(extracted: Extracted) -> list[str]:
    return sorted(part.kind for part in extracted.left_out)


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize(
    ("made", "extract", "read", "lost"),
    [
        pytest.param(
            lambda: changed(workbook(), {"sheet1.xml": None}), extract_xlsx, ["vermilion Two"], ["missing sheet"],
            id="a missing sheet",
        ),
        pytest.param(
            lambda: changed(workbook(), {"sheet1.xml": lambda _: b"not XML"}), extract_xlsx, ["vermilion Two"],
            ["damaged part", "missing sheet"], id="a sheet that is not XML",
        ),
        pytest.param(
            lambda: changed(workbook(), {"sheet1.xml": put(b'<row r="3"', b'<row r="3" & ')}), extract_xlsx,
            ["vermilion One", "vermilion Two"], ["damaged part"], id="a sheet with a fault in it",
        ),
        pytest.param(
            lambda: with_wrong_checksum(workbook(), "styles.xml"), extract_xlsx, ["vermilion One", "vermilion Two"],
            ["damaged part"], id="styles with a wrong checksum",
        ),
        pytest.param(
            lambda: everywhere(workbook(), *STRICT), extract_xlsx, ["vermilion One", "vermilion Two"], [],
            id="a strict workbook",
        ),
        pytest.param(
            lambda: everywhere(letter(), *STRICT), extract_docx, ["lamp is vermilion", "chair is green"], [],
            id="a strict document",
        ),
        pytest.param(
            lambda: everywhere(slides(), *STRICT), extract_pptx, ["lamp is vermilion", "chair is green"], [],
            id="a strict presentation",
        ),
        pytest.param(
            lambda: changed(letter(), {"styles.xml": lambda _: b"<w:styles"}), extract_docx,
            ["lamp is vermilion", "chair is green"], ["damaged part"], id="styles that are not XML",
        ),
        pytest.param(
            lambda: changed(letter(), {"header1.xml": put(b"Header", b"Header &nbsp; <")}), extract_docx,
            ["lamp is vermilion", "chair is green"], ["damaged part"], id="a header with a fault in it",
        ),
        pytest.param(
            lambda: changed(letter(), {"header1.xml": None}), extract_docx,
            ["lamp is vermilion", "chair is green"], ["missing part"], id="a missing header",
        ),
        pytest.param(
            lambda: with_parts(letter(), {"footnotes": "<w:footnotes"}), extract_docx,
            ["lamp is vermilion", "chair is green"], ["damaged part"], id="notes that are not XML",
        ),
        pytest.param(
            lambda: changed(letter(), {"word/document.xml": put(b"The chair", b"&bogus; The chair")}), extract_docx,
            ["lamp is vermilion", "chair is green"], ["damaged part"], id="an unknown entity in a document",
        ),
        pytest.param(
            lambda: changed(letter(), {"core.xml": lambda _: b"<no"}), extract_docx,
            ["lamp is vermilion", "chair is green"], ["damaged part"], id="properties of a document that are not XML",
        ),
        pytest.param(
            lambda: changed(slides(), {"slides/slide1.xml": lambda _: b"<p:sld"}), extract_pptx, ["chair is green"],
            ["damaged part", "missing slide"], id="a slide that is not XML",
        ),
        pytest.param(
            lambda: changed(slides(), {"slides/slide1.xml": None}), extract_pptx, ["chair is green"],
            ["missing slide"], id="a missing slide",
        ),
        pytest.param(
            lambda: changed(slides(), {"slides/slide1.xml": put(b"<p:sp>", b'<p:sp bad:x="1">')}), extract_pptx,
            ["chair is green", "lamp is vermilion"], ["damaged part"], id="an undeclared prefix in a slide",
        ),
        pytest.param(
            lambda: changed(slides(), {"slides/slide1.xml": put(
                b"<p:spPr/>", b'<p:spPr><a:xfrm><a:off x="wide" y="1"/><a:ext cx="1" cy="1"/></a:xfrm></p:spPr>')}),
            extract_pptx, ["chair is green", "lamp is vermilion"], [], id="a shape at no place",
        ),
        pytest.param(
            lambda: changed(slides(), {"notesSlides/notesSlide1.xml": lambda _: b"<p"}), extract_pptx,
            ["The lamp is vermilion", "Notes: chair is green"], ["damaged part"], id="notes that are no XML",
        ),
        pytest.param(
            lambda: changed(slides(), {"slideLayout2.xml": None}), extract_pptx,
            ["lamp is vermilion", "Notes: chair is green"], [], id="a missing layout",
        ),
        pytest.param(
            lambda: changed(slides(), {"slideMaster1.xml": lambda _: b"<p"}), extract_pptx,
            ["lamp is vermilion", "Notes: chair is green"], ["damaged part"], id="a master that is not XML",
        ),
        pytest.param(
            lambda: changed(open_sheet(), {"content.xml": put(b"Chair", b"Chair &odd;")}), extract_odt,
            ["Lamp | vermilion", "green"], ["damaged part"], id="an unknown entity in an open sheet",
        ),
        pytest.param(
            lambda: changed(open_sheet(), {"styles.xml": lambda _: b"<no"}), extract_odt, ["Lamp | vermilion", "green"],
            ["damaged part"], id="styles of an open sheet that are not XML",
        ),
        pytest.param(
            lambda: changed(open_text(), {"meta.xml": lambda _: b""}), extract_odt,
            ["lamp is vermilion", "chair is green"], ["damaged part"], id="empty properties of an open text",
        ),
        pytest.param(
            lambda: with_wrong_checksum(open_text(), "content.xml"), extract_odt,
            ["lamp is vermilion", "chair is green"], ["damaged part"], id="an open text with a wrong checksum",
        ),
    ],
)  # fmt: skip
def test_a_broken_part_costs_that_part(
    made: Callable[[], bytes], extract: Callable[..., Extracted], read: list[str], lost: list[str]
) -> None:
    extracted = extract(made(), fallback_title="t")
    for words in read:
        assert words in extracted.body
    assert losses(extracted) == lost


def test_headers_and_footers_of_a_mended_sheet_are_kept() -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.append(["Lamp", "vermilion"])
    sheet.oddHeader.center.text = "Furniture of the hall"
    furniture = put(b"<headerFooter", b'<headerFooter scaleWithDoc="odd"')
    data = changed(saved(book.save), {"sheet1.xml": all_of(put(MARGINS, VALIDATION), furniture)})
    assert extract_xlsx(data, fallback_title="t").body.endswith("Header: Furniture of the hall")


def test_a_file_of_which_nothing_is_left_is_refused_with_its_first_fault() -> None:
    for data, extract in (
        (changed(workbook(), {"workbook.xml": lambda _: b"no"}), extract_xlsx),
        (changed(letter(), {"word/document.xml": lambda _: b"no"}), extract_docx),
        (changed(open_text(), {"content.xml": lambda _: b"no"}), extract_odt),
    ):
        with pytest.raises(SkippableSourceError, match="broken"):
            extract(data, fallback_title="t")


def test_sound_files_lose_nothing() -> None:
    for data, extract in (
        (workbook(), extract_xlsx),
        (letter(), extract_docx),
        (slides(), extract_pptx),
        (open_sheet(), extract_odt),
        (open_text(), extract_odt),
    ):
        assert extract(data, fallback_title="t").left_out == ()


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize("cell", [None, 7, {"cell_type": "code", "source": 9}, {"source": [1, "a"], "cell_type": []}])
def test_a_bad_cell_of_a_notebook_costs_that_cell(cell: object) -> None:
    cells = [{"cell_type": "markdown", "source": "The lamp."}, cell, {"cell_type": "markdown", "source": "The chair."}]
    body = extract_notebook(json.dumps({"cells": cells}).encode(), fallback_title="t").body
    assert "The lamp." in body
    assert "The chair." in body
