"""While a document in scope waits, changed or was withheld, every result says so, and nothing is called absent."""

import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from mcp import Client
from tests.integration.answering.asking import answers_of
from tests.integration.evidence.graph_client import CLAIMS, PAGE, docs_and_model
from tests.integration.retrieval.world import World
from tests.support.groups import groups
from tests.support.memory_source import MemorySource
from tests.support.models import ELEMENTS, put
from tests.unit.tools.clients import connected, text_of

from citemark.model.accounts import NEXTCLOUD
from citemark.model.documents import DocumentRef, Problem, Verdict
from citemark.model.ids import NativeId, Version
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import Source

ALL = groups(nextcloud=True, capabilities=("architecture",), graph=True)
GOAL = "insurance:element:e8"
"""A node that nothing is related to."""

QUESTION = "Who maintains the Zyzzyva of the portal?"
"""It names what no document mentions."""

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kb_search", {"query": QUESTION}),
    ("kb_search", {"query": QUESTION, "options": {"min_score": 0}}),
    ("kb_retrieve_evidence", {"question": QUESTION}),
    ("kb_retrieve_evidence", {"question": QUESTION, "filters": {"path_prefix": "guides/"}}),
    ("kb_retrieve_evidence", {"question": QUESTION, "also": ["maintainer of the Zyzzyva"]}),
    ("kb_answer", {"question": QUESTION}),
    ("kb_list_sources", {}),
    ("nc_semantic_search", {"query": QUESTION}),
    ("architecture_semanticSearch", {"query": QUESTION}),
    ("architecture_searchElements", {"query": QUESTION}),
    ("architecture_getContext", {"query": QUESTION}),
    ("architecture_listElements", {}),
    ("architecture_listElements", {"filters": {"element_type": "Gap"}}),
    ("architecture_listRelationships", {"element": "e8"}),
    ("architecture_getElement", {"element": "e1"}),
    ("graph_expand", {"node_ids": [PAGE]}),
    ("graph_paths", {"from_ids": [PAGE], "to_ids": [GOAL]}),
    ("graph_entities_for_sections", {"section_ids": [GOAL]}),
    ("search_sections", {"query": QUESTION}),
    ("get_section_text", {"section_ids": ["docs:page:gone.md"]}),
    ("describe_nodes", {"node_ids": ["docs:page:gone.md"]}),
    ("get_paths_between", {"a_ids": [PAGE], "b_ids": [GOAL]}),
    ("expand_neighbors", {"node_ids": [CLAIMS]}),
    # What is refused because it is not there is called absent too.
    ("kb_search", {"query": QUESTION, "filters": {"path_prefix": "nowhere/"}}),
    ("kb_search", {"query": QUESTION, "filters": {"doc_tag": ["nothing"]}}),
    ("architecture_getElement", {"element": "Zyzzyva"}),
    ("graph_expand", {"node_ids": ["docs:page:zyzzyva.md"]}),
    ("kb_verify_quote", {"citation": {"source": "docs", "document_id": "zyzzyva.md"}, "quote": "a zyzzyva"}),
)

ABSENT = re.compile(
    r"\b[Nn]o document (?:read )?here\b|documents do not say|everything in scope"
    r"|\bhave no (?:element|view|relationship)"
    r"|No relationship has|No path of|Nothing is related|None of these ids|none of [\d,]+ documents"
    r"|(?:There is no (?:node|element|view|document)|None of your documents)(?!.*what has been read so far)"
    r"|no longer exists"
)
"""What calls something absent, unless it is limited to what has been read."""


async def never_scanned(world: World, docs: Source, model: Source, cloud: Source) -> None:
    for source in (docs, model, cloud):
        await world.index.rows(
            "UPDATE scan SET last_complete_at = NULL, wanted = true WHERE source_id = %s", source.source_id
        )


async def queued(world: World, docs: Source, model: Source, cloud: Source) -> None:
    for source in (docs, model, cloud):
        await world.index.want(source.source_id, "new", "1")


async def changed(world: World, docs: Source, model: Source, cloud: Source) -> None:
    await world.index.want(docs.source_id, "guides/steps.md", "another")
    await world.index.want(model.source_id, "e7", "another", "element")
    await world.index.want(cloud.source_id, "17", "another", "note")


async def seen_to_have_changed(world: World, docs: Source, model: Source, cloud: Source) -> None:
    for source, doc_type, native_id in (
        (docs, "docs_page", "guides/steps.md"),
        (model, "element", "e7"),
        (cloud, "note", "17"),
    ):
        await world.index.stores.ledger.mark_stale(
            source.source_id, DocumentRef(doc_type, NativeId(native_id), Version("1")), "2"
        )


