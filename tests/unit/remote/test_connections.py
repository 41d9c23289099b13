"""What servers ask for with `Retry-After`, times as HTTP writes them, and how slow a response may be."""

import asyncio
import gzip
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from itertools import islice, repeat
from random import Random

import httpx2
import pytest
from tests.support.virtual_time import virtual_loop

from citemark.remote.connections import (
    Connections,
    DeadlineExceeded,
    HttpRequest,
    HttpResponse,
    ResponseTooSlow,
    Timeouts,
    http_date,
    retry_after,
)

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "900", "retry-after": "7"}, 0.9),
        ({"retry-after-ms": "x", "retry-after": "7"}, 7.0),
    ],
)
def test_a_retry_after_in_seconds_is_read_and_nonsense_is_ignored(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers) == seconds


def test_a_retry_after_date_is_compared_with_the_servers_own_clock() -> None:
    later = format_datetime(NOON + timedelta(seconds=90), usegmt=True)
    assert retry_after({"retry-after": later, "date": format_datetime(NOON, usegmt=True)}) == 90


def test_a_retry_after_is_capped_for_every_server() -> None:
    assert retry_after({"retry-after": "86400"}, longest=3600.0) == 3600.0
    assert retry_after({"retry-after": "inf"}, longest=3600.0) == 3600.0
    assert retry_after({"retry-after-ms": "86400000"}, longest=3600.0) == 3600.0
    assert retry_after({"retry-after": "inf"}) is None


def test_http_dates_are_in_utc() -> None:
    assert http_date("Sun, 22 Nov 2026 12:00:00 GMT") == NOON
    assert http_date("Sun, 22 Nov 2026 13:00:00 +0100") == NOON
    assert http_date("Sun, 22 Nov 2026 12:00:00 -0000") == NOON
    assert (http_date(None), http_date("yesterday")) == (None, None)


TIMEOUTS = Timeouts(connect=10, silence=60, total=600, grace=60, least_rate=1024)


class Parts(httpx2.AsyncByteStream):
    """A body in parts, each `seconds` after the one before; `sent` counts them."""

    def __init__(self, parts: Iterator[bytes], seconds: float) -> None:
        self.sent = 0
        self._parts, self._seconds = parts, seconds

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._send()

    async def _send(self) -> AsyncGenerator[bytes]:
        for part in self._parts:
            await asyncio.sleep(self._seconds)
            self.sent += 1
            yield part


def received(
    monkeypatch: pytest.MonkeyPatch,
    body: Parts,
    *,
    head: float = 0.0,
    timeouts: Timeouts = TIMEOUTS,
    encoding: str = "identity",
) -> tuple[HttpResponse | DeadlineExceeded, float]:
    """What comes of a request whose head comes after so many seconds, and how long that took; no second passes."""

    async def answer(_: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(head)
        return httpx2.Response(200, headers={"content-encoding": encoding}, stream=body)

    async def ask() -> tuple[HttpResponse | DeadlineExceeded, float]:
        connections = Connections("http://127.0.0.1", most=1)
        try:
            got = await connections.send(HttpRequest("GET", "http://127.0.0.1", most_bytes=1 << 24), timeouts)
        except DeadlineExceeded as error:
            got = error
        await connections.close()
        return got, asyncio.get_running_loop().time()

    transport = httpx2.MockTransport(answer)
    monkeypatch.setattr(httpx2, "AsyncClient", partial(httpx2.AsyncClient, transport=transport))
    with asyncio.Runner(loop_factory=virtual_loop) as runner:
        return runner.run(ask())


@pytest.mark.parametrize(("size", "every", "parts"), [(1, 1, 60), (1, 50, 1), (1000, 1, 60), (512, 0.6, 100)])
def test_a_response_that_drips_is_ended_after_the_grace_period(
    monkeypatch: pytest.MonkeyPatch, size: int, every: float, parts: int
) -> None:
    body = Parts(repeat(bytes(size)), every)
    got, seconds = received(monkeypatch, body)
    assert isinstance(got, ResponseTooSlow)
    assert seconds == pytest.approx(60)
    assert parts - 1 <= body.sent <= parts


def test_a_response_that_slows_to_a_drip_is_ended_when_its_average_falls_below_the_minimum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def parts() -> Iterator[bytes]:
        yield bytes(200 * 1024)
        yield from repeat(b"x")

    got, seconds = received(monkeypatch, Parts(parts(), 1))
    assert isinstance(got, ResponseTooSlow)
    assert seconds == pytest.approx(200, abs=1)


def test_a_compressed_response_that_drips_without_output_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(Random(1).randbytes(4096))
    body = Parts((packed[at : at + 1] for at in range(len(packed))), 5)
    got, seconds = received(monkeypatch, body, encoding="gzip")
    assert isinstance(got, ResponseTooSlow)
    assert seconds == pytest.approx(60)


def test_a_response_whose_headers_never_come_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    got, seconds = received(monkeypatch, Parts(iter(()), 0), head=1000)
    assert isinstance(got, ResponseTooSlow)
    assert seconds == pytest.approx(120)


@pytest.mark.parametrize(("size", "every", "count"), [(4096, 3, 180), (10, 2, 29), (1 << 20, 59, 9)])
def test_a_response_that_comes_steadily_or_quickly_is_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch, size: int, every: float, count: int
) -> None:
    got, seconds = received(monkeypatch, Parts(islice(repeat(bytes(size)), count), every), head=50)
    assert isinstance(got, HttpResponse)
    assert len(got.body) == size * count
    assert seconds == pytest.approx(50 + every * count)


def test_without_a_least_rate_only_the_whole_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    got, seconds = received(monkeypatch, Parts(repeat(b"x"), 1), timeouts=Timeouts(10, 60, 600))
    assert isinstance(got, DeadlineExceeded)
    assert not isinstance(got, ResponseTooSlow)
    assert seconds == pytest.approx(600)
