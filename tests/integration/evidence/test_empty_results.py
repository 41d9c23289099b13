"""An empty result says why, the same for every tool and on the command line."""

from datetime import UTC, datetime
from typing import Any

import pytest
from mcp import Client
from tests.integration.evidence.graph_client import CLAIMS, PAGE, docs_and_model
from tests.integration.retrieval.world import CALLER, World
from tests.support.groups import groups
from tests.support.memory_source import MemorySource
from tests.support.models import ELEMENTS, model_source
from tests.unit.tools.clients import connected, text_of

from citemark.features.archimate.services.keys import ELEMENT_SEARCH, MODEL_CONTEXT
from citemark.features.archimate.services.requests import ContextRequest, ElementSearch, QueryScope
from citemark.model.accounts import NEXTCLOUD
from citemark.model.documents import Verdict
from citemark.model.sources import Source

BOILER = "The boiler in the cellar was descaled with citric acid by the plumber."
KESSEL = "Der Heizkessel im Keller wurde vom Klempner mit Zitronensäure entkalkt, und zwar im Herbst."
ELSEWHERE = "How do whales sing to each other in the deep ocean?"
BOTH = groups(nextcloud=True)
ALL = groups(nextcloud=True, capabilities=("architecture",), graph=True)
GOAL = "insurance:element:e8"
"""A node that nothing is related to."""


async def account(world: World, **config: Any) -> Source:
    made = await world.index.source("cloud", kind=NEXTCLOUD, config={"server": "https://cloud.example", **config})
    world.memory[made.source_id] = MemorySource()
    await world.scanned(made)
    return made


