from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pptx
import pytest
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from tests.support.encrypted_office import compound
from tests.support.extracted_checks import assert_consistent

from citemark.extraction.pptx import extract_pptx
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted

BLANK, TITLE_AND_CONTENT, TWO_CONTENTS = 6, 1, 3


def deck(fill: Callable[[Any], None]) -> bytes:
    presentation = pptx.Presentation()
    fill(presentation)
    out = BytesIO()
    presentation.save(out)
    return out.getvalue()


def slide(presentation: Any, layout: int) -> Any:
    return presentation.slides.add_slide(presentation.slide_layouts[layout])


def box(on: Any, text: str, *, left: float = 1, top: float = 1) -> Any:
    shape = on.shapes.add_textbox(Inches(left), Inches(top), Inches(3), Inches(1))
    shape.text_frame.text = text
    return shape


def extract(data: bytes) -> Extracted:
    extracted = extract_pptx(data, fallback_title="From the name")
    assert_consistent(extracted)
    return extracted


@pytest.mark.requirement("office-files-are-indexed")
def test_each_slide_is_a_section_with_its_title_bullets_and_notes() -> None:
    def fill(presentation: Any) -> None:
        presentation.core_properties.title = "Brücken"
        first = slide(presentation, TITLE_AND_CONTENT)
        first.shapes.title.text = "Warum Stein?"
        frame = first.placeholders[1].text_frame
        frame.text = "Er hält"
        deeper = frame.add_paragraph()
        deeper.text, deeper.level = "lange", 1
        first.notes_slide.notes_text_frame.text = "Langsam sprechen.\nPause."
        box(slide(presentation, BLANK), "No title here")

    extracted = extract(deck(fill))
    assert extracted.body == (
        "# Warum Stein?\n\n- Er hält\n  - lange\n\nNotes: Langsam sprechen.\n\nPause.\n\nNo title here"
    )
    assert [(s.slug, s.title, s.level) for s in extracted.sections] == [
        ("slide-1", "Slide 1: Warum Stein?", 1),
        ("slide-2", "Slide 2", 1),
    ]
    assert (extracted.title, extracted.metadata["slides"]) == ("Brücken", "2")


def test_shapes_are_read_from_top_to_bottom_and_left_to_right_groups_together() -> None:
    def fill(presentation: Any) -> None:
        on = slide(presentation, BLANK)
        box(on, "bottom", top=6)
        box(on, "right", left=5, top=1.05)
        box(on, "left", left=1)
        group = on.shapes.add_group_shape()
        for text, top in (("in group, below", 4), ("in group, above", 3)):
            box(group, text, top=top)

    assert extract(deck(fill)).body == "left\n\nright\n\nin group, above\n\nin group, below\n\nbottom"


def test_two_columns_are_read_one_after_the_other() -> None:
    def fill(presentation: Any) -> None:
        on = slide(presentation, TWO_CONTENTS)
        on.shapes.title.text = "Both"
        on.placeholders[1].text_frame.text = "l1\nl2"
        on.placeholders[2].text_frame.text = "r1"

    assert extract(deck(fill)).body == "# Both\n\n- l1\n- l2\n- r1"


