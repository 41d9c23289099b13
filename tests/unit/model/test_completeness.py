"""How far the sources of a question were read, and what that says about what was not found."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.model.completeness import ALL_READ, MOST_COUNTED, Reading, SourceReading

few = st.integers(0, 3)
sources = st.builds(
    SourceReading,
    source_id=st.integers(1, 9),
    name=st.sampled_from(["handbook", "cloud", "models"]),
    listed=st.integers(0, 2000),
    waiting=few | st.just(MOST_COUNTED + 1),
    changed=few,
    failed=few,
    unlisted=st.booleans(),
    unflushed=st.booleans(),
    refused=st.booleans(),
)
readings = st.builds(Reading, st.lists(sources, max_size=4).map(tuple), few)


@pytest.mark.requirement("nothing-absent-while-waiting")
@given(readings)
def test_a_reading_is_settled_only_if_nothing_waits_changed_or_was_withheld(reading: Reading) -> None:
    open_ends = [
        each
        for each in reading.sources
        if each.waiting or each.changed or each.unlisted or each.unflushed or each.refused
    ]
    assert reading.settled is not bool(open_ends or reading.withheld)
    counts = reading.incomplete
    assert reading.settled is not any(counts.get(name) for name in ("waiting", "changed", "withheld"))
    assert bool(reading.line) is not reading.settled
    assert bool(reading.so_far) is not reading.settled


@given(readings)
def test_a_line_is_one_line_and_names_every_count(reading: Reading) -> None:
    assert "\n" not in reading.line
    for each in reading.sources:
        if reading.line and 0 < each.waiting <= MOST_COUNTED and len(reading.sources) == 1:
            assert f"{each.waiting} document" in reading.line
    if reading.withheld:
        assert f"{reading.withheld} hit" in reading.line


@given(readings, few)
def test_withheld_hits_add_to_what_is_missing_and_take_nothing_away(reading: Reading, hits: int) -> None:
    more = reading.withholding(reading.withheld + hits)
    assert reading.settled or not more.settled
    assert all(more.incomplete[name] >= count for name, count in reading.incomplete.items())


def test_nothing_is_stated_if_everything_was_read() -> None:
    whole = Reading((SourceReading(1, "handbook", listed=12),))
    assert (whole.incomplete, whole.line, whole.settled, whole.documents) == ({}, "", True, 12)
    assert ALL_READ.settled


def test_what_could_not_be_read_is_counted_without_a_line_and_forbids_nothing() -> None:
    reading = Reading((SourceReading(1, "handbook", listed=12, failed=2),))
    assert reading.incomplete == {"waiting": 0, "changed": 0, "withheld": 0, "failed": 2}
    assert (reading.line, reading.settled, reading.documents) == ("", True, 10)


def test_a_line_says_what_waits_and_where() -> None:
    handbook = SourceReading(1, "handbook", listed=12, waiting=1, changed=2, failed=1)
    cloud = SourceReading(2, "cloud", unlisted=True)
    assert Reading((handbook, cloud), withheld=1).line == (
        "Incomplete: 1 document waits to be read; 2 documents changed and not read again yet; "
        "1 document could not be read; 1 hit withheld: the source could not confirm access; "
        "cloud is not completely listed."
    )
    many = tuple(replace(cloud, source_id=number, name=f"s{number}") for number in range(1, 6))
    assert Reading(many).line == "Incomplete: s1, s2, s3 and 2 more are not completely listed."
    assert "more than 1,000 documents wait" in Reading((replace(handbook, waiting=MOST_COUNTED + 1),)).line
    assert "is being indexed just now" in Reading((SourceReading(1, "docs", unflushed=True),)).line