async def reason(client: Client, tool: str, **arguments: Any) -> str | None:
    """The reason that a tool gives; its text says what the structured content says."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    out = dict(result.structured_content or {})
    if out.get("empty_message"):
        assert out["empty_message"] in text_of(result)
    return out.get("empty_reason")


async def reasons(world: World, question: str = ELSEWHERE) -> set[str | None]:
    """What both tools that search everything say."""
    async with connected(world.services, families=BOTH) as client:
        return {
            await reason(client, "kb_search", query=question),
            await reason(client, "kb_retrieve_evidence", question=question),
        }


@pytest.mark.requirement("empty-result-says-reason-and-advice", "empty-result-gives-listed-reason")
async def test_nothing_answers_is_returned_only_if_everything_could_be_searched(world: World) -> None:
    assert await reasons(world) == {"no_source"}
    docs = await world.source("docs", {"boiler.md": BOILER})
    assert await reasons(world) == {"nothing_answers"}
    assert await reasons(world, "Who descaled the boiler?") == {None}
    await world.index.want(docs.source_id, "new.md", "1")
    assert await reasons(world) == {"not_indexed_yet"}
    await account(world, sync=False)
    assert await reasons(world) == {"switched_off"}


@pytest.mark.requirement("empty-result-says-reason-and-advice")
async def test_passages_that_wait_for_vectors_could_not_be_looked_at(world: World) -> None:
    await world.source("docs", {"boiler.md": BOILER}, embedded=False)
    assert await reasons(world) == {"not_indexed_yet"}


@pytest.mark.requirement("empty-result-says-reason-and-advice", "status-tells-refused-password")
async def test_a_refused_password_is_reported_by_search_and_status_at_once(world: World) -> None:
    cloud = await account(world)
    secrets = world.index.stores.secrets
    await secrets.keep(cloud.source_id, b"sealed")
    async with connected(world.services, families=BOTH) as client:
        assert await reason(client, "nc_semantic_search", query=ELSEWHERE) == "nothing_answers"
        await secrets.refuse(
            cloud.source_id, 1, "The server does not accept the app password of alice any more.", datetime.now(UTC)
        )
        assert await reason(client, "nc_semantic_search", query=ELSEWHERE) == "password_refused"
        result = await client.call_tool("nc_get_vector_sync_status", {})
        out = dict(result.structured_content or {})
        assert out["status"] == "error"
        assert "does not accept the app password of alice" in out["message"]
        assert "`citemark login cloud`" in out["sources"][0]["last_error"]
    (status,) = await world.index.stores.status.sources("local", 0)
    assert "citemark login cloud" in status.reason


@pytest.mark.requirement("empty-result-says-reason-and-advice")
async def test_hits_that_were_all_withheld_are_not_reported_as_no_results(world: World) -> None:
    docs = await world.source("docs", {"boiler.md": BOILER})
    world.memory[docs.source_id].verdicts = {"boiler.md": Verdict.UNKNOWN}
    assert await reasons(world, "Who descaled the boiler?") == {"all_withheld"}


@pytest.mark.requirement("empty-result-says-reason-and-advice")
async def test_documents_in_another_language_than_the_question_are_the_reason(world: World) -> None:
    docs = await world.source("docs", {})
    await world.write(docs, {"kessel.md": KESSEL}, language="german")
    assert await reasons(world, "How often should we talk about the weather of this planet?") == {"language"}
    assert await reasons(world, "Wie oft sollen wir über das Wetter auf diesem Planeten reden?") == {"nothing_answers"}
    assert await reasons(world, "天気についてどのくらい話すべきですか") == {"language"}


@pytest.mark.requirement("no-advice-for-languages-already-asked")
async def test_nobody_is_told_to_ask_in_a_language_that_a_phrasing_is_in(world: World) -> None:
    docs = await world.source("docs", {})
    await world.write(docs, {"kessel.md": KESSEL}, language="german")
    question = "How often should we talk about the weather of this planet?"
    async with connected(world.services) as client:
        for also in (["Wie oft sollen wir über das Wetter auf diesem Planeten reden?"], ["wetter planet reden"]):
            assert await reason(client, "kb_search", query=question, also=also) == "nothing_answers"


@pytest.mark.requirement("empty-result-says-reason-and-advice")
async def test_tools_of_accounts_and_models_look_at_their_own_sources_alone(world: World) -> None:
    await world.source("docs", {"boiler.md": BOILER})
    async with connected(world.services, families=BOTH) as client:
        assert await reason(client, "nc_semantic_search", query=ELSEWHERE) == "no_source"
        await account(world, apps=["deck"])
        assert await reason(client, "nc_semantic_search", query=ELSEWHERE) == "nothing_answers"
        assert await reason(client, "nc_semantic_search", query=ELSEWHERE, doc_types=["note"]) == "switched_off"
    query_scope = QueryScope()
    found = await world.services.get(ELEMENT_SEARCH).page(CALLER, ElementSearch(query_scope, ELSEWHERE))
    context = await world.services.get(MODEL_CONTEXT).pack(CALLER, ContextRequest(query_scope, ELSEWHERE))
    for meta in (found.meta, context.meta):
        assert meta.empty is not None
        assert meta.empty.reason == "no_source"


@pytest.mark.requirement("empty-result-says-reason-and-advice")
async def test_passages_without_evidence_say_so_and_point_to_the_rest(world: World) -> None:
    await world.source("docs", {"lines.md": "--- --- ---"})
    async with connected(world.services) as client:
        found = await client.call_tool("kb_search", {"query": "lines", "options": {"min_score": 0}})
        (hit,) = dict(found.structured_content or {})["results"]
        asked = {"question": "Who descaled the boiler?", "passage_ids": [hit["passage_id"]]}
        assert await reason(client, "kb_extract_evidence", **asked) == "nothing_answers"


@pytest.mark.requirement("empty-result-says-reason-and-advice", "empty-result-gives-listed-reason")
async def test_empty_lists_of_a_model_say_whether_there_is_nothing_or_it_could_not_be_read(world: World) -> None:
    layer = {"filters": {"layer": "implementation_migration"}}
    async with connected(world.services, families=ALL) as client:
        assert await reason(client, "architecture_listElements") == "no_source"
        source = await model_source(world, embedded=False)
        assert await reason(client, "architecture_listElements", **layer) == "not_indexed_yet"
        await world.scanned(source)
        assert await reason(client, "architecture_listElements", **layer) == "nothing_answers", "vectors are not needed"
        assert await reason(client, "architecture_listElements", filters={"element_type": "Gap"}) == "nothing_answers"
        assert await reason(client, "architecture_listElements") is None
        assert await reason(client, "architecture_listRelationships", type="Influence") == "nothing_answers"
        assert await reason(client, "architecture_listRelationships", element="e8") == "nothing_answers"
        assert await reason(client, "architecture_listRelationships") is None
        world.memory[source.source_id].verdicts = dict.fromkeys([*ELEMENTS, "v1"], Verdict.UNKNOWN)
        for tool in ("listElements", "listRelationships", "getView"):
            assert await reason(client, f"architecture_{tool}") == "all_withheld"


@pytest.mark.requirement("empty-result-says-reason-and-advice", "empty-result-gives-listed-reason")
async def test_a_walk_that_finds_nothing_says_so_and_what_to_do(world: World) -> None:
    _, model = await docs_and_model(world)
    far = {"from_ids": [PAGE], "to_ids": [GOAL]}
    about = {"section_ids": [GOAL]}
    async with connected(world.services, families=ALL) as client:
        assert await reason(client, "graph_paths", **far) == "not_indexed_yet"
        await world.scanned(model)
        assert await reason(client, "graph_paths", **far) == "nothing_answers"
        assert await reason(client, "graph_entities_for_sections", **about) == "nothing_answers"
        assert await reason(client, "graph_paths", from_ids=[PAGE], to_ids=[CLAIMS]) is None
        found = await client.call_tool("graph_paths", {**far, "max_hops": 1})
    assert "No path of at most 1 hop connects these nodes. Allow more `max_hops`" in text_of(found)


@pytest.mark.requirement("empty-result-says-reason-and-advice", "legacy-results-keep-their-shape")
async def test_legacy_tools_give_the_same_reasons(world: World) -> None:
    _, model = await docs_and_model(world)
    await world.scanned(model)
    gone = "docs:page:gone.md"
    async with connected(world.services, families=ALL, legacy_tools=True) as client:
        for tool, arguments in (
            ("search_sections", {"query": ELSEWHERE}),
            ("get_section_text", {"section_ids": [gone]}),
            ("describe_nodes", {"node_ids": [gone]}),
            ("get_paths_between", {"a_ids": [gone], "b_ids": [PAGE]}),
            ("get_paths_between", {"a_ids": [PAGE], "b_ids": [GOAL]}),
            ("get_entities_for_sections", {"section_ids": [GOAL]}),
        ):
            assert await reason(client, tool, **arguments) == "nothing_answers", tool
        assert await reason(client, "search_sections", query="the web portal takes claims") is None
        assert await reason(client, "describe_nodes", node_ids=[PAGE]) is None
