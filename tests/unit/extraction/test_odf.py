from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from io import BytesIO
from typing import Any, cast
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from tests.support.extracted_checks import assert_consistent

from citemark.extraction import sheets
from citemark.extraction.odf.document import extract_odt
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted

TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
XML = "http://www.w3.org/XML/1998/namespace"
PRESENTATION = "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"
# odfpy makes its elements at run time and has no types.
dc, draw, meta, office, opendocument, presentation, style, table, text = (
    cast("Any", import_module(f"odf.{name}"))
    for name in ("dc", "draw", "meta", "office", "opendocument", "presentation", "style", "table", "text")
)


def saved(document: Any) -> bytes:
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def writing(fill: Callable[[Any], None]) -> bytes:
    document = opendocument.OpenDocumentText()
    fill(document)
    return saved(document)


def add(parent: Any, *elements: Any) -> Any:
    for element in elements:
        parent.addElement(element)
    return parent


def row(*words: str, of: Any = None) -> Any:
    return add(of or table.TableRow(), *(add(table.TableCell(), text.P(text=word)) for word in words))


def extract(data: bytes) -> Extracted:
    extracted = extract_odt(data, fallback_title="From the name")
    assert_consistent(extracted)
    return extracted


@pytest.mark.requirement("office-files-are-indexed")
def test_headings_open_nested_sections_and_the_properties_are_kept() -> None:
    def fill(document: Any) -> None:
        add(document.meta, dc.Title(text="Brücken"), meta.Keyword(text="stone"), meta.InitialCreator(text="A. Mason"))
        add(document.text, text.H(outlinelevel=1, text="Über alles"), text.P(text="Grüße"))
        add(document.text, text.H(outlinelevel=2, text="Costs"), text.P(text="Much."))

    extracted = extract(writing(fill))
    assert extracted.body == "# Über alles\n\nGrüße\n\n## Costs\n\nMuch."
    assert [(s.slug, s.heading_path) for s in extracted.sections] == [
        ("über-alles", ("Über alles",)),
        ("über-alles/costs", ("Über alles", "Costs")),
    ]
    assert (extracted.title, extracted.tags, extracted.metadata["author"]) == ("Brücken", ("stone",), "A. Mason")


def test_lists_nest_and_count_where_their_style_does() -> None:
    def fill(document: Any) -> None:
        counted = numbered(document)
        inner = add(text.List(), add(text.ListItem(), text.P(text="deeper")))
        outer = add(text.List(), add(text.ListItem(), text.P(text="dot"), inner))
        numbers = add(
            text.List(stylename=counted),
            add(text.ListItem(), text.P(text="one"), text.P(text="and more")),
            add(text.ListItem(), text.P(text="two")),
        )
        add(document.text, outer, numbers)

    assert extract(writing(fill)).body == "- dot\n  - deeper\n1. one\n\nand more\n\n2. two"


def numbered(document: Any) -> Any:
    counted = text.ListStyle(name="Counted")
    add(document.automaticstyles, add(counted, text.ListLevelStyleNumber(level=1, numformat="1")))
    return counted


def items(of: Any, *words: str) -> Any:
    return add(of, *(add(text.ListItem(), text.P(text=word)) for word in words))


def test_a_list_that_goes_on_keeps_counting() -> None:
    def fill(document: Any) -> None:
        counted = numbered(document)
        first = items(text.List(stylename=counted), "one")
        add(first, add(text.ListItem(), text.P(text="two"), items(text.List(), "two, first")))
        first.setAttrNS(XML, "id", "a")
        wrapped = add(text.ListItem(), items(text.List(), "two, second"))
        deeper = items(add(text.List(stylename=counted, continuenumbering="true"), wrapped), "three")
        other = items(text.List(stylename=counted), "another")
        last = text.List(stylename=counted)
        last.setAttrNS(TEXT, "continue-list", "a")
        items(add(last, add(text.ListHeader(), text.P(text="Header"))), "four")
        add(last, add(text.ListItem(startvalue=9), text.P(text="nine")))
        between = text.P(text="Between.")
        add(document.text, first, between, deeper, other, items(last, "ten"))
        add(document.text, items(text.List(continuenumbering="true"), "of another style"))

    assert extract(writing(fill)).body == (
        "1. one\n2. two\n  1. two, first\n\nBetween.\n\n  2. two, second\n3. three\n1. another\n\nHeader\n\n"
        "4. four\n9. nine\n10. ten\n- of another style"
    )


