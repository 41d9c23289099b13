"""What is said of a quotation that a document does not have word for word."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.evidence.differences import occurrences
from citemark.evidence.verify import locate

BODY = (
    "The limit is 15 bytes, and it must never be raised. He writes \u201cquoted\u201d \u2013 and **bold** \u2013 "
    "words. "
    "Frost begins at -5 \u00b0C, which 10.5 % of all valves survive. The closed valve is green."
)


def difference(quote: str, body: str = BODY) -> Any:
    found = locate(quote, body)
    assert found.holds == "changed", quote
    assert found.difference is not None, quote
    return found.difference


@pytest.mark.requirement("difference-named")
@pytest.mark.parametrize(
    ("quote", "message"),
    [
        ("The limit is 10 bytes, and it must", 'The document says "15" where the quotation says "10".'),
        ("The limit is 10", 'The document says "15" where the quotation says "10".'),
        (
            "15 bytes, and it must be raised.",
            'The document says "never" after "must", which the quotation leaves out.',
        ),
        (
            "the only limit is 15 bytes, and it must never",
            'The document has nothing there where the quotation says "only" after "the".',
        ),
        ("The closed valve is blue.", 'The document says "green" where the quotation says "blue".'),
        ("An open valve is green.", None),
        (
            "The limits are 15 bytes, and it must never be raised",
            'The document says "limit is" where the quotation says "limits are".',
        ),
        (
            "The limit was 15 bytes, and it must never be lowered.",
            'The document says "is" where the quotation says "was", and 1 other place differs.',
        ),
    ],
)
def test_words_that_differ_are_named_in_the_shortest_way(quote: str, message: str | None) -> None:
    found = locate(quote, BODY)
    if message is None:
        assert found.holds in {"changed", "gone"}
    else:
        assert difference(quote).message == message
        assert difference(quote).kind == "words"


@pytest.mark.requirement("difference-named", "marks-alone-named")
@pytest.mark.parametrize(
    ("quote", "kind"),
    [
        ('He writes "quoted" - and **bold** - words.', "marks"),
        ("\u2013 and bold \u2013 words", "marks"),
        ("the limit is 15 bytes", "letter_case"),
        ("Frost begins at 5 \u00b0C", "words"),
        ("which 105 % of all valves survive", "words"),
        ("which 10.5 of all valves survive", "words"),
    ],
)
def test_marks_and_letter_case_are_told_apart_from_words_signs_and_symbols(quote: str, kind: str) -> None:
    assert difference(quote).kind == kind


@pytest.mark.requirement("marks-alone-named")
def test_marks_alone_are_never_called_exact_and_never_other_words() -> None:
    found = difference('He writes "quoted" - and')
    assert found.message == (
        "Only marks such as quotation marks, dashes or markup differ: the document writes `\u201c` where the quotation "
        'writes `"`, and 1 other place differs.'
    )


@pytest.mark.requirement("marks-alone-named")
@pytest.mark.parametrize(
    ("quote", "says"),
    [
        ('"quoted\u201d', 'the document writes `\u201c` where the quotation writes `"`.'),
        ("it must never be raised!", "the document writes `.` where the quotation writes `!`."),
        ('"The limit is 15', 'the document has nothing there where the quotation writes `"`.'),
        ('"quoted"', 'the document writes `\u201c` where the quotation writes `"`, and 1 other place differs.'),
        ("He writes;", "the document writes `\u201c` where the quotation writes `;`."),
    ],
)
def test_marks_that_differ_at_the_ends_of_a_quotation_alone_are_named_as_marks(quote: str, says: str) -> None:
    assert difference(quote).message == f"Only marks such as quotation marks, dashes or markup differ: {says}"


def test_a_raised_figure_is_not_the_figure_beside_it() -> None:
    assert list(occurrences("102 litres", "It holds 10\u00b2 litres.")) == []


words = st.lists(st.sampled_from(["pump", "valve", "15", "never", "must", "boiler"]), min_size=3, max_size=9)


@pytest.mark.requirement("difference-named")
@given(words, st.data())
def test_a_difference_that_is_named_is_in_both_texts(body: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(body) - 1))
    quoted = [*body[:at], "sundial", *body[at + 1 :]]
    found = locate(" ".join(quoted), " ".join(body))
    if found.holds == "changed":
        assert found.difference is not None
        assert found.difference.document in " ".join(body)
        assert found.difference.quotation in " ".join(quoted)
        assert "sundial" in found.difference.message


@given(words)
def test_exact_words_have_no_difference(body: list[str]) -> None:
    assert locate(" ".join(body), f"So {' '.join(body)}.").difference is None


def test_a_long_document_of_one_word_is_searched_in_proportion() -> None:
    body = "pump " * 200_000
    began = time.process_time()
    assert list(occurrences("pump " * 500 + "valve", body)) == []
    assert time.process_time() - began < 5


def test_a_quotation_without_a_word_occurs_nowhere() -> None:
    assert next(occurrences("\u2026 !?", BODY), None) is None


def test_only_the_first_thousand_words_of_a_long_quotation_are_compared_for_a_difference() -> None:
    text = [f"word{number}" for number in range(1_002)]
    found = locate(" ".join([*text[:-1], "other"]), " ".join(text))
    assert (found.holds, found.difference) == ("changed", None)
