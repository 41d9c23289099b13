from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pytest
from tests.support.docx_files import add_xml, link_id, with_parts, word
from tests.support.encrypted_office import compound
from tests.support.extracted_checks import assert_consistent

from citemark.extraction.docx.document import extract_docx
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted

NOTES = (
    '<w:{0}s xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    '<w:{0} w:id="-1" w:type="separator"><w:p/></w:{0}>'
    '<w:{0} w:id="1"><w:p><w:r><w:t>{1}</w:t></w:r></w:p></w:{0}></w:{0}s>'
)


def extract(data: bytes) -> Extracted:
    extracted = extract_docx(data, fallback_title="From the name")
    assert_consistent(extracted)
    return extracted


@pytest.mark.requirement("office-files-are-indexed")
def test_heading_styles_open_nested_sections() -> None:
    def fill(document: Any) -> None:
        document.core_properties.title = "Brückenbau"
        document.core_properties.author = "A. Mason"
        document.core_properties.keywords = "stone, river"
        document.add_heading("Planning", 1)
        document.add_paragraph("Grüße an alle.")
        document.add_heading("Costs", 2)
        document.add_paragraph("Much.")
        document.add_heading("Building", 1)

    extracted = extract(word(fill))
    assert extracted.body == "# Planning\n\nGrüße an alle.\n\n## Costs\n\nMuch.\n\n# Building"
    assert [(s.slug, s.heading_path) for s in extracted.sections] == [
        ("planning", ("Planning",)),
        ("planning/costs", ("Planning", "Costs")),
        ("building", ("Building",)),
    ]
    assert (extracted.title, extracted.tags, extracted.metadata["author"]) == (
        "Brückenbau",
        ("stone", "river"),
        "A. Mason",
    )


def test_the_title_is_the_paragraph_styled_as_one_where_the_properties_have_none() -> None:
    def fill(document: Any) -> None:
        document.core_properties.title = "Microsoft Word - x.docx"
        document.add_heading("Der Titel", 0)
        document.add_paragraph("Text")

    assert extract(word(fill)).title == "Der Titel"
    assert extract(word(lambda d: d.add_paragraph("Text"))).title == "From the name"


def test_lists_are_items_with_the_numbers_that_word_shows() -> None:
    def fill(document: Any) -> None:
        document.add_paragraph("first", style="List Number")
        document.add_paragraph("second", style="List Number")
        document.add_paragraph("dot", style="List Bullet")
        document.add_paragraph("Not a list.")

    extracted = extract(word(fill))
    assert extracted.body == "1. first\n2. second\n- dot\n\nNot a list."
    assert [block.kind for block in extracted.blocks][:3] == [BlockKind.LIST_ITEM] * 3


def test_a_numbered_paragraph_without_words_counts() -> None:
    """A step that is only a screenshot has a number; a deleted or hidden one has none."""
    item = "<w:pPr><w:pStyle w:val='ListNumber'/><w:rPr>{}</w:rPr></w:pPr>"

    def fill(document: Any) -> None:
        document.add_paragraph("first", style="List Number")
        document.add_paragraph(style="List Number").add_run().add_break()
        for mark in ("<w:del/>", "<w:moveFrom/>", "<w:vanish/>"):
            add_xml(document, f"<w:p>{item.format(mark)}</w:p>")
        document.add_paragraph("third", style="List Number")
        add_xml(document, f"<w:p>{item.format('<w:del/>')}<w:r><w:t>fourth,</w:t></w:r></w:p>")
        document.add_paragraph("to its end", style="List Number")

    assert extract(word(fill)).body == "1. first\n3. third\n\nfourth,\n\n4. to its end"


