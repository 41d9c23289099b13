import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evidence.material import texts

from citemark.evidence.budget import (
    bytes_len,
    count_tokens,
    fit_prefix,
    fit_suffix,
    prefix_chars,
    suffix_chars,
    whole_sign_before,
)


@pytest.mark.requirement("tools-token-estimate")
def test_a_token_is_four_bytes_rounded_up() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde", "€€", "\ud800")] == [0, 1, 1, 2, 2, 1]


@given(texts, st.integers(0, 50))
def test_the_longest_beginning_and_end_that_fit_are_kept(text: str, max_tokens: int) -> None:
    head, tail = fit_prefix(text, max_tokens), fit_suffix(text, max_tokens)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert max(bytes_len(head), bytes_len(tail)) <= max_tokens * 4
    if head != text:
        assert bytes_len(text[: len(head) + 1]) > max_tokens * 4
        assert bytes_len(text[len(text) - len(tail) - 1 :]) > max_tokens * 4


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
