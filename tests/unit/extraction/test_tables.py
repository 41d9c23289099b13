"""Which rows of a table name its columns, in every format that has tables."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import docx
import openpyxl
import pptx
import pytest
from odf import table as odf_table
from odf import text as odf_text
from odf.opendocument import OpenDocumentSpreadsheet, OpenDocumentText
from pptx.util import Inches
from tests.support.markdown import assert_sound

from citemark.embedding.minilm import MiniLM
from citemark.extraction.delimited import extract_delimited
from citemark.extraction.docx.document import extract_docx
from citemark.extraction.html.document import extract_html
from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.odf.document import extract_odt
from citemark.extraction.pptx import extract_pptx
from citemark.extraction.table_heads import find_head
from citemark.extraction.xlsx import extract_xlsx
from citemark.indexing.chunking import chunk_document
from citemark.model.text import BlockKind, Extracted

FAULTS = Path(__file__).resolve().parents[4] / "shared" / "data" / "faults"
Rows = list[list[str]]


def saved(save: Callable[[BytesIO], Any]) -> bytes:
    out = BytesIO()
    save(out)
    return out.getvalue()


def rows_of(extracted: Extracted) -> dict[str, str]:
    """The context of each row that is a passage of its own, by its text."""
    drafts = chunk_document(extracted, MiniLM().tokenizer)
    return {draft.text: draft.context.partition("\n")[2] for draft in drafts if draft.is_row or "\n" not in draft.text}


def heads(extracted: Extracted) -> list[str]:
    return [block.head.partition("\n| ---")[0] for block in extracted.blocks if block.kind is BlockKind.TABLE]


def csv(text: str) -> Extracted:
    extracted = extract_delimited(text, fallback_title="Figures")
    assert_sound(extracted)
    return extracted


@pytest.mark.requirement("years-name-columns")
@pytest.mark.parametrize("name", ["years.csv", "years.xlsx"])
def test_every_passage_of_a_table_of_years_names_its_columns(name: str) -> None:
    data = (FAULTS / "07" / name).read_bytes()
    extracted = csv(data.decode()) if name.endswith(".csv") else extract_xlsx(data, fallback_title="Figures")
    (head,) = heads(extracted)
    assert [cell.strip() for cell in head.strip("|").replace("|", ",").split(",")] == ["Region", "2023", "2024", "2025"]
    drafts = chunk_document(extracted, MiniLM().tokenizer)
    assert len(drafts) > 1
    assert all(head in draft.context or head in draft.text for draft in drafts)


@pytest.mark.requirement("lines-above-are-no-header")
@pytest.mark.parametrize(
    ("name", "header"), [("bank.csv", "Date;Payee;Purpose;Amount"), ("preamble.csv", "Pump;Location;State")]
)
def test_lines_above_a_table_are_not_its_header(name: str, header: str) -> None:
    extracted = csv((FAULTS / "08" / name).read_text())
    assert extracted.blocks[-1].head == header
    drafts = chunk_document(extracted, MiniLM().tokenizer)
    rows = [draft for draft in drafts if draft.is_row and draft.text.count(";") == header.count(";")]
    assert len(rows) > 10
    assert all(draft.context.endswith(header) for draft in rows)


@pytest.mark.requirement("years-name-columns", "lines-above-are-no-header", "a-doubtful-header-is-carried")
@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("2021;2022;2023\n1;2;3\n4;5;6\n", "2021;2022;2023"),
        ("Land\t2021\t2022\nFrance\t1,5\t2,5\nSpain\t3\t4\n", "Land\t2021\t2022"),
        ('"Region, all"|"FY 2024"|"FY 2025"\n"A, b"|1|2\n', '"Region, all"|"FY 2024"|"FY 2025"'),
        ("Item,10,20,50\nA,1,2,3\nB,1,2,3\n", "Item,10,20,50"),
        ("1,2,3\n4,5,6\n", "1,2,3"),
        ("Meter,1.1.2026,1.2.2026\nGas,1,2\nWater,3,4\n", "Meter,1.1.2026,1.2.2026"),
        ("Report of pumps\nPump;Location;State\nP1;Hall;ok\nP2;Hall;ok\n", "Pump;Location;State"),
        (
            "Konto;DE00 1234;;\nVon;01.01.2026;;\nTag;Wer;Was;Betrag\n2.1.;A;b;-1,00\n3.1.;C;d;2,00\n",
            "Tag;Wer;Was;Betrag",
        ),
        ("sep=,\nReport\n\na,b,c\n1,2,3\n4,5,6\n", "a,b,c"),
        ("Report;;\n;;\na;b;c\n1;2;3\n4;5;6\n", "a;b;c"),
        ('"Name\nof it",Price\ntea,3\nmilk,4\n', '"Name\nof it",Price'),
        (",North,South\nApples,1,2\nPears,3,4\n", ",North,South"),
        ("Region,2023,,2024,\n,Q1,Q2,Q1,Q2\nA,1,2,3,4\nB,5,6,7,8\n", "Region,2023,,2024,\n,Q1,Q2,Q1,Q2"),
        ("a;b;c\n1;2;3\n\n4;5;6\n7;8;9\n", "a;b;c"),
        ("Name,Street,Town,Phone\nA,,B,\nC,,,1\nD,x,y,2\n", "Name,Street,Town,Phone"),
    ],
)
def test_the_header_of_a_delimited_table_is_carried(text: str, header: str) -> None:
    assert csv(text).blocks[-1].head == header


def test_tables_below_one_another_have_a_header_each() -> None:
    found = csv("Part;Limit\nseal;80\nvalve;90\n\nPerson;Town;Phone\nAnna;Ulm;1\nEva;Bonn;2\n")
    assert heads(found) == ["Part;Limit", "Person;Town;Phone"]


def test_terms_with_their_values_have_no_header() -> None:
    assert heads(csv("Account;DE00 1234\nFrom;01.01.2026\nOwner;Anna\n")) == [""]
    assert find_head([["Name:", "Anna"], ["Town:", "Ulm"]]).rows == 0


def test_a_row_below_a_header_of_two_lines_names_both() -> None:
    rows = rows_of(csv("Region,2023,,2024,\n,Q1,Q2,Q1,Q2\nA,1,2,3,4\nB,5,6,7,8\n"))
    assert rows["A,1,2,3,4"] == "Region,2023,,2024, ,Q1,Q2,Q1,Q2"


TWO_LINES = "| Region | 2023 Q1 | 2023 Q2 | 2024 Q1 | 2024 Q2 |"
DATA: Rows = [["A", "1", "2", "3", "4"], ["B", "5", "6", "7", "8"]]


def two_lines_xlsx() -> Extracted:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in (["Report"], [], ["Region", 2023, None, 2024, None], [None, "Q1", "Q2", "Q1", "Q2"], *DATA):
        sheet.append(row)
    for cells in ("A3:A4", "B3:C3", "D3:E3", "A1:E1"):
        sheet.merge_cells(cells)
    return extract_xlsx(saved(book.save), fallback_title="t")


def two_lines_html() -> Extracted:
    data = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in DATA)
    return extract_html(
        (
            "<table><tr><th rowspan=2>Region</th><th colspan=2>2023</th><th colspan=2>2024</th></tr>"
            f"<tr><th>Q1</th><th>Q2</th><th>Q1</th><th>Q2</th></tr>{data}</table>"
        ).encode(),
        fallback_title="t",
    )


def two_lines_without_marks() -> Extracted:
    data = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in DATA)
    return extract_html(
        (
            "<table><tr><td></td><td colspan=2>2023</td><td colspan=2>2024</td></tr>"
            f"<tr><td>Region</td><td>Q1</td><td>Q2</td><td>Q1</td><td>Q2</td></tr>{data}</table>"
        ).encode(),
        fallback_title="t",
    )


def two_lines_docx() -> Extracted:
    document: Any = docx.Document()
    table = document.add_table(4, 5)
    for number, row in enumerate([["Region", "2023", "", "2024", ""], ["", "Q1", "Q2", "Q1", "Q2"], *DATA]):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 3).merge(table.cell(0, 4))
    return extract_docx(saved(document.save), fallback_title="t")


def two_lines_pptx() -> Extracted:
    show: Any = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    table = slide.shapes.add_table(4, 5, Inches(1), Inches(1), Inches(5), Inches(2)).table
    for number, row in enumerate([["Region", "2023", "", "2024", ""], ["", "Q1", "Q2", "Q1", "Q2"], *DATA]):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 3).merge(table.cell(0, 4))
    return extract_pptx(saved(show.save), fallback_title="t")


def _odf_rows(of: Any) -> Any:
    table, text = cast("Any", odf_table), cast("Any", odf_text)

    def cell(words: str = "", **spans: int) -> Any:
        made = table.TableCell(**spans)
        if words:
            made.addElement(text.P(text=words))
        return made

    def row(*cells: Any) -> None:
        made = table.TableRow()
        for each in cells:
            made.addElement(each)
        of.addElement(made)

    covered = table.CoveredTableCell
    row(
        cell("Region", numberrowsspanned=2),
        cell("2023", numbercolumnsspanned=2),
        covered(),
        cell("2024", numbercolumnsspanned=2),
        covered(),
    )
    row(covered(), cell("Q1"), cell("Q2"), cell("Q1"), cell("Q2"))
    for words in DATA:
        row(*map(cell, words))
    return of


def two_lines_odt() -> Extracted:
    document: Any = OpenDocumentText()
    document.text.addElement(_odf_rows(cast("Any", odf_table).Table(name="T")))
    return extract_odt(saved(document.save), fallback_title="t")


def two_lines_ods() -> Extracted:
    document: Any = OpenDocumentSpreadsheet()
    document.spreadsheet.addElement(_odf_rows(cast("Any", odf_table).Table(name="T")))
    return extract_odt(saved(document.save), fallback_title="t")


@pytest.mark.requirement("headers-of-several-rows")
@pytest.mark.parametrize(
    "made",
    [
        two_lines_xlsx,
        two_lines_html,
        two_lines_without_marks,
        two_lines_docx,
        two_lines_pptx,
        two_lines_odt,
        two_lines_ods,
    ],
)
def test_a_header_of_two_rows_names_each_column_in_full(made: Callable[[], Extracted]) -> None:
    extracted = made()
    assert heads(extracted) == [TWO_LINES]
    assert rows_of(extracted)["| B | 5 | 6 | 7 | 8 |"] == TWO_LINES


YEARS: Rows = [["2023", "2024"], ["1", "2"], ["3", "4"]]


def years_in(kind: str) -> Extracted:
    if kind == "html":
        cells = "".join(f"<tr>{''.join(f'<td>{cell}' for cell in row)}" for row in YEARS)
        return extract_html(f"<table>{cells}</table>".encode(), fallback_title="t")
    if kind == "docx":
        document: Any = docx.Document()
        table = document.add_table(3, 2)
        for number, row in enumerate(YEARS):
            for column, text in enumerate(row):
                table.cell(number, column).text = text
        return extract_docx(saved(document.save), fallback_title="t")
    show: Any = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(1), Inches(5), Inches(2)).table
    for number, row in enumerate(YEARS):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    return extract_pptx(saved(show.save), fallback_title="t")


@pytest.mark.requirement("years-name-columns")
@pytest.mark.parametrize("kind", ["html", "docx", "pptx"])
def test_years_name_the_columns_of_a_table_in_a_document(kind: str) -> None:
    assert heads(years_in(kind)) == ["| 2023 | 2024 |"]


def test_a_page_that_lists_terms_beside_their_values_has_no_header() -> None:
    extracted = extract_html(b"<table><tr><th>Born<td>1912</tr><tr><th>Town<td>Ulm</tr></table>", fallback_title="t")
    assert heads(extracted) == [""]


def test_the_names_below_an_empty_markdown_header_are_carried() -> None:
    lines = ["| | | |", "|---|---|---|", "| Part | 2021 | 2022 |", "| seal | 1 | 2 |", "| valve | 3 | 4 |"]
    extracted = extract_markdown("\n".join(lines) + "\n", fallback_title="t")
    assert rows_of(extracted)["| seal | 1 | 2 |"] == "| Part | 2021 | 2022 |"


def test_an_empty_row_within_a_sheet_does_not_take_the_header_from_the_rows_below_it() -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in (["Part", "Limit"], ["seal", 1], ["valve", 2], [], ["pipe", 3], ["lid", 4]):
        sheet.append(row)
    assert rows_of(extract_xlsx(saved(book.save), fallback_title="t"))["| lid | 4 |"] == "| Part | Limit |"


def test_a_cell_that_spans_rows_of_a_sheet_is_in_each_of_them() -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in (["Hall", "Pump", "Litres"], ["North", "P1", 5], [None, "P2", 6], ["South", "P3", 7]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    assert "| North | P2 | 6 |" in extract_xlsx(saved(book.save), fallback_title="t").body


@pytest.mark.requirement("cut-tables-are-told", "reading-is-complete")
def test_what_is_cut_of_a_table_is_told_in_its_metadata() -> None:
    found = csv("a,b\n" + "x,1\n" * 20_001)
    assert found.metadata["truncated"] == "The table goes on: only its first 20,000 rows are read."