def test_tables_blanks_breaks_links_and_notes_are_text() -> None:
    def fill(document: Any) -> None:
        said = text.P(text="a")
        add(said, text.S(c=3), text.Span(text="b"), text.LineBreak())
        add(said, text.A(href="https://x.example", text="the plan"))
        note = add(text.Note(noteclass="footnote"), text.NoteCitation(text="1"))
        add(said, add(note, add(text.NoteBody(), text.P(text="By whom"))))
        grid = add(table.Table(name="T"), row("Fruit", "kg"), row("Apple | red", "3"))
        add(document.text, said, grid)

    extracted = extract(writing(fill))
    assert extracted.body == (
        "a b\nthe plan[^1]\n\n[^1]: By whom\n\n| Fruit | kg |\n| --- | --- |\n| Apple \\| red | 3 |"
    )
    assert [(link.span.of(extracted.body), link.target) for link in extracted.links] == [
        ("the plan", "https://x.example")
    ]
    assert extracted.blocks[-1].head == "| Fruit | kg |\n| --- | --- |"


def test_deleted_text_and_contents_are_left_out_and_text_boxes_read() -> None:
    def fill(document: Any) -> None:
        deleted = add(text.ChangedRegion(check_grammar=False), add(text.Deletion(), text.P(text="gone")))
        contents = add(text.TableOfContent(name="c"), add(text.IndexBody(), text.P(text="Contents 1")))
        around = add(text.P(text="Around"), add(draw.Frame(), add(draw.TextBox(), text.P(text="Boxed"))))
        add(document.text, add(text.TrackedChanges(), deleted), contents, around, text.P(text="עם"))

    assert extract(writing(fill)).body == "Around\n\nBoxed\n\nעם"


def test_the_sheets_of_a_spreadsheet_show_what_their_cells_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_ROWS", 4)
    document = opendocument.OpenDocumentSpreadsheet()
    unseen = style.Style(name="unseen", family="table")
    add(document.automaticstyles, add(unseen, style.TableProperties(display="false")))
    sheet = add(table.Table(name="Ernte 2024"), row("Sorte", "Menge"), row("Boskoop", "1.234,50 kg"))
    add(sheet, table.TableRow(numberrowsrepeated=1_000_000), row("x", "1", of=table.TableRow(numberrowsrepeated=900)))
    add(document.spreadsheet, sheet, add(table.Table(name="Lists", stylename=unseen), row("unseen", "1")))
    extracted = extract(saved(document))
    assert extracted.body == (
        "| Sorte | Menge |\n| --- | --- |\n| Boskoop | 1.234,50 kg |\n\n| x | 1 |\n| --- | --- |\n| x | 1 |\n\n"
        "[The sheet 'Ernte 2024' goes on: only its first 4 rows are read.]"
    )
    assert [section.slug for section in extracted.sections] == ["ernte-2024"]
    assert extracted.metadata["hidden_sheets"] == "Lists"
    assert "goes on" in extracted.metadata["truncated"]


def comment(words: str) -> Any:
    return add(office.Annotation(), dc.Creator(text="A. Mason"), text.P(text=words))


def presenting() -> tuple[Any, Any]:
    """A presentation, and its only slide."""
    document = opendocument.OpenDocumentPresentation()
    layout = style.PageLayout(name="L")
    document.automaticstyles.addElement(layout)
    master = style.MasterPage(name="M", pagelayoutname=layout)
    document.masterstyles.addElement(master)
    page = draw.Page(name="p1", masterpagename=master)
    add(document.presentation, page)
    return document, page


def frame(kind: str, words: str, top: str) -> Any:
    box = draw.Frame(width="10cm", height="2cm", x="1cm", y=top)
    box.setAttrNS(PRESENTATION, "class", kind)
    return add(box, add(draw.TextBox(), text.P(text=words)))


@pytest.mark.requirement("comments-are-read")
def test_comments_of_cells_and_slides_stand_below_the_sheet_the_slide_and_the_table() -> None:
    document = opendocument.OpenDocumentSpreadsheet()
    commented = add(table.TableCell(), comment("Really?"), text.P(text="12"))
    add(document.spreadsheet, add(table.Table(name="S"), row("kg"), add(table.TableRow(), commented)))
    assert extract(saved(document)).body == "kg\n\n12\n\nComment by A. Mason: Really?"
    document, page = presenting()
    page.addElement(comment("Louder!"), check_grammar=False)
    add(page, frame("outline", "Slowly", "9cm"))
    assert extract(saved(document)).body == "Slowly\n\nComment by A. Mason: Louder!"
    grid = add(table.Table(name="T"), row("Fruit", "kg"), add(table.TableRow(), add(table.TableCell()), commented))
    assert extract(writing(lambda d: add(d.text, grid))).body == (
        "| Fruit | kg |\n| --- | --- |\n|  | 12 |\n\nComment by A. Mason: Really?"
    )


