"""One spelling for words that differ only in case."""

import re

import pytest

from citemark.text.letter_case import caseless

_LETTERS = [chr(code) for code in range(0x3000) if chr(code).isalpha()]


@pytest.mark.parametrize("letter", "abcdefghijklmnopqrstuvwxyzäöüßéç")
def test_whatever_a_pattern_matches_without_regard_to_case_has_the_spelling_of_the_pattern(letter: str) -> None:
    pattern = re.compile(letter, re.IGNORECASE)
    assert {caseless(other) for other in _LETTERS if pattern.fullmatch(other)} == {caseless(letter)}


def test_the_spelling_of_a_word_is_in_lower_case() -> None:
    assert [caseless(word) for word in ("APR\u0130L", "m\u0131n", "Week\u017f", "JÄNNER", "May")] == [
        "april",
        "min",
        "weeks",
        "jänner",
        "may",
    ]
