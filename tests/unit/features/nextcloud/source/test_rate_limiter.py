"""How many requests that people wait for a server gets at once."""

import asyncio

import pytest

from citemark.features.nextcloud.source.rate_limiter import RateLimiter, StatusReport
from citemark.sources.contract import foreground

FIRST, MOST = 6, 12


class Server:
    """Keeps requests until they are answered, and counts those that it has."""

    def __init__(self) -> None:
        self.rate_limiter = RateLimiter(parallel=2, rate=10_000)
        self.open: list[tuple[StatusReport, asyncio.Event]] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def ask(self, count: int) -> None:
        """So many requests that people wait for come."""
        with foreground():
            self._tasks += [asyncio.create_task(self._request()) for _ in range(count)]
        await self._settle()

    async def answer(self, count: int, status: int = 200) -> None:
        """The oldest requests are answered."""
        answered, self.open = self.open[:count], self.open[count:]
        for report_status, done in answered:
            report_status(status)
            done.set()
        await self._settle()

    async def give_up(self) -> None:
        """Whoever asked does not wait any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.open.clear()

    async def _request(self) -> None:
        async with self.rate_limiter.slot() as report_status:
            done = asyncio.Event()
            self.open.append((report_status, done))
            await done.wait()

    async def _settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)


@pytest.mark.requirement("deadline-and-parallelism-adapt")
async def test_each_success_allows_one_more_concurrent_request_up_to_twelve() -> None:
    server = Server()
    await server.ask(100)
    assert len(server.open) == FIRST
    await server.answer(2)
    assert len(server.open) == FIRST + 2
    for _ in range(3):
        await server.answer(4)
    assert len(server.open) == MOST
    await server.give_up()


@pytest.mark.requirement("deadline-and-parallelism-adapt")
@pytest.mark.parametrize("status", [423, 429])
async def test_a_refusal_halves_the_concurrent_requests_once_and_they_never_grow_again(status: int) -> None:
    server = Server()
    await server.ask(200)
    await server.answer(FIRST)
    assert len(server.open) == MOST
    await server.answer(MOST, status)
    assert len(server.open) == MOST // 2
    assert server.rate_limiter.overloaded
    for _ in range(10):
        await server.answer(MOST // 2)
    assert len(server.open) == MOST // 2
    await server.answer(1, status)
    await server.answer(5)
    assert len(server.open) == MOST // 4
    await server.give_up()


@pytest.mark.requirement("deadline-and-parallelism-adapt")
async def test_other_failures_do_not_change_the_number_of_concurrent_requests() -> None:
    server = Server()
    await server.ask(100)
    await server.answer(FIRST, 500)
    await server.answer(FIRST, 404)
    assert (len(server.open), server.rate_limiter.overloaded) == (FIRST, False)
    await server.give_up()


@pytest.mark.requirement("deadline-and-parallelism-adapt")
async def test_a_cancelled_request_frees_its_slot_and_its_place() -> None:
    server = Server()
    await server.ask(20)
    await server.give_up()
    await server.ask(20)
    assert len(server.open) == FIRST
    await server.give_up()


async def test_one_concurrent_request_is_allowed_however_often_a_server_refuses() -> None:
    server = Server()
    await server.ask(50)
    for _ in range(8):
        await server.answer(1, 429)
    assert len(server.open) == 1
    await server.give_up()
