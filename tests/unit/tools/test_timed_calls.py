"""A call that is cancelled, or takes too long, ends in its own time and takes nothing else with it."""

import asyncio

import anyio
import pytest
from tests.support.cancellations import Endless
from tests.unit.tools.double import DoubleServices

from citemark.model.errors import BackendUnavailable, TimedOut
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.tools.timed_calls import TimedCalls


def calls(seconds: float = 60.0) -> TimedCalls:
    services = DoubleServices()

    async def opened() -> Services:
        return services

    return TimedCalls(opened, seconds, None)


class Work(Endless):
    """Such work as the work of a call."""

    async def __call__(self, _: Services) -> None:
        await self.run()


async def in_a_scope_that_is_cancelled(work: Work) -> None:
    """Call in a scope as the SDK does for each request, and cancel the scope."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(calls().run, Caller.local(), work)
        await work.begun.wait()
        tasks.cancel_scope.cancel()


@pytest.mark.requirement("cancelled-calls-cost-nothing-else")
async def test_a_call_whose_client_gives_up_is_cancelled_once_and_waited_for() -> None:
    work = Work()
    await in_a_scope_that_is_cancelled(work)
    assert work.cancellations == 1


@pytest.mark.requirement("cancelled-calls-cost-nothing-else")
async def test_a_call_that_takes_too_long_is_cancelled_once_and_waited_for() -> None:
    work = Work()
    with pytest.raises(TimedOut, match=r"After 0\.01 seconds the call did not finish"):
        await calls(0.01).run(Caller.local(), work)
    assert work.cancellations == 1


@pytest.mark.requirement("cancelled-calls-cost-nothing-else")
async def test_a_cancellation_inside_a_call_ends_that_call_and_not_the_scope_of_its_caller() -> None:
    async def broken_off(_: Services) -> None:
        raise asyncio.CancelledError

    async with anyio.create_task_group():
        with pytest.raises(BackendUnavailable, match="broken off"):
            await calls().run(Caller.local(), broken_off)
        await asyncio.sleep(0)  # which would be cancelled too


async def test_what_a_call_raises_after_its_client_gave_up_is_nobodys(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Work):
        async def __call__(self, opened: Services) -> None:
            try:
                await super().__call__(opened)
            except asyncio.CancelledError:
                raise BackendUnavailable("too late") from None

    await in_a_scope_that_is_cancelled(Failing())
    assert caplog.text == ""
