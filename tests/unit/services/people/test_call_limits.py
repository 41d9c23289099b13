"""Who gets a place, who waits, and who is told to come again."""

import asyncio
from dataclasses import dataclass

import pytest

from citemark.model.errors import BackendUnavailable
from citemark.model.scope import Principal
from citemark.services.people.call_limits import CallLimits, LimitSettings

ALICE, BOB = (Principal.issued("token", name, frozenset()) for name in ("alice", "bob"))
OWNER = Principal.local()


@dataclass
class Stopped:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


class Calls:
    """Calls that stay in their place until they are let go."""

    def __init__(self, limits: CallLimits) -> None:
        self.limits = limits
        self.running: list[str] = []
        self.go_on = asyncio.Event()

    async def begin(self, principal: Principal, *, with_model: bool = False) -> "asyncio.Task[None]":
        async def call() -> None:
            async with self.limits.place(principal, with_model=with_model):
                self.running.append(principal.subject)
                await self.go_on.wait()

        task = asyncio.create_task(call())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return task


@pytest.mark.requirement("use-is-bounded-per-person", "full-queue-says-unavailable")
async def test_one_person_runs_their_share_waits_for_more_and_leaves_room_for_others() -> None:
    calls = Calls(CallLimits(LimitSettings(running=4, each=2, waiting=16)))
    tasks = [await calls.begin(ALICE) for _ in range(5)]
    assert calls.running == ["token alice"] * 2
    with pytest.raises(BackendUnavailable) as refused:
        await tasks[4]
    assert refused.value.details == {"retry_after": 1}
    tasks.append(await calls.begin(BOB))
    assert calls.running == ["token alice"] * 2 + ["token bob"]
    assert calls.limits.waiting == 2
    calls.go_on.set()
    await asyncio.gather(*tasks[:4], tasks[5])
    assert len(calls.running) == 5
    assert calls.limits.waiting == 0
    assert calls.limits._shares == {}  # pyright: ignore[reportPrivateUsage] - what is not kept cannot grow


@pytest.mark.requirement("full-queue-says-unavailable")
async def test_a_call_is_refused_at_once_when_the_queue_is_full() -> None:
    calls = Calls(CallLimits(LimitSettings(running=1, each=1, waiting=2)))
    people = [Principal.issued("token", str(number), frozenset()) for number in range(4)]
    tasks = [await calls.begin(who) for who in people]
    with pytest.raises(BackendUnavailable):
        await tasks[3]
    calls.go_on.set()
    await asyncio.gather(*tasks[:3])


async def test_a_caller_that_stops_waiting_frees_its_place() -> None:
    calls = Calls(CallLimits(LimitSettings(running=1, each=1, waiting=8)))
    first, second = await calls.begin(ALICE), await calls.begin(BOB)
    assert calls.limits.waiting == 1
    second.cancel()
    await asyncio.wait([second])
    assert calls.limits.waiting == 0
    calls.go_on.set()
    await first


@pytest.mark.requirement("full-queue-says-unavailable")
async def test_calls_that_wait_for_models_hold_up_no_others() -> None:
    calls = Calls(CallLimits(LimitSettings(running=2, each=1, waiting=8)))
    tasks = [await calls.begin(who, with_model=True) for who in (ALICE, BOB, ALICE)]
    assert calls.running == ["token alice", "token bob"]
    tasks += [await calls.begin(who) for who in (ALICE, BOB)]
    assert calls.running == ["token alice", "token bob"] * 2
    assert calls.limits.waiting == 1
    calls.go_on.set()
    await asyncio.gather(*tasks)


async def test_the_owner_may_use_all_call_slots() -> None:
    calls = Calls(CallLimits(LimitSettings(running=4, each=1, waiting=8)))
    tasks = [await calls.begin(OWNER) for _ in range(4)]
    assert len(calls.running) == 4
    calls.go_on.set()
    await asyncio.gather(*tasks)


@pytest.mark.requirement("use-is-bounded-per-person")
def test_a_person_is_rate_limited_and_may_ask_again_after_a_pause() -> None:
    clock = Stopped()
    limits = CallLimits(LimitSettings(rate=60), clock)
    assert [limits.wait_for_turn(ALICE) for _ in range(7)] == [0.0] * 6 + [1.0]
    assert limits.wait_for_turn(BOB) == 0.0
    clock.now += 1
    assert limits.wait_for_turn(ALICE) == 0.0
    assert limits.wait_for_turn(ALICE) > 0
    clock.now += 3600
    assert [limits.wait_for_turn(ALICE) for _ in range(7)] == [0.0] * 6 + [1.0]


def test_the_owner_may_ask_as_often_as_they_like() -> None:
    limits = CallLimits(LimitSettings(rate=1), Stopped())
    assert {limits.wait_for_turn(OWNER) for _ in range(100)} == {0.0}
