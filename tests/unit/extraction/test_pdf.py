from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.extracted_checks import assert_consistent
from tests.support.operations import operations
from tests.support.pdfs import HEIGHT, Launcher, Text, lines, pdf

from citemark.extraction.builder import sensible_title
from citemark.extraction.pdf.blocks import Hyphens
from citemark.extraction.pdf.document import PageContent, document_of, extract_pdf, pages_of
from citemark.extraction.pdf.lines import PdfRun
from citemark.extraction.pdf.pdfium import PdfFile
from citemark.extraction.pdf.recognised_page import RecognisedPage
from citemark.model.errors import SkippableSourceError
from citemark.model.recognised import RecognisedPart, recognised_in
from citemark.model.text import BlockKind, Extracted
from citemark.model.unread_parts import in_words

ARABIC = "مرحبا"
PROSE = (
    "The council of the town has met in the old hall on the",
    "hill, and it has agreed that the bridge will be built of",
    "stone. It will be open to all who come by foot.",
)


def extract(*pages: list[Text], **options: object) -> Extracted:
    extracted = extract_pdf(pdf(*pages, **options), fallback_title="From the name")  # type: ignore[arg-type]
    assert_consistent(extracted)
    return extracted


@pytest.mark.requirement("pdf-is-indexed-with-pages")
def test_each_page_is_a_section_named_by_its_number_and_the_outline() -> None:
    extracted = extract(
        lines("Cover"),
        lines("Text of one"),
        lines("Text of two"),
        outline=[Launcher("Part A", 1), Launcher("Über die Brücke", 2, 1)],
        info={"Title": "The Bridge", "Author": "A. Mason", "Keywords": "stone; river", "CreationDate": "D:20240305"},
    )
    assert [(s.slug, s.title, s.heading_path, s.span.of(extracted.body)) for s in extracted.sections] == [
        ("page-1", "Page 1", ("Page 1",), "Cover"),
        ("page-2", "Page 2: Part A", ("Part A", "Page 2"), "Text of one"),
        ("page-3", "Page 3: Über die Brücke", ("Part A", "Über die Brücke", "Page 3"), "Text of two"),
    ]
    assert (extracted.title, extracted.tags) == ("The Bridge", ("stone", "river"))
    assert extracted.metadata == {"author": "A. Mason", "created": "2024-03-05", "pages": "3"}


def test_a_page_belongs_to_the_last_outline_entry_before_it() -> None:
    pages = [lines(f"Text {word}") for word in ("a", "b", "c", "d")]
    extracted = extract(*pages, outline=[Launcher("One", 0), Launcher("Two", 2), Launcher("Two and a half", 2, 1)])
    assert [s.heading_path[:-1] for s in extracted.sections] == [
        ("One",),
        ("One",),
        ("Two",),
        ("Two", "Two and a half"),
    ]


def test_lines_are_joined_to_paragraphs_and_parted_where_space_or_a_short_line_parts_them() -> None:
    extracted = extract([*lines(*PROSE), *lines(*PROSE, top=712), *lines(*PROSE, top=650)])
    assert extracted.body == "\n\n".join([" ".join(PROSE)] * 3)


