"""How long sources are waited for."""

import pytest

from citemark.retrieval.waiting_time import WaitingTime

NOTES, FILES = (1, "note"), (1, "file")


class Time:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.requirement("deadline-and-parallelism-adapt")
def test_a_source_that_keeps_answering_is_waited_for_up_to_five_seconds_and_a_silent_one_is_not() -> None:
    time = Time()
    deadline = WaitingTime(2.0, time).begin()
    until: list[float] = []
    for _ in range(12):
        time.now += 0.5
        until.append(deadline.prolong(NOTES) - 100)
    assert until == [2.0, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.0, 5.0, 5.0, 5.0]
    assert deadline.of(FILES) == 102.0


@pytest.mark.requirement("deadline-and-parallelism-adapt")
def test_a_source_still_answering_at_the_deadline_gets_the_full_time_on_the_next_page() -> None:
    patience = WaitingTime(2.0, Time())
    patience.learn(NOTES, slow=True)
    assert (patience.begin().of(NOTES), patience.begin().of(FILES)) == (105.0, 102.0)
    patience.learn(NOTES, slow=False)
    assert patience.begin().of(NOTES) == 102.0


def test_a_usual_time_longer_than_five_seconds_is_kept() -> None:
    deadline = WaitingTime(20.0, Time()).begin()
    assert deadline.of(NOTES) == deadline.prolong(NOTES) == 120.0


@pytest.mark.requirement("deadline-follows-source-median")
def test_a_source_whose_verdicts_usually_take_long_is_waited_for_accordingly_up_to_ten_seconds() -> None:
    patience = WaitingTime(2.0, Time())
    for seconds in (3.0, 3.0, 9.0):
        patience.took(NOTES, seconds)
    assert (patience.begin().of(NOTES), patience.begin().of(FILES)) == (106.0, 102.0)
    for _ in range(15):
        patience.took(NOTES, 8.0)
    assert patience.begin().of(NOTES) == 110.0
    for _ in range(15):
        patience.took(NOTES, 0.1)
    assert patience.begin().of(NOTES) == 102.0
