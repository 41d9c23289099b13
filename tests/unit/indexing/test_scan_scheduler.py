"""When the next scan is due."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.indexing.follower import ScanScheduler


def pace(**fields: float) -> ScanScheduler:
    """One whose first scan is over at the second 0."""
    made = ScanScheduler(interval=300, start=0, **fields)
    made.begun(0)
    made.ended(0, 0)
    return made


def test_the_first_scan_is_due_at_once_and_is_none_of_the_regular_ones() -> None:
    made = ScanScheduler(interval=300, start=5)
    assert made.due() == 5
    assert not made.begun(5)
    assert made.due() == 305


@pytest.mark.requirement("changes-followed-while-serving")
def test_a_scan_waits_until_nothing_changes_any_more() -> None:
    made = pace(quiet=0.2, longest_delay=1)
    made.changed(10)
    assert made.due() == pytest.approx(10.2)
    made.changed(10.1)
    assert made.due() == pytest.approx(10.3)


@pytest.mark.requirement("changes-followed-while-serving")
@given(st.lists(st.floats(0.001, 0.19), min_size=1, max_size=200))
def test_a_folder_that_is_written_to_all_the_time_is_scanned_within_the_cap(gaps: list[float]) -> None:
    made = pace(quiet=0.2, longest_delay=1)
    now = 10.0
    for gap in gaps:
        made.changed(now)
        now += gap
    assert made.due() <= 11


def test_a_scan_covers_every_change_before_it() -> None:
    made = pace()
    made.changed(10)
    made.ask(10)
    made.begun(10.2)
    assert made.due() == 300


def test_a_scan_before_the_requested_time_does_not_count() -> None:
    made = pace()
    made.ask(12)
    made.ask(13)
    made.changed(11)
    made.begun(11.2)
    assert made.due() == 12
    made.begun(12.1)
    assert made.due() == 13


def test_a_long_scan_is_followed_by_a_pause_that_a_change_has_to_wait_for() -> None:
    made = pace(rest_share=2)
    made.begun(10)
    made.ended(10, 13)
    made.changed(13.1)
    assert made.due() == 19
    made.ask(14)
    assert made.due() == 14


@pytest.mark.requirement("index-recovers-from-lost-events")
def test_regular_scans_come_at_their_interval_however_many_changes_there_are() -> None:
    made = pace()
    regular: list[float] = []
    now = 0.0
    while now < 1000:
        made.changed(now)
        now = max(now, made.due())
        if made.begun(now):
            regular.append(now)
        made.ended(now, now + 0.5)
        now += 0.5
    assert len(regular) == 3
    assert all(later - earlier >= 300 for earlier, later in pairwise(regular))
