"""Dates and numbers in every spelling match each other, and other dates and numbers do not."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.text.figures import agreement, figures, keys_of, without_figures


@pytest.mark.requirement("figures-in-every-form")
@pytest.mark.parametrize("asked", ["14 March 2026", "March 14th, 2026", "2026-03-14", "14.03.2026", "14. März 2026"])
@pytest.mark.parametrize(
    "written",
    ["14.03.2026", "14.3.26", "14 March 2026", "Mar 14, 2026", "2026-03-14", "14/03/2026", "03/14/2026",
     "le 14 mars 2026", "14 de marzo de 2026", "il 14 marzo 2026", "14 maart 2026", "14 de março de 2026"],
)  # fmt: skip
def test_a_day_is_found_in_whatever_form_it_is_written(asked: str, written: str) -> None:
    assert agreement(figures(f"reading of {asked}"), keys_of(f"Read {written}, 48,799 kWh.")) == 1


@pytest.mark.requirement("figures-in-every-form")
@pytest.mark.parametrize("asked", ["March 2026", "im März 2026", "2026-03", "03/2026"])
@pytest.mark.parametrize(
    ("written", "shared"), [("1 March 2026", 1), ("31.03.2026", 1), ("am 31.03.", 0.5), ("1.4.26", 0)]
)
def test_a_month_is_found_in_its_days_and_less_surely_where_no_year_is_written(
    asked: str, written: str, shared: float
) -> None:
    assert agreement(figures(f"reading in {asked}"), keys_of(f"Read {written}")) == shared


@pytest.mark.parametrize(
    ("asked", "written", "shared"),
    [
        ("the meeting in March", "20.03.2026", 1),
        ("the meeting in March", "20.04.2026", 0),
        ("what may I take?", "in May", 0),
        ("in 2025", "30.09.2025", 1),
        ("invoice 2041-B", "# Rechnung 2041-B", 1),
        ("invoice 2041", "# Rechnung 2041-B", 1),
        ("invoice 2041-B", "# Rechnung 2042-B", 0),
        ("error e18", "Fehler E18", 1),
        ("1,480.50 or 48799 kWh", "48.799 kWh", 1),
        ("14,50 Euro", "a credit of 14.50", 1),
        ("zweites Quartal", "2. Quartal", 1),
        ("second quarter", "Q2", 1),
        ("second quarter", "Q3", 0),
    ],
)
def test_months_numbers_identifiers_and_ordinals_match_their_other_forms(
    asked: str, written: str, shared: float
) -> None:
    assert agreement(figures(asked), keys_of(written)) == shared


@pytest.mark.parametrize("text", ["Meter reading March 2026", "Meter reading 03/2026", "Meter reading 7"])
def test_texts_that_differ_in_their_figures_alone_are_equal_without_them(text: str) -> None:
    assert without_figures(text) == "Meter reading #"


@given(st.text(alphabet="0123456789.-/, MarchmaiäQ2\u00b3\u0661", max_size=60))
def test_figures_of_any_text_are_in_order_and_disjoint(text: str) -> None:
    found = figures(text)
    assert all(one.span.end <= other.span.start for one, other in pairwise(found))
    assert all(each.own[0] for each in found)
