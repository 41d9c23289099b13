from itertools import pairwise

import pytest
from hypothesis import given
from tests.support.operations import operations
from tests.unit.evidence.material import split_spans, texts

from citemark.evidence.spans import SpanKind, marker_end, open_fences, pieces


def shown(text: str) -> list[str]:
    return [span.of(text) for span in split_spans(text)]


@given(texts)
def test_spans_are_ordered_disjoint_trimmed_and_inside(text: str) -> None:
    spans = split_spans(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(span.of(text) == span.of(text).strip() for span in spans)


@given(texts)
def test_every_letter_and_digit_lies_in_a_span(text: str) -> None:
    covered = {at for span in split_spans(text) for at in range(span.start, span.end)}
    assert all(at in covered for at, character in enumerate(text) if character.isalnum())


@given(texts)
def test_the_body_of_a_span_is_inside_it(text: str) -> None:
    assert all(piece.span.contains(piece.body) and piece.span.end == piece.body.end for piece in pieces(text))


@pytest.mark.requirement("dots-in-names-split-nothing")
@pytest.mark.parametrize(
    "whole",
    [
        "Use v1.2.3 of file.name.md at 3.5 s.",
        "Take one, e.g. this, i.e. that one.",
        "Dr. Smith vs. J. Doe met etc. and so on.",
        "Open https://a.example/x?y=z.w now.",
        "Wait... it goes on … and on.",
        "The U.S. Government acts.",
        "See Fig. 3 and No. 7 there.",
        "Call `foo. bar` twice.",
        "12. The twelfth thing.",
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(whole: str) -> None:
    assert shown(f"First one. {whole} Last one.")[-2:] == [whole, "Last one."] or shown(whole) == [whole]
    assert whole in shown(whole)


@pytest.mark.requirement("spans-split-at-blanks-bullets-sentences")
def test_sentences_end_at_stops_before_white_space() -> None:
    assert shown('Currently, no. "Really?" Yes!\nDone (now). **Bold.** End') == [
        "Currently, no.",
        '"Really?"',
        "Yes!",
        "Done (now).",
        "**Bold.**",
        "End",
    ]


def test_wide_stops_end_sentences_without_spaces() -> None:
    assert shown("検索は速い。本当ですか？はい。") == ["検索は速い。", "本当ですか？", "はい。"]  # noqa: RUF001


@pytest.mark.requirement("spans-split-at-blanks-bullets-sentences", "a-bullet-is-a-span")
def test_bullets_and_numbers_are_spans() -> None:
    assert shown("Intro:\n- one\n  goes on\n- two\n3. three") == ["Intro:", "- one\n  goes on", "- two", "3. three"]


def test_the_text_of_a_list_item_begins_after_its_bullet() -> None:
    text = "Intro:\n- one\n12. two"
    assert text[marker_end(text, 7, 13) :] == "one\n12. two"
    assert text[marker_end(text, 13, len(text)) :] == "two"
    assert marker_end(text, 0, 7) == 0


@pytest.mark.requirement("spans-split-at-blanks-bullets-sentences")
def test_blank_lines_separate() -> None:
    assert shown("one\ntwo\n\nthree") == ["one\ntwo", "three"]


@pytest.mark.requirement("fenced-code-stays-whole")
@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_fenced_code_stays_whole(fence: str) -> None:
    code = f"{fence}py\nprint(1). \n\n- x\n# no heading\n| a |\n{fence}"
    assert shown(f"Before.\n\n{code}\nAfter.") == ["Before.", code, "After."]


def test_a_fence_cut_off_by_the_passage_runs_to_its_end() -> None:
    assert shown("Text.\n```py\na = 1. \n\nb = 2") == ["Text.", "```py\na = 1. \n\nb = 2"]


def test_an_unopened_closing_fence_hides_nothing() -> None:
    assert shown("a = 1\n```\n\nOne. Two.") == ["a = 1", "One.", "Two."]
    assert shown("a = 1\n```\n\nOne. Two.\n```py\nb\n```")[-2:] == ["Two.", "```py\nb\n```"]


def test_a_table_row_is_a_span_with_its_header_and_a_delimiter_row_is_not_a_span() -> None:
    text = "| Code | Meaning |\n| --- | :-: |\n| `4` | Unreachable. Sorry. |\n\nAfter."
    rows = pieces(text)
    assert [piece.kind for piece in rows] == [SpanKind.ROW_HEAD, SpanKind.ROW, SpanKind.SENTENCE]
    assert rows[1].span.of(text) == "| `4` | Unreachable. Sorry. |"
    assert rows[1].header is not None
    assert rows[1].header.of(text) == "| Code | Meaning |"


def test_a_table_without_outer_pipes_is_a_table() -> None:
    assert [piece.kind for piece in pieces("a | b\n--- | ---\n1 | 2\n")] == [SpanKind.ROW_HEAD, SpanKind.ROW]


def test_a_heading_is_attached_to_the_sentence_below_it() -> None:
    text = "# Page\n\n## Can I delete it?\n\nCurrently, no. Later perhaps."
    first, second = pieces(text)
    assert first.span.of(text) == "# Page\n\n## Can I delete it?\n\nCurrently, no."
    assert first.body.of(text) == "Currently, no."
    assert second.span.of(text) == "Later perhaps."


def test_an_underlined_heading_is_one() -> None:
    assert [piece.kind for piece in pieces("Title\n=====\n")] == [SpanKind.HEADING]


def test_a_heading_above_code_or_at_the_end_is_not_attached_to_a_sentence() -> None:
    kinds = [piece.kind for piece in pieces("## A\n```\ncode\n```\n## B")]
    assert kinds == [SpanKind.HEADING, SpanKind.CODE, SpanKind.HEADING]


@pytest.mark.parametrize(
    "unit", ["(", "`", "a. ", "......", "| a ", "<x>", "- ", "> ", "```\n", "e.g. ", "。", "*", "\n#", "=\n"]
)
def test_long_texts_take_work_in_proportion(unit: str) -> None:
    def work(count: int) -> int:
        return operations(lambda: split_spans(unit * count))

    assert work(1_200) < 4.5 * work(300) + 500
    split_spans(unit * 60_000)  # a pattern that backtracks over all of it would take minutes


@pytest.mark.requirement("abbreviations-do-not-split-sentences")
def test_a_numbered_heading_is_not_glued_to_the_sentence_before_it() -> None:
    text = "The valve opens.\n4.2 Valve settings\nTurn it twice. It is 1.5 Bar or more."
    assert shown(text) == ["The valve opens.", "4.2 Valve settings\nTurn it twice.", "It is 1.5 Bar or more."]
    assert shown("It costs\n1.5 Million euros a year.") == ["It costs\n1.5 Million euros a year."]


@pytest.mark.requirement("salutations-and-signatures-answer-nothing")
def test_a_salutation_is_not_a_sentence_of_a_mail() -> None:
    text = "From: Ada\nTo: Bob\nSubject: Pump\n\nDear Bob,\nthe pump leaks. Send a seal.\n\nBest regards,\nAda Works\n"
    kinds = [(piece.span.of(text), piece.kind) for piece in pieces(text)]
    assert kinds == [
        ("From: Ada\nTo: Bob\nSubject: Pump", SpanKind.ADDRESSING),
        ("Dear Bob,", SpanKind.ADDRESSING),
        ("the pump leaks.", SpanKind.SENTENCE),
        ("Send a seal.", SpanKind.SENTENCE),
        ("Best regards,\nAda Works", SpanKind.ADDRESSING),
    ]
    assert [piece.kind for piece in pieces("Sehr geehrte Frau Kunz,\n\nMit freundlichen Gr\u00fc\u00dfen\nAda")] == [
        SpanKind.ADDRESSING,
        SpanKind.ADDRESSING,
    ]


def test_a_rule_of_a_table_whose_header_was_cut_off_begins_a_table() -> None:
    assert [(piece.kind, piece.span.of(ROWS)) for piece in pieces(ROWS)] == [
        (SpanKind.ROW, "a | b"),
        (SpanKind.ROW, "c | d"),
    ]


ROWS = "|---|---|\na | b\nc | d"


def test_front_matter_is_one_span() -> None:
    text = "---\ntitle: Valves\n---\n\nThey open."
    assert [(piece.kind, piece.span.of(text)) for piece in pieces(text)] == [
        (SpanKind.FRONT_MATTER, "---\ntitle: Valves\n---"),
        (SpanKind.SENTENCE, "They open."),
    ]


def test_the_number_of_a_list_item_is_not_a_sentence() -> None:
    text = "Two steps follow here.\n\n1. Open it. Wait.\n\n2. Close it."
    assert shown(text) == ["Two steps follow here.", "1. Open it.", "Wait.", "2. Close it."]


@pytest.mark.parametrize(
    ("text", "fences"),
    [
        ("```py  \nx = 1\n", ("", "```")),
        ("```py\nx = 1\n```  \n", ("", "")),
        ("> ```py\n> x = 1\n", ("", "```")),
        ("x = 1\n```\nText.", ("```", "")),
        ("Text alone.", ("", "")),
    ],
)
def test_missing_opening_and_closing_fences_are_detected(text: str, fences: tuple[str, str]) -> None:
    assert open_fences(text) == fences


@pytest.mark.requirement("replies-stay-apart")
@pytest.mark.parametrize(
    "text",
    [
        "No, it must not be opened\n> The valve is opened\n> before the start",
        "> The valve is opened\n> before the start\nNo, it must not be opened",
        ">> The valve is opened\n>> before the start\n> No, it must not be opened",
        "- No, it must not be opened\n> The valve is opened\n> before the start",
    ],
)
def test_no_span_joins_a_reply_with_what_it_quotes(text: str) -> None:
    spans = [span.of(text) for span in split_spans(text)]
    assert len(spans) == 2
    assert not any("must not" in span and "valve" in span for span in spans)
