"""Numbers and lengths of time as comparable keys."""

import pytest

from citemark.answering.amounts import amount_keys, amounts


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
        ("vingt et un jours", "21", "1814400 s"),
        ("deux cent cinquante litres", "250", None),
        ("un quart", "1/4", None),
        ("une demi-heure", "1/2", "1800 s"),
        ("trois à six mois", "3", "3 m"),
        ("two hundred and fifty litres", "250", None),
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


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize("text", ["10⁶ litres", "10^6 litres", "10<sup>6</sup> litres"])
def test_a_power_is_one_number_that_is_neither_its_base_nor_its_digits(text: str) -> None:
    assert amount_keys(text) == {"10⁶"}


def test_the_mark_of_a_note_is_no_part_of_the_number() -> None:
    assert {"15", "15¹"} <= amount_keys("15¹ bar")
    assert "43200 s" in amount_keys("within 12¹ hours")
    assert "151" not in amount_keys("15¹ bar")


def test_a_power_with_a_sign_is_not_its_base() -> None:
    assert amount_keys("x is 5⁻⁴") == {"5⁻⁴"}
