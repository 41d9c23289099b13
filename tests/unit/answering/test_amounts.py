"""Number words of both languages."""

import pytest

from citemark.answering.amounts import amounts, number_of


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
        ("DREI\u1e9eIG", 30),
        ("F\u0130VE", 5),
        ("ein", None),
        ("valve", None),
    ],
)
def test_a_number_word_has_its_value(words: str, value: int | None) -> None:
    assert number_of(words) == value


@pytest.mark.parametrize(
    ("written", "key", "lasting"),
    [
        ("5 M\u0130N", "5", "300 s"),
        ("5 m\u0131n", "5", "300 s"),
        ("six wee\u212a\u017f", "6", "3628800 s"),
        ("ONE F\u0130FTH", "1/5", None),
        ("e\u0131n V\u0130ERTEL", "1/4", None),
        ("TWENTY F\u0130VE", "25", None),
        ("HALF A M\u0130NUTE", "1/2", "30 s"),
        ("1.2.3 days", "1.2.3", None),
        ("1,000 days", "1000", "86400000 s"),
    ],
)
def test_a_quantity_has_the_key_of_its_value(written: str, key: str, lasting: str | None) -> None:
    found = next(amounts(written))
    assert (found.key, found.lasting) == (key, lasting)


@pytest.mark.parametrize("digits", [41, 4_299, 4_301])
def test_a_number_too_long_for_a_length_of_time_is_compared_as_it_is_written(digits: int) -> None:
    number = "9" * digits
    assert [(found.key, found.lasting) for found in amounts(f"{number} days")] == [(number, None)]
    (longest,) = amounts(f"{'9' * 40} months")
    assert longest.lasting == f"{'9' * 40} m"