def test_numbered_headings_say_their_number_and_their_slug_does_not() -> None:
    def level(at: int, figures: str, pattern: str) -> str:
        return (
            f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{figures}"/><w:lvlText w:val="{pattern}"/>'
            "</w:lvl>"
        )

    def fill(document: Any) -> None:
        numbering = document.part.numbering_part.element
        levels = level(0, "upperRoman", "Part %1:") + level(1, "lowerLetter", "%1.%2)")
        add_to = (
            '<w:abstractNum {0} w:abstractNumId="900">' + levels + "</w:abstractNum>",
            '<w:num {0} w:numId="900"><w:abstractNumId w:val="900"/></w:num>',
        )
        for xml in add_to:
            numbering.append(
                docx_xml(xml.format('xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'))
            )
        for text, depth in (("A", 0), ("B", 1), ("C", 1), ("D", 0), ("E", 1)):
            heading = document.add_heading(text, depth + 1)
            properties = heading._p.get_or_add_pPr().get_or_add_numPr()
            properties.get_or_add_numId().val = 900
            properties.get_or_add_ilvl().val = depth

    extracted = extract(word(fill))
    assert [section.title for section in extracted.sections] == [
        "Part I: A",
        "I.a) B",
        "I.b) C",
        "Part II: D",
        "II.a) E",
    ]
    assert [section.slug for section in extracted.sections] == ["a", "a/b", "a/c", "d", "d/e"]


def docx_xml(xml: str) -> Any:
    from docx.oxml import parse_xml  # noqa: PLC0415 - only this test writes a part of its own

    return parse_xml(xml)


def test_a_table_repeats_its_header_and_the_content_of_merged_cells() -> None:
    def fill(document: Any) -> None:
        table = document.add_table(4, 3)
        words = ["Region", "Fruit", "kg", "North", "Apple | red", "3", "", "Pear", "4", "South", "all", ""]
        for at, text in enumerate(words):
            table.cell(at // 3, at % 3).text = text
        table.cell(1, 0).merge(table.cell(2, 0))
        table.cell(3, 1).merge(table.cell(3, 2))

    extracted = extract(word(fill))
    (table,) = extracted.blocks
    assert table.kind is BlockKind.TABLE
    assert table.head == "| Region | Fruit | kg |\n| --- | --- | --- |"
    assert extracted.body.splitlines()[2:] == [
        "| North | Apple \\| red | 3 |",
        "| North | Pear | 4 |",
        "| South | all |  |",
    ]


def test_a_table_of_one_column_is_only_layout() -> None:
    def fill(document: Any) -> None:
        cell = document.add_table(1, 1).cell(0, 0)
        cell.text = "Boxed"
        inner = cell.add_table(1, 2)
        inner.cell(0, 0).text, inner.cell(0, 1).text = "a", "1"

    assert extract(word(fill)).body == "Boxed\n\n| a | 1 |"


def test_links_and_link_fields_are_placed_at_their_words() -> None:
    def fill(document: Any) -> None:
        own = link_id(document, "https://a.example/x")
        add_xml(
            document,
            f'<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="{own}"><w:r><w:t>the</w:t></w:r>'
            '<w:r><w:t xml:space="preserve"> plan</w:t></w:r></w:hyperlink><w:r><w:t>, or </w:t></w:r>'
            '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText> HYPERLINK "https://b.example" </w:instrText>'
            '<w:fldChar w:fldCharType="separate"/><w:t>that</w:t><w:fldChar w:fldCharType="end"/><w:t>.</w:t></w:r>'
            "</w:p>",
        )

    extracted = extract(word(fill))
    assert extracted.body == "See the plan, or that."
    assert [(link.span.of(extracted.body), link.target) for link in extracted.links] == [
        ("the plan", "https://a.example/x"),
        ("that", "https://b.example"),
    ]


def test_changes_are_accepted_and_hidden_text_is_left_out() -> None:
    def fill(document: Any) -> None:
        add_xml(
            document,
            "<w:p><w:r><w:t>It costs </w:t></w:r><w:del><w:r><w:delText>100</w:delText></w:r></w:del>"
            "<w:ins><w:r><w:t>200</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom>"
            "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:noBreakHyphen/><w:t>fold</w:t></w:r></w:p>",
        )
        add_xml(
            document,
            "<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:r><w:t>old</w:t></w:r></w:p></w:tc>"
            "<w:tc><w:p/></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>k</w:t></w:r></w:p></w:tc>"
            "<w:tc><w:p><w:r><w:t>v</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
        )

    assert extract(word(fill)).body == "It costs 200-fold\n\n| k | v |"


def test_notes_stand_below_the_paragraph_that_refers_to_them() -> None:
    def fill(document: Any) -> None:
        add_xml(
            document,
            '<w:p><w:r><w:t>Said</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r>'
            '<w:r><w:endnoteReference w:id="1"/></w:r><w:r><w:t>.</w:t></w:r></w:p>',
        )
        document.add_paragraph("Next.")

    parts = {"footnotes": NOTES.format("footnote", "By whom"), "endnotes": NOTES.format("endnote", "And when")}
    assert extract(with_parts(word(fill), parts)).body == "Said[^1][^2].\n\n[^1]: By whom\n\n[^2]: And when\n\nNext."


def test_text_boxes_are_read_once_and_a_table_of_contents_not_at_all() -> None:
    box = "<w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent>"

    def fill(document: Any) -> None:
        add_xml(
            document,
            "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj></w:sdtPr>"
            "<w:sdtContent><w:p><w:r><w:t>Contents 1</w:t></w:r></w:p></w:sdtContent></w:sdt>",
        )
        add_xml(
            document,
            "<w:p><w:r><w:t>Around</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>"
            f"<wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox>"
            "</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>",
        )
        add_xml(document, "<w:sdt><w:sdtContent><w:p><w:r><w:t>In a control</w:t></w:r></w:p></w:sdtContent></w:sdt>")

    assert extract(word(fill)).body == "Around\n\nBoxed\n\nIn a control"


def test_right_to_left_text_and_formulas_are_kept() -> None:
    def fill(document: Any) -> None:
        document.add_paragraph("שלום עולם")
        add_xml(document, "<w:p><m:oMath><m:r><m:t>E=mc²</m:t></m:r></m:oMath></w:p>")

    assert extract(word(fill)).body == "שלום עולם\n\nE=mc²"


def bomb() -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", b"<Types/>")
        file.writestr("word/document.xml", bytes(20_000_000))
    return out.getvalue()


@pytest.mark.requirement("zip-bombs-and-broken-files-reported")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (compound("EncryptedPackage"), "encrypted; save it without a password"),
        (compound("WordDocument"), "before 2007; save it as docx"),
        (word(lambda d: d.add_paragraph("x"))[:2000], "damaged|broken"),
        (b"not a document", "damaged|broken"),
        (b"", "damaged|broken"),
        (word(lambda _: None), "holds no text"),
        (bomb(), "zip bomb"),
    ],
    ids=["locked", "old", "cut", "other", "empty", "blank", "bomb"],
)
def test_an_unreadable_file_is_refused_with_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(SkippableSourceError, match=said):
        extract_docx(data, fallback_title="f")