async def deadly(world: World, docs: Source, model: Source, cloud: Source) -> None:
    await queued(world, docs, model, cloud)
    for source in (docs, model, cloud):
        await world.index.claim(source.source_id, worker="killed")
    await world.index.stores.ledger.lost(workers=["killed"])


async def tried_in_vain(world: World, docs: Source, model: Source, cloud: Source) -> None:
    await queued(world, docs, model, cloud)
    for source in (docs, model, cloud):
        (claim,) = await world.index.claim(source.source_id)
        await world.index.stores.ledger.failed(claim, world.index.worker, error="HTTP 503", park=False, delay=60)
        await world.index.stores.sources.report(source.source_id, "text", [Problem(NativeId("new"), "HTTP 503")])


async def unflushed(world: World, docs: Source, model: Source, cloud: Source) -> None:
    for source in (docs, model, cloud):
        await world.index.put(source, "fresh", "The zyzzyva is a weevil.")


async def scan_failed(world: World, docs: Source, model: Source, cloud: Source) -> None:
    for source in (docs, model, cloud):
        await world.scanned(source, "the folder cannot be listed")


async def scan_broke_off(world: World, docs: Source, model: Source, cloud: Source) -> None:
    for source in (docs, model, cloud):
        await world.index.stores.ledger.claim_scan(source.source_id, "killed", 60)
    await world.index.stores.ledger.release_scans("killed")


STATES: tuple[tuple[str, Callable[[World, Source, Source, Source], Awaitable[None]]], ...] = (
    ("waiting", never_scanned),
    ("waiting", queued),
    ("changed", changed),
    ("changed", seen_to_have_changed),
    ("waiting", deadly),
    ("waiting", tried_in_vain),
    ("waiting", unflushed),
    ("waiting", scan_failed),
    ("waiting", scan_broke_off),
)


async def everything(world: World) -> tuple[Source, Source, Source]:
    """Documents, a model and an account, all of them read."""
    docs, model = await docs_and_model(world)
    await world.scanned(model)
    cloud = await world.index.source("cloud", kind=NEXTCLOUD, config={"server": "https://cloud.example"})
    world.memory[cloud.source_id] = MemorySource()
    note = "The plumber descaled the boiler."
    await put(world.index, world.memory[cloud.source_id], cloud, "note", "17", "Boiler", note, [], {})
    await world.index.stores.segments.flush()
    target = await world.index.stores.vectors.ensure(world.model.identity)
    await world.index.embed(target, lambda texts: world.model.embed_documents(texts).tolist())
    await world.scanned(cloud)
    return docs, model, cloud


async def answers(client: Client) -> list[tuple[str, str, dict[str, Any], bool]]:
    """Each call in words, its text, its structured content, and whether it was refused."""
    found: list[tuple[str, str, dict[str, Any], bool]] = []
    for tool, arguments in CALLS:
        result = await client.call_tool(tool, arguments)
        found.append(
            (f"{tool} {arguments}", text_of(result), dict(result.structured_content or {}), bool(result.is_error))
        )
    return found


@pytest.mark.requirement("nothing-absent-while-waiting", "incomplete-in-every-result")
@pytest.mark.parametrize(("kind", "prepare"), STATES, ids=lambda it: it if isinstance(it, str) else it.__name__)
async def test_every_result_says_what_it_lacks_and_none_calls_anything_absent(
    world: World, kind: str, prepare: Callable[[World, Source, Source, Source], Awaitable[None]]
) -> None:
    sources = await everything(world)
    await prepare(world, *sources)
    async with connected(world.services, families=ALL, answers=answers_of(world), legacy_tools=True) as client:
        for call, text, out, refused in await answers(client):
            assert not ABSENT.search(text), f"{call}: {text}"
            assert not ABSENT.search(str(out)), f"{call}: {out}"
            if not refused:
                assert out["incomplete"][kind] > 0, call
                assert text.startswith("Incomplete: "), f"{call}: {text}"
                assert text.count("Incomplete: ") == 1, call


@pytest.mark.requirement("nothing-absent-while-waiting")
async def test_what_is_not_there_is_called_absent_once_everything_is_read(world: World) -> None:
    await everything(world)
    async with connected(world.services, families=ALL, answers=answers_of(world), legacy_tools=True) as client:
        found = await answers(client)
    assert not [call for call, text, out, _ in found if "incomplete" in out or "Incomplete" in text]
    absent = [call for call, text, _, _ in found if ABSENT.search(text)]
    assert len(absent) >= 14, "otherwise the other tests look for sentences that nobody says"


