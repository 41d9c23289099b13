"""gRPC and MCP over one index: the same results, nothing of another person's, and no statement that goes on."""

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import grpc
import psycopg
import pytest
from tests.integration.app.isolation import CALLS, nobodys
from tests.integration.app.two_people import BOTH_SCOPES, CONTENTS, Two, filled, two_people
from tests.nextcloud.server import Nextcloud
from tests.support.grpc_calls import PATHS, asked, data_of, details_of, request_for, send, with_token
from tests.support.grpc_servers import grpc_server
from tests.support.malformed import mangled, outcomes
from tests.support.web import MODERN

from citemark.app.open_index import open_app
from citemark.services.answer_keys import ANSWERS
from citemark.settings import Settings

_VOLATILE = (
    (re.compile(r"(?<![\w-])(?:[\w-]{22}|p_[\w-]{10})(?![\w-])", re.ASCII), "HANDLE"),
    (re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)"), "TIME"),
    (re.compile(r'"(tokens_estimate|bytes_returned)": \d+'), r'"\1": 0'),
)
LONG_LISTS = {"architecture.listElements": "elements", "architecture.listRelationships": "relationships"}
"""The tools whose methods answer with all pages, and where their rows are."""

_REFUSALS = frozenset({grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.PERMISSION_DENIED})
_WAITING = """SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'citemark%' AND wait_event_type = 'Lock'"""


def plain(result: Any) -> str:
    """A result as JSON, without what differs each time."""
    text = json.dumps(result, sort_keys=True, ensure_ascii=False)
    for pattern, short in _VOLATILE:
        text = pattern.sub(short, text)
    return text


def compact(node: Any) -> Any:
    """Data without what is null, empty, zero or false: a message does not tell these from what is left out."""
    if isinstance(node, dict):
        entries: dict[str, Any] = {name: compact(value) for name, value in node.items()}  # pyright: ignore[reportUnknownVariableType]
        return {name: value for name, value in entries.items() if value not in (None, "", [], {}, 0, False)}
    return [compact(each) for each in node] if isinstance(node, list) else node  # pyright: ignore[reportUnknownVariableType]


def spelled(tool: str) -> str:
    return tool.replace(".", "_")


