"""What a call is limited to: values that exist, or a refusal that lists the caller's own, nearest first."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client
from tests.integration.evidence.test_accounts import account, put
from tests.integration.retrieval.world import World
from tests.support.groups import groups
from tests.support.models import model_source
from tests.support.pages import page_of
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.embedding.minilm import MiniLM
from citemark.model.scope import READ, Principal
from citemark.services.requests import Caller
from citemark.services.scoping import default_scope
from citemark.settings import Settings
from citemark.store.database import Database

AXLE = "Grease the axle twice a year with the grease of the works."
EVERY = groups(nextcloud=True, capabilities=("architecture",))


async def works(world: World) -> None:
    """Two sources of everybody and one of Alice alone, which knows other names."""
    await world.source("prod", {"guide/axle.md": AXLE}, environment="prod", repository="works", tags=("guides",))
    staging = await world.source("staging", {}, environment="staging", repository="trial", tags=("drafts",))
    await world.index.put_page(staging, page_of(staging.source_id, "plan/wheel.md", AXLE, tags=("wheels",)))
    await world.write(staging, {})
    world.memory[staging.source_id].texts["plan/wheel.md"] = AXLE
    hers = await world.source("hers", {"secret/axle.md": AXLE}, environment="prof", repository="work", tags=("guide",))
    await world.index.rows("UPDATE source_grant SET grantee = 'user:alice' WHERE source_id = %s", hers.source_id)


async def refused(client: Client, tool: str, **arguments: Any) -> tuple[str, Mapping[str, Any]]:
    result = await client.call_tool(tool, arguments)
    assert code_of(result) == "INVALID_ARGUMENT"
    error = dict(result.structured_content or {})["error"]
    return error["message"], error["details"]


@pytest.mark.requirement("unknown-filter-value-gets-nearest", "empty-result-gives-listed-reason")
@pytest.mark.parametrize(
    ("limits", "nearest", "hidden"),
    [
        ({"scope": {"environment": "prodd"}}, ["prod", "staging"], "prof"),
        ({"scope": {"doc_tags": ["guides", "guidess"]}}, ["guides", "drafts"], "guide"),
        ({"scope": {"repositories": ["workss"]}}, ["works", "trial"], "work"),
        ({"filters": {"doc_tag": ["wheel"]}}, ["wheels", "guides", "drafts", "prod", "staging"], "hers"),
        ({"filters": {"path_prefix": "guides/"}}, ["guide/", "plan/"], "secret/"),
    ],
)
async def test_an_unknown_value_is_refused_with_the_nearest_values_the_caller_may_see(
    world: World, limits: dict[str, Any], nearest: list[str], hidden: str
) -> None:
    await works(world)
    bob = Caller.of(Principal("local", "bob", frozenset({READ})))
    async with connected(world.services, caller=bob) as client:
        for tool, question in (("kb_search", "query"), ("kb_retrieve_evidence", "question")):
            message, details = await refused(client, tool, **{question: "axle"}, **limits)
            (unknown,) = details["unknown"]
            assert unknown["nearest"] == nearest
            assert all(repr(value) in message for value in nearest)
            assert f"'{hidden}'" not in message
    async with connected(world.services, caller=Caller.of(Principal("local", "alice", frozenset({READ})))) as client:
        message, _ = await refused(client, "kb_search", query="axle", **limits)
        assert hidden in message, "whoever may read it is told"


@pytest.mark.requirement("unknown-filter-value-gets-nearest")
async def test_known_values_pass_and_a_call_without_filters_needs_no_lookup(world: World) -> None:
    await works(world)
    looked_up: list[str] = []
    fetch = world.database.fetch

    async def counted(name: str, params: Any = None) -> Any:
        if name.startswith("limits_"):
            looked_up.append(name)
        return await fetch(name, params)

    world.database.fetch = counted  # type: ignore[method-assign]
    scope = {"environment": "prod", "doc_tags": ["guides"], "repositories": ["works"]}
    async with connected(world.services) as client:
        await client.call_tool("kb_search", {"query": "axle"})
        assert looked_up == []
        found = await client.call_tool(
            "kb_search",
            {"query": "axle", "scope": scope, "filters": {"doc_tag": ["prod"], "path_prefix": "guide/ax"}},
        )
        assert len(dict(found.structured_content or {})["results"]) == 1
        assert looked_up == ["limits_known"]


@pytest.mark.requirement("unknown-filter-value-gets-nearest")
async def test_the_nearest_are_twenty_at_most(world: World) -> None:
    for number in range(30):
        await world.source(f"s{number}", {}, environment=f"env-{number}")
    async with connected(world.services) as client:
        _, details = await refused(client, "kb_search", query="axle", scope={"environment": "env-7x"})
    (unknown,) = details["unknown"]
    assert len(unknown["nearest"]) == 20
    assert unknown["nearest"][0] == "env-7"


@pytest.mark.requirement("unknown-filter-value-gets-nearest", "reversed-dates-are-refused")
async def test_labels_and_paths_of_accounts_are_looked_up_and_times_must_not_end_before_they_begin(
    world: World,
) -> None:
    await world.source("docs", {"guide/axle.md": AXLE}, tags=("guides",))
    cloud = await account(world)
    await put(world, cloud, "file", "1", AXLE, Path="Documents/axle.md", labels="urgent works")
    async with connected(world.services, families=EVERY) as client:

        async def message(**limits: Any) -> str:
            return (await refused(client, "nc_semantic_search", query="axle", **limits))[0]

        assert "'urgent', 'works'" in await message(labels=["urgend"])
        assert "guides" not in await message(labels=["guide"])
        paths = await message(path_prefixes=["/documents/"])
        assert "'Documents/'" in paths
        assert "Paths begin in the folder of their source" in paths
        assert "date_from (2026-05-02) is after date_to" in await message(date_from="2026-05-02", date_to="2026-05-01")
        late, early = "2026-05-02T00:00:00Z", "2026-05-01T00:00:00Z"
        assert "modified_after" in await message(modified_after=late, modified_before=early)
        same = await client.call_tool(
            "nc_semantic_search",
            {"query": "axle", "labels": ["works"], "date_from": "2026-05-01", "date_to": "2026-05-01"},
        )
        assert not same.is_error, text_of(same)


@pytest.mark.requirement("capability-names-ignore-case", "unknown-filter-value-gets-nearest")
async def test_names_of_capabilities_ignore_case_and_unknown_ones_are_refused(world: World) -> None:
    await model_source(world)
    async with connected(world.services, families=EVERY) as client:

        async def names(tool: str, capability: str, **asked: Any) -> set[str]:
            result = await client.call_tool(tool, {"filters": {"capability": capability}, **asked})
            assert not result.is_error, result
            out = dict(result.structured_content or {})
            return {item["element_name"] for item in out.get("results") or out.get("elements") or out["sources"]}

        assert await names("architecture_listElements", "sALES") == {"Web portal", "CRM System"}
        for tool in ("architecture_semanticSearch", "architecture_getContext", "architecture_searchElements"):
            assert "Web portal" in await names(tool, "SALES", query="Web portal")
            message, _ = await refused(client, tool, query="Web portal", filters={"capability": "Sails"})
            assert "'Sales', 'Care'" in message


@pytest.mark.requirement("default-repositories-are-a-setting")
async def test_repositories_have_a_default_like_the_other_keys_of_a_scope(database: Database, model: MiniLM) -> None:
    settings = Settings(default_repositories=("works",))
    world = World(database, model, defaults=replace(default_scope(settings), project_id="default"))
    await works(world)
    async with connected(world.services) as client:

        async def sources(**arguments: Any) -> set[str]:
            result = await client.call_tool("kb_search", {"query": "Grease the axle", **arguments})
            return {hit["citation"]["source"] for hit in dict(result.structured_content or {})["results"]}

        assert await sources() == {"prod"}
        assert await sources(scope={"environment": "staging"}) == {"staging"}


@pytest.mark.requirement("unknown-filter-value-gets-nearest")
@pytest.mark.parametrize("prefix", ["guide/", "/guide/", "./guide/ax"])
async def test_a_path_may_begin_as_people_write_it(world: World, prefix: str) -> None:
    await world.source("docs", {"guide/axle.md": AXLE})
    async with connected(world.services) as client:
        asked = {"query": "axle", "filters": {"path_prefix": prefix}, "options": {"min_score": 0.0}}
        result = await client.call_tool("kb_search", asked)
    assert result.structured_content["results"][0]["section_id"].startswith("guide/axle.md")
