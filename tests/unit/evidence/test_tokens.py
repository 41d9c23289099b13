import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evidence.material import texts

from citemark.evidence.budget import (
    bytes_len,
    count_tokens,
    joins_previous,
    prefix_chars,
    suffix_chars,
    whole_sign_before,
)


@pytest.mark.requirement("tools-token-estimate")
def test_a_token_is_four_bytes_rounded_up() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde", "€€", "\ud800")] == [0, 1, 1, 2, 2, 1]


@given(texts, st.integers(0, 200))
def test_the_longest_beginning_and_end_that_fit_are_counted(text: str, max_bytes: int) -> None:
    head, tail = prefix_chars(text, max_bytes), suffix_chars(text, max_bytes)
    assert bytes_len(text[:head]) <= max_bytes
    assert bytes_len(text[len(text) - tail :]) <= max_bytes
    assert head == len(text) or bytes_len(text[: head + 1]) > max_bytes
    assert tail == len(text) or bytes_len(text[len(text) - tail - 1 :]) > max_bytes


@pytest.mark.parametrize(
    ("text", "max_bytes", "from_start", "at_end"),
    [
        ("€€", 2, 0, 0),
        ("€€", 3, 1, 1),
        ("€€", 5, 1, 1),
        ("a😀b", 4, 1, 1),
        ("a😀b", 5, 2, 2),
        ("a€", 3, 1, 1),
        ("", 1, 0, 0),
    ],
)
def test_a_character_that_fits_only_in_part_is_left_out(
    text: str, max_bytes: int, from_start: int, at_end: int
) -> None:
    assert (prefix_chars(text, max_bytes), suffix_chars(text, max_bytes)) == (from_start, at_end)


def test_an_endless_pile_of_marks_is_cut_somewhere() -> None:
    assert whole_sign_before("a" + "\u0301" * 500, 400) == 400


@pytest.mark.parametrize(
    ("text", "at", "joined"),
    [
        ("ab", 0, False),
        ("ab", 2, False),
        ("\r\n", 1, True),
        ("\n\n", 1, False),
        ("e\u0301", 1, True),
        ("👍🏽", 1, True),
        ("👩\u200d👧", 1, True),
        ("👩\u200d👧", 2, True),
        ("🇩🇪🇫🇷", 1, True),
        ("🇩🇪🇫🇷", 2, False),
        ("\ud83d\udc4d", 1, True),
        ("\ud83dé", 1, False),
        ("é\udc4d", 1, False),
    ],
)
def test_combining_characters_are_recognized(text: str, at: int, joined: bool) -> None:
    assert joins_previous(text, at) is joined
