"""Keys from a real web server that counts how often it is asked."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.support.issuer import Issuer

from citemark.app.serve_http import listening_sockets, url_of
from citemark.identity.key_sets import BETWEEN_FETCHES, KeySet, metadata_urls
from citemark.model.errors import BackendUnavailable


@dataclass
class Published:
    """What the server answers, by path, and what it was asked for."""

    answers: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: list[str] = field(default_factory=list[str])

    async def answer(self, request: Request) -> Response:
        self.asked.append(request.url.path)
        found = self.answers.get(request.url.path)
        return Response(status_code=404) if found is None else JSONResponse(found)


@asynccontextmanager
async def serving(published: Published) -> AsyncGenerator[str]:
    app = Starlette(routes=[Route("/{path:path}", published.answer, methods=["GET", "POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    sockets = listening_sockets("127.0.0.1", 0, authenticated=False)
    running = asyncio.create_task(server.serve(sockets))
    try:
        yield url_of(sockets[0])
    finally:
        server.should_exit = True
        await running


@dataclass
class Stopped:
    """A clock that a test puts on."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def key_set(issuer: str, url: str | None, seconds: Callable[[], float]) -> AsyncGenerator[KeySet]:
    made = KeySet(issuer, url, seconds)
    try:
        yield made
    finally:
        await made.close()


@pytest.mark.requirement("jwts-checked-in-full", "bad-tokens-are-refused")
async def test_for_a_flood_of_unknown_keys_the_issuer_is_asked_once_in_five_seconds() -> None:
    published, clock = Published({"/jwks": {"keys": [Issuer().jwk]}}), Stopped()
    async with serving(published) as url, key_set(url, f"{url}/jwks", clock) as keys:
        flood = [keys.key(f"unknown-{number}") for number in range(500)]
        assert set(await asyncio.gather(*flood)) == {None}
        assert await keys.key("k1") is not None
        assert published.asked == ["/jwks"]
        clock.now += BETWEEN_FETCHES
        assert await asyncio.gather(*(keys.key("unknown") for _ in range(100))) == [None] * 100
        assert published.asked == ["/jwks"] * 2


@pytest.mark.requirement("jwts-checked-in-full")
async def test_a_new_key_is_found_when_a_token_names_it() -> None:
    published, clock = Published({"/jwks": {"keys": [Issuer().jwk]}}), Stopped()
    async with serving(published) as url, key_set(url, f"{url}/jwks", clock) as keys:
        assert await keys.key("k1") is not None
        rotated = Issuer(kid="k2").jwk
        published.answers["/jwks"] = {"keys": [rotated]}
        clock.now += BETWEEN_FETCHES
        assert await keys.key("k2") == rotated
        assert await keys.key("k1") is None


async def test_a_withdrawn_key_is_trusted_for_ten_minutes_at_most() -> None:
    published, clock = Published({"/jwks": {"keys": [Issuer().jwk]}}), Stopped()
    async with serving(published) as url, key_set(url, f"{url}/jwks", clock) as keys:
        assert await keys.key("k1") is not None
        published.answers["/jwks"] = {"keys": [Issuer(kid="k2").jwk]}
        clock.now += 601
        assert await keys.key("k1") is None


INCOMPLETE = {name: value for name, value in Issuer().jwk.items() if name != "x"}


@pytest.mark.requirement("key-set-without-key-failed")
@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"keys": []},
        {"keys": "none"},
        {"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "k1"}]},
        {"keys": [INCOMPLETE]},
        {"keys": [{**Issuer().jwk, "use": "enc"}, 7]},
    ],
    ids=["nothing", "no key", "no list", "a secret", "half a key", "not for signatures"],
)
async def test_an_answer_without_a_usable_key_leaves_the_known_ones(answer: dict[str, Any]) -> None:
    known = Issuer().jwk
    published, clock = Published({"/jwks": {"keys": [known]}}), Stopped()
    async with serving(published) as url, key_set(url, f"{url}/jwks", clock) as keys:
        assert await keys.key("k1") == known
        published.answers["/jwks"] = answer
        clock.now += 601
        assert await keys.key("k1") == known
        assert await keys.key("k2") is None
        assert published.asked == ["/jwks"] * 2


@pytest.mark.requirement("key-set-without-key-failed")
async def test_an_issuer_that_has_only_published_nothing_is_unavailable() -> None:
    published, clock = Published({"/jwks": {"keys": []}}), Stopped()
    async with serving(published) as url, key_set(url, f"{url}/jwks", clock) as keys:
        with pytest.raises(BackendUnavailable):
            await keys.key("k1")


async def test_known_keys_stay_while_the_issuer_does_not_answer() -> None:
    published, clock = Published({"/jwks": {"keys": [Issuer().jwk]}}), Stopped()
    async with serving(published) as url, key_set(url, f"{url}/jwks", clock) as keys:
        assert await keys.key("k1") is not None
        published.answers.clear()
        clock.now += 601
        assert await keys.key("k1") is not None


async def test_an_issuer_that_never_answered_is_unavailable_and_asked_seldom() -> None:
    published, clock = Published(), Stopped()
    async with serving(published) as url, key_set(url, f"{url}/jwks", clock) as keys:
        for _ in range(20):
            with pytest.raises(BackendUnavailable):
                await keys.key("k1")
    assert published.asked == ["/jwks"]


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_keys_are_found_by_the_issuers_metadata(place: int) -> None:
    published, clock = Published({"/keys": {"keys": [Issuer().jwk]}}), Stopped()
    async with serving(published) as base:
        issuer = f"{base}/realms/one"
        path = metadata_urls(issuer)[place].removeprefix(base)
        published.answers[path] = {"issuer": issuer, "jwks_uri": f"{base}/keys"}
        async with key_set(issuer, None, clock) as keys:
            assert await keys.key("k1") is not None


async def test_metadata_of_another_issuer_are_not_believed() -> None:
    published, clock = Published({"/keys": {"keys": [Issuer().jwk]}}), Stopped()
    async with serving(published) as base:
        for url in metadata_urls(base):
            published.answers[url.removeprefix(base)] = {"issuer": "https://other", "jwks_uri": f"{base}/keys"}
        async with key_set(base, None, clock) as keys:
            with pytest.raises(BackendUnavailable):
                await keys.key("k1")


async def test_shared_secrets_encryption_keys_and_nonsense_are_no_signing_keys() -> None:
    secret, encrypts = {"kty": "oct", "k": "c2VjcmV0", "kid": "a"}, {**Issuer(kid="b").jwk, "use": "enc"}
    listed = [secret, encrypts, 7, json.dumps({}), None, Issuer(kid="c").jwk, Issuer(kid="d").jwk]
    published, clock = Published({"/jwks": {"keys": listed}}), Stopped()
    async with serving(published) as url, key_set(url, f"{url}/jwks", clock) as keys:
        assert [await keys.key(kid) for kid in ("a", "b", None)] == [None] * 3