def test_tables_and_the_numbers_of_charts_are_rows() -> None:
    def fill(presentation: Any) -> None:
        on = slide(presentation, BLANK)
        table = on.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
        for at, text in enumerate(["Fruit", "kg", "Apple", "3"]):
            table.cell(at // 2, at % 2).text = text
        data: Any = CategoryChartData()
        data.categories = ["2023", "2024"]
        data.add_series("Harvest", (1.5, 2))
        chart = on.shapes.add_chart(
            XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(3), Inches(4), Inches(3), data
        ).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = "Harvest by year"

    extracted = extract(deck(fill))
    assert extracted.body == (
        "| Fruit | kg |\n| --- | --- |\n| Apple | 3 |\n\nHarvest by year\n\n"
        "|  | Harvest |\n| --- | --- |\n| 2023 | 1.5 |\n| 2024 | 2 |"
    )
    assert [block.kind for block in extracted.blocks] == [BlockKind.TABLE, BlockKind.PARAGRAPH, BlockKind.TABLE]


def edited(data: bytes, part: str, edit: Callable[[str], str]) -> bytes:
    """A file in which every part whose name begins with `part` is edited."""
    out = BytesIO()
    with ZipFile(BytesIO(data)) as source, ZipFile(out, "w") as target:
        for name in source.namelist():
            text = source.read(name)
            target.writestr(name, edit(text.decode()) if name.startswith(part) else text)
    return out.getvalue()


def chart(on: Any, kind: Any, data: Any) -> None:
    on.shapes.add_chart(kind, Inches(1), Inches(3), Inches(4), Inches(3), data)


@pytest.mark.parametrize(
    "kind", ["bar3DChart", "line3DChart", "pie3DChart", "area3DChart", "stockChart", "surfaceChart", "ofPieChart"]
)
def test_a_chart_of_any_type_gives_its_numbers_and_costs_no_slide(kind: str) -> None:
    def fill(presentation: Any) -> None:
        on = slide(presentation, BLANK)
        box(on, "Above")
        data: Any = CategoryChartData()
        data.categories = ["2023", "2024"]
        data.add_series("Harvest", (1.5, 2))
        data.add_series("Plan", (None, 3))
        chart(on, XL_CHART_TYPE.COLUMN_CLUSTERED, data)

    data = edited(deck(fill), "ppt/charts/chart", lambda xml: xml.replace("c:barChart>", f"c:{kind}>"))
    assert extract(data).body == (
        "Above\n\n|  | Harvest | Plan |\n| --- | --- | --- |\n| 2023 | 1.5 |  |\n| 2024 | 2 | 3 |"
    )


def test_each_series_of_a_scatter_chart_keeps_its_own_places() -> None:
    def fill(presentation: Any) -> None:
        data: Any = XyChartData()
        for name, points in (("A", [(1, 10), (2, 0.1 + 0.2)]), ("B", [(1, 30), (2, 40)]), ("C", [(5, 50)])):
            series = data.add_series(name)
            for x, y in points:
                series.add_data_point(x, y)
        chart(slide(presentation, BLANK), XL_CHART_TYPE.XY_SCATTER, data)
        sizes: Any = BubbleChartData()
        sizes.add_series("D").add_data_point(1, 2, 3)
        chart(slide(presentation, BLANK), XL_CHART_TYPE.BUBBLE, sizes)

    assert extract(deck(fill)).body == (
        "|  | A | B |\n| --- | --- | --- |\n| 1 | 10 | 30 |\n| 2 | 0.3 | 40 |\n\n|  | C |\n| --- | --- |\n| 5 | 50 |"
        "\n\n|  | D | D (size) |\n| --- | --- | --- |\n| 1 | 2 | 3 |"
    )


def test_large_numbers_of_a_chart_are_written_out() -> None:
    def fill(presentation: Any) -> None:
        data: Any = CategoryChartData()
        data.categories = ["a", "b"]
        data.add_series("Sold", (1_234_567, 1_234_567.25))
        chart(slide(presentation, BLANK), XL_CHART_TYPE.LINE, data)

    assert extract(deck(fill)).body.endswith("| a | 1234567 |\n| b | 1234567.25 |")


def test_what_a_chart_lacks_or_cannot_count_costs_nothing() -> None:
    def fill(presentation: Any) -> None:
        data: Any = CategoryChartData()
        data.categories = ["a", "b"]
        data.add_series("Sold", (1, 2))
        on = slide(presentation, BLANK)
        chart(on, XL_CHART_TYPE.PIE, data)
        box(on, "Above")

    def without_categories(xml: str) -> str:
        before, _, rest = xml.partition("<c:cat>")
        return before + rest.partition("</c:cat>")[2].replace("<c:v>2</c:v>", "<c:v>#N/A</c:v>")

    charts = "ppt/charts/chart"
    body = extract(edited(deck(fill), charts, without_categories)).body
    assert body == "Above\n\n|  | Sold |\n| --- | --- |\n| 1 | 1 |\n| 2 | #N/A |"
    assert extract(edited(deck(fill), charts, lambda _: "<a/>")).body == "Above"


def test_a_shape_with_an_equation_keeps_its_words() -> None:
    def fill(presentation: Any) -> None:
        on = slide(presentation, TITLE_AND_CONTENT)
        on.placeholders[1].text_frame.text = "The area is "
        group = on.shapes.add_group_shape()
        box(group, "in a group")
        box(on, "read twice", top=6)

    def edit(xml: str) -> str:
        math = '<a14:m xmlns:a14="urn:a14"><m:oMath xmlns:m="urn:m"><m:r><m:t>πr²</m:t></m:r></m:oMath></a14:m>'
        xml = xml.replace("<a:t>The area is </a:t></a:r>", f"<a:t>The area is </a:t></a:r>{math}")
        for words in ("The area is", "in a group", "read twice"):
            start = xml.rindex("<p:sp>", 0, xml.index(words))
            end = xml.index("</p:sp>", start) + len("</p:sp>")
            shape = xml[start:end]
            choice = "" if words == "read twice" else f'<mc:Choice Requires="a14">{shape}</mc:Choice>'
            shape = shape.replace(words, words if words == "read twice" else "a picture of it")
            namespace = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
            whole = f"<mc:AlternateContent {namespace}>{choice}<mc:Fallback>{shape}</mc:Fallback></mc:AlternateContent>"
            xml = xml[:start] + whole + xml[end:]
        return xml

    body = extract(edited(deck(fill), "ppt/slides/slide", edit)).body
    assert body.split("\n\n") == ["in a group", "- The area is πr²", "read twice"]


def test_links_are_placed_at_their_words_and_a_hidden_slide_is_marked() -> None:
    def fill(presentation: Any) -> None:
        on = slide(presentation, BLANK)
        paragraph = box(on, "See ").text_frame.paragraphs[0]
        run = paragraph.add_run()
        run.text = "the plan"
        run.hyperlink.address = "https://plan.example"
        on._element.set("show", "0")

    extracted = extract(deck(fill))
    assert [(link.span.of(extracted.body), link.target) for link in extracted.links] == [
        ("the plan", "https://plan.example")
    ]
    assert extracted.sections[0].title == "Slide 1 (hidden)"


def test_right_to_left_text_is_kept() -> None:
    assert extract(deck(lambda p: box(slide(p, BLANK), "שלום עולם"))).body == "שלום עולם"


@pytest.mark.requirement("zip-bombs-and-broken-files-reported")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (compound("EncryptedPackage"), "encrypted; save it without a password"),
        (compound("PowerPoint Document"), "before 2007"),
        (deck(lambda p: box(slide(p, BLANK), "x"))[:9000], "damaged|broken"),
        (deck(lambda p: slide(p, BLANK)), "holds no text"),
    ],
)
def test_an_unreadable_file_is_refused_with_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(SkippableSourceError, match=said):
        extract_pptx(data, fallback_title="f")