def test_hyphenated_words_are_joined_and_compounds_keep_their_hyphen() -> None:
    extracted = extract(
        lines(
            "Die Grüße gelten der Zusammenarbeit und nicht nur einer Zusam-",
            "menarbeit auf dem Papier, wie man es von dem Land Baden-",
            "Württemberg kennt, ein well-known place, but it is a well-",
            "known one, mit Vor- und Nachteilen, ja mehr noch mit Vor-",
            "und Nachteilen, die 2023 oder 2024 kamen.",
        )
    )
    assert extracted.body == (
        "Die Grüße gelten der Zusammenarbeit und nicht nur einer Zusammenarbeit auf dem Papier, wie man es von dem "
        "Land Baden-Württemberg kennt, ein well-known place, but it is a well-known one, mit Vor- und Nachteilen, ja "
        "mehr noch mit Vor- und Nachteilen, die 2023 oder 2024 kamen."
    )


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("a micro-", "phone", "a microphone"),
        ("an open-", "source one", "an open-source one"),
        ("in 2020-", "21", None),
        ("it ends.", "Then", None),
        ("on- ", "and off", None),
        ("on-", "and off", "on- and off"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_is_judged_by_the_words_of_the_document(
    before: str, after: str, joined: str | None
) -> None:
    assert Hyphens(["open the source", "again"]).joined(before, after) == joined


def test_headers_footers_and_page_numbers_of_most_pages_are_dropped_and_titles_stay() -> None:
    extracted = extract(
        *(
            [
                Text(72, HEIGHT - 40, "ACME Handbook, confidential"),
                Text(72, HEIGHT - 80, "Station", size=18),
                *lines(f"What is done at station {name}.", "And what is not.", top=700),
                Text(280, 30, f"Page {number} of 5"),
                Text(72, 60, f"Only on {name}"),
            ]
            for number, name in enumerate(("alpha", "beta", "gamma", "delta", "epsilon"), 1)
        )
    )
    assert "ACME" not in extracted.body
    assert " of 5" not in extracted.body
    assert extracted.body.count("Station") == 5
    assert extracted.body.count("Only on") == 5
    assert {b.span.of(extracted.body) for b in extracted.blocks if b.kind is BlockKind.HEADING} == {"Station"}


def test_text_repeated_on_only_two_pages_is_kept() -> None:
    assert extract(lines("Notice", top=820), lines("Notice", top=820)).body == "Notice\n\nNotice"


def test_columns_are_read_one_after_the_other_in_whatever_order_the_file_has_them() -> None:
    left = lines(*PROSE, x=40)
    right = lines(*(line.replace("the", "a") for line in PROSE), x=330)
    rows = [text for pair in zip(left, right, strict=True) for text in pair]
    in_order = extract([*left, *right]).body
    assert in_order == f"{' '.join(PROSE)}\n\n{' '.join(PROSE).replace('the', 'a')}"
    assert extract(rows).body == in_order
    assert extract(rows[::-1]).body == in_order


def test_a_page_written_from_the_bottom_up_is_read_from_the_top_down() -> None:
    assert extract(lines(*PROSE)[::-1]).body == " ".join(PROSE)


def test_a_table_is_read_as_rows_with_a_repeated_header() -> None:
    cells = [("Fruit", "Price", "Origin"), ("Apple", "3.10", "Graz"), ("Pear", "4.20", "a far"), ("Plum", "1", "Wien")]
    page = [Text(72 + 150 * x, 700 - 24 * y, word) for y, row in enumerate(cells) for x, word in enumerate(row)]
    page.insert(9, Text(372, 700 - 24 * 2 - 12, "away | land"))
    page.insert(5, Text(222, 700 - 24 - 12, "a piece"))
    extracted = extract([*lines("Prices:"), *page])
    table = next(block for block in extracted.blocks if block.kind is BlockKind.TABLE)
    assert table.head == "| Fruit | Price | Origin |\n| --- | --- | --- |"
    assert table.span.of(extracted.body).splitlines()[2:] == [
        "| Apple | 3.10 a piece | Graz |",
        "| Pear | 4.20 | a far away \\| land |",
        "| Plum | 1 | Wien |",
    ]


def test_bullets_and_numbers_are_items_and_their_lines_stay_together() -> None:
    extracted = extract(
        [
            *lines("• The first item of the list goes on over"),
            *lines("a second line.", x=84, top=748),
            *lines("• The next one", "1. And one with a number", top=736),
        ]
    )
    assert extracted.body.splitlines() == [
        "- The first item of the list goes on over a second line.",
        "- The next one",
        "1. And one with a number",
    ]
    assert {block.kind for block in extracted.blocks} == {BlockKind.LIST_ITEM}


def test_hebrew_and_arabic_are_in_logical_order() -> None:
    extracted = extract([Text(72, 700, "שלום עולם", backwards=True), Text(72, 600, ARABIC, backwards=True)])
    assert extracted.body == "שלום עולם\n\n" + ARABIC


def test_ligatures_and_presentation_forms_are_read_as_their_letters() -> None:
    assert extract([Text(72, 700, "the o\ufb03ce \ufb01le № 世界")]).body == "the office file № 世界"


def test_a_turned_page_is_read_as_it_is_shown() -> None:
    side_by_side = [Text(72, 700, "one"), Text(72, 600, "two")]
    assert sorted(extract(side_by_side, rotate=180).body.split()) == ["one", "two"]


def test_pages_without_text_are_named_in_the_metadata() -> None:
    extracted = extract(lines("One"), [], lines("Three"), [], [])
    assert extracted.metadata["pages_without_text"] == "2, 4-5"
    assert [section.slug for section in extracted.sections] == ["page-1", "page-3"]


def test_bare_addresses_are_links() -> None:
    (link,) = extract(lines("See https://bridge.example/plan for the plan.")).links
    assert link.target == "https://bridge.example/plan"


@pytest.mark.requirement("zip-bombs-and-broken-files-reported")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pdf([], []), "holds no text.*scan.*ocrmypdf"),
        (pdf(lines("x"), locked=True), "password.*Save a copy without"),
        (pdf(lines("x"))[:400], "broken"),
        (b"", "broken"),
        (b"%PDF-1.7\nno more", "broken"),
        (pdf(), "broken"),
    ],
)
def test_an_unreadable_file_is_refused_with_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(SkippableSourceError, match=said):
        extract_pdf(data, fallback_title="f")


