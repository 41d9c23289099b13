"""Quiet connections: the server finds out who vanished, and how often clients may ask whether it is there."""

import asyncio

import pytest
from tests.support.grpc_servers import grpc_server
from tests.support.http2_client import GOAWAY, PING, http2_client
from tests.support.patience import HANG_SECONDS
from tests.unit.tools.double import DoubleServices

from citemark.grpc_api.keepalive import Keepalive

_SHORT = 50
_DEFAULT_TIMEOUT = 50.0
"""Seconds, fewer than the minute after which gRPC gives up an unanswered probe by itself."""

_HOUR = 3_600_000
"""Longer than any test runs."""


@pytest.mark.requirement("grpc-keepalive")
async def test_a_quiet_connection_is_probed_over_and_over_as_long_as_its_client_answers() -> None:
    keepalive = Keepalive(probe_after=_SHORT, answer_within=_HOUR)
    async with (
        asyncio.timeout(HANG_SECONDS),
        grpc_server(DoubleServices(), keepalive=keepalive) as address,
        http2_client(address) as client,
    ):
        for _ in range(4):
            probe = await client.next(PING, GOAWAY)
            assert probe is not None
            assert probe.kind == PING, probe
            client.send(PING, probe.payload, ack=True)


@pytest.mark.requirement("grpc-keepalive")
async def test_a_connection_whose_client_does_not_answer_a_probe_is_closed() -> None:
    keepalive = Keepalive(probe_after=_SHORT, answer_within=_SHORT)
    async with (
        asyncio.timeout(_DEFAULT_TIMEOUT),
        grpc_server(DoubleServices(), keepalive=keepalive) as address,
        http2_client(address) as client,
    ):
        ending = await client.next(GOAWAY)
        assert ending is not None
        assert ending.payload.endswith(b"timeout")
        assert await client.next(GOAWAY) is None, "it is closed"


@pytest.mark.requirement("grpc-keepalive")
async def test_a_client_may_probe_at_the_allowed_rate_without_a_call() -> None:
    keepalive = Keepalive(probe_after=_HOUR, between_pings=_SHORT)
    async with grpc_server(DoubleServices(), keepalive=keepalive) as address, http2_client(address) as client:
        for _ in range(6):
            answer = await client.ping()
            assert answer is not None
            assert answer.kind == PING, answer
            await asyncio.sleep(2 * _SHORT / 1000)  # the rate is what is tested


@pytest.mark.requirement("grpc-keepalive")
async def test_a_client_that_probes_more_often_is_disconnected_with_the_reason() -> None:
    keepalive = Keepalive(probe_after=_HOUR, between_pings=_HOUR)
    async with grpc_server(DoubleServices(), keepalive=keepalive) as address, http2_client(address) as client:
        answers = [await client.ping() for _ in range(5)]
        refusal = next(each for each in answers if each is None or each.kind == GOAWAY)
        assert refusal is not None
        assert refusal.payload.endswith(b"too_many_pings")
        assert answers[0] is not None
        assert answers[0].kind == PING, "the first is answered"