def test_no_damage_to_a_part_of_a_slide_leads_to_anything_but_text_or_a_refusal() -> None:
    whole = deck(lambda p: box(slide(p, TITLE_AND_CONTENT), "x"))
    with ZipFile(BytesIO(whole)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    shown = [name for name in parts if "slides/" in name or "presentation.xml" in name or name.startswith("[")]
    assert len(shown) > 3
    for broken in shown:
        for damaged in (parts[broken][: len(parts[broken]) // 2], b"<a/>", b""):
            out = BytesIO()
            with ZipFile(out, "w") as target:
                for name, kept in parts.items():
                    target.writestr(name, damaged if name == broken else kept)
            with suppress(SkippableSourceError):
                extract(out.getvalue())


@pytest.mark.requirement("raised-figures-stay-apart")
def test_a_raised_figure_of_a_slide_keeps_its_place(shared_data: Path) -> None:
    assert "Area 10⁶ units" in extract((shared_data / "faults" / "04" / "deck.pptx").read_bytes()).body


@pytest.mark.requirement("raised-figures-stay-apart", "struck-words-are-marked")
@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("baseline", "-25000", "CO₂ falls"),
        ("baseline", "30000", "CO² falls"),
        ("baseline", "0", "CO2 falls"),
        ("strike", "sngStrike", "CO~~2~~ falls"),
        ("strike", "dblStrike", "CO~~2~~ falls"),
        ("strike", "noStrike", "CO2 falls"),
    ],
)
def test_the_look_of_a_run_on_a_slide_is_written(name: str, value: str, text: str) -> None:
    def fill(presentation: Any) -> None:
        paragraph = box(slide(presentation, BLANK), "CO").text_frame.paragraphs[0]
        run = paragraph.add_run()
        run.text = "2"
        run._r.get_or_add_rPr().set(name, value)
        paragraph.add_run().text = " falls"

    assert extract(deck(fill)).body == f"{text}"
