"""Small things share a request, and what is wrong with one of them touches none of the others."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask
from citemark.extraction.sandbox.pool import BatchReader, ParserPool
from citemark.extraction.sandbox.process import Limits
from citemark.model.errors import RetriableSourceError, SkippableSourceError

TASK = ParseTask("tests.integration.extraction.test_batches", "act", "deeds", cpu_seconds=0.3, memory_mib=64)


def act(data: bytes, **_arguments: Any) -> Iterator[str]:
    """What a parsing process does with the bytes of these tests."""
    match data:
        case b"spin":
            while True:
                pass
        case b"grow":
            yield "x" * len(b"y" * 2**28)
        case b"die":
            import os  # noqa: PLC0415

            os._exit(9)
        case b"refuse":
            raise SkippableSourceError("It is refused.")
        case b"twice":
            yield "one"
            yield "two"
        case b"alone":
            raise KeyError("secret")
        case _:
            yield data.decode().upper()


@pytest.fixture
async def pool(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[ParserPool, None]:
    monkeypatch.setenv("PYTHONPATH", ".")
    made = ParserPool(Limits(seconds=20, memory_mib=600, processes=1))
    yield made
    await made.close()


@pytest.fixture
def batches(pool: ParserPool) -> BatchReader[str]:
    return BatchReader(pool, TASK, str)


async def read_all(batches: BatchReader[str], *given: str) -> list[str | BaseException]:
    return await asyncio.gather(*(batches.read(ParseItem(each.encode())) for each in given), return_exceptions=True)


async def test_requests_made_together_are_sent_together(
    pool: ParserPool, batches: BatchReader[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    read = pool.read

    async def counted(task: ParseTask, items: Any, decode: Any) -> Any:
        sizes.append(len(items))
        return await read(task, items, decode)

    monkeypatch.setattr(pool, "read", counted)
    names = [f"n{number}" for number in range(100)]
    assert await read_all(batches, *names) == [name.upper() for name in names]
    assert sizes == [24, 24, 24, 24, 4]


@pytest.mark.requirement("hostile-formats-parsed-in-limited-processes")
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("spin", r"takes more than 0\.3 seconds of the processor"),
        ("grow", "needs more than"),
        ("die", "crashed its parser"),
        ("refuse", "It is refused"),
        ("twice", "gave no answer"),
        ("alone", "KeyError in the parser of deeds"),
    ],
)
async def test_one_that_spins_grows_or_dies_is_given_up_and_those_beside_it_are_read(
    batches: BatchReader[str], bad: str, said: str
) -> None:
    found = await read_all(batches, "a", bad, "b", bad, "c")
    assert [found[0], found[2], found[4]] == ["A", "B", "C"]
    for each in (found[1], found[3]):
        assert isinstance(each, SkippableSourceError)
        assert said.replace("\\", "") in each.message
        assert "secret" not in each.message


async def test_a_cancelled_caller_blocks_no_other(batches: BatchReader[str]) -> None:
    tired = asyncio.create_task(batches.read(ParseItem(b"tired")))
    await asyncio.sleep(0)
    patient = asyncio.create_task(batches.read(ParseItem(b"patient")))
    tired.cancel()
    assert await patient == "PATIENT"


async def test_files_waiting_when_the_parsers_close_are_left_for_later(
    pool: ParserPool, batches: BatchReader[str]
) -> None:
    await pool.close()
    for each in await read_all(batches, "a", "b"):
        assert isinstance(each, RetriableSourceError)
