"""Number words of both languages."""

import pytest

from citemark.answering.amounts import number_of


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("seven", 7),
        ("sieben", 7),
        ("eins", 1),
        ("twenty-one", 21),
        ("einundzwanzig", 21),
        ("ninety nine", 99),
        ("dozen", 12),
        ("a dozen", 12),
        ("hundred", 100),
        ("hundert", 100),
        ("three hundred", 300),
        ("zweihundert", 200),
        ("thousand", 1000),
        ("tausend", 1000),
        ("dreissig", 30),
        ("ein", None),
        ("valve", None),
    ],
)
def test_a_number_word_has_its_value(words: str, value: int | None) -> None:
    assert number_of(words) == value
