import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evidence.material import questions, texts

from citemark.evidence.preview import MAX_CHARS, MIN_CHARS, preview, preview_of
from citemark.evidence.scoring import question_tokens, rank_spans, tokenise

sizes = st.integers(-5, 700)


@pytest.mark.requirement("preview-keeps-max-snippet-chars")
@given(questions, texts, sizes, st.booleans())
def test_a_preview_keeps_to_its_size_and_to_one_line(question: str, text: str, size: int, labelled: bool) -> None:
    shown = preview(question, text, size, header_cells=labelled)
    assert len(shown) <= min(MAX_CHARS, max(MIN_CHARS, size))
    assert not re.search(r"\s\s|[\n\r\t]", shown)
    assert shown == preview(question, text, size, header_cells=labelled)


@pytest.mark.requirement("preview-shows-the-best-span")
@given(questions, texts, sizes)
def test_a_preview_shows_a_word_that_matched_in_the_best_span(question: str, text: str, size: int) -> None:
    ranked = rank_spans(question, text)
    if ranked and any(token.end - token.start < MIN_CHARS - 2 for token in ranked[0].hits):
        assert question_tokens(question) & {token.text for token in tokenise(preview(question, text, size))}


@pytest.mark.requirement("preview-shows-the-best-span")
def test_the_part_with_the_matched_words_is_cut_out_of_a_long_span() -> None:
    text = "filler words " * 60 + "the size limit is 4096 bytes " + "more filler " * 60
    shown = preview("size limit", text, 80)
    assert "the size limit is 4096 bytes" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert set(shown.strip("…").split()) <= set(text.split())


@pytest.mark.parametrize(("length", "shown"), [(8 * MIN_CHARS, "alpha omega…"), (8 * MIN_CHARS + 1, "alpha…")])
def test_blanks_between_matched_words_are_read_up_to_eight_times_the_size(length: int, shown: str) -> None:
    text = "alpha".ljust(length - len("omega")) + "omega" + " filler words" * 40
    assert preview("alpha omega", text, MIN_CHARS) == shown


@pytest.mark.requirement("previews-begin-at-the-match")
def test_a_preview_begins_with_the_best_span_and_further_matching_ones_behind_it_join_in_text_order() -> None:
    text = "A limit exists. Nothing here. The size limit is four. Nothing either. A limit of a size is fine. The end."
    assert preview("size limit", text, 60) == "The size limit is four. … A limit of a size is fine."


@pytest.mark.requirement("previews-begin-at-the-match")
def test_a_preview_of_a_long_span_begins_where_its_matched_words_do() -> None:
    text = "filler words " * 60 + "the size limit is 4096 bytes " + "more filler " * 60
    shown = preview("size limit", text)
    assert shown.index("size limit") <= 280 // 8
    assert len(shown) > 250


@pytest.mark.requirement("previews-begin-at-the-match")
def test_of_near_identical_lines_a_preview_shows_the_one_nearer_to_the_wording_of_the_question() -> None:
    text = "\n".join(
        f"- In step {at} the pump of line {at} is {done}."
        for at, done in enumerate(("primed", "started", "stopped", "rinsed"), 1)
    )
    assert preview("What is done with the pump in step 3?", text, 60).startswith("- In step 3")
    levels = "- The alarm of level A rings in the hall.\n- The alarm of level B rings in the yard."
    assert preview("where does the alarm of level B ring", levels, 60).startswith("- The alarm of level B")


def test_lines_that_merely_share_as_many_words_keep_the_contract_order() -> None:
    text = "The pump is old.\n\nIn step 3 something else entirely is done to the pump by hand."
    assert preview("pump step 3 old", text, 60).startswith("The pump is old.")


def test_a_row_is_readable_and_can_name_its_columns() -> None:
    text = "| Code | Meaning     |\n|---|---|\n| `4`  | Server unreachable  |"
    assert preview("server unreachable", text) == "| `4` | Server unreachable |"
    assert preview("server unreachable", text, header_cells=True) == "Code: `4` | Meaning: Server unreachable"


@pytest.mark.requirement("table-rows-are-passages")
def test_a_row_below_a_header_that_its_text_lacks_names_its_columns() -> None:
    row = "| `4`  | Server unreachable  |"
    ranked = rank_spans("server unreachable", row)
    assert preview_of(ranked, row, header="| Code | Meaning |") == "Code: `4` | Meaning: Server unreachable"
    assert preview_of(ranked, row, header="| Code |") == "| `4` | Server unreachable |"


def test_an_empty_text_has_an_empty_preview() -> None:
    assert preview("anything", "") == ""


@pytest.mark.requirement("previews-never-repeat-a-sentence")
def test_a_sentence_that_matches_and_follows_the_best_is_shown_once() -> None:
    text = "When you open it by hand, the valve opens at four bar. The valve closes. Open it."
    shown = preview("when does the valve open", text)
    assert shown.count("The valve closes.") == 1
    assert shown == text


def test_an_ellipsis_marks_only_what_was_cut_off() -> None:
    rest = "padding " * 60
    begins, ends = preview("size limit", f"The size limit {rest}", 80), preview("size limit", f"{rest}size limit.", 80)
    assert begins.startswith("The size limit")
    assert begins.endswith("…")
    assert ends.startswith("…")
    assert ends.endswith("size limit.")


def test_a_row_names_its_columns_only_when_asked_to() -> None:
    text = "| Code | Meaning |\n|---|---|\n| 4 | Server unreachable |"
    ranked = rank_spans("server unreachable", text)
    assert preview_of(ranked, text) == "| 4 | Server unreachable |"
    assert preview_of(ranked, text, header_cells=True) == "Code: 4 | Meaning: Server unreachable"


@pytest.mark.requirement("figures-decide-the-excerpt")
@pytest.mark.parametrize("question", ["meter reading on 14 March 2026", "Zählerstand am 14. März 2026"])
def test_the_excerpt_of_a_long_span_shows_the_date_that_is_asked_for_in_its_own_form(question: str) -> None:
    readings = [f"am {day:02}.{month:02}.2026 waren es {day}{month:02} kWh" for month in range(1, 7) for day in (1, 14)]
    shown = preview(question, "Der Zählerstand: " + ", ".join(readings), 80)
    assert "14.03.2026" in shown


@pytest.mark.requirement("figures-decide-the-excerpt")
def test_the_line_with_the_date_that_is_asked_for_ranks_first_among_equal_lines() -> None:
    text = "\n".join(f"- {at:02}.{at:02}.2026: reading {at}00 kWh" for at in range(1, 10))
    assert rank_spans("meter reading in March 2026", text)[0].piece.span.of(text).startswith("- 03.03.2026")
