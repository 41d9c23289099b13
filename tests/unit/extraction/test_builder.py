from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.extracted_checks import assert_consistent

from citemark.extraction import builder
from citemark.extraction.builder import Builder, TextRun
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted

TEXTS = st.text(alphabet="ab Ü|#-[]()\n\t\x00שع世\u00ad", max_size=12)
PIECES = st.lists(st.builds(TextRun, TEXTS, st.sampled_from(["", "", "https://x.example/a", "#top"])), max_size=4)
ROWS = st.lists(st.lists(PIECES, max_size=4), max_size=4)
Step = Callable[[Builder], None]


@st.composite
def steps(draw: st.DrawFn) -> Step:
    """One call of the builder, with anything that a broken file could hold."""
    said, title, level = draw(PIECES), draw(TEXTS), draw(st.integers(-1, 30))
    rows, header, kind = draw(ROWS), draw(st.booleans()), draw(st.sampled_from(BlockKind))
    calls: list[Step] = [
        lambda b: b.heading(said, level),
        lambda b: b.section(title, level=level),
        lambda b: b.paragraph(said, kind),
        lambda b: b.item(said, depth=max(0, level)),
        lambda b: b.table(rows, header=header),
    ]
    return draw(st.sampled_from(calls))


def built(*calls: Step) -> Extracted:
    builder = Builder()
    for call in calls:
        call(builder)
    return builder.finish(title="T", nothing="It holds no text.")


@given(st.lists(steps(), max_size=12))
def test_spans_and_sections_are_consistent_for_any_input(calls: Sequence[Step]) -> None:
    try:
        extracted = built(*calls)
    except SkippableSourceError:
        return
    assert_consistent(extracted)


@given(st.lists(PIECES, min_size=1, max_size=6))
def test_every_letter_of_the_pieces_is_in_the_body_in_order(paragraphs: Sequence[Sequence[TextRun]]) -> None:
    builder = Builder()
    for said in paragraphs:
        builder.paragraph(said)
    wanted = "".join(piece.text for said in paragraphs for piece in said)
    wanted = "".join(wanted.replace("\x00", "").replace("\u00ad", "").split())
    if wanted:
        body = builder.finish(title="T", nothing="none").body
        assert "".join(body.split()) == wanted


def test_headings_nest_and_repeated_ones_are_numbered_as_in_markdown() -> None:
    extracted = built(
        lambda b: b.heading("Guide", 1),
        lambda b: b.heading("Use", 3),
        lambda b: b.paragraph("one"),
        lambda b: b.heading("Use", 3),
        lambda b: b.paragraph("two"),
    )
    assert extracted.body == "# Guide\n\n### Use\n\none\n\n### Use\n\ntwo"
    assert [section.slug for section in extracted.sections] == ["guide", "guide/use", "guide/use~2"]
    assert extracted.sections[2].heading_path == ("Guide", "Use")


def test_a_title_with_stars_and_brackets_is_kept_as_it_is() -> None:
    (section,) = built(lambda b: b.heading("5 * 3 * 2 <b> [x](y)", 1)).sections
    assert section.title == "5 * 3 * 2 <b> [x](y)"


def test_a_section_without_a_heading_begins_with_its_first_block_and_an_empty_one_is_left_out() -> None:
    extracted = built(
        lambda b: b.section("Page 1", path=("Intro", "Page 1")),
        lambda b: b.paragraph("first"),
        lambda b: b.section("Page 2"),
        lambda b: b.section("Page 3"),
        lambda b: b.paragraph("third"),
    )
    assert [(s.slug, s.heading_path, s.span.of(extracted.body)) for s in extracted.sections] == [
        ("page-1", ("Intro", "Page 1"), "first"),
        ("page-3", ("Page 3",), "third"),
    ]


def test_a_table_escapes_bars_drops_empty_columns_and_keeps_its_header() -> None:
    extracted = built(lambda b: b.table([["a|b", "", "c"], ["1", " ", ""], ["", "", ""]]))
    (table,) = extracted.blocks
    assert extracted.body == "| a\\|b | c |\n| --- | --- |\n| 1 |  |"
    assert table.head == "| a\\|b | c |\n| --- | --- |"


def test_links_are_placed_at_their_words_in_paragraphs_lists_and_cells() -> None:
    home = [
        TextRun("see "),
        TextRun("the ", "https://x.example"),
        TextRun("page", "https://x.example"),
        TextRun(" now"),
    ]
    extracted = built(lambda b: b.paragraph(home), lambda b: b.item(home), lambda b: b.table([["k", home]]))
    assert [(link.span.of(extracted.body), link.target) for link in extracted.links] == [
        ("the page", "https://x.example")
    ] * 3


def test_an_address_that_is_only_written_out_is_a_link_once() -> None:
    extracted = built(
        lambda b: b.paragraph([TextRun("At "), TextRun("https://a.example", "https://a.example")]),
        lambda b: b.paragraph("Or at https://b.example. But f[1](x) is none."),
    )
    assert [link.target for link in extracted.links] == ["https://a.example", "https://b.example"]


def test_list_items_are_on_separate_lines_and_line_breaks_of_a_paragraph_stay() -> None:
    extracted = built(
        lambda b: b.paragraph("1 Road\n\n  Town "),
        lambda b: b.item("one", marker="1."),
        lambda b: b.item("two", depth=1),
    )
    assert extracted.body == "1 Road\nTown\n\n1. one\n  - two"


def test_cuts_are_reported_in_the_text_and_in_the_metadata() -> None:
    extracted = built(lambda b: b.paragraph("x"), lambda b: b.cut("Only 1 of 9 rows is read."))
    assert extracted.body.endswith("[Only 1 of 9 rows is read.]")
    assert extracted.metadata == {"truncated": "Only 1 of 9 rows is read."}


def test_a_body_that_is_too_long_ends_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "MOST_CHARACTERS", 100)
    paragraphs: list[Step] = [lambda b: b.paragraph("word " * 10)] * 9
    extracted = built(*paragraphs)
    assert len(extracted.body) < 300
    assert "only its first" in extracted.metadata["truncated"]
    assert all(a.span.end < b.span.start for a, b in pairwise(extracted.blocks))


def test_a_document_without_text_is_refused_with_the_message_of_its_parser() -> None:
    with pytest.raises(SkippableSourceError, match="It holds no text"):
        built(lambda b: b.heading(" ", 1), lambda b: b.table([["", " "]]))


def test_a_long_run_of_blanks_between_two_words_costs_linear_time() -> None:
    # In quadratic time this would not end within the time limit of a test.
    extracted = built(lambda b: b.paragraph(f"a{' ' * 300_000}b{chr(10) * 300_000}c"))
    assert extracted.body == "a b\nc"
