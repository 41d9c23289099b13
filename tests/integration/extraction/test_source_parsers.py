"""A source full of files that never end takes minutes from others, not hours."""

from collections.abc import AsyncGenerator, Callable, Iterator
from itertools import count
from typing import Any

import pytest

from citemark.extraction.sandbox import source_parsers
from citemark.extraction.sandbox.ipc import ParseItem, ParseTask
from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.sandbox.process import Limits
from citemark.extraction.sandbox.source_parsers import LostTime, SourceParsers
from citemark.model.errors import SkippableSourceError

TASK = ParseTask("tests.integration.extraction.test_source_parsers", "act", "deeds")


def act(data: bytes, **_arguments: Any) -> Iterator[str]:
    """What a parsing process does with the bytes of these tests."""
    while data == b"spin":
        pass
    if data == b"broken":
        raise SkippableSourceError("It is broken.")
    yield data.decode().upper()


@pytest.fixture
async def pool(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[ParserPool, None]:
    monkeypatch.setenv("PYTHONPATH", ".")
    monkeypatch.setattr(source_parsers, "_LOST_SECONDS", 0.4)
    monkeypatch.setattr(source_parsers, "_LEFT_SECONDS", 0.3)
    made = ParserPool(Limits(seconds=0.4, memory_mib=600, processes=1))
    yield made
    await made.close()


async def spin(parsers: ParserPool) -> str:
    with pytest.raises(SkippableSourceError) as refused:
        await parsers.parts(TASK, ParseItem(b"spin"), str)
    return refused.value.message


@pytest.mark.requirement("parser-budget")
async def test_after_files_that_did_not_end_a_source_has_less_time_for_each_and_others_have_not(
    pool: ParserPool,
) -> None:
    now = 0.0
    bad, good = SourceParsers(pool, lambda: now), SourceParsers(pool, lambda: now)
    assert "0.4 seconds that a file may take" in await spin(bad)
    assert "0.3 seconds that are left for a file of this source" in await spin(bad)
    assert "0.4 seconds that a file may take" in await spin(good)
    now += 3601
    assert "0.4 seconds that a file may take" in await spin(bad)
    await bad.close()
    assert "0.4 seconds that a file may take" in await spin(pool)


@pytest.mark.requirement("parser-budget")
async def test_files_that_are_read_together_have_less_time_as_soon_as_one_of_them_lost_it(pool: ParserPool) -> None:
    parsers = SourceParsers(pool, lambda: 0.0)
    outcomes = await parsers.read(TASK, [ParseItem(b"spin"), ParseItem(b"spin")], str)
    assert "0.4 seconds that a file may take" in str(outcomes[0].error)
    assert "0.3 seconds that are left" in str(outcomes[1].error)


@pytest.mark.requirement("parser-budget")
async def test_the_time_of_a_file_that_is_refused_late_is_lost_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ".")
    late = count(0.0, 50.0)
    pool = ParserPool(Limits(seconds=60, memory_mib=600, processes=1), clock=lambda: next(late))
    lost = LostTime(lambda: 0.0)
    try:
        outcomes = await pool.read(TASK, [ParseItem(b"broken")] * 4, str, budget=lost)
    finally:
        await pool.close()
    assert [outcome.error for outcome in outcomes] == ["It is broken."] * 4
    assert lost.seconds(60) == 3


def never_end(_: int) -> float:
    return float("inf")


def run_out_of_memory_late(_: int) -> float:
    return 45.0


def fail_just_in_time(_: int) -> float:
    return 2.9


def fail_in_every_way(number: int) -> float:
    return (float("inf"), 45.0, 2.9, 3.1)[number % 4]


@pytest.mark.requirement("bad-files-take-minutes")
@pytest.mark.parametrize("bad", [never_end, run_out_of_memory_late, fail_just_in_time, fail_in_every_way])
def test_a_hundred_bad_files_take_minutes_and_the_same_an_hour_later(bad: Callable[[int], float]) -> None:
    now = 0.0
    budget = LostTime(lambda: now)
    for _ in range(2):
        began = now
        for number in range(100):
            took = min(bad(number), budget.seconds(60))
            now += took
            budget.failed(took)
        assert now - began < 10 * 60
        now += 3601


@pytest.mark.requirement("bad-files-take-minutes")
def test_hundreds_of_files_that_are_refused_quickly_shorten_the_time_of_no_other() -> None:
    budget = LostTime(lambda: 0.0)
    for _ in range(500):
        budget.failed(2.0)
    assert budget.seconds(60) == 60
