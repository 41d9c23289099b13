"""Half-sent requests over real sockets: they end by themselves, and take nobody's place."""

import asyncio
import socket
from contextlib import ExitStack

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from tests.support.patience import HANG_SECONDS
from tests.support.web import NO_AUTHORITIES, web_server
from tests.unit.tools.double import DoubleServices

from citemark.app.serve_http import listening_sockets, url_of
from citemark.app.web_server import WaitingLimits, WebServer

HEAD = b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
BODY = HEAD + b"content-length: 1000\r\n\r\n{"
SHORT = 0.2


def connected(url: str, sent: bytes) -> socket.socket:
    address = httpx2.URL(url)
    opened = socket.create_connection((address.host, address.port or 80), timeout=HANG_SECONDS)
    opened.sendall(sent)
    return opened


def rest_of(opened: socket.socket) -> bytes:
    """What the server still sends, until it closes the connection."""
    found = b""
    try:
        while part := opened.recv(4096):
            found += part
    except ConnectionResetError:
        pass
    return found


async def health(url: str) -> int:
    async with httpx2.AsyncClient(verify=NO_AUTHORITIES) as client:
        return (await client.get(f"{url}/health")).status_code


async def answered(opened: socket.socket) -> bool:
    """Whether a whole answer comes that says all is well."""
    found = b""
    while not found.endswith(b"}"):
        found += await asyncio.to_thread(opened.recv, 4096)
    return found.startswith(b"HTTP/1.1 200")


async def drip(opened: socket.socket) -> None:
    """Send byte after byte, too slowly to fill the room that a head has."""
    async with asyncio.timeout(HANG_SECONDS):
        while True:
            opened.sendall(b"x")
            await asyncio.sleep(SHORT / 10)


@pytest.mark.requirement("half-sent-requests-time-out")
@pytest.mark.parametrize("sent", [b"", HEAD, BODY])
async def test_a_thousand_half_sent_requests_block_no_other_client(sent: bytes) -> None:
    async with web_server(DoubleServices()) as url:
        with ExitStack() as held:
            for number in range(1050):
                held.enter_context(await asyncio.to_thread(connected, url, sent))
                if number % 350 == 0:
                    assert await health(url) == 200
            assert await health(url) == 200


@pytest.mark.requirement("half-sent-requests-time-out")
async def test_a_request_whose_rest_is_not_http_is_refused_and_logged_as_no_server_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = HEAD.replace(b"/mcp", b"/health") + b"transfer-encoding: chunked\r\n\r\nzzz\r\n"
    async with web_server(DoubleServices()) as url:
        with await asyncio.to_thread(connected, url, broken) as opened:
            assert (await asyncio.to_thread(rest_of, opened)).startswith(b"HTTP/1.1 400 ")
        assert await health(url) == 200
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.requirement("half-sent-requests-time-out")
@pytest.mark.parametrize(
    ("sent", "limits", "answer"),
    [
        (b"", WaitingLimits(head_seconds=SHORT), b""),
        (HEAD, WaitingLimits(head_seconds=SHORT), b"HTTP/1.1 408 "),
        (BODY, WaitingLimits(body_seconds=SHORT), b""),
    ],
)
async def test_a_request_that_never_finishes_is_ended(sent: bytes, limits: WaitingLimits, answer: bytes) -> None:
    async with web_server(DoubleServices(), waiting=limits) as url:
        with connected(url, sent) as opened:
            assert (await asyncio.to_thread(rest_of, opened)).startswith(answer)


@pytest.mark.requirement("half-sent-requests-time-out")
async def test_sending_single_bytes_gains_no_time() -> None:
    async with web_server(DoubleServices(), waiting=WaitingLimits(head_seconds=SHORT)) as url:
        with connected(url, HEAD) as opened, pytest.raises(OSError, match=r"reset|pipe"):
            await drip(opened)


async def test_a_connection_may_be_idle_between_requests() -> None:
    async with web_server(DoubleServices(), waiting=WaitingLimits(head_seconds=SHORT)) as url:
        with connected(url, b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n") as opened:
            assert await answered(opened)
            await asyncio.sleep(2 * SHORT)  # longer than a half-sent request would have
            opened.sendall(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
            assert await answered(opened)


async def test_the_oldest_of_too_many_waiting_requests_is_dropped() -> None:
    async with web_server(DoubleServices(), waiting=WaitingLimits(most=3)) as url:
        opened = [await asyncio.to_thread(connected, url, HEAD) for _ in range(4)]
        assert await asyncio.to_thread(rest_of, opened[0]) == b""
        opened[3].sendall(b"content-length: 0\r\n\r\n")
        assert (await asyncio.to_thread(opened[3].recv, 4096)).startswith(b"HTTP/1.1 ")
        for each in opened:
            each.close()


@pytest.mark.requirement("failures-counted-by-address")
async def test_a_connection_over_which_a_valid_token_came_is_dropped_after_all_others() -> None:
    known = b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer owner\r\ncontent-length: 0\r\n\r\n"
    async with web_server(DoubleServices(), token="owner", waiting=WaitingLimits(most=3)) as url:
        first = await asyncio.to_thread(connected, url, known)
        assert not await answered(first)  # it holds no message, and is refused for that
        strangers = [await asyncio.to_thread(connected, url, HEAD) for _ in range(4)]
        assert await asyncio.to_thread(rest_of, strangers[0]) == b""
        first.sendall(known)
        assert not await answered(first)  # it holds no message, and is refused for that
        for each in (first, *strangers):
            each.close()


@pytest.mark.requirement("sigterm-ends-within-seconds")
def test_a_second_signal_cancels_running_calls_and_logs_no_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    arrived = asyncio.Event()

    async def wait_for_ever(_: Request) -> Response:
        arrived.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def serve() -> socket.socket:
        web = WebServer(Starlette(routes=[Route("/", wait_for_ever)]))
        sockets = listening_sockets("127.0.0.1", 0, authenticated=False)
        serving = asyncio.create_task(web.serve(sockets))
        asking = await asyncio.to_thread(connected, url_of(sockets[0]), b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        await arrived.wait()
        web.end()
        await asyncio.sleep(0)
        assert not serving.done(), "told once, it waits for what runs"
        web.end()
        await serving
        return asking

    with asyncio.run(serve()) as asking:
        assert b" 503 " in rest_of(asking).splitlines()[0]
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
