"""The tools of a model over a real index: meaning, words and structure, cited, permitted and bounded."""

from typing import Any

import pytest
from mcp import MCPError
from tests.integration.evidence.architecture_client import TWO, asking, call
from tests.integration.retrieval.world import World
from tests.support.groups import groups
from tests.support.models import ELEMENTS, Element, Link, model_source, text_of
from tests.unit.tools.clients import code_of
from tests.unit.tools.clients import text_of as words_of

from citemark.model.documents import Verdict
from citemark.results.written import minified


@pytest.mark.requirement(
    "element-search-and-context-are-offered",
    "element-hit-fields",
    "architecture-tools-are-listed",
    "one-store-for-three-query-kinds",
    "elements-known-by-model-id",
)
async def test_every_tool_answers_over_a_model_in_its_schema_and_with_citations(world: World) -> None:
    source = await model_source(world)
    calls: dict[str, dict[str, Any]] = {
        "semanticSearch": {"query": "What keeps customer addresses?", "min_score": 0.0},
        "getContext": {"query": "What keeps customer addresses?"},
        "getElement": {"element": "e1"},
        "listRelationships": {"element": "Web portal"},
        "searchElements": {"query": "portal"},
        "listElements": {},
        "getView": {"view": "Portal view"},
    }
    async with asking(world) as client:
        for name, arguments in calls.items():
            result = await client.call_tool(f"architecture_{name}", arguments)
            assert not result.is_error, result
            content = result.structured_content
            assert content["read_context"]["as_of"].endswith("Z")
            assert not content["partial"]
            assert source.name in words_of(result), "the text alone says whence it comes"
        found = (await call(client, "semanticSearch", **calls["semanticSearch"]))["results"][0]
    assert (found["element_id"], found["element_name"]) == ("e2", "CRM System")
    assert (found["element_type"], found["layer"]) == ("ApplicationComponent", "application")
    assert found["context"] == text_of("e2")
    assert 0 < found["score"] <= 1
    citation = found["citation"]
    assert (citation["source"], citation["doc_type"], citation["document_id"]) == ("insurance", "element", "e2")
    assert (found["revision_id"], found["baseline_id"]) == (citation["revision_id"], None)
    assert found["capabilities"] == ["Sales", "Care"]


@pytest.mark.requirement("search-of-elements-lists-without-a-query")
async def test_without_a_query_the_search_lists_what_meets_the_filters_page_by_page(world: World) -> None:
    await model_source(world)
    filters = {"element_type": ["ApplicationComponent"]}
    async with asking(world) as client:
        whole = await call(client, "listElements", filters=filters)
        first = await call(client, "semanticSearch", filters=filters, page_size=1)
        names = [first["results"][0]["element_name"]]
        page = first
        while page["next_cursor"]:
            page = await call(client, "semanticSearch", filters=filters, page_size=1, cursor=page["next_cursor"])
            names += [each["element_name"] for each in page["results"]]
        assert sorted(names) == sorted(each["element_name"] for each in whole["elements"])
        assert first["results"][0]["scratch_uri"]
        none = await call(client, "semanticSearch", filters={"element_type": ["Gap"]})
        assert none["results"] == []
        assert none["empty_reason"]
        wrong = await client.call_tool("architecture_semanticSearch", {"also": ["portal"]})
        assert code_of(wrong) == "INVALID_ARGUMENT"


@pytest.mark.requirement("models-abstain")
async def test_what_a_model_does_not_say_is_told_first_with_the_confidence(world: World) -> None:
    await world.scanned(await model_source(world))
    async with asking(world) as client:
        for tool in ("semanticSearch", "getContext"):
            sure = await client.call_tool(f"architecture_{tool}", {"query": "customer addresses in the CRM System"})
            assert sure.structured_content["confidence"] >= 0.7
            assert words_of(sure).splitlines()[0].startswith(("5 elements", "The context"))
            named = await client.call_tool(f"architecture_{tool}", {"query": "Does the CRM System speak MQTT?"})
            assert words_of(named).startswith('No document read here writes "MQTT".')
            assert named.structured_content["notes"][0].startswith('No document read here writes "MQTT".')
        about = await client.call_tool("architecture_semanticSearch", {"query": "MQTT"})
        assert words_of(about).startswith('No document read here writes "MQTT". Nearest passages:')
        assert len(about.structured_content["results"]) <= 2
        weak = {"query": "how are tulip bulbs sorted for customers before export", "min_score": 0.0}
        unsaid = await client.call_tool("architecture_semanticSearch", weak)
        assert words_of(unsaid).startswith(("The documents do not say (confidence 0.", "It is not sure"))
        assert unsaid.structured_content["confidence"] < 0.7
        by_words = await client.call_tool("architecture_searchElements", {"query": "portal"})
        assert words_of(by_words).startswith("3 elements"), "a search by words compares nothing that could be unsure"


