"""Which tools a server lists, and how clients learn that it lists others."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest
from mcp import Client
from mcp.server.lowlevel import NotificationOptions
from mcp.shared.memory import create_client_server_memory_streams
from mcp_types import TextResourceContents
from structlog.testing import capture_logs
from tests.support.groups import EVERY_GROUP, catalog, groups, tools_of, unlisted
from tests.support.kinds import KINDS
from tests.support.patience import HANG_SECONDS
from tests.support.web import web_server
from tests.unit.tools.clients import connected
from tests.unit.tools.double import DoubleServices

from citemark.features.graph.tools.legacy import LEGACY_TOOLS
from citemark.model.architecture import checked_capability
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import Source
from citemark.results.written import minified
from citemark.services.answers import AnswerService
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools import registry
from citemark.tools.index_contents import IndexContents, ToolGroups
from citemark.tools.kb import KB_TOOLS
from citemark.tools.registry import MOST_LIST_BYTES, MOST_TOOLS, Registry, Tool
from citemark.tools.server import build_server
from citemark.tools.tool_catalog import ToolCatalog

ALL = groups(nextcloud=True, capabilities=("architecture", "transformation"), graph=True)


def source(kind: str, **config: Any) -> Source:
    return Source(SourceId(1), "local", "a source", kind, config)


def many(count: int, description: str = "") -> list[Tool]:
    return [replace(KB_TOOLS[0], name=f"kb.number_{number}", description=description) for number in range(count)]


def listed(tools: Sequence[Tool]) -> list[str]:
    return [tool.name for tool in Registry(tools).listed("dot", Principal.local())]


@pytest.mark.requirement("tools-families-work")
def test_the_sources_decide_which_families_there_are() -> None:
    assert ToolGroups.of([], KINDS) == ToolGroups.of([source("docs")], KINDS) == groups()
    assert ToolGroups.of([source("docs"), source("nextcloud")], KINDS) == groups(nextcloud=True)
    models = [source("archimate", capability="transformation"), source("archimate"), source("archimate")]
    assert ToolGroups.of(models, KINDS) == groups(capabilities=("architecture", "architecture", "transformation"))


def test_a_capability_has_a_name_that_every_host_accepts_and_no_other_family_uses() -> None:
    assert checked_capability("transformation_2") == "transformation_2"
    for wrong in ("", "a.b", "a b", "ä", "1st", "x" * 41, "kb", "KB", "nc"):
        with pytest.raises(InvalidArgument, match="name"):
            checked_capability(wrong)


def test_without_the_flag_there_is_no_kb_family() -> None:
    assert {tool.name for tool in tools_of(groups(), Settings())} >= {tool.name for tool in KB_TOOLS}
    hidden = tools_of(groups(graph=True), Settings(kb_v2_enabled=False))
    assert not [tool for tool in hidden if tool.name.startswith(("kb.", "graph."))]


def test_the_graph_family_is_listed_where_there_is_a_graph() -> None:
    def named(families: ToolGroups) -> list[str]:
        return [tool.name for tool in tools_of(families, Settings()) if tool.name.startswith("graph.")]

    assert named(groups()) == []
    assert len(named(groups(graph=True))) == 8


@pytest.mark.requirement("tools-list-48k")
def test_a_list_holds_as_many_tools_as_hosts_accept_and_the_others_can_still_be_called() -> None:
    tools = many(MOST_TOOLS + 5)
    assert listed(tools[:5]) == [tool.name for tool in tools[:5]]
    for wide in (tools, many(MOST_TOOLS, "long " * 400)):
        wire = Registry(wide).listed("dot", Principal.local())
        assert 3 < len(wire) <= MOST_TOOLS
        whole = {"tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in wire]}
        assert len(minified(whole)) <= MOST_LIST_BYTES
        assert Registry(wide).find(wide[-1].name, Principal.local()) is wide[-1]
        assert Registry(wide).left_out("dot", Principal.local()) == tuple(tool.name for tool in wide[len(wire) :])


@pytest.mark.requirement("legacy-family-off-by-default", "tools-list-48k")
def test_the_legacy_tools_are_listed_beside_a_full_list_and_displace_none_of_it() -> None:
    def names(**settings: Any) -> list[str]:
        return listed(tools_of(EVERY_GROUP, Settings(**settings), answering=True))

    legacy = [tool.name for tool in LEGACY_TOOLS]
    assert names(legacy_tools=True) == [*names(), *legacy]
    assert len(legacy) == 9
    assert unlisted(EVERY_GROUP, Settings(legacy_tools=True)) == ()
    wire = Registry(LEGACY_TOOLS).listed("dot", Principal.local())
    assert len(minified([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in wire])) <= 10_000
    crowded = Registry([*many(MOST_TOOLS + 1), *LEGACY_TOOLS])
    left_out = crowded.left_out("dot", Principal.local())
    assert left_out
    assert left_out[-1] == f"kb.number_{MOST_TOOLS}"
    assert not set(legacy) & set(left_out)


@pytest.mark.requirement("tools-list-48k")
async def test_the_log_names_the_tools_that_a_full_list_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def provide() -> Services:
        return DoubleServices()

    with capture_logs() as logs:
        build_server(provide, Settings(), Caller.local(), catalog(ALL))
    assert logs == []
    monkeypatch.setattr(registry, "MOST_TOOLS", 3)
    with capture_logs() as logs:
        build_server(provide, Settings(), Caller.local(), catalog(ALL))
    (warning,) = logs
    assert warning["log_level"] == "warning"
    assert "architecture_getView" in warning["tools"]
    assert "kb_search" not in warning["tools"]


@asynccontextmanager
async def server_over_pipes(offer: ToolCatalog) -> AsyncGenerator[Any]:
    """The streams of a client whose server runs as over stdio."""

    async def provide() -> Services:
        return DoubleServices()

    server = build_server(provide, Settings(), Caller.local(), offer)
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))
    async with create_client_server_memory_streams() as (client_streams, server_streams):
        running = asyncio.create_task(server.run(*server_streams, options))
        yield client_streams
        running.cancel()
        await asyncio.wait([running])


@pytest.mark.requirement("tools-families-work", "tools-no-database-wait")
async def test_who_listed_the_tools_is_told_once_when_the_index_shows_other_families() -> None:
    offer, told = catalog(), asyncio.Queue[str]()

    async def hear(message: Any) -> None:
        await told.put(getattr(message, "method", type(message).__name__))

    async with Client(server_over_pipes(offer), mode="legacy", message_handler=hear) as client:
        assert (await client.list_tools()).tools
        await offer.put(IndexContents())
        await offer.put(IndexContents(groups(nextcloud=True)))
        assert await asyncio.wait_for(told.get(), HANG_SECONDS) == "notifications/tools/list_changed"
        await client.list_tools()
        assert told.empty()


@pytest.mark.requirement("tools-families-work")
async def test_a_client_without_a_session_subscribes_to_the_same_changes() -> None:
    offer = catalog()

    async def provide() -> Services:
        return DoubleServices()

    async with (
        Client(build_server(provide, Settings(), Caller.local(), offer)) as client,
        client.listen(tools_list_changed=True) as changes,
    ):
        await offer.put(IndexContents(groups(nextcloud=True)))
        event = await asyncio.wait_for(anext(aiter(changes)), HANG_SECONDS)
        assert type(event).__name__ == "ToolsListChanged"
        offer.end()
        assert [event async for event in changes] == []


@pytest.mark.requirement("tools-families-work", "both-transports-list-the-same-tools")
async def test_over_http_a_client_listens_too_and_does_not_hold_the_server_up() -> None:
    offer = catalog()
    async with web_server(DoubleServices(), offer=offer) as base, Client(f"{base}/mcp") as client:
        before = {tool.name for tool in (await client.list_tools()).tools}
        async with client.listen(tools_list_changed=True) as changes:
            await offer.put(IndexContents(groups(capabilities=("architecture",))))
            event = await asyncio.wait_for(anext(aiter(changes)), HANG_SECONDS)
            assert type(event).__name__ == "ToolsListChanged"
            after = {tool.name for tool in (await client.list_tools()).tools}
            assert {name.partition("_")[0] for name in after - before} == {"architecture"}
            offer.end()
            assert [event async for event in changes] == []


@pytest.mark.parametrize("kb", [True, False])
@pytest.mark.parametrize("families", [groups(), ALL], ids=["documents", "all"])
@pytest.mark.parametrize("answering", [True, False])
async def test_no_text_names_a_tool_that_is_not_listed(kb: bool, families: ToolGroups, answering: bool) -> None:
    answers = cast("AnswerService", object()) if answering else None
    async with connected(families=families, answers=answers, kb_v2_enabled=kb, mode="legacy") as client:
        tools = (await client.list_tools()).tools
        texts = [client.instructions or "", *(tool.description or "" for tool in tools)]
        for resource in (await client.list_resources()).resources:
            (contents,) = (await client.read_resource(resource.uri)).contents
            assert isinstance(contents, TextResourceContents)
            texts.append(contents.text)
    named = {name for text in texts for name in re.findall(r"\b(?:kb|nc|architecture|graph)[._][A-Za-z]\w+", text)}
    assert named <= {tool.name for tool in tools}
    assert not kb or ("kb_answer" in texts[-1]) is answering, "the playbook speaks of what there is"


@pytest.mark.requirement("tools-playbook")
async def test_the_playbook_explains_the_tools_of_models_where_there_are_any() -> None:
    async def provide() -> Services:
        return DoubleServices()

    async def page(families: ToolGroups) -> str:
        server = build_server(provide, Settings(), Caller.local(), catalog(families))
        async with Client(server) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            (contents,) = (await client.read_resource("citemark://playbook")).contents
            assert isinstance(contents, TextResourceContents)
            spoken_of = set(re.findall(r"\barchitecture_\w+", contents.text))
            assert spoken_of == {name for name in names if not name.startswith(("kb_", "graph_"))}
            return contents.text

    assert "rchitecture" not in await page(groups())
    assert len((await page(groups(capabilities=("architecture",), graph=True))).encode()) < 4096
    assert await page(groups(capabilities=("transformation",))) == await page(groups(capabilities=("a", "b")))
