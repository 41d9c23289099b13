"""kb_list_sources: the caller's own sources, what is in them, and how far each is indexed."""

from datetime import UTC, datetime
from typing import Any

import pytest
from mcp import Client
from tests.integration.evidence.graph_client import docs_and_model
from tests.integration.retrieval.world import World
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.evidence.budget import RESULT_BYTES
from citemark.model.accounts import NEXTCLOUD
from citemark.model.baselines import BaselineSource
from citemark.model.documents import Problem
from citemark.model.ids import NativeId
from citemark.model.scope import READ, Principal
from citemark.services.requests import Caller

AXLE = "Grease the axle twice a year with the grease of the works."
ACHSE = "Die Achse wird zweimal im Jahr mit dem Fett des Werks geschmiert."


async def listed(client: Client, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool("kb_list_sources", arguments)
    assert not result.is_error, result
    return dict(result.structured_content or {})


@pytest.mark.requirement("list-sources-shows-readable-sources")
async def test_a_source_is_listed_with_its_scope_languages_counts_and_state(world: World) -> None:
    texts = {"axle.md": AXLE, "wheel.md": AXLE + " Wheels too."}
    docs = await world.source("docs", texts, environment="prod", repository="works", tags=("guides",))
    await world.write(docs, {"achse.md": ACHSE}, language="german")
    await world.index.want(docs.source_id, "new.md", "1")
    await world.index.stores.sources.report(docs.source_id, "scan", [Problem(NativeId("x.md"), "unreadable")])
    await world.index.source("cloud", kind=NEXTCLOUD, config={"sync": False})
    async with connected(world.services) as client:
        result = await client.call_tool("kb_list_sources", {})
    out = dict(result.structured_content or {})
    cloud, mine = out["sources"]
    scan = mine.pop("last_complete_scan")
    assert scan.endswith("Z")
    assert mine == {
        "name": "docs", "kind": "memory", "state": "not_indexed_yet", "project_id": None, "environment": "prod",
        "repository": "works", "tags": ["guides"], "languages": {"english": 2, "german": 1}, "documents": 3,
        "waiting": 1, "problems": 1,
    }  # fmt: skip
    assert (cloud["state"], cloud["documents"], cloud["last_complete_scan"]) == ("switched_off", 0, None)
    assert (
        "- docs (memory): 3 documents (2 English, 1 German); not indexed yet; 1 waiting; 1 problem; environment prod; "
        "repository works; tags guides; last complete scan"
    ) in text_of(result)


@pytest.mark.requirement("sources-carry-a-note")
async def test_a_note_of_the_owner_is_shown_as_such_to_those_who_may_read_its_source(world: World) -> None:
    await world.source("everybodys", {"a.md": AXLE}, about="Rules\u202e of the works.")
    hers = await world.source("hers", {"b.md": AXLE}, about="Her diary.")
    await world.source("plain", {"c.md": AXLE})
    await world.index.rows("UPDATE source_grant SET grantee = 'user:alice' WHERE source_id = %s", hers.source_id)
    seen: dict[str, dict[str, str]] = {}
    for name in ("bob", "alice"):
        caller = Caller.of(Principal("local", name, frozenset({READ})))
        async with connected(world.services, caller=caller) as client:
            result = await client.call_tool("kb_list_sources", {})
        sources = dict(result.structured_content or {})["sources"]
        seen[name] = {source["name"]: source["about"] for source in sources if "about" in source}
        assert "  the owner of this index says: Rules<U+202E> of the works.\n" in text_of(result)
        assert ("diary" in text_of(result)) is (name == "alice")
    assert seen["bob"] == {"everybodys": "Rules<U+202E> of the works."}
    assert seen["alice"] == {**seen["bob"], "hers": "Her diary."}


@pytest.mark.requirement("list-sources-tells-of-graph-and-baselines")
async def test_the_list_says_what_the_graph_holds_and_which_states_have_names(world: World) -> None:
    docs, _ = await docs_and_model(world)
    for name, month in (("spring", 3), ("autumn", 11)):
        moment = datetime(2026, month, 1, tzinfo=UTC)
        await world.index.stores.baselines.create("local", name, moment, moment, [BaselineSource(docs.source_id)])
    async with connected(world.services) as client:
        result = await client.call_tool("kb_list_sources", {})
        rest = await listed(client, cursor="docs")
    out = dict(result.structured_content or {})
    assert (out["graph"]["nodes"]["element"], out["graph"]["nodes"]["docs_page"]) == (8, 2)
    assert out["graph"]["edges"]["Serving"] > 0
    assert [(each["name"], each["sources"]) for each in out["baselines"]] == [
        ("autumn", ["docs"]),
        ("spring", ["docs"]),
    ]
    assert "Graph: " in text_of(result)
    assert "Baseline autumn: as of 2026-11-01T00:00:00Z, of docs" in text_of(result)
    assert "baselines" not in rest
    assert "graph" not in rest


@pytest.mark.requirement("list-sources-tells-of-graph-and-baselines")
async def test_baselines_that_the_list_has_no_room_for_are_counted(world: World) -> None:
    docs = await world.source("docs", {"a.md": AXLE})
    for day in range(1, 24):
        moment = datetime(2026, 10, day, tzinfo=UTC)
        await world.index.stores.baselines.create("local", f"b{day}", moment, moment, [BaselineSource(docs.source_id)])
    async with connected(world.services) as client:
        out = await listed(client)
    assert [each["name"] for each in out["baselines"]] == [f"b{day}" for day in range(23, 3, -1)]
    assert "3 older baselines are not listed" in out["notes"]


@pytest.mark.requirement("list-sources-shows-readable-sources")
async def test_each_principal_sees_their_own_sources_of_this_project_alone(world: World) -> None:
    await world.source("everybodys", {"a.md": AXLE})
    hers = await world.source("hers", {"b.md": AXLE})
    await world.source("elsewhere", {"c.md": AXLE}, project_id="other")
    await world.index.rows("UPDATE source_grant SET grantee = 'user:alice' WHERE source_id = %s", hers.source_id)
    for name, expected in (("bob", ["everybodys"]), ("alice", ["everybodys", "hers"])):
        caller = Caller.of(Principal("local", name, frozenset({READ})))
        async with connected(world.services, caller=caller) as client:
            assert [source["name"] for source in (await listed(client))["sources"]] == expected
            foreign = await client.call_tool("kb_list_sources", {"cursor": "elsewhere"})
            assert code_of(foreign) == "INVALID_ARGUMENT"


@pytest.mark.requirement("over-budget-is-cut-and-said", "list-sources-shows-readable-sources")
async def test_a_source_with_more_tags_than_a_result_holds_is_listed_with_the_first_of_them(world: World) -> None:
    await world.index.source("docs", tags=tuple(f"tag {number:03} {'x' * 60}" for number in range(500)))
    async with connected(world.services) as client:
        result = await client.call_tool("kb_list_sources", {})
    out = dict(result.structured_content or {})
    (source,) = out["sources"]
    assert [tag[:7] for tag in source["tags"]] == [f"tag {number:03}" for number in range(20)]
    assert (out["partial"], out["limit_reason"], out["next_cursor"]) == (True, "byte_cap", None)
    assert out["usage"]["bytes_returned"] < RESULT_BYTES
    assert "only the first 20 tags are listed" in text_of(result)


@pytest.mark.requirement("list-sources-shows-readable-sources")
async def test_pages_of_many_sources_show_each_once(world: World) -> None:
    for number in range(130):
        await world.index.source(
            f"source {number:03}", tags=tuple(f"tag {number} {tag} {'x' * 40}" for tag in range(9))
        )
    seen: list[str] = []
    async with connected(world.services) as client:
        cursor, pages = None, 0
        while cursor is not None or not pages:
            page = await listed(client, **({"cursor": cursor} if cursor else {}))
            seen += [source["name"] for source in page["sources"]]
            cursor, pages = page["next_cursor"], pages + 1
            assert page["partial"] is (cursor is not None)
            assert page["usage"]["bytes_returned"] <= 48 * 1024
    assert seen == [f"source {number:03}" for number in range(130)]
    assert pages > 2


async def test_an_index_without_sources_says_how_to_make_one(world: World) -> None:
    async with connected(world.services) as client:
        out = await listed(client)
    assert (out["sources"], out["empty_reason"]) == ([], "no_source")
    assert "citemark add" in out["empty_message"]
