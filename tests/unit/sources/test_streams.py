"""What several tasks find out, one by one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from citemark.sources.streams import completed, merged


async def after(turns: int, *answers: str) -> tuple[str, ...]:
    for _ in range(turns):
        await asyncio.sleep(0)
    return answers


async def hear(answers: AsyncGenerator[str, None], heard: list[str]) -> None:
    async for each in answers:
        heard.append(each)  # noqa: PERF401 - what came is kept though the loop ends by what is raised


async def test_results_come_in_the_order_of_completion() -> None:
    assert [each async for each in completed([after(9, "late"), after(1, "early", "too"), after(5)])] == [
        "early",
        "too",
        "late",
    ]


async def test_closing_cancels_what_is_running_and_keeps_the_results_so_far() -> None:
    ended: list[str] = []

    async def never(name: str) -> list[str]:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(name)
        return [name]

    async with aclosing(completed([never("a"), after(3, "b"), never("c")])) as answers:
        assert await anext(answers) == "b"
    assert sorted(ended) == ["a", "c"]


async def test_an_exception_comes_after_the_results_before_it() -> None:
    async def broken() -> list[str]:
        await after(5)
        message = "broken"
        raise LookupError(message)

    heard: list[str] = []
    with pytest.raises(LookupError, match="broken"):
        await hear(completed([broken(), after(1, "a")]), heard)
    assert heard == ["a"]


async def test_several_generators_are_read_side_by_side_and_closed_together() -> None:
    closed: list[str] = []

    async def stream(name: str, turns: int) -> AsyncGenerator[str, None]:
        try:
            for number in range(2):
                await after(turns)
                yield f"{name}{number}"
        finally:
            closed.append(name)

    assert sorted([each async for each in merged([stream("a", 1), stream("b", 4)])]) == ["a0", "a1", "b0", "b1"]
    async with aclosing(merged([stream("c", 1), stream("d", 50)])) as found:
        assert await anext(found) == "c0"
    assert sorted(closed) == ["a", "b", "c", "d"]
    assert [each async for each in merged(list[AsyncGenerator[str, None]]())] == []


async def test_an_exception_of_one_generator_is_raised_after_the_results_of_the_others() -> None:
    async def broken() -> AsyncGenerator[str, None]:
        yield "first"
        message = "broken"
        raise LookupError(message)

    async def sound() -> AsyncGenerator[str, None]:
        await after(9)
        yield "second"

    heard: list[str] = []
    with pytest.raises(LookupError, match="broken"):
        await hear(merged([broken(), sound()]), heard)
    assert heard == ["first", "second"]