def test_no_damage_leads_to_anything_but_text_or_a_refusal() -> None:
    whole = pdf(lines(*PROSE), lines("End"), outline=[Launcher("A", 0)], info={"Title": "T"})
    read = 0
    for cut in range(50, len(whole), len(whole) // 40):
        for data in (whole[:cut], whole[:cut] + b"\x00" * 40 + whole[cut + 40 :]):
            with suppress(SkippableSourceError):
                assert_consistent(extract_pdf(data, fallback_title="f"))
                read += 1
    assert read > 10


@pytest.mark.parametrize(
    ("stored", "title"),
    [
        ("  Annual\nReport 2024 ", "Annual Report 2024"),
        ("Microsoft Word - draft3.doc", ""),
        ("untitled", ""),
        ("Presentation1", ""),
        ("PowerPoint Presentation", ""),
        ("report_final.indd", ""),
        ("12/3", ""),
        ("Documentation of the house", "Documentation of the house"),
        ("Titel und Thesen", "Titel und Thesen"),
    ],
)
def test_a_title_chosen_by_a_program_is_ignored(stored: str, title: str) -> None:
    assert sensible_title(stored) == title


def test_a_table_of_contents_is_a_line_per_entry_with_its_dots_cut() -> None:
    found = extract(lines("1 Why stone " + ". " * 40 + "3", "2 Why here ........................ 12"))
    assert found.body == "1 Why stone ... 3\n\n2 Why here ... 12"


def test_hostile_lines_cost_linear_time() -> None:
    for text in ("." * 20_000 + "x", "a" * 20_000, "a-" * 10_000):
        short = operations(lambda text=text: extract([Text(72, 700, text[-5_000:], size=1)]))
        assert operations(lambda text=text: extract([Text(72, 700, text, size=1)])) < 4.5 * short + 1_000
        extract([Text(72, 700, text, size=1), Text(72, 690, text, size=1)])


@pytest.mark.requirement("raised-figures-stay-apart")
def test_a_smaller_and_higher_figure_of_a_page_is_raised(shared_data: Path) -> None:
    data = (shared_data / "faults" / "04" / "sup.pdf").read_bytes()
    assert extract_pdf(data, fallback_title="f").body == "The tank holds 10⁶ litres of brine"


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (Text(105, 704, "6", 6), "The tank 10⁶ l"),
        (Text(105, 697, "2", 6), "The tank 10₂ l"),
        (Text(105, 700, "6", 6), "The tank 106 l"),
        (Text(105, 704, "6", 10), "The tank 106 l"),
    ],
)
def test_size_and_rise_decide_together(figure: Text, text: str) -> None:
    page = [Text(50, 700, "The tank 10"), figure, Text(109, 700, " l")]
    body = extract_pdf(pdf(page), fallback_title="f").body
    assert body.replace(" ", "") == text.replace(" ", "")


@pytest.mark.requirement("raised-figures-stay-apart")
def test_the_mark_of_a_note_does_not_join_the_first_word_of_the_note() -> None:
    page = [*lines(*PROSE), Text(72, 604, "1", 6), Text(76, 600, "Measured at sea level.")]
    assert extract(page).body.endswith("¹Measured at sea level.")


def test_a_small_number_below_a_large_title_is_on_its_own_line() -> None:
    assert "5 pumps" in extract([Text(72, 700, "Chapter 12", 24), Text(72, 680, "5 pumps work", 10)]).body


