"""Ten thousand calls of one person beside another on one server: no crash, and no word of the other.

In `make test` it is a fiftieth of that.
"""

import json
import os
import statistics
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from structlog.testing import capture_logs
from tests.integration.app.two_people import BOTH_SCOPES, CONTENTS, Two, two_people
from tests.nextcloud.server import Nextcloud
from tests.support.groups import EVERY_GROUP, tools_of
from tests.support.issuer import Issuer
from tests.support.tool_arguments import Arguments
from tests.support.web import HEADERS, MODERN, message_in, request_of

from citemark.app.authentication import Authentication
from citemark.services.people.access_tokens import AccessTokens
from citemark.settings import Settings
from citemark.tools.http_access import People, ScopeGuard, TokenGuard
from citemark.tools.http_app import MAX_BODY_BYTES_OF_OTHERS
from citemark.tools.http_guards import BearerToken, MessageBodies
from citemark.tools.registry import Registry

pytestmark = pytest.mark.slow

LONG = bool(os.environ.get("CITEMARK_SOAK"))
CALLS = 10_000 if LONG else 100
TOKENS = 1_000 if LONG else 20
_LEGACY = "2025-11-25"
_GATE_SECONDS = 0.001


@pytest.fixture
async def two(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Two]:
    async with two_people(dsn, nextcloud, tmp_path) as made:
        yield made


def mangled(body: bytes, chance: Random) -> bytes:
    """A request that is cut, doubled, or has a byte turned, now and then."""
    place = chance.randrange(len(body))
    return chance.choice(
        (
            *(body,) * 7,
            body[:place],
            body[:place] + body[place:] * 2,
            body[:place] + bytes([chance.randrange(256)]) + body[place + 1 :],
        )
    )


@pytest.mark.requirement("malformed-requests-bring-no-traceback", "one-person-learns-nothing-of-another")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_whatever_one_person_sends_there_is_no_crash_and_no_word_of_the_other(two: Two) -> None:
    chance, statuses, outcomes = Random(12), Counter[int](), Counter[str]()
    arguments = Arguments(chance)
    arguments.learn(two.known["bob"])
    listed = await two.ask("alice", MODERN, "tools/list")
    schemas = {tool["name"]: tool["inputSchema"] for tool in json.loads(message_in(listed))["result"]["tools"]}
    assert len(schemas) >= 20
    headers = HEADERS | {"authorization": f"Bearer {two.issuer.token('alice', BOTH_SCOPES)}"}
    with capture_logs() as logged:
        for _ in range(CALLS):
            name = chance.choice(sorted(schemas))
            drawn: dict[str, Any] = arguments.draw(schemas[name])
            try:
                body, about = request_of("tools/call", chance.choice((MODERN, _LEGACY)), name=name, arguments=drawn)
            except (ValueError, TypeError):
                continue
            answer = await two.http.post(two.url, content=mangled(body, chance), headers=headers | about)
            statuses[answer.status_code] += 1
            assert "Traceback" not in answer.text
            assert CONTENTS["bob"] not in answer.text, (name, drawn)
            if answer.status_code == 200:
                found: dict[str, Any] = json.loads(message_in(answer)).get("result", {})
                said: dict[str, Any] = found.get("structuredContent") or {}
                outcomes[str(said.get("error", {}).get("code", "ok"))] += 1
                arguments.learn(found)
    assert not [status for status in statuses if status >= 500], statuses
    assert outcomes["INTERNAL_ERROR"] == 0, [line for line in logged if line["log_level"] == "error"][:3]
    assert outcomes["ok"] > 0


@pytest.mark.requirement("authentication-costs-a-millisecond")
async def test_reading_a_token_and_deciding_on_its_scopes_costs_less_than_a_millisecond(
    two: Two, record_property: Callable[[str, object], None]
) -> None:
    issuer, passed = Issuer(), list[bytes]()
    reader = Authentication(lambda: given(two.app.tokens), issuer.reader())
    needs = Registry(tools_of(EVERY_GROUP, Settings(), answering=True)).needs

    async def behind(_: Scope, receive: Receive, __: Send) -> None:
        passed.append((await receive())["body"])

    guarded = MessageBodies(ScopeGuard(behind, needs, None), MAX_BODY_BYTES_OF_OTHERS)
    gate = TokenGuard(behind, BearerToken("owner"), People(guarded, reader))
    static, _ = await two.app.tokens.create("alice")
    body, headers = request_of(
        "tools/call", MODERN, name="kb_search", arguments={"query": "What is the okapi fed? " * 20}
    )
    took: dict[str, float] = {}
    for kind, token in (("signed", issuer.token()), ("static", static)):
        named = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": "POST", "headers": [*named, (b"authorization", f"Bearer {token}".encode())]}
        times: list[float] = []
        for _ in range(TOKENS):
            began = time.perf_counter()
            await gate(dict(scope), sent(body), refuse)
            times.append(time.perf_counter() - began)
        took[kind] = statistics.median(times)
    assert passed == [body] * (2 * TOKENS)
    for kind, seconds in took.items():
        record_property(f"{kind} token, milliseconds", round(1000 * seconds, 3))
    if LONG:
        assert max(took.values()) <= _GATE_SECONDS, took


async def given(tokens: AccessTokens) -> AccessTokens:
    return tokens


def sent(body: bytes) -> Receive:
    """What receives a request with this body."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def refuse(message: Message) -> None:
    raise AssertionError(message)