def test_the_slides_of_a_presentation_are_sections_with_notes() -> None:
    document, page = presenting()
    add(page, frame("outline", "below", "9cm"), frame("subtitle", "above", "5cm"), frame("title", "Warum?", "1cm"))
    add(page, add(presentation.Notes(), frame("notes", "Slowly.", "1cm")))
    extracted = extract(saved(document))
    assert extracted.body == "# Warum?\n\nabove\n\nbelow\n\nNotes: Slowly."
    assert [(s.slug, s.title) for s in extracted.sections] == [("slide-1", "Slide 1: Warum?")]
    assert extracted.blocks[0].kind is BlockKind.HEADING


def repacked(data: bytes, **parts: bytes) -> bytes:
    """The file with parts replaced, named by their stem."""
    out = BytesIO()
    with ZipFile(BytesIO(data)) as source, ZipFile(out, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            stem = name.rpartition("/")[2].partition(".")[0]
            target.writestr(name, parts.get(stem, source.read(name)))
    return out.getvalue()


SOME = writing(lambda d: add(d.text, text.P(text="x")))
LOCKED = (
    b'<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry '
    b'm:full-path="content.xml"><m:encryption-data m:checksum="x"/></m:file-entry></m:manifest>'
)
EVIL = (
    b'<!DOCTYPE d [<!ENTITY a "boom"><!ENTITY b "&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;">'
    b'<!ENTITY f SYSTEM "file:///etc/passwd">]><d xmlns:o="o" xmlns:t="t"><body><text><p>[&c;&f;]</p></text></body></d>'
)


@pytest.mark.requirement("zip-bombs-and-broken-files-reported")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (repacked(SOME, manifest=LOCKED), "protected by a password.*Save a copy without"),
        (SOME[:900], "damaged|broken"),
        (repacked(SOME, content=b"<office"), "broken"),
        (repacked(SOME, content=b"<a/>"), "neither a text, a spreadsheet nor a presentation"),
        (writing(lambda _: None), "holds no text"),
        (repacked(SOME, content=bytes(20_000_000)), "zip bomb"),
    ],
    ids=["locked", "cut", "no xml", "other", "blank", "bomb"],
)
def test_an_unreadable_file_is_refused_with_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(SkippableSourceError, match=said):
        extract_odt(data, fallback_title="f")


def test_entities_are_never_expanded() -> None:
    with suppress(SkippableSourceError):
        body = extract(repacked(SOME, content=EVIL)).body
        assert "boom" not in body
        assert "root" not in body


@pytest.mark.requirement("raised-figures-stay-apart", "struck-words-are-marked")
@pytest.mark.parametrize(
    ("properties", "shown"),
    [
        ({"textposition": "super 58%"}, "10⁶ l"),
        ({"textposition": "33% 58%"}, "10⁶ l"),
        ({"textposition": "sub 58%"}, "10₆ l"),
        ({"textposition": "-33% 58%"}, "10₆ l"),
        ({"textposition": "0% 100%"}, "106 l"),
        ({"textlinethroughstyle": "solid"}, "10~~6~~ l"),
        ({"textlinethroughstyle": "none"}, "106 l"),
    ],
)
def test_the_look_of_a_span_is_written(properties: dict[str, str], shown: str) -> None:
    def fill(document: Any) -> None:
        look = add(style.Style(name="T1", family="text"), style.TextProperties(**properties))
        derived = style.Style(name="T2", family="text", parentstylename="T1")
        document.styles.addElement(look)
        document.automaticstyles.addElement(derived)
        paragraph = text.P(text="10")
        add(paragraph, text.Span(stylename=derived, text="6"))
        paragraph.addText(" l")
        add(document.text, paragraph)

    assert extract(writing(fill)).body == shown


@pytest.mark.requirement("struck-words-are-marked")
def test_a_struck_cell_of_a_sheet_is_marked() -> None:
    document = opendocument.OpenDocumentSpreadsheet()
    struck = add(style.Style(name="ce1", family="table-cell"), style.TextProperties(textlinethroughstyle="solid"))
    document.automaticstyles.addElement(struck)
    cell = add(table.TableCell(stylename=struck), text.P(text="500"))
    add(document.spreadsheet, add(table.Table(name="S"), row("Pump", "Price"), add(row("P1"), cell)))
    assert "| P1 | ~~500~~ |" in extract(saved(document)).body


@pytest.mark.requirement("boxes-say-their-state")
def test_the_check_boxes_of_a_form_say_their_state() -> None:
    form = cast("Any", import_module("odf.form"))

    def fill(document: Any) -> None:
        forms = office.Forms()
        boxes = form.Form(name="f")
        for number, state in enumerate(("checked", "unchecked")):
            boxes.addElement(form.Checkbox(id=f"c{number}", currentstate=state, label="l"))
        add(document.text, add(forms, boxes))
        for number, words in enumerate((" closed", " off")):
            paragraph = text.P()
            add(paragraph, draw.Control(control=f"c{number}"))
            paragraph.addText(words)
            add(document.text, paragraph)

    assert extract(writing(fill)).body == "☑ closed\n\n☐ off"
