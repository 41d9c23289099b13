"""A person's accounts through an MCP client: searched, told about, switched off and on."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp import Client, MCPError
from tests.integration.retrieval.world import World
from tests.support.groups import groups
from tests.support.memory_source import MemorySource
from tests.support.pages import page_of
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.features.graph.store.mentions import MentionStore
from citemark.features.nextcloud.services.keys import ACCOUNT_SYNC
from citemark.features.nextcloud.store.accounts import AccountStore
from citemark.model.documents import DocumentKey, Verdict
from citemark.model.ids import NativeId
from citemark.model.scope import READ, WRITE, Principal
from citemark.model.sources import Source
from citemark.services.history_keys import BASELINES
from citemark.services.requests import Caller

DENTIST = "The dentist expects Alice on Thursday at nine for the yearly check of her teeth."
BOILER = "The boiler in the cellar was descaled with citric acid by the plumber."
BOTH = groups(nextcloud=True)


async def account(world: World, name: str = "cloud", **fields: Any) -> Source:
    made = await world.index.source(
        name, kind="nextcloud", config={"server": "https://cloud.example"}, **{"keep_history": False, **fields}
    )
    world.memory[made.source_id] = MemorySource()
    return made


async def put(
    world: World,
    source: Source,
    doc_type: str,
    native_id: str,
    text: str,
    *,
    labels: str = "",
    **metadata: str,
) -> None:
    world.memory[source.source_id].texts[native_id] = text
    page = page_of(source.source_id, native_id, text)
    key = DocumentKey(source.source_id, doc_type, NativeId(native_id))
    url = f"https://cloud.example/{native_id}"
    modified_at = datetime(2026, 5, 1, tzinfo=UTC)
    page = replace(page, key=key, url=url, metadata=metadata, labels=tuple(labels.split()), modified_at=modified_at)
    await world.index.put_page(source, page)
    target = await world.index.stores.vectors.ensure(world.model.identity)
    await world.index.stores.segments.flush()
    await world.index.embed(target, lambda texts: world.model.embed_documents(texts).tolist())
    await world.scanned(source)


async def called(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    return dict(result.structured_content or {})


async def found(client: Client, query: str, **arguments: Any) -> list[str]:
    out = await called(client, "nc_semantic_search", query=query, **{"score_threshold": 0.0, **arguments})
    return [item["id"] for item in out["results"]]


@pytest.mark.requirement("nc-tools-are-listed", "dates-labels-categories-filter", "nc-search-defaults")
async def test_a_document_has_its_type_its_web_address_and_its_metadata(world: World) -> None:
    source = await account(world)
    await put(world, source, "calendar_event", "dentist-1", DENTIST, Location="Main Street", Attendees="Alice\nBob")
    await put(world, source, "note", "17", BOILER, category="House")
    async with connected(world.services, families=BOTH) as client:
        result = await client.call_tool("nc_semantic_search", {"query": "When does the dentist expect Alice?"})
        out = dict(result.structured_content or {})
        (first,) = out["results"]
        assert (out["query"], out["total_found"], out["search_method"], out["success"]) == (
            "When does the dentist expect Alice?", 1, "semantic", True,
        )  # fmt: skip
        assert (first["id"], first["doc_type"], first["url"]) == (
            "dentist-1", "calendar_event", "https://cloud.example/dentist-1",
        )  # fmt: skip
        assert first["metadata"] == {"Location": "Main Street", "Attendees": "Alice\nBob"}
        assert "Thursday at nine" in first["excerpt"]
        assert first["score"] >= 0.7
        assert first["citation"]["source"] == "cloud"
        assert "Attendees: Alice, Bob" in text_of(result)
        (note,) = (await called(client, "nc_semantic_search", query="Who descaled the boiler?"))["results"]
        assert (note["category"], note["metadata"]) == ("House", {})
        assert await found(client, "Alice", doc_types=["note"]) == ["17"]
        assert await found(client, "boiler", modified_after="2026-06-01T00:00:00Z") == []
        assert await found(client, "boiler", modified_before="2026-06-01T00:00:00Z", doc_types=["note"]) == ["17"]


@pytest.mark.requirement("kb-tools-search-nextcloud-too", "one-index-for-every-source", "tools-nc-caps")
async def test_kb_tools_find_nextcloud_documents_and_the_nc_tool_finds_nothing_else(world: World) -> None:
    source = await account(world)
    await put(world, source, "note", "17", BOILER)
    await world.source("docs", {"boiler.md": BOILER + " As the handbook says."})
    async with connected(world.services, families=BOTH) as client:
        pages = await called(client, "kb_search", query="Who descaled the boiler?")
        assert {hit["citation"]["doc_type"] for hit in pages["results"]} == {"note", "docs_page"}
        assert await found(client, "Who descaled the boiler?") == ["17"]
        refused = await client.call_tool("nc_semantic_search", {"query": "x", "limit": 51})
        assert code_of(refused) == "INVALID_ARGUMENT"


@pytest.mark.requirement("forbidden-hits-dropped-and-rechecked", "every-hit-checked-as-that-user")
async def test_documents_gone_at_the_server_are_not_found_and_unverifiable_ones_are_counted(world: World) -> None:
    source = await account(world)
    await put(world, source, "note", "17", BOILER)
    await put(world, source, "note", "18", BOILER + " Twice.")
    world.memory[source.source_id].verdicts = {"17": Verdict.GONE, "18": Verdict.UNKNOWN}
    async with connected(world.services, families=BOTH) as client:
        out = await called(client, "nc_semantic_search", query="Who descaled the boiler?")
        assert (out["results"], out["total_found"], out["withheld_unverified"]) == ([], 0, 1)


@pytest.mark.requirement("sync-status-tells-counts-and-state", "sync-progress-per-app", "tools-common-output")
async def test_the_state_counts_what_is_indexed_of_each_app_and_what_waits(world: World) -> None:
    source = await account(world)
    await put(world, source, "note", "17", BOILER)
    await put(world, source, "calendar_todo", "t1", DENTIST)
    await world.index.want(source.source_id, "19", "1", "note")
    async with connected(world.services, families=BOTH) as client:
        out = await called(client, "nc_get_vector_sync_status")
    assert (out["enabled"], out["status"], out["indexed_count"], out["pending_count"]) == (True, "syncing", 2, 1)
    assert out["read_context"]["as_of"].endswith("Z")
    assert (out["partial"], out["limit_reason"], out["next_cursor"]) == (False, "none", None)
    assert (out["withheld_unverified"], out["usage"]["bytes_returned"] > 0) == (0, True)
    (mine,) = out["sources"]
    apps = {app["app"]: (app["indexed_count"], app["pending_count"]) for app in mine["apps"]}
    assert apps == {"notes": (1, 1), "calendar": (1, 0), "deck": (0, 0), "files": (0, 0), "contacts": (0, 0)}


@pytest.mark.requirement(
    "small-untruths-are-mended",
    "enabling-may-name-apps",
    "enabling-and-sync-wake-at-once",
    "personal-deletion-removes-history",
    "tools-only-writers",
)
async def test_switching_off_for_good_removes_all_that_was_indexed_and_switching_on_asks_for_a_scan(
    world: World,
) -> None:
    source = await account(world)
    other = await world.source("docs", {"kept.md": BOILER})
    await put(world, source, "note", "17", BOILER)
    async with connected(world.services, families=BOTH) as client:
        off = await called(client, "nc_disable_vector_sync", confirm=True)
        assert (off["enabled"], off["status"], off["indexed_count"]) == (False, "disabled", 0)
        assert await found(client, "boiler") == []
        for table in (
            "item",
            "document",
            "revision",
            "chunk",
            "chunk_terms",
            "posting_block",
            "embedding_1",
            "embedding_1_past",
        ):
            count = f"SELECT count(*) FROM {table} WHERE source_id = %s"  # noqa: S608 - names of this list
            assert await world.index.value(count, source.source_id) == 0, table  # pyright: ignore[reportArgumentType]
            assert table in ("item", "embedding_1_past") or await world.index.value(count, other.source_id), table  # pyright: ignore[reportArgumentType]
        # A scanner that was still under way puts nothing back.
        await world.index.want(source.source_id, "20", "1", "note")
        assert (await called(client, "nc_get_vector_sync_status"))["pending_count"] == 0
        on = await called(client, "nc_enable_vector_sync", apps=["notes", "deck"])
        assert (on["enabled"], on["status"]) == (True, "syncing")
        assert [app["app"] for app in on["sources"][0]["apps"] if app["enabled"]] == ["notes", "deck"]
        status = await called(client, "nc_get_vector_sync_status")
        assert (status["status"], status["message"][:26]) == ("syncing", "A scan is about to begin. ")
        none = await client.call_tool("nc_enable_vector_sync", {"apps": []})
        assert code_of(none) == "INVALID_ARGUMENT"
        assert "at least 1 item" in text_of(none)
        same = await called(client, "nc_enable_vector_sync", apps=None)
        assert [app["app"] for app in same["sources"][0]["apps"] if app["enabled"]] == ["notes", "deck"]
    assert await world.index.value("SELECT wanted FROM scan WHERE source_id = %s", source.source_id)


@pytest.mark.requirement("no-impossible-scan-promised")
async def test_whoever_has_no_account_is_told_how_to_add_one_in_words_that_fit(world: World) -> None:
    sync = world.services.get(ACCOUNT_SYNC)
    assert sync.how_to_add(Principal.local()) == "`citemark add nextcloud URL` adds one."
    assert "whoever runs this server" in sync.how_to_add(Principal("local", "bob", frozenset({READ})))


@pytest.mark.requirement("disabled-account-hidden-at-once", "reenabled-account-goes-on")
async def test_switched_off_by_mistake_an_account_is_not_found_and_within_the_day_goes_on_where_it_was(
    world: World,
) -> None:
    source = await account(world)
    await world.source("docs", {"kept.md": DENTIST})
    for number in range(3):
        await put(world, source, "note", str(number), f"{BOILER} Visit {number}.")
    asked = {"query": "boiler", "score_threshold": 0.0, "limit": 1}
    async with connected(world.services, families=BOTH) as client:
        first = await called(client, "nc_semantic_search", **asked)
        quote = {"quote": BOILER, "citation": first["results"][0]["citation"]}
        passages = {"passage_ids": [first["results"][0]["passage_id"]]}
        assert (await called(client, "kb_verify_quote", **quote))["holds"] == "exact"
        off = await called(client, "nc_disable_vector_sync")
        assert "is erased" not in off["message"]
        assert "nc_enable_vector_sync goes on where it was" in off["message"]
        for tool, arguments in (
            ("nc_semantic_search", asked),
            ("nc_semantic_search", {**asked, "cursor": first["next_cursor"]}),
            ("kb_search", {"query": "boiler"}),
            ("kb_retrieve_evidence", {"question": "boiler"}),
            ("kb_read_excerpt", {"passage_id": first["results"][0]["passage_id"]}),
            ("kb_extract_evidence", {"question": "boiler", **passages}),
            ("kb_verify_quote", quote),
        ):
            result = await client.call_tool(tool, arguments)
            assert "descaled" not in str(result.structured_content) + str(result.content).replace(BOILER, ""), tool
        listed = await called(client, "kb_list_sources")
        assert [(each["name"], each["state"], each["documents"]) for each in listed["sources"]] == [
            ("cloud", "switched_off", 0),
            ("docs", "ready", 1),
        ]
        # Neither a scan nor a worker that was under way writes anything.
        await world.index.want(source.source_id, "20", "1", "note")
        assert await world.index.value("SELECT count(*) FROM item WHERE native_id = '20'") == 0
        on = await called(client, "nc_enable_vector_sync")
        assert on["indexed_count"] == 3
        assert sorted(await found(client, "boiler")) == ["0", "1", "2"]


@pytest.mark.requirement("disabled-account-erased-after-a-day")
async def test_a_day_after_it_was_switched_off_what_came_from_an_account_is_erased(world: World) -> None:
    source = await account(world)
    accounts = world.index.stores.of(AccountStore, world.index.stores.sources)
    await put(world, source, "note", "17", BOILER)
    async with connected(world.services, families=BOTH) as client:
        await called(client, "nc_disable_vector_sync")
        assert await accounts.erase_overdue(world.clock() + timedelta(hours=23)) == 0
        await called(client, "nc_enable_vector_sync")
        assert await accounts.erase_overdue(world.clock() + timedelta(days=2)) == 0, "it was switched on again"
        await called(client, "nc_disable_vector_sync")
        assert await accounts.erase_overdue(world.clock() + timedelta(hours=25)) == 1
        status = await called(client, "nc_get_vector_sync_status")
    assert (status["indexed_count"], status["message"]) == (
        0,
        "The sync is off and nothing is indexed; nc_enable_vector_sync turns it on.",
    )
    assert await world.index.value("SELECT count(*) FROM chunk WHERE source_id = %s", source.source_id) == 0


@pytest.mark.requirement("personal-deletion-removes-history")
async def test_switching_off_forgets_the_names_of_its_documents_too(world: World) -> None:
    source = await account(world)
    other = await world.source("docs", {"kept.md": BOILER})
    await put(world, source, "note", "17", BOILER)
    mentions, until = world.index.stores.of(MentionStore), await world.index.stores.horizon.now()
    for each in (source, other):
        await mentions.claim(each.source_id, "m")
        await mentions.note(each.source_id, {"boiler plan": ["Boiler plan"]}, until)
        await world.index.rows("INSERT INTO common_name (source_id, to_key) VALUES (%s, 1)", each.source_id)
    async with connected(world.services, families=BOTH) as client:
        await called(client, "nc_disable_vector_sync", confirm=True)
    for table in ("known_name", "common_name", "mention_state"):
        rows = await world.index.rows(f"SELECT source_id FROM {table}")  # type: ignore[arg-type]  # noqa: S608 - names of this list
        assert rows == [(other.source_id,)], table


@pytest.mark.requirement("history-retention-is-a-setting")
async def test_a_past_moment_is_not_read_without_an_account_that_was_switched_off_since(world: World) -> None:
    source = await account(world)
    await put(world, source, "note", "17", BOILER)
    moment = (await world.index.stores.horizon.now()).isoformat()
    asked = {"query": "boiler", "score_threshold": 0.0, "read_context": {"as_of": moment}}
    async with connected(world.services, families=BOTH) as client:
        assert (await called(client, "nc_semantic_search", **asked))["total_found"] == 1
        await called(client, "nc_disable_vector_sync")
        off = await called(client, "nc_semantic_search", **asked)
        assert (off["results"], off["empty_reason"]) == ([], "switched_off")
        await called(client, "nc_disable_vector_sync", confirm=True)
        await called(client, "nc_enable_vector_sync")
        refused = await client.call_tool("nc_semantic_search", asked)
    assert code_of(refused) == "INVALID_ARGUMENT"
    assert "has changed since" in str(refused.content)


@pytest.mark.requirement("enabling-concerns-the-asker-alone", "switching-sync-needs-semantic-write")
async def test_each_person_sees_and_switches_their_own_account_alone(world: World) -> None:
    bob = Principal("local", "bob", frozenset({READ, WRITE}))
    reader = Principal("local", "bob", frozenset({READ}))
    mine, theirs = await account(world, "mine"), await account(world, "theirs")
    await world.index.rows(
        "UPDATE source_grant SET grantee = CASE WHEN source_id = %s THEN 'user:bob' ELSE 'user:alice' END",
        mine.source_id,
    )
    await put(world, mine, "note", "17", BOILER)
    await put(world, theirs, "note", "18", BOILER)
    async with connected(world.services, families=BOTH, caller=Caller.of(reader)) as client:
        assert await found(client, "boiler") == ["17"]
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("nc_disable_vector_sync", {})
    async with connected(world.services, families=BOTH, caller=Caller.of(bob)) as client:
        out = await called(client, "nc_disable_vector_sync")
        assert [entry["name"] for entry in out["sources"]] == ["mine"]
    assert await world.index.value("SELECT count(*) FROM item WHERE source_id = %s", theirs.source_id) == 1


@pytest.mark.requirement("read-context-takes-one-kind")
async def test_each_page_of_a_past_state_names_the_accounts_that_do_not_have_it(world: World) -> None:
    keeping = await account(world, "keeping", keep_history=True)
    await account(world, "forgetting")
    for number in range(3):
        await put(world, keeping, "note", str(number), f"{DENTIST} Visit {number}.")
    await world.services.get(BASELINES).create("visits")
    asked = {"query": "dentist", "score_threshold": 0.0, "limit": 2, "read_context": {"baseline_id": "visits"}}
    async with connected(world.services, families=BOTH) as client:
        first = await called(client, "nc_semantic_search", **asked)
        second = await called(client, "nc_semantic_search", **asked, cursor=first["next_cursor"])
    assert (len(first["results"]), len(second["results"])) == (2, 1)
    assert any("forgetting" in note for note in first["notes"])
    assert second["notes"] == first["notes"]