@pytest.mark.requirement("incomplete-in-every-result")
async def test_withheld_hits_are_counted_in_the_first_line_and_forbid_claims(world: World) -> None:
    docs, model, cloud = await everything(world)
    world.memory[docs.source_id].verdicts = {"guides/portal.md": Verdict.UNKNOWN}
    world.memory[model.source_id].verdicts = dict.fromkeys(ELEMENTS, Verdict.UNKNOWN)
    world.memory[cloud.source_id].verdicts = {"17": Verdict.UNKNOWN}
    async with connected(world.services, families=ALL, answers=answers_of(world), legacy_tools=True) as client:
        for tool, arguments in (
            ("kb_search", {"query": QUESTION, "options": {"min_score": 0}}),
            ("kb_retrieve_evidence", {"question": "What does the web portal take?"}),
            ("nc_semantic_search", {"query": QUESTION, "score_threshold": 0}),
            ("architecture_listElements", {}),
            ("search_sections", {"query": "What does the web portal take?"}),
        ):
            result = await client.call_tool(tool, arguments)
            out = dict(result.structured_content or {})
            withheld = out.get("meta", out)["withheld_unverified"]
            assert out["incomplete"]["withheld"] == withheld > 0, tool
            assert re.match(rf"Incomplete: .*{withheld} hits? withheld", text_of(result)), text_of(result)
            assert not ABSENT.search(text_of(result)), text_of(result)


@pytest.mark.requirement("incomplete-in-every-result")
async def test_an_account_that_refuses_the_password_counts_as_withheld(world: World) -> None:
    _, _, cloud = await everything(world)
    await world.index.stores.secrets.keep(cloud.source_id, b"sealed")
    await world.index.stores.secrets.refuse(
        cloud.source_id, 1, "The server does not accept the app password of alice.", datetime.now(UTC)
    )
    async with connected(world.services, families=ALL) as client:
        result = await client.call_tool("kb_search", {"query": QUESTION})
    assert dict(result.structured_content or {})["incomplete"]["withheld"] == 1
    assert "cloud is closed to Citemark" in text_of(result)
    assert not ABSENT.search(text_of(result))


@pytest.mark.requirement("failed-beside-absence")
async def test_documents_that_cannot_be_read_are_counted_beside_a_claim_and_do_not_forbid_it(world: World) -> None:
    docs, _, _ = await everything(world)
    await world.index.want(docs.source_id, "broken.pdf", "1")
    (claim,) = await world.index.claim(docs.source_id)
    await world.index.stores.ledger.failed(claim, world.index.worker, error="It is damaged.", park=True, delay=0)
    await world.index.stores.sources.report(docs.source_id, "text", [Problem(NativeId("broken.pdf"), "It is damaged.")])
    await world.index.rows("UPDATE scan SET listed = 1205 WHERE source_id = %s", docs.source_id)
    async with connected(world.services, families=ALL) as client:
        result = await client.call_tool("kb_search", {"query": QUESTION})
        empty = await client.call_tool("kb_search", {"query": "What does a rudder cost?", "options": {"min_score": 1}})
    out = dict(result.structured_content or {})
    assert out["incomplete"] == {"waiting": 0, "changed": 0, "withheld": 0, "failed": 1}
    claims = [note for note in out["notes"] if ABSENT.search(note)]
    assert claims[0].startswith('No document read here writes "Zyzzyva": it is in none of 1,204 documents')
    assert all("1 could not be read" in claim for claim in claims)
    assert "1 document could not be read; `citemark problems` lists it" in text_of(empty)
    allowed = await world.index.stores.sources.allowed(Principal.local(), RequestScope(project_id="default"))
    assert allowed.reading.settled


@pytest.mark.requirement("incomplete-in-every-result")
async def test_sources_outside_the_scope_do_not_make_a_result_incomplete(world: World) -> None:
    docs, _, cloud = await everything(world)
    await queued(world, docs, docs, cloud)
    async with connected(world.services, families=ALL) as client:
        listed = await client.call_tool("architecture_listElements", {})
        searched = await client.call_tool("kb_search", {"query": QUESTION})
    assert "incomplete" not in dict(listed.structured_content or {})
    assert dict(searched.structured_content or {})["incomplete"]["waiting"] == 2


@pytest.mark.requirement("incomplete-in-every-result")
async def test_a_long_queue_is_counted_up_to_a_limit_and_said_to_be_longer(world: World) -> None:
    docs, _, _ = await everything(world)
    await world.index.rows(
        "INSERT INTO item (source_id, doc_type, native_id, wanted_version)"
        " SELECT %s, 'docs_page', 'new' || n, '1' FROM generate_series(1, 1500) n",
        docs.source_id,
    )
    async with connected(world.services, families=ALL) as client:
        result = await client.call_tool("kb_search", {"query": QUESTION})
    assert "more than 1,000 documents wait to be read" in text_of(result)
