"""The graph shows nobody what is not theirs, nor what its server does not confirm."""

import asyncio
from typing import Any

import pytest
from tests.integration.evidence.graph_client import (
    CLAIMS,
    GRAPH,
    PAGE,
    asking,
    call,
    docs_and_model,
    edges_of,
    entity,
    write,
)
from tests.integration.retrieval.world import World
from tests.support.memory_source import MemorySource
from tests.unit.tools.clients import code_of, connected
from tests.unit.tools.clients import text_of as words_of

from citemark.model.documents import Verdict
from citemark.model.graph import HAS_LABEL, MENTIONS, NAMED, USES_CODE
from citemark.model.scope import READ, Principal
from citemark.model.sources import NewSource
from citemark.results.written import minified
from citemark.services.requests import Caller


@pytest.mark.requirement("tools-graph-fence", "edge-needs-both-ends-in-fence")
async def test_nothing_of_sources_that_are_not_the_callers_is_seen_nor_walked_over_nor_hinted_at(world: World) -> None:
    docs, _ = await docs_and_model(world)
    secret = await world.index.stores.sources.add(
        NewSource(name="secret", kind="memory", config={}), grantee="user:bob", reason="his"
    )
    world.memory[secret.source_id] = MemorySource()
    await write(world, secret, "portal-plans.md", "# Web portal\n\nPlans.\n", entity("term", "web portal", NAMED))
    await write(
        world, secret, "b.md", "# B\n\nx\n", entity("term", "quagga", MENTIONS), entity("term", "web portal", MENTIONS)
    )
    await write(world, docs, "quagga.md", "# Quagga\n\nx\n", entity("term", "quagga", MENTIONS))
    async with asking(world) as client:
        summary = await call(client, "describe")
        assert summary["sources"] == ["docs", "insurance"]
        around = await call(client, "expand", node_ids=[CLAIMS, "insurance:element:e1"], max_hops=3)
        assert "secret" not in minified(around)
        joined = await call(client, "paths", from_ids=["docs:docs_page:quagga.md"], to_ids=[CLAIMS], max_hops=5)
        assert joined["paths"] == [], "the only way leads over a page of Bob's"
        answers = [
            words_of(await client.call_tool("graph_expand", {"node_ids": [each]})).replace(each, "ID")
            for each in ("secret:docs_page:portal-plans.md", "secrot:docs_page:portal-plans.md")
        ]
        assert answers[0] == answers[1]
        assert "secret" not in answers[0]
    await world.index.rows("UPDATE source_grant SET grantee = 'user:owner' WHERE grantee <> 'user:bob'")
    bob = Caller.of(Principal("local", "bob", frozenset({READ})))
    async with connected(world.services, families=GRAPH, caller=bob) as client:
        mine = await call(client, "describe")
        assert (mine["sources"], mine["nodes"]["docs_page"]) == (["secret"], 2)
        refused = await client.call_tool("graph_expand", {"node_ids": [PAGE]})
        assert code_of(refused) == "INVALID_ARGUMENT"


@pytest.mark.requirement("unconfirmed-graph-nodes-left-out")
@pytest.mark.parametrize(
    ("verdict", "withheld"), [(Verdict.UNKNOWN, 1), (Verdict.CHANGED, 1), (Verdict.GONE, 0)], ids=str
)
async def test_unconfirmed_nodes_are_left_out_with_their_edges_and_paths(
    world: World, verdict: Verdict, withheld: int
) -> None:
    docs, _ = await docs_and_model(world)
    cloud = await world.index.source("cloud")
    world.memory[cloud.source_id] = MemorySource(remote=True)
    await write(
        world,
        cloud,
        "note",
        "# Note\n\nx\n",
        entity("code", "kb_search", USES_CODE),
        entity("label", "odd", HAS_LABEL),
    )
    await write(world, docs, "z.md", "# Z\n\nx\n", entity("label", "odd", HAS_LABEL))
    asked: dict[str, Any] = {"from_ids": [CLAIMS], "to_ids": ["docs:docs_page:z.md"], "max_hops": 5}
    async with asking(world) as client:
        assert len((await call(client, "paths", **asked))["paths"]) == 1
        world.memory[cloud.source_id].verdicts["note"] = verdict
        cut = await call(client, "paths", **asked)
        assert (cut["paths"], cut["withheld_unverified"]) == ([], withheld)
        around = await call(client, "expand", node_ids=[":code:kb_search"])
        assert edges_of(around) == {(CLAIMS, "uses_code", ":code:kb_search")}
        assert around["withheld_unverified"] == withheld
        refused = await client.call_tool("graph_expand", {"node_ids": ["cloud:docs_page:note"]})
        assert code_of(refused) == ("BACKEND_UNAVAILABLE" if withheld else "INVALID_ARGUMENT")


async def test_an_entity_that_only_an_unconfirmed_document_knows_does_not_exist(world: World) -> None:
    await docs_and_model(world)
    cloud = await world.index.source("cloud")
    world.memory[cloud.source_id] = MemorySource(remote=True)
    await write(world, cloud, "note", "# Note\n\nx\n", entity("code", "hush_hush", USES_CODE))
    async with asking(world) as client:
        assert (await call(client, "expand", node_ids=[":code:hush_hush"]))["total"] == 2
        world.memory[cloud.source_id].verdicts["note"] = Verdict.GONE
        refused = await client.call_tool("graph_expand", {"node_ids": [":code:hush_hush"]})
        never = await client.call_tool("graph_expand", {"node_ids": [":code:hush_nobody"]})
        assert words_of(refused).replace("hush_hush", "ID") == words_of(never).replace("hush_nobody", "ID")


async def test_a_slow_server_costs_one_deadline_and_withholds_only_its_own_documents(world: World) -> None:
    await docs_and_model(world)
    cloud = await world.index.source("cloud")
    world.memory[cloud.source_id] = MemorySource(remote=True)
    for number in range(6):
        await write(world, cloud, f"n{number}", "# Note\n\nx\n", entity("code", "kb_search", USES_CODE))
    world.memory[cloud.source_id].waits = 30.0
    async with asking(world) as client:
        around = await asyncio.wait_for(call(client, "expand", node_ids=[CLAIMS], max_hops=3), 20)
    assert "insurance:element:e1" in {node["node_id"] for node in around["nodes"]}
    assert around["withheld_unverified"] == 6
