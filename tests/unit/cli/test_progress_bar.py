"""The progress line: one line, totals that stay, and a steady time left."""

import re
from io import StringIO
from itertools import pairwise

import pytest
from rich.console import Console

from citemark.cli.progress_bar import Bar, TimeLeft
from citemark.indexing.sync import Progress


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def shown(*steps: Progress) -> tuple[str, str]:
    """The line as it was drawn last, and what is left of it when the work has ended."""
    console = Console(file=StringIO(), width=100, force_terminal=True, color_system=None)
    with Bar(console) as bar:
        for step in steps:
            bar.step(step)
    assert isinstance(console.file, StringIO)
    drawn, _, after = console.file.getvalue().rpartition("\n")
    lines = re.split(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]", drawn)
    return [line.strip() for line in lines if line.strip()][-1], after


@pytest.mark.requirement("command-line-conveniences", "one-quiet-line")
def test_one_line_shows_the_stage_and_a_total_only_once_it_is_known() -> None:
    listing = Progress("listing docs", listing=True)
    assert "listing docs" in shown(listing)[0]
    reading, _ = shown(listing, Progress("reading", documents=1, documents_waiting=2, listing=True))
    assert re.search(r"reading\b.*\b1 document\b", reading)
    assert "/" not in reading
    assert "3/9 documents" in shown(listing, Progress("reading", documents=3, documents_waiting=6))[0]
    embedding, after = shown(listing, Progress("embedding", vectors=4, vectors_waiting=5))
    assert "4/9 vectors" in embedding
    # The line is taken away, so that only the summary after it stays.
    assert re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", after).strip() == ""


@pytest.mark.requirement("one-quiet-line")
def test_nothing_is_written_where_nobody_watches() -> None:
    console = Console(file=StringIO(), width=100)
    with Bar(console) as bar:
        bar.step(Progress("reading", documents=1, documents_waiting=2))
        bar.step(Progress("embedding", vectors=4, vectors_waiting=5))
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue() == ""


@pytest.mark.requirement("command-line-conveniences")
def test_the_time_left_does_not_leap_where_batches_take_unlike_times() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    total, done = 2000, 0
    left.note(0, total)
    shown: list[tuple[float, float]] = []
    for number in range(100):  # rates of 4/s and 100/s: the last one alone would tell 500 s, then 20 s
        clock.now += 0.2 if number % 2 else 5.0
        done += 20
        left.note(done, total - done)
        seconds = left.seconds()
        if seconds is not None:
            shown.append((clock.now, seconds))
    leaps = [abs((after - before) + (then - now)) for (now, before), (then, after) in pairwise(shown)]
    assert len(shown) > 90
    assert max(leaps[20:]) < 15
    mean_rate = done / (clock.now - 1000.0)
    middle_at, middle = shown[len(shown) // 2]
    expected = (total - mean_rate * (middle_at - 1000.0)) / mean_rate
    assert middle == pytest.approx(expected, rel=0.2)


def test_the_time_left_counts_down_between_reports_and_follows_a_rate_that_changed() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    left.note(0, 1000)
    assert left.seconds() is None
    for done in range(10, 110, 10):
        clock.now += 1
        left.note(done, 1000 - done)
    before = left.seconds()
    assert before == pytest.approx(90, rel=0.1)
    clock.now += 3
    after = left.seconds()
    assert before is not None
    assert after == pytest.approx(before - 3)
    for done in range(101, 200):
        clock.now += 1
        left.note(done, 1000 - done)
    assert left.seconds() == pytest.approx(800, rel=0.15)


@pytest.mark.parametrize("reports", [[], [(0, 10)], [(0, 10), (0, 10)]])
def test_no_time_left_is_shown_before_any_progress(reports: list[tuple[int, int]]) -> None:
    clock = Clock()
    left = TimeLeft(clock)
    for done, waiting in reports:
        clock.now += 5
        left.note(done, waiting)
    assert left.seconds() is None
