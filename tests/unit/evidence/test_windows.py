"""The part of a long span that is shown."""

from collections.abc import Sequence

import pytest

from citemark.evidence.scoring import question_tokens, tokens_among
from citemark.evidence.windows import densest, most, word_end, word_start
from citemark.model.text import Span


def shown(text: str, question: str, size: int) -> str:
    hits = tokens_among(text, question_tokens(question))
    return densest(text, Span(0, len(text)), hits, lambda start, end: end - start <= size).of(text)


def test_the_window_with_the_most_different_words_wins_over_an_earlier_and_tighter_one() -> None:
    text = "limit " + "padding " * 12 + "the limit of the relegation holds " + "padding " * 12
    assert "limit of the relegation" in shown(text, "limit relegation", 40)


def test_among_windows_with_the_same_words_the_tightest_wins_then_the_earliest() -> None:
    loose, tight = "limit for any relegation", "limit relegation"
    assert tight in shown(f"{loose} {'padding ' * 12}{tight} {'padding ' * 12}", "limit relegation", 30)
    first = "limit relegation first"
    assert first in shown(f"{first} {'padding ' * 12}limit relegation {'padding ' * 12}", "limit relegation", 24)


def test_a_window_shows_no_word_that_does_not_fit_completely() -> None:
    assert shown("a considerable limit of it all", "considerable limit", 5) == "limit"
    assert shown("considerable words", "considerable", 5) == "consi"


def test_without_a_hit_the_first_word_is_grown() -> None:
    assert shown("alpha beta gamma delta", "nothing", 11) == "alpha beta"


def test_room_left_by_one_side_goes_to_the_other() -> None:
    assert shown("limit one two three four five", "limit", 14) == "limit one two"
    assert shown("five four three two one limit", "limit", 14) == "two one limit"


@pytest.mark.parametrize(
    ("at", "latest", "floor", "start"),
    [(0, 10, 0, 0), (2, 10, 2, 2), (6, 10, 0, 6), (2, 10, 0, 6), (5, 10, 0, 6), (2, 4, 0, 2)],
)
def test_a_window_begins_with_a_word(at: int, latest: int, floor: int, start: int) -> None:
    assert word_start("alpha beta gamma", at, latest, floor) == start


def test_all_white_space_before_a_word_is_left_out() -> None:
    assert word_start("alpha \n beta", 2, 10, 0) == 8
    assert word_start("alpha \n beta", 2, 7, 0) == 7


@pytest.mark.parametrize(("text", "at", "start"), [("ae\u0301io", 2, 3), ("👍🏽👍🏽", 1, 2), ("検索は速い", 2, 2)])
def test_without_a_word_boundary_a_window_begins_at_a_grapheme(text: str, at: int, start: int) -> None:
    assert word_start(text, at, len(text), 0) == start


@pytest.mark.parametrize(
    ("at", "earliest", "ceiling", "end"),
    [(16, 0, 16, 16), (10, 0, 16, 10), (11, 0, 16, 10), (12, 0, 16, 10), (9, 7, 16, 9), (3, 0, 16, 3)],
)
def test_a_window_ends_with_a_word(at: int, earliest: int, ceiling: int, end: int) -> None:
    assert word_end("alpha beta gamma", at, earliest, ceiling) == end


@pytest.mark.parametrize(("text", "at", "end"), [("ae\u0301io", 2, 1), ("👍🏽👍🏽", 3, 2), ("検索は速い", 2, 2)])
def test_without_a_word_boundary_a_window_ends_at_a_grapheme(text: str, at: int, end: int) -> None:
    assert word_end(text, at, 0, len(text)) == end


@pytest.mark.parametrize(("limit", "bound", "found"), [(10, 4, 4), (10, 10, 10), (10, 0, 0), (0, 5, 0), (3, 99, 3)])
def test_the_largest_number_that_holds_is_found(limit: int, bound: int, found: int) -> None:
    asked: Sequence[int] = range(bound + 1)
    assert most(lambda number: number in asked, limit) == found
