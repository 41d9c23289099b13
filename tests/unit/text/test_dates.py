"""Dates in every spelling, as comparable keys."""

import pytest

from citemark.text.dates import dates


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