def test_entities_are_never_expanded() -> None:
    evil = (
        '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "boom">]>'
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        '<w:footnote w:id="1"><w:p><w:r><w:t>[&x;&y;]</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )

    def fill(document: Any) -> None:
        add_xml(document, '<w:p><w:r><w:t>Said</w:t><w:footnoteReference w:id="1"/></w:r></w:p>')

    with suppress(SkippableSourceError):
        body = extract(with_parts(word(fill), {"footnotes": evil})).body
        assert "root" not in body
        assert "boom" not in body


def test_no_damage_to_a_part_leads_to_anything_but_text_or_a_refusal() -> None:
    def fill(document: Any) -> None:
        document.add_heading("A", 1)
        document.add_paragraph("b", style="List Number")
        document.add_table(2, 2).cell(0, 0).text = "c"

    whole = word(fill)
    with ZipFile(BytesIO(whole)) as source:
        names = source.namelist()
        parts = {name: source.read(name) for name in names}
    for broken in names:
        for damaged in (None, parts[broken][: len(parts[broken]) // 2], b"<a/>", b""):
            out = BytesIO()
            with ZipFile(out, "w") as target:
                for name in names:
                    text = damaged if name == broken else parts[name]
                    if text is not None:
                        target.writestr(name, text)
            with suppress(SkippableSourceError):
                extract(out.getvalue())


@pytest.mark.requirement("office-files-are-indexed")
@pytest.mark.parametrize(
    "kind",
    [
        "application/vnd.ms-word.document.macroEnabled.main+xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    ],
)
def test_documents_with_macros_and_templates_are_read_as_documents_are(kind: str) -> None:
    plain = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    out = BytesIO()
    with ZipFile(BytesIO(word(lambda document: document.add_paragraph("words")))) as source, ZipFile(out, "w") as made:
        for name in source.namelist():
            made.writestr(name, source.read(name).replace(plain.encode(), kind.encode()))
    assert extract_docx(out.getvalue(), fallback_title="x").body == "words"


def paragraph(runs: str) -> str:
    return extract(word(lambda document: add_xml(document, f"<w:p>{runs}</w:p>"))).body


def run(text: str, properties: str) -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


@pytest.mark.requirement("raised-figures-stay-apart")
def test_raised_and_lowered_figures_of_a_document_keep_their_place(shared_data: Path) -> None:
    body = extract((shared_data / "faults" / "04" / "sup.docx").read_bytes()).body
    assert body == "The tank holds 10⁶ litres, CO₂ present."


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ('<w:vertAlign w:val="superscript"/>', "10⁶ l"),
        ('<w:vertAlign w:val="subscript"/>', "10₆ l"),
        ('<w:position w:val="8"/>', "10⁶ l"),
        ('<w:position w:val="-8"/>', "10₆ l"),
        ('<w:position w:val="2"/>', "106 l"),
        ('<w:vertAlign w:val="baseline"/>', "106 l"),
        ("<w:strike/>", "10~~6~~ l"),
        ("<w:dstrike/>", "10~~6~~ l"),
        ('<w:strike w:val="0"/>', "106 l"),
    ],
)
def test_the_look_of_a_run_is_written(properties: str, text: str) -> None:
    assert paragraph(run("10", "") + run("6", properties) + run(" l", "")) == text


def test_the_look_of_a_style_is_that_of_its_runs() -> None:
    def fill(document: Any) -> None:
        style = document.styles.add_style("Power", 2)
        style.font.superscript = True
        paragraph = document.add_paragraph("10")
        paragraph.add_run("6", style="Power")
        old = document.styles.add_style("Old", 1)
        old.font.strike = True
        document.add_paragraph("Pay 500", style="Old")

    assert extract(word(fill)).body == "10⁶\n\n~~Pay 500~~"


@pytest.mark.requirement("raised-figures-stay-apart")
def test_an_equation_says_its_exponents_fractions_and_roots() -> None:
    power = "<m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>6</m:t></m:r></m:sup></m:sSup>"
    half = "<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    root = "<m:rad><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>"
    assert paragraph(f"<m:oMath>{power}<m:r><m:t>=</m:t></m:r>{half}{root}</m:oMath>") == "10⁶=(a+b)/2√x"


@pytest.mark.requirement("no-character-is-dropped", "reading-is-complete")
@pytest.mark.parametrize(
    ("run_of_a_symbol", "text"),
    [
        ('<w:r><w:sym w:font="Symbol" w:char="F0B3"/><w:t> 5</w:t></w:r>', "≥ 5"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:t> on</w:t></w:r>', "☑ on"),
        ('<w:r><w:sym w:font="House Icons" w:char="F041"/><w:t> on</w:t></w:r>', "\ufffd on"),
        ('<w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>\uf06d</w:t></w:r><w:r><w:t>m</w:t></w:r>', "μm"),
    ],
)
def test_a_character_of_a_symbol_font_is_never_dropped(run_of_a_symbol: str, text: str) -> None:
    assert paragraph(run_of_a_symbol) == text


@pytest.mark.requirement("boxes-say-their-state")
@pytest.mark.parametrize(("state", "shown"), [("1", "☑"), ("0", "☐")])
def test_the_boxes_of_content_controls_and_of_old_forms_say_their_state(state: str, shown: str) -> None:
    control = (
        '<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml">'
        f'<w14:checked w14:val="{state}"/></w14:checkbox></w:sdtPr>'
        "<w:sdtContent><w:r><w:t>\uf06f</w:t></w:r></w:sdtContent></w:sdt>"
    )
    assert paragraph(f"{control}<w:r><w:t> closed</w:t></w:r>") == f"{shown} closed"
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/>'
        f'<w:checked w:val="{state}"/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX'
        '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    assert paragraph(f"{field}<w:r><w:t> closed</w:t></w:r>") == f"{shown} closed"


@pytest.mark.requirement("furniture-once")
def test_a_header_that_all_sections_share_is_written_once_and_page_numbers_are_not() -> None:
    document: Any = docx.Document()
    document.add_paragraph("Words.")
    for number in range(3):
        section = document.add_section() if number else document.sections[0]
        section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
        section.header.paragraphs[0].text = "Report on pumps"
        section.footer.paragraphs[0].text = f"{number}"
    out = BytesIO()
    document.save(out)
    found = extract_docx(out.getvalue(), fallback_title="x")
    assert found.body == "Words.\n\nHeader: Report on pumps"
    assert [section.title for section in found.sections] == ["Headers and footers"]
