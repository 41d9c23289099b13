"""Data with more than anybody writes is cut before a library parses it."""

from collections.abc import Callable

import pytest
from tests.nextcloud.pim.texts import event
from tests.support.hostile_calendars import card, crowded, mailed, nested, series

from citemark.extraction.content_lines import MOST_OF_A_NAME, MOST_PROPERTIES, cap_properties

MANY = 40_000


def other_names(count: int) -> str:
    """An event with many properties, no two of one name."""
    return event("other", "Of its own", extra=[f"X-{number}:1" for number in range(count)])


def changed_occurrences(count: int) -> str:
    """A series in which every occurrence was changed by hand; `count` guests in all."""
    return series(count // 10, 10)


@pytest.mark.parametrize("data", [event("e", "Talk"), crowded(200), series(100, 20), card("TEL:1"), "", "\n" * 50_000])
def test_ordinary_text_stays_unchanged(data: str) -> None:
    assert cap_properties(data).left_out == 0
    assert cap_properties(data).data.split() == data.split()


@pytest.mark.requirement("properties-per-item-are-capped")
@pytest.mark.parametrize(("make", "name"), [(crowded, "ATTENDEE"), (mailed, "EMAIL")])
def test_the_first_properties_of_a_name_are_kept_and_the_others_counted(make: Callable[[int], str], name: str) -> None:
    data = make(MANY)
    few = cap_properties(data)
    assert few.left_out == MANY - MOST_OF_A_NAME
    assert few.data.count(f"\n{name}") == MOST_OF_A_NAME
    assert few.data.rstrip().endswith(data.rstrip().rpartition("\n")[2]), "its end is still there"


@pytest.mark.requirement("properties-per-item-are-capped")
@pytest.mark.parametrize("make", [nested, changed_occurrences, other_names])
def test_the_number_of_properties_is_capped_and_open_components_are_closed(
    make: Callable[[int], str],
) -> None:
    data = make(MANY)
    few = cap_properties(data)
    lines = few.data.split("\r\n")
    assert len(lines) <= MOST_PROPERTIES + 10
    assert few.left_out >= len(data.splitlines()) - MOST_PROPERTIES - 10
    assert few.data.count("BEGIN:") == few.data.count("END:")


def test_the_guests_of_each_occurrence_are_counted_by_themselves() -> None:
    data = series(3, MOST_OF_A_NAME - 1)
    assert cap_properties(data).left_out == 0