@pytest.mark.requirement("no-character-is-dropped")
def test_a_glyph_without_a_character_is_seen() -> None:
    assert extract([*lines("Value \ufffd\u03a9 ohm")]).body == "Value \ufffdΩ ohm"


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize(
    ("word", "index", "rise", "said"),
    [
        ("x", "n", 4, "x\u207f"),
        ("e", "-x", 4, "e^(-x)"),
        ("V", "max", -2, "V_(max)"),
        ("U", "i,j", -2, "U_(i,j)"),
        ("1", "st", 4, "1st"),
        ("H", "ELIUM", 0, "HELIUM"),
    ],
)
def test_smaller_and_higher_letters_of_a_page_are_raised(word: str, index: str, rise: float, said: str) -> None:
    width = {"x": 5.0, "e": 5.56, "1": 5.56, "V": 6.67}.get(word, 7.22)
    parts = (Text(72, 700, f"Value {word}"), Text(100.35 + width, 700 + rise, index, 6), Text(140, 700, "here"))
    assert extract_pdf(pdf(parts), fallback_title="f").body.split()[:2] == ["Value", said]


@pytest.mark.requirement("one-bad-detail")
def test_a_bad_detail_of_a_file_costs_at_most_its_page() -> None:
    sound = pdf(lines("The lamp is vermilion"), lines("The chair is teal"), lines("The desk is green"))
    for before, after, lost in (
        (b"startxref\n", b"startxref\n9", ""),
        (b"/Length ", b"/Length 9", ""),
        (b"/F1 4 0 R", b"/F1 98 0 R", ""),
        (b"/MediaBox [0 0 595 842]", b"/MediaBox [a b]        ", ""),
        (b"22 0 R 24 0 R", b"77 0 R 24 0 R", "1 unreadable page"),
        (b"(The chair is teal) Tj", b"(The chair is teal Tj  ", "1 page without text"),
    ):
        assert before in sound
        found = extract_pdf(sound.replace(before, after, 1), fallback_title="f")
        assert {"vermilion", "green"} <= set(found.body.split())
        assert ("teal" in found.body) is not bool(lost)
        assert in_words(found.left_out) == lost


@pytest.mark.requirement("scans-are-marked")
def test_pages_that_were_recognised_say_so_and_read_as_pages_do() -> None:
    file = PdfFile(pdf(lines("Typed words of the first page."), [], []))
    try:
        pages = pages_of(file)
        assert [page is not None and bool(page.lines) for page in pages] == [True, False, False]
        runs = (
            PdfRun("The pump is ser-", 200, 2000, 900, 2030, 30, hyphen=True),
            PdfRun("viced in May.", 200, 1960, 800, 1990, 30),
        )
        scanned, empty = pages[1:]
        assert scanned is not None
        assert empty is not None
        pages[1] = scanned.with_recognised(RecognisedPage(runs, 2339.0, 0.934))
        pages[2] = empty.with_recognised(RecognisedPage((), 2339.0, 0.0))
        found = document_of(file, pages, "Plan")
    finally:
        file.close()
    assert_consistent(found)
    assert [(section.slug, section.title) for section in found.sections] == [
        ("page-1", "Page 1"),
        ("page-2", "Page 2 (read by OCR, confidence 0.93)"),
    ]
    assert found.sections[1].span.of(found.body) == "The pump is serviced in May."
    assert recognised_in(found.metadata) == (RecognisedPart(found.sections[1].span, 0.93),)
    assert found.metadata["pages_without_text"] == "3"


@pytest.mark.requirement("scans-are-marked")
def test_a_page_that_was_not_recognised_is_not_called_one_without_text() -> None:
    file = PdfFile(pdf(lines("Typed words of the first page."), [], []))
    try:
        pages = [page or PageContent() for page in pages_of(file)]
        found = document_of(file, [pages[0], replace(pages[1], unrecognised=True), pages[2]], "Plan")
    finally:
        file.close()
    assert found.metadata["pages_without_text"] == "3"
    assert {part.kind: part.count for part in found.left_out} == {"page without text": 1, "page not recognised": 1}


def test_a_page_is_drawn_as_large_as_it_is_wanted_and_a_broken_one_is_not() -> None:
    file = PdfFile(pdf(lines("Words")))
    try:
        drawn = file.picture(0, 421)
        assert drawn is not None
        assert (drawn.shape[0], drawn.ndim, int(drawn.min()) < 128) == (421, 2, True)
        assert file.picture(7, 421) is None
    finally:
        file.close()
