"""A source full of files that never end takes minutes from others, not hours."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest

from citemark.extraction.sandbox import source_parsers
from citemark.extraction.sandbox.ipc import ParseItem, ParseTask
from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.sandbox.process import Limits
from citemark.extraction.sandbox.source_parsers import SourceParsers
from citemark.model.errors import SkippableSourceError

TASK = ParseTask("tests.integration.extraction.test_source_parsers", "act", "deeds")


def act(data: bytes, **_arguments: Any) -> Iterator[str]:
    """What a parsing process does with the bytes of these tests."""
    while data == b"spin":
        pass
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
