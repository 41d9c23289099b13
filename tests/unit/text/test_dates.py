"""Dates in every spelling, as comparable keys."""

import pytest

from citemark.text.dates import MONTH_NAMES, dates
from citemark.text.figures import figures


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("24 December 2025", ["2025-12-24"]),
        ("December 24, 2025", ["2025-12-24"]),
        ("24.12.2025", ["2025-12-24"]),
        ("24. Dezember", ["-12-24"]),
        ("2025-12", ["2025-12"]),
        ("2025-13-24", []),
        ("APR\u0130L 2024", ["2024-04"]),
        ("3 apr\u0131l 2024", ["2024-04-03"]),
        ("AUGU\u017fT 5, 2024", ["2024-08-05"]),
        ("O\u212aTOBER 2024", ["2024-10"]),
    ],
)
def test_a_date_has_the_key_of_its_day(written: str, keys: list[str]) -> None:
    assert [key for _, key in dates(written)] == keys


@pytest.mark.parametrize("name", sorted(MONTH_NAMES))
def test_every_name_of_a_month_is_seen_in_any_case_and_not_inside_another_word(name: str) -> None:
    for written in (name, name.upper(), name.capitalize()):
        assert [key[:5] for _, key in dates(f"Due on 3 {written} 2024.")] == ["2024-"]
        assert [key[:5] for _, key in dates(f"({written} 2024)")] == ["2024-"]
        assert list(dates(f"x{written} 2024")) == []
        assert [each.is_date for each in figures(f"3 {written}")] == [True]