@pytest.mark.requirement("element-search-filters", "all-seven-layers-filter")
async def test_layer_type_and_capability_filter_before_the_best_are_chosen(world: World) -> None:
    many = {
        f"m{number}": Element(f"Claim desk {number}", "BusinessRole", "business", "Handles claims.")
        for number in range(60)
    }
    await model_source(world, elements={**ELEMENTS, **many})
    async with asking(world) as client:

        async def found(**filters: Any) -> set[str]:
            hits = await call(client, "semanticSearch", query="claims", top_k=5, min_score=0.0, filters=filters)
            return {hit["element_id"] for hit in hits["results"]}

        assert len(await found()) == 5
        assert await found(layer="technology") == {"e5"}
        assert await found(layer=["technology", "motivation"]) == {"e5", "e8"}
        assert await found(element_type="business process") == {"e3"}
        assert await found(capability="Care") == {"e2"}
        assert await found(capability=["Care", "Sales"]) == {"e1", "e2"}
        assert await found(layer="application", capability="Care", element_type=["Node", "ApplicationComponent"]) == {
            "e2"
        }
        assert await found(layer="implementation_migration") == set()
        refused = await client.call_tool("architecture_semanticSearch", {"query": "x", "filters": {"layer": "cellar"}})
        assert code_of(refused) == "INVALID_ARGUMENT"
        assert "implementation_migration" in words_of(refused)
        for wrong, near in (("Application Componet", "ApplicationComponent"), ("Service", "BusinessService")):
            refused = await client.call_tool("architecture_listElements", {"filters": {"element_type": wrong}})
            assert code_of(refused) == "INVALID_ARGUMENT"
            assert near in words_of(refused)
        refused = await client.call_tool("architecture_listRelationships", {"type": "serves"})
        assert code_of(refused) == "INVALID_ARGUMENT"
        assert "Serving" in words_of(refused)


