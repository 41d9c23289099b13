"""Loops without work wait ever longer, and are woken at once by what is struck."""

import asyncio

import pytest
from tests.support.virtual_time import virtual_loop

from citemark.indexing.pauses import Bell, Pauses, within


@pytest.mark.requirement("idle-server-looks-seldom")
def test_pauses_double_up_to_the_longest_and_begin_anew_after_work_or_a_ring() -> None:
    async def lengths() -> list[float]:
        clock, bell, pauses = asyncio.get_running_loop().time, Bell(), Pauses(1.0, 8.0)
        taken: list[float] = []

        async def pause(struck: asyncio.Event) -> None:
            began = clock()
            await pauses.wait(struck)
            taken.append(clock() - began)

        for _ in range(5):
            await pause(bell.struck)
        struck = bell.struck
        bell.ring()
        await pause(struck)
        await pause(bell.struck)
        await pause(bell.struck)
        pauses.end()
        await pause(bell.struck)
        return taken

    with asyncio.Runner(loop_factory=virtual_loop) as runner:
        assert runner.run(lengths()) == [1, 2, 4, 8, 8, 0, 1, 2, 1]


@pytest.mark.requirement("idle-server-looks-seldom")
def test_a_ring_wakes_everybody_who_waits() -> None:
    async def waited() -> float:
        bell = Bell()
        waiting = [asyncio.create_task(Pauses(3600, 3600).wait(bell.struck)) for _ in range(3)]
        await asyncio.sleep(1)
        bell.ring()
        await asyncio.wait(waiting)
        return asyncio.get_running_loop().time()

    with asyncio.Runner(loop_factory=virtual_loop) as runner:
        assert runner.run(waited()) == 1


@pytest.mark.parametrize("ticks", range(6))
async def test_who_is_cancelled_while_an_event_comes_ends(ticks: int) -> None:
    event = asyncio.Event()
    waiting = asyncio.create_task(within(event, 3600))
    await asyncio.sleep(0)
    event.set()
    for _ in range(ticks):
        await asyncio.sleep(0)
    had_ended = waiting.done()
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled() or had_ended