@pytest.mark.requirement("grpc-same-results", "grpc-isolation", "grpc-long-lists", "grpc-malformed")
async def test_every_method_answers_as_its_tool_and_shows_nothing_of_another_person(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    async with (
        two_people(dsn, nextcloud, tmp_path) as two,
        grpc_server(
            two.app.services, token="owner", reader=two.issuer.reader(), answers=two.app.services.get(ANSWERS)
        ) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        assert await _unlike(two, channel) == []
        for tool in LONG_LISTS:
            assert await _listed(two, channel, tool) == await _listed_over_mcp(two, tool)
        assert await _failures_of_malformed(two, channel) == []
        his = two.known["bob"]
        seen_his, seen_none = await _observed(two, channel, his), await _observed(two, channel, nobodys(his))
    assert [call for call, seen in seen_his.items() if seen != seen_none[call]] == []
    assert [call for call, seen in seen_his.items() if CONTENTS["bob"] in seen] == []


async def _unlike(two: Two, channel: grpc.aio.Channel) -> list[str]:
    """The calls about Alice's own things that gRPC and MCP answer differently."""
    token, unlike = two.issuer.token("alice", BOTH_SCOPES), list[str]()
    answered = set[str]()
    for tool in PATHS:
        for template in CALLS[spelled(tool)]:
            arguments = filled(template, two.known["alice"])
            over_mcp = await two.call("alice", MODERN, spelled(tool), **arguments)
            content: Any = over_mcp["structuredContent"]
            try:
                over_grpc: Any = await asked(channel, tool, arguments, token)
                answered.add(tool)
            except grpc.aio.AioRpcError as error:
                info, _, _ = details_of(error)
                over_grpc = {"code": info.reason, "message": error.details()}
                content = {name: content.get("error", {}).get(name) for name in over_grpc}
            if plain(compact(over_grpc)) != plain(compact(content)):
                unlike.append(f"{tool} {template}: {plain(compact(over_grpc))} != {plain(compact(content))}")
    assert answered == PATHS.keys()
    return unlike


async def _listed(two: Two, channel: grpc.aio.Channel, tool: str) -> list[str]:
    """The rows of a list, in pages of one."""
    raw = request_for(tool, {"model": two.known["alice"]["model"], "page_size": 1})
    pages = await send(channel, tool, raw, two.issuer.token("alice", BOTH_SCOPES))
    assert len(pages) > 1
    return [plain(compact(data_of(page)[LONG_LISTS[tool]])) for page in pages]


async def _listed_over_mcp(two: Two, tool: str) -> list[str]:
    rows, cursor = list[str](), dict[str, str]()
    while True:
        given = {"model": two.known["alice"]["model"], "page_size": 1, **cursor}
        content: Any = (await two.call("alice", MODERN, spelled(tool), **given))["structuredContent"]
        rows.append(plain(compact(content[LONG_LISTS[tool]])))
        if content["next_cursor"] is None:
            return rows
        cursor = {"cursor": content["next_cursor"]}


async def _failures_of_malformed(two: Two, channel: grpc.aio.Channel) -> list[tuple[grpc.StatusCode, str]]:
    """What a thousand malformed requests to the methods that ask about models are answered, but for refusals."""
    chance, metadata = Random(41), with_token(two.issuer.token("alice", BOTH_SCOPES))
    tools = [tool for tool in PATHS if tool.startswith("architecture.")]
    good = {
        tool: [request_for(tool, filled(template, two.known["alice"])) for template in CALLS[spelled(tool)]]
        for tool in tools
    }
    requests = [
        (PATHS[tool][0], mangled(chance, chance.choice(good[tool])))
        for tool in (chance.choice(tools) for _ in range(1000))
    ]
    streams = frozenset(PATHS[tool][0] for tool in LONG_LISTS)
    told = await outcomes(channel, requests, streams=streams, metadata=metadata)
    assert len({code for code, _ in told}) > 1, "some are good requests, and some are none"
    return [(code, text) for code, text in told if code not in _REFUSALS or "Traceback" in text]


async def _observed(two: Two, channel: grpc.aio.Channel, values: Mapping[str, str]) -> dict[str, str]:
    """What Alice observes of every call with these values, without what she said herself."""
    token, seen = two.issuer.token("alice", BOTH_SCOPES), dict[str, str]()
    for tool in PATHS:
        for template in CALLS[spelled(tool)]:
            try:
                text = plain(await asked(channel, tool, filled(template, values), token))
            except grpc.aio.AioRpcError as error:
                info, request, _ = details_of(error)
                text = f"{error.code()} {error.details()} {info} {request}"
            for value in sorted((each for each in values.values() if len(each) > 3), key=len, reverse=True):
                text = text.replace(json.dumps(value, ensure_ascii=False)[1:-1], "NAMED")
            for pattern, short in _VOLATILE:
                text = pattern.sub(short, text)
            seen[f"{tool} {template}"] = text
    return seen


@pytest.mark.requirement("grpc-cancellation")
async def test_what_the_database_does_for_a_call_ends_with_its_deadline(dsn: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"database_url": dsn, "data_dir": tmp_path}
    raw = request_for("kb.search", {"query": "port"})
    async with (
        open_app(Settings(**given)) as app,
        grpc_server(app.services, answers=app.services.get(ANSWERS), **given) as address,
        grpc.aio.insecure_channel(address) as channel,
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as other,
    ):

        async def until(expected: int) -> None:
            waiting: object = None
            for _ in range(1500):
                waiting = await (await other.execute(_WAITING)).fetchone()
                if waiting == (expected,):
                    break
                await asyncio.sleep(0.02)
            assert waiting == (expected,)

        async with other.transaction():
            await other.execute("LOCK TABLE source IN ACCESS EXCLUSIVE MODE")
            call = channel.unary_unary(PATHS["kb.search"][0])(raw, timeout=60)  # pyright: ignore[reportUnknownVariableType]
            await until(1)
            call.cancel()
            await until(0)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await channel.unary_unary(PATHS["kb.search"][0])(raw, timeout=0.3)
            assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            await until(0)
        await channel.unary_unary(PATHS["kb.search"][0])(raw, timeout=60)