@pytest.mark.requirement("element-search-defaults", "tools-architecture-caps")
async def test_ten_hits_of_at_least_a_half_are_the_default_and_fifty_the_most(world: World) -> None:
    many = {
        f"m{number:02}": Element(f"Claim desk {number}", "BusinessRole", "business", "Handles claims.")
        for number in range(70)
    }
    await model_source(world, elements={**ELEMENTS, **many})
    async with asking(world) as client:
        page = await call(client, "semanticSearch", query="claim desk")
        assert len(page["results"]) == 10
        assert all(hit["score"] >= 0.5 for hit in page["results"])
        assert (await call(client, "semanticSearch", query="the sea shells of the shore"))["results"] == []
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = await call(client, "semanticSearch", query="claim desk", top_k=50, page_size=20, cursor=cursor)
            seen += [hit["element_id"] for hit in page["results"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
            assert page["limit_reason"] in {"page_size", "byte_cap"}
        assert len(seen) == len(set(seen)) == 50
        for wrong in ({"top_k": 51}, {"top_k": 0}, {"min_score": 1.5}, {"page_size": 51}):
            assert (
                code_of(await client.call_tool("architecture_semanticSearch", {"query": "x", **wrong}))
                == "INVALID_ARGUMENT"
            )
        too_much = await client.call_tool("architecture_getContext", {"query": "x", "max_tokens": 10_001})
        assert code_of(too_much) == "INVALID_ARGUMENT"


@pytest.mark.requirement("element-search-heeds-min-score")
async def test_a_search_without_a_threshold_uses_that_of_the_settings(world: World) -> None:
    await model_source(world)
    query = "the sea shells of the shore"
    async with asking(world, min_score=0.0) as client:
        low = await call(client, "semanticSearch", query=query)
        assert len(low["results"]) == len(ELEMENTS)
        assert (await call(client, "semanticSearch", query=query, min_score=0.5))["results"] == []
    async with asking(world, min_score=1.0) as client:
        assert (await call(client, "semanticSearch", query="CRM System"))["results"] == []
        assert (await call(client, "semanticSearch", query="CRM System", min_score=0.5))["results"]


@pytest.mark.requirement("list-elements-by-layer-and-type", "tools-list-cap")
async def test_elements_are_listed_by_name_and_paged_without_loss_while_the_model_changes(world: World) -> None:
    source = await model_source(world)
    async with asking(world) as client:
        listed = await call(client, "listElements", filters={"layer": "application"})
        assert [part["element_name"] for part in listed["elements"]] == ["CRM", "CRM System", "Web portal"]
        assert listed["total"] == 3
        first = await call(client, "listElements", page_size=3)
        assert first["total"] == len(ELEMENTS)
        assert (first["partial"], first["limit_reason"]) == (True, "page_size")
        await world.write(source, {})
        seen = [part["element_id"] for part in first["elements"]]
        cursor = first["next_cursor"]
        while cursor:
            page = await call(client, "listElements", page_size=2, cursor=cursor)
            assert page["read_context"] == first["read_context"]
            seen += [part["element_id"] for part in page["elements"]]
            cursor = page["next_cursor"]
        assert sorted(seen) == sorted(ELEMENTS)
        other = await client.call_tool(
            "architecture_listElements", {"cursor": first["next_cursor"], "filters": {"layer": "business"}}
        )
        assert code_of(other) == "INVALID_ARGUMENT"
        assert code_of(await client.call_tool("architecture_listElements", {"page_size": 101})) == "INVALID_ARGUMENT"


@pytest.mark.requirement("list-elements-by-layer-and-type")
async def test_relationships_are_listed_by_element_direction_and_type(world: World) -> None:
    await model_source(world)
    async with asking(world) as client:

        async def ids(**arguments: Any) -> list[str]:
            return [
                link["relationship_id"]
                for link in (await call(client, "listRelationships", **arguments))["relationships"]
            ]

        assert await ids() == ["r3", "r5", "r2", "r1", "r4"]
        assert await ids(element="crm system") == ["r3", "r1", "r4"]
        assert await ids(element="e2", direction="outgoing") == ["r1"]
        assert await ids(element="e2", direction="incoming") == ["r3", "r4"]
        assert await ids(type="Serving") == ["r1", "r4"]
        assert await ids(type=["ServingRelationship", "Flow"], element="Web portal") == ["r5", "r1"]
        (link,) = (await call(client, "listRelationships", element="e2", direction="outgoing"))["relationships"]
        assert link["source"] == {
            "element_id": "e2",
            "element_name": "CRM System",
            "element_type": "ApplicationComponent",
        }
        assert link["target"]["element_name"] == "Web portal"
        assert link["name"] == "customer data"
        assert link["citation"]["document_id"] == "e2"
        page = await call(client, "listRelationships", page_size=2)
        rest = await call(client, "listRelationships", page_size=100, cursor=page["next_cursor"])
        both = [each["relationship_id"] for each in (*page["relationships"], *rest["relationships"])]
        assert both == ["r3", "r5", "r2", "r1", "r4"]


async def test_an_element_is_found_by_id_or_name_and_distinguished_from_others(world: World) -> None:
    await model_source(world)
    async with asking(world) as client:
        element = await call(client, "getElement", element="e2")
        assert element["text"] == text_of("e2")
        assert {link["relationship_id"] for link in element["relationships"]} == {"r1", "r3", "r4"}
        assert [view["view_name"] for view in element["views"]] == ["Portal view"]
        bare = await call(client, "getElement", element="web PORTAL", include_relationships=False)
        assert (bare["element"]["element_id"], bare["relationships"]) == ("e1", [])
        assert [view["view_name"] for view in bare["views"]] == ["Portal view"]
        unknown = await client.call_tool("architecture_getElement", {"element": "Portal"})
        assert code_of(unknown) == "INVALID_ARGUMENT"
        assert "'Web portal' (e1)" in words_of(unknown)
        await model_source(world, "second")
        several = await client.call_tool("architecture_getElement", {"element": "e2"})
        assert code_of(several) == "INVALID_ARGUMENT"
        assert "second" in words_of(several)
        assert (await call(client, "getElement", element="e2", model="second"))["element"]["citation"][
            "source"
        ] == "second"


@pytest.mark.requirement("get-view-returns-members")
async def test_a_view_gives_its_members_and_relationships_and_without_a_name_all_views_are_listed(world: World) -> None:
    await model_source(world)
    async with asking(world) as client:
        view = await call(client, "getView", view="v1")
        assert [part["element_id"] for part in view["elements"]] == ["e1", "e2", "e5"]
        assert [link["relationship_id"] for link in view["relationships"]] == ["r1", "r4"]
        assert view["views"][0]["view_name"] == "Portal view"
        assert view["total"] == 5
        first = await call(client, "getView", view="v1", page_size=2)
        rest = await call(client, "getView", view="v1", page_size=50, cursor=first["next_cursor"])
        assert [part["element_id"] for part in first["elements"]] == ["e1", "e2"]
        assert [part["element_id"] for part in rest["elements"]] == ["e5"]
        assert [link["relationship_id"] for link in rest["relationships"]] == ["r1", "r4"]
        views = await call(client, "getView")
        assert [view["view_name"] for view in views["views"]] == ["Portal view"]
        assert code_of(await client.call_tool("architecture_getView", {"view": "No such"})) == "INVALID_ARGUMENT"


@pytest.mark.requirement("one-store-for-three-query-kinds")
async def test_names_are_found_in_part_before_texts_that_hold_the_words(world: World) -> None:
    await model_source(world)
    async with asking(world) as client:
        found = (await call(client, "searchElements", query="crm"))["results"]
        assert [hit["element_name"] for hit in found[:2]] == ["CRM", "CRM System"]
        assert {hit["matched"] for hit in found[:2]} == {"name"}
        assert "Web portal" in {hit["element_name"] for hit in found[2:]}
        assert {hit["matched"] for hit in found[2:]} == {"text"}
        (cellar,) = (await call(client, "searchElements", query="cellar"))["results"]
        assert cellar["element_name"] == "Mainframe"
        assert "cellar" in cellar["preview"]
        limited = await call(client, "searchElements", query="crm", filters={"layer": "technology"})
        assert [hit["element_name"] for hit in limited["results"]] == ["Mainframe"]


@pytest.mark.requirement("unverifiable-hit-withheld-and-counted")
async def test_nothing_of_a_model_is_shown_that_its_source_does_not_confirm(world: World) -> None:
    source = await model_source(world)
    memory = world.memory[source.source_id]
    memory.verdicts = {"e1": Verdict.UNKNOWN}
    async with asking(world) as client:
        everything = minified([await call(client, name) for name in ("listElements", "listRelationships", "getView")])
        listed = await call(client, "listElements")
        assert "e1" not in {part["element_id"] for part in listed["elements"]}
        assert listed["withheld_unverified"] == 1
        links = await call(client, "listRelationships")
        assert [link["relationship_id"] for link in links["relationships"]] == ["r2", "r4"]
        assert links["withheld_unverified"] == 3
        shown = await call(client, "getElement", element="e2")
        assert [link["relationship_id"] for link in shown["relationships"]] == ["r4"]
        assert "Web portal" not in everything
        hits = await call(client, "semanticSearch", query="web portal", min_score=0.0)
        assert "e1" not in {hit["element_id"] for hit in hits["results"]}
        assert hits["withheld_unverified"] == 1
        gone = await client.call_tool("architecture_getElement", {"element": "e1"})
        assert code_of(gone) == "BACKEND_UNAVAILABLE"


async def test_a_model_that_does_not_answer_costs_its_deadline_once(world: World) -> None:
    source = await model_source(world, embedded=False)
    world.memory[source.source_id].waits = 60
    async with asking(world, tool_timeout=5) as client:
        page = await call(client, "listElements", page_size=1)
    assert page["elements"] == []
    assert page["withheld_unverified"] == 1
    assert page["next_cursor"], "what was not looked at can still be asked for"


@pytest.mark.requirement("one-architecture-family-for-all-models")
async def test_one_family_reads_all_models_or_the_one_named_and_documents_never(world: World) -> None:
    await model_source(world, "one")
    await model_source(
        world, "two", capability="transformation", elements={"x1": Element("Hub", "Node", "technology")}, links={}
    )
    await world.source("guides", {"guide.md": "The hub is a node in the cellar."})
    async with asking(world, TWO) as client:
        families = {tool.name.partition("_")[0] for tool in (await client.list_tools()).tools}
        assert families == {"kb", "architecture"}
        found = await call(client, "semanticSearch", query="hub", min_score=0.0, top_k=50)
        assert {hit["citation"]["source"] for hit in found["results"]} == {"one", "two"}
        for name, rows, arguments in (
            ("semanticSearch", "results", {"query": "hub", "min_score": 0.0}),
            ("searchElements", "results", {"query": "hub"}),
            ("getContext", "sources", {"query": "hub"}),
            ("listElements", "elements", {}),
        ):
            mine = await call(client, name, model="two", **arguments)
            assert [row["element_id"] for row in mine[rows]] == ["x1"], name
        assert (await call(client, "getElement", model="two", element="Hub"))["element"]["element_id"] == "x1"
        assert (await call(client, "listRelationships", model="two"))["relationships"] == []
        views = (await call(client, "getView", model="two"))["views"]
        assert {view["citation"]["source"] for view in views} == {"two"}
        for wrong in ("Two", "guides", "three"):
            unknown = await client.call_tool("architecture_listElements", {"model": wrong})
            assert code_of(unknown) == "INVALID_ARGUMENT"
            assert sorted(unknown.structured_content["error"]["details"]["models"]) == ["one", "two"]
            assert all(name in words_of(unknown) for name in ("/model", "one", "two"))
        refused = await client.call_tool("architecture_listElements", {"scope": {"project_id": "other"}})
        assert code_of(refused) == "SCOPE_VIOLATION"
        past = await client.call_tool("architecture_listElements", {"read_context": {"as_of": "2020-01-01T00:00:00Z"}})
        assert code_of(past) == "INVALID_ARGUMENT"


@pytest.mark.requirement("capability-tool-names-stay-callable")
async def test_the_names_of_a_capability_can_be_called_while_there_is_one_model(world: World) -> None:
    await model_source(world, "one", capability="transformation")
    async with asking(world, groups(capabilities=("transformation",))) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert not {name for name in listed if name.startswith("transformation")}
        for name in ("transformation_getElement", "transformation.getElement", "architecture.getElement"):
            found = await client.call_tool(name, {"element": "e2", "model": "one"})
            assert found.structured_content["element"]["element_id"] == "e2", name
    async with asking(world, TWO) as client:
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("transformation_getElement", {"element": "e2"})


@pytest.mark.requirement("tools-result-48k")
async def test_wide_models_are_cut_to_the_cap_and_go_on_by_cursor(world: World) -> None:
    hub = {"hub": Element("Hub", "Node", "technology")}
    spokes = {
        f"s{number:03}": Element(f"Spoke {number:03} " + "long name " * 20, "Node", "technology")
        for number in range(130)
    }
    links = {f"l{number:03}": Link("Serving", f"s{number:03}", "hub", {}) for number in range(130)}
    await model_source(world, elements={**hub, **spokes}, links=links, embedded=False)
    async with asking(world) as client:
        seen: list[str] = []
        cursor: str | None = None
        while True:
            result = await client.call_tool("architecture_listElements", {"page_size": 100, "cursor": cursor})
            page = result.structured_content
            assert len(minified(page).encode()) + len(words_of(result).encode()) <= 48 * 1024
            seen += [part["element_id"] for part in page["elements"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
            assert page["limit_reason"] in {"byte_cap", "page_size"}
        assert sorted(seen) == sorted({**hub, **spokes})
        whole = await call(client, "getElement", element="hub")
        assert whole["partial"]
        assert whole["limit_reason"] == "byte_cap"
        assert 0 < len(whole["relationships"]) <= 100
