from collections.abc import Callable
from contextlib import suppress
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from tests.support.encrypted_office import compound
from tests.support.extracted_checks import assert_consistent

from citemark.extraction import sheets
from citemark.extraction.builder import Builder
from citemark.extraction.sheets import CellBudget, write_sheet
from citemark.extraction.xlsx import extract_xlsx
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted


def workbook(fill: Callable[[Any], None]) -> bytes:
    book = openpyxl.Workbook()
    fill(book)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def extract(data: bytes) -> Extracted:
    extracted = extract_xlsx(data, fallback_title="From the name")
    assert_consistent(extracted)
    return extracted


@pytest.mark.requirement("office-files-are-indexed")
def test_each_sheet_is_a_section_and_its_table_repeats_the_head() -> None:
    def fill(book: Any) -> None:
        book.properties.title = "Ernte"
        sheet = book.active
        sheet.title = "Äpfel 2024"
        for row in (["Sorte", "Menge", "Am"], ["Boskoop", 1234.5, date(2024, 9, 3)], ["Elstar | rot", 7, None]):
            sheet.append(row)
        sheet["B2"].number_format = "#,##0.00"
        sheet["C2"].number_format = "dd.mm.yyyy"
        book.create_sheet("Notes").append(["Picked by hand"])

    extracted = extract(workbook(fill))
    assert extracted.body == (
        "| Sorte | Menge | Am |\n| --- | --- | --- |\n| Boskoop | 1,234.50 | 03.09.2024 |\n| Elstar \\| rot | 7 |  |"
        "\n\nPicked by hand"
    )
    assert [(s.slug, s.title) for s in extracted.sections] == [("äpfel-2024", "Äpfel 2024"), ("notes", "Notes")]
    assert extracted.blocks[0].head == "| Sorte | Menge | Am |\n| --- | --- | --- |"
    assert extracted.title == "Ernte"


def test_titles_above_tables_are_text_and_an_empty_row_parts_two_tables() -> None:
    def fill(book: Any) -> None:
        for row in (["Report"], ["of 2024"], [None, "k", "v"], [None, "a", 1], [], [1, 2], [3, 4]):
            book.active.append(row)

    extracted = extract(workbook(fill))
    assert (
        extracted.body
        == "Report\n\nof 2024\n\n| k | v |\n| --- | --- |\n| a | 1 |\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |"
    )
    assert [block.kind for block in extracted.blocks] == [BlockKind.PARAGRAPH] * 2 + [BlockKind.TABLE] * 2


def test_a_crosstab_has_a_header_though_its_corner_is_empty() -> None:
    def fill(book: Any) -> None:
        for row in ([None, "North", "South"], ["Apples", 1, 2]):
            book.active.append(row)

    assert extract(workbook(fill)).blocks[0].head == "|  | North | South |\n| --- | --- | --- |"


def test_hidden_sheets_are_left_out_and_named() -> None:
    def fill(book: Any) -> None:
        book.active.append(["seen"])
        for name, state in (("Lists", "hidden"), ("Macro", "veryHidden")):
            sheet = book.create_sheet(name)
            sheet.append(["unseen"])
            sheet.sheet_state = state

    extracted = extract(workbook(fill))
    assert extracted.body == "seen"
    assert extracted.metadata["hidden_sheets"] == "Lists, Macro"


def test_a_huge_sheet_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_ROWS", 50)

    def fill(book: Any) -> None:
        for number in range(60):
            book.active.append([f"row {number}", number])
        book.create_sheet("Next").append(["still read"])

    extracted = extract(workbook(fill))
    assert "| row 49 | 49 |" in extracted.body
    assert "row 50" not in extracted.body
    assert "still read" in extracted.body
    assert extracted.metadata["truncated"] == "The sheet 'Sheet' goes on: only its first 50 rows are read."
    assert "[The sheet 'Sheet' goes on" in extracted.body


def test_a_sheet_with_only_its_last_cell_filled_is_read_quickly() -> None:
    def fill(book: Any) -> None:
        book.active["XFD1048576"] = "far"
        book.active["A1"] = "near"

    assert "near" in extract(workbook(fill)).body


def test_cells_without_end_are_cut_and_every_sheet_that_lost_some_says_so() -> None:
    builder = Builder()
    allowance = CellBudget(kept=1_000)
    for name in ("One", "Two"):
        write_sheet(builder, name, ([f"a{number}", "b", "c"] for number in range(1_000)), allowance)
    extracted = builder.finish(title="T", nothing="none")
    assert_consistent(extracted)
    assert "| a333 | b | c |" in extracted.body
    assert "a334" not in extracted.body
    assert "'One' goes on: only its first 334 rows" in extracted.metadata["truncated"]
    assert "'Two' goes on: only its first 0 rows" in extracted.metadata["truncated"]


def test_entities_of_a_sheet_never_grow() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    sheet = (
        f'<!DOCTYPE w [<!ENTITY l0 "ha">{laughs}]><worksheet '
        'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">'
        '<c r="A1" t="inlineStr"><is><t>x&l8;</t></is></c></row></sheetData></worksheet>'
    )
    out = BytesIO()
    with ZipFile(BytesIO(workbook(lambda b: b.active.append(["a"])))) as source, ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(name, sheet if name.endswith("sheet1.xml") else source.read(name))
    with pytest.raises(SkippableSourceError, match="broken"):
        extract(out.getvalue())


@pytest.mark.requirement("zip-bombs-and-broken-files-reported")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (compound("EncryptedPackage"), "encrypted; save it without a password"),
        (compound("Workbook"), "before 2007"),
        (workbook(lambda b: b.active.append([1]))[:3000], "damaged|broken"),
        (workbook(lambda _: None), "holds no text"),
    ],
)
def test_an_unreadable_file_is_refused_with_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(SkippableSourceError, match=said):
        extract_xlsx(data, fallback_title="f")


def test_no_damage_to_a_part_leads_to_anything_but_text_or_a_refusal() -> None:
    whole = workbook(lambda b: b.active.append(["a", 1, date(2024, 1, 1)]))
    with ZipFile(BytesIO(whole)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    for broken, text in parts.items():
        for damaged in (text[: len(text) // 2], b"<a/>", b""):
            out = BytesIO()
            with ZipFile(out, "w") as target:
                for name, kept in parts.items():
                    target.writestr(name, damaged if name == broken else kept)
            with suppress(SkippableSourceError):
                extract(out.getvalue())


@pytest.mark.requirement("cells-as-shown")
def test_a_number_is_shown_as_its_format_says(shared_data: Path) -> None:
    body = extract((shared_data / "faults" / "28" / "formats.xlsx").read_bytes()).body
    assert "| phone | +49 170 1234567 |" in body
    assert "| frac | 1/2 |" in body
    assert "| 49:30 |" in body
    assert "15. März 2023" in body


@pytest.mark.requirement("raised-figures-stay-apart", "struck-words-are-marked")
def test_the_looks_of_a_cell_and_of_parts_of_its_text_are_written() -> None:
    def fill(book: Any) -> None:
        sheet = book.active
        up, gone = InlineFont(vertAlign="superscript"), InlineFont(strike=True)
        sheet.append(["Tank", "Price"])
        sheet.append([CellRichText("10", TextBlock(up, "6"), " l"), CellRichText(TextBlock(gone, "500"), " 300")])
        sheet.append(["old", 42])
        sheet["A3"].font = Font(strike=True)
        sheet["B3"].font = Font(strike=True)

    body = extract(workbook(fill)).body
    assert "| 10⁶ l | ~~500~~ 300 |" in body
    assert "| ~~old~~ | ~~42~~ |" in body
