"""From an address with too many failures, known tokens are answered and all others wait."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from tests.support.issuer import Issuer
from tests.support.patience import HANG_SECONDS
from tests.support.web import MODERN, NO_AUTHORITIES, request_of, web_server
from tests.unit.tools.double import DoubleServices

from citemark.app.authentication import Authentication
from citemark.identity.token_claims import TokenRefused
from citemark.model.scope import Principal
from citemark.model.static_token import TOKEN_PREFIX
from citemark.services.people.admission import RefusedRequest
from citemark.services.people.failed_requests import FailedRequests
from citemark.services.people.strangers import StrangerLimits
from citemark.tools.http_guards import BearerToken
from citemark.tools.http_strangers import StrangersGuard

ALICE = Principal.issued("tokens", "alice", frozenset({"semantic:read"}))


class Opaque:
    """An authorization server's tokens that have to be looked up; those of alice are valid."""

    outside = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def principal_of(self, token: str) -> Principal:
        self.asked.append(token)
        if token.startswith("alice"):
            return ALICE
        raise TokenRefused("the token is not active")


async def nothing() -> Any:
    raise AssertionError("no token of this index is asked about")


@asynccontextmanager
async def serving(
    issued: Any, refused: Callable[[RefusedRequest], None] = lambda _: None, held: list[float] | None = None
) -> AsyncGenerator[tuple[str, httpx2.AsyncClient]]:
    reader, held = Authentication(nothing, issued), [] if held is None else held

    async def pause(seconds: float) -> None:
        held.append(seconds)

    limits = StrangerLimits(reader.admits, FailedRequests(lambda: 0.0), pause)
    async with (
        web_server(DoubleServices(), token="owner", reader=reader, strangers=limits, refused=refused) as url,
        httpx2.AsyncClient(timeout=HANG_SECONDS, verify=NO_AUTHORITIES) as http,
    ):
        yield url, http


async def status(http: httpx2.AsyncClient, url: str, token: str | None, path: str = "/mcp") -> int:
    body, headers = request_of("tools/list", MODERN)
    sent = headers if token is None else headers | {"authorization": f"Bearer {token}"}
    answer = await http.post(f"{url}{path}", content=body, headers=sent)
    if answer.status_code == 429:
        assert answer.headers["retry-after"] == "1"
    return answer.status_code


@pytest.mark.requirement("failures-counted-by-address")
async def test_a_flood_of_junk_is_refused_unseen_while_people_and_the_owner_are_answered() -> None:
    opaque = Opaque()
    refusals: list[RefusedRequest] = []
    held: list[float] = []
    async with serving(opaque, refusals.append, held) as (url, http):
        assert await status(http, url, "alice's") == 200
        assert [await status(http, url, f"junk {number}") for number in range(60)] == [401] * 60
        looked_up = len(opaque.asked)
        flood = await asyncio.gather(*(status(http, url, f"more junk {number}") for number in range(20)))
        assert flood == [429] * 20
        assert len(opaque.asked) == looked_up
        assert held == [1.0] * 20
        assert [refused.status for refused in refusals[-20:]] == [429] * 20
        assert await status(http, url, None) == 429
        assert await status(http, url, "alice's new one") == 429
        assert await status(http, url, "alice's") == 200
        assert await status(http, url, "owner") == 200
        assert (await http.get(f"{url}/health")).status_code == 200
        assert (await http.get(f"{url}/")).status_code == 200


@pytest.mark.requirement("failures-counted-by-address")
async def test_paths_that_are_not_there_count_like_tokens_that_are_not_valid() -> None:
    async with serving(Opaque()) as (url, http):
        assert [await status(http, url, None, f"/{number}") for number in range(60)] == [404] * 60
        assert await status(http, url, None, "/one-more") == 429
        assert await status(http, url, "junk") == 429


async def test_a_signed_token_is_checked_however_many_others_failed() -> None:
    issuer = Issuer()
    async with serving(issuer.reader()) as (url, http):
        assert [await status(http, url, None) for _ in range(60)] == [401] * 60
        assert await status(http, url, issuer.token()) == 200
        assert await status(http, url, f"{TOKEN_PREFIX}unknown") == 429


@pytest.mark.requirement("failures-counted-by-address")
async def test_at_most_512_refusals_are_held_back() -> None:
    held, opened = 0, asyncio.Event()

    async def pause(_: float) -> None:
        nonlocal held
        held += 1
        await opened.wait()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("nothing of the flood gets through")

    failures = FailedRequests(lambda: 0.0)
    for _ in range(60):
        failures.wait_for_turn("10.0.0.1")
    limits = StrangerLimits(lambda _: False, failures, pause)
    guard = StrangersGuard(app, BearerToken("owner"), limits, frozenset())
    statuses: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope: dict[str, Any] = {"type": "http", "path": "/mcp", "client": ("10.0.0.1", 1), "headers": []}
    flood = [asyncio.create_task(guard(dict(scope), nothing, send)) for _ in range(600)]
    await asyncio.wait(flood[512:])
    assert (held, len(statuses)) == (512, 88)
    opened.set()
    await asyncio.gather(*flood)
    assert statuses == [429] * 600


async def test_a_browser_that_is_signed_in_is_answered_where_strangers_wait() -> None:
    async def pause(_: float) -> None: ...

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    failures = FailedRequests(lambda: 0.0)
    for _ in range(60):
        failures.wait_for_turn("10.0.0.1")
    limits = StrangerLimits(lambda _: False, failures, pause)
    guard = StrangersGuard(
        app, BearerToken("owner"), limits, frozenset(), lambda request: request.cookies.get("mine") == "1"
    )
    statuses: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    for cookie in (b"mine=1", b"mine=2"):
        headers = [(b"cookie", cookie)]
        await guard({"type": "http", "path": "/search", "client": ("10.0.0.1", 1), "headers": headers}, nothing, send)
    assert statuses == [200, 429]
