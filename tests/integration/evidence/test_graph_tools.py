"""The graph tools over a real index of documents and a model: cited, permitted, paged, bounded, helpful when wrong."""

from dataclasses import replace
from typing import Any

import pytest
from tests.integration.evidence.graph_client import (
    CLAIMS,
    GRAPH,
    PAGE,
    PAST,
    PORTAL,
    asking,
    call,
    docs_and_model,
    edges_of,
    entity,
    link,
    write,
)
from tests.integration.retrieval.world import World
from tests.support.pages import page_of
from tests.support.statements import counted
from tests.unit.tools.clients import code_of, connected
from tests.unit.tools.clients import text_of as words_of

from citemark.evidence.budget import RESULT_BYTES
from citemark.model.graph import USES_CODE
from citemark.model.scope import READ, Principal
from citemark.services.requests import Caller


async def test_entities_of_a_page_include_those_of_its_deepest_sections(world: World) -> None:
    docs, _ = await docs_and_model(world)
    body = "".join(f"{'#' * level} Level {level}\n\nSee `call_{level}`.\n\n" for level in range(1, 7))
    body += "".join(f"# Part {number}\n\nNothing.\n\n" for number in range(200)) + "# Last\n\nSee `call_last`.\n"
    stated = [entity("code", f"call_{level}", USES_CODE, f"level-{level}") for level in range(1, 7)]
    page = page_of(
        docs.source_id,
        "deep.md",
        body,
        relationships=(*stated, entity("code", "call_last", USES_CODE, "last")),
    )
    inner = [f"level-{level}" for level in range(1, 7)]
    parents = dict(zip(inner[1:], inner, strict=False))
    sections = [
        replace(entry, section=replace(entry.section, parent=parents.get(entry.section.slug)))
        for entry in page.sections
    ]
    await world.index.put_page(docs, replace(page, sections=tuple(sections)))
    world.memory[docs.source_id].texts["deep.md"] = body
    every = {f":code:call_{name}" for name in [*range(1, 7), "last"]}
    async with asking(world) as client:
        for given, found in (
            ("docs_page:deep.md", every),
            ("section:deep.md#level-2", every - {":code:call_1", ":code:call_last"}),
        ):
            listed = await call(client, "entities_for_sections", section_ids=[f"docs:{given}"], kinds=["code"])
            assert {node["node_id"] for node in listed["nodes"] if node["kind"] == "code"} == found
            assert not listed["partial"]


async def test_entities_of_a_page_with_more_sections_than_are_looked_at_are_shown_in_part(world: World) -> None:
    docs, _ = await docs_and_model(world)
    body = "".join(f"# Part {number}\n\nSee `call_it`.\n\n" for number in range(1001))
    await write(world, docs, "long.md", body, entity("code", "call_it", USES_CODE, "part-7"))
    async with asking(world) as client:
        for given, partial in (("docs_page:long.md", True), ("section:long.md#part-7", False)):
            listed = await call(client, "entities_for_sections", section_ids=[f"docs:{given}"])
            assert ":code:call_it" in {node["node_id"] for node in listed["nodes"]}
            assert listed["partial"] is partial


@pytest.mark.requirement("graph-expand-few-statements")
async def test_a_walk_over_two_hops_reads_each_node_once_and_each_hop_in_one_statement(world: World) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        await call(client, "expand", node_ids=[CLAIMS], max_hops=2)
        with counted(world.database) as statements:
            found = await call(client, "expand", node_ids=[CLAIMS], max_hops=2)
    assert {node["hops"] for node in found["nodes"]} == {0, 1, 2}
    assert statements["allowed_sources"] == statements["read_horizon"] == 1
    assert {name: times for name, times in statements.items() if name.startswith("graph_")} == {
        "graph_nodes": 1,
        "graph_neighbours": 2,
        "graph_shown": 1,
    }


@pytest.mark.requirement("seven-graph-tools-exist", "tools-graph-one")
async def test_every_tool_answers_in_its_schema_with_citations_and_in_words_that_suffice_alone(world: World) -> None:
    await docs_and_model(world)
    calls: dict[str, dict[str, Any]] = {
        "describe": {},
        "expand": {"node_ids": [CLAIMS]},
        "paths": {"from_ids": [CLAIMS], "to_ids": ["insurance:element:e2"]},
        "parents": {"node_ids": [CLAIMS]},
        "children": {"node_ids": [PAGE]},
        "entities_for_sections": {"section_ids": [PAGE]},
        "sections_for_entities": {"entity_ids": ["insurance:element:e1"]},
    }
    async with asking(world) as client:
        for name, arguments in calls.items():
            result = await client.call_tool(f"graph_{name}", arguments)
            assert not result.is_error, result
            content = result.structured_content
            assert content["read_context"]["as_of"].endswith("Z")
            assert not content["partial"]
            for edge in content["edges"] if isinstance(content["edges"], list) else ():
                assert edge["citation"]["revision_id"] in words_of(result)
            for node in content["nodes"] if isinstance(content["nodes"], list) else ():
                assert node["node_id"] in words_of(result)


@pytest.mark.requirement("tools-graph-edges-cited")
async def test_neighbours_are_shown_with_type_direction_and_the_place_that_states_them(world: World) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        found = await call(client, "expand", node_ids=[CLAIMS])
    assert edges_of(found) == {
        (PAGE, "contains", CLAIMS),
        (CLAIMS, "mentions", "insurance:element:e1"),
        (CLAIMS, "uses_code", ":code:kb_search"),
    }
    (mention,) = [edge for edge in found["edges"] if edge["type"] == "mentions"]
    citation = mention["citation"]
    assert (citation["source"], citation["document_id"]) == ("docs", "guides/portal.md#claims")
    assert PORTAL[citation["span"]["start"] : citation["span"]["end"]] == "Web portal"
    assert citation["anchor"]["lines"] == {"start": 7, "end": 7}


@pytest.mark.requirement("graph-tools-return-projections")
async def test_no_text_comes_along_unless_snippets_are_asked_for_and_these_can_be_read_on(world: World) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        bare = await call(client, "expand", node_ids=[CLAIMS])
        assert not any({"snippet", "passage_id"} & set(node) for node in bare["nodes"])
        shown = await call(client, "expand", node_ids=[CLAIMS], include_snippet=True)
        claims = shown["nodes"][0]
        assert claims["snippet"].startswith("## Claims The Web portal")
        read = await client.call_tool("kb_read_excerpt", {"passage_id": claims["passage_id"]})
        assert "takes claims" in read.structured_content["excerpt"]


async def test_a_passage_of_a_search_stands_for_its_section(world: World) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        hits = await client.call_tool("kb_search", {"query": "Web portal takes claims", "options": {"min_score": 0.0}})
        (passage_id,) = [
            hit["passage_id"] for hit in hits.structured_content["results"] if "claims" in hit["section_id"]
        ]
        found = await call(client, "expand", node_ids=[passage_id])
        assert found["nodes"][0]["node_id"] == CLAIMS


async def test_types_and_directions_choose_what_is_walked(world: World) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        element = "insurance:element:e2"
        assert edges_of(await call(client, "expand", node_ids=[element], direction="outgoing")) == {
            (element, "Serving", "insurance:element:e1")
        }
        assert edges_of(await call(client, "expand", node_ids=[element], rel_types=["access"])) == {
            ("insurance:element:e1", "Access", element)
        }
        two = await call(client, "expand", node_ids=[element], rel_types=["Serving", "Flow"], max_hops=2)
        assert {node["node_id"]: node["hops"] for node in two["nodes"]} == {
            element: 0,
            "insurance:element:e1": 1,
            "insurance:element:e5": 1,
            "insurance:element:e7": 2,
        }


@pytest.mark.requirement("expand-does-what-its-relatives-do")
async def test_up_and_down_and_kinds_of_nodes_do_what_tools_of_their_own_do(world: World) -> None:
    await docs_and_model(world)

    def ids(found: dict[str, Any]) -> set[str]:
        return {node["node_id"] for node in found["nodes"]}

    async with asking(world) as client:
        for direction, name, around in (("down", "children", PAGE), ("up", "parents", CLAIMS)):
            expanded = await call(client, "expand", node_ids=[around], direction=direction)
            assert ids(expanded) == ids(await call(client, name, node_ids=[around])) != set()
        whole = await call(client, "expand", node_ids=[CLAIMS])
        elements = await call(client, "expand", node_ids=[CLAIMS], kinds=["element"])
        assert ids(elements) == {node["node_id"] for node in whole["nodes"] if node["kind"] == "element"} != set()
        wrong = await client.call_tool(
            "graph_expand", {"node_ids": [PAGE], "direction": "up", "rel_types": ["mentions"]}
        )
        assert wrong.is_error
        assert "leave rel_types out" in str(wrong.structured_content)


@pytest.mark.requirement("a-leaf-has-no-child")
async def test_a_leaf_has_no_child_and_a_root_no_parent_and_the_reason_is_told(world: World) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        for name, leaf, around in (("children", CLAIMS, PAGE), ("parents", "insurance:element:e1", CLAIMS)):
            none = await call(client, name, node_ids=[leaf])
            assert (none["nodes"], none["edges"], none["total"]) == ([], [], 0)
            assert none["empty_reason"] == "not_indexed_yet", "as for a search: no scan has ended"
            some = await call(client, name, node_ids=[around])
            listed = [node["node_id"] for node in some["nodes"]]
            assert around not in listed
            assert len(listed) == some["total"] > 0
            assert {around} == {edge["from_id" if name == "children" else "to_id"] for edge in some["edges"]}
            assert "empty_reason" not in some
        both = await call(client, "children", node_ids=[PAGE, CLAIMS])
        assert CLAIMS in {node["node_id"] for node in both["nodes"]}
        assert PAGE not in {node["node_id"] for node in both["nodes"]}


@pytest.mark.requirement("tools-graph-caps")
async def test_hops_paths_and_pages_beyond_their_caps_are_refused_with_the_range(world: World) -> None:
    await docs_and_model(world)
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("expand", {"node_ids": [CLAIMS], "max_hops": 4}, "1 to 3"),
        ("expand", {"node_ids": [CLAIMS], "page_size": 101}, "1 to 100"),
        ("expand", {"node_ids": []}, "1 to 20"),
        ("paths", {"from_ids": [CLAIMS], "to_ids": [PAGE], "max_hops": 6}, "1 to 5"),
        ("paths", {"from_ids": [CLAIMS], "to_ids": [PAGE], "max_paths": 51}, "1 to 50"),
    ]
    async with asking(world) as client:
        for name, arguments, said in wrong:
            refused = await client.call_tool(f"graph_{name}", arguments)
            assert code_of(refused) == "INVALID_ARGUMENT"
            assert said in words_of(refused), words_of(refused)


@pytest.mark.requirement("tools-graph-caps", "huge-hub-costs-its-share")
async def test_a_node_with_a_hundred_thousand_neighbours_is_shown_in_part_and_the_rest_is_reported(
    world: World,
) -> None:
    docs, _ = await docs_and_model(world)
    await world.index.rows(_MANY_PAGES, docs.source_id)
    seen: list[str] = []
    async with asking(world) as client:
        found = await call(client, "expand", node_ids=["docs:folder:guides"], page_size=100)
        seen += (node["node_id"] for node in found["nodes"])
        while found["next_cursor"]:
            assert (found["partial"], found["limit_reason"]) == (True, "page_size")
            found = await call(
                client, "expand", node_ids=["docs:folder:guides"], page_size=100, cursor=found["next_cursor"]
            )
            seen += (node["node_id"] for node in found["nodes"])
        assert found["partial"]
        assert any("more than one walk may hold" in note for note in found["notes"])
        assert found["total"] == 201
        paths = await call(
            client, "paths", from_ids=["docs:folder:guides"], to_ids=["insurance:element:e3"], max_hops=5
        )
        assert (paths["paths"], paths["partial"]) == ([], True)
    assert len(seen) == len(set(seen))
    assert 2 <= len(seen) <= 201, "files that are not there any more are not shown"


_MANY_PAGES = """
WITH d AS (INSERT INTO document (source_id, doc_type, native_id, valid_from)
           SELECT %s, 'docs_page', 'x' || g || '.md', '2026-01-01' FROM generate_series(1, 100000) g
           RETURNING source_id, document_id, valid_from)
INSERT INTO relationship (source_id, page_id, from_document_id, type, to_native_id, to_kind, to_key, valid_from)
SELECT source_id, document_id, document_id, 'in_folder', 'guides', 'folder', node_key(source_id, 'folder', 'guides'),
       valid_from
FROM d
"""


async def test_pages_follow_each_other_in_the_state_of_the_first_and_cursors_are_bound_to_question_and_person(
    world: World,
) -> None:
    docs, _ = await docs_and_model(world)
    texts = {f"p{number}.md": f"# Page {number}\n\nText.\n" for number in range(7)}
    for native_id, text in texts.items():
        await write(world, docs, native_id, text, link("guides/portal.md"))
    seen: list[str] = []
    asked: dict[str, Any] = {"node_ids": [PAGE], "rel_types": ["links_to"], "direction": "incoming", "page_size": 3}
    async with asking(world) as client:
        found = await call(client, "expand", **asked)
        first_cursor = found["next_cursor"]
        await write(world, docs, "late.md", "# Late\n\nText.\n", link("guides/portal.md"))
        await write(world, docs, "p6.md", "# Page 6\n\nNo link any more.\n")
        while True:
            seen += (node["node_id"] for node in found["nodes"])
            if not found["next_cursor"]:
                break
            found = await call(client, "expand", **asked, cursor=found["next_cursor"])
        assert seen == [PAGE, *(f"docs:docs_page:{native_id}" for native_id in texts)]
        other = await client.call_tool("graph_expand", {**asked, "node_ids": [CLAIMS], "cursor": first_cursor})
        assert code_of(other) == "INVALID_ARGUMENT"
    stranger = Caller.of(Principal("local", "somebody", frozenset({READ})))
    await world.index.rows(
        "INSERT INTO source_grant (source_id, grantee, reason) VALUES (%s, 'user:somebody', 'test')", docs.source_id
    )
    async with connected(world.services, families=GRAPH, caller=stranger) as client:
        taken = await client.call_tool("graph_expand", {**asked, "cursor": first_cursor})
        assert code_of(taken) == "INVALID_ARGUMENT"


@pytest.mark.requirement("past-graph-walked-as-it-was")
async def test_a_past_state_is_walked_as_it_was(world: World) -> None:
    docs, _ = await docs_and_model(world)
    async with asking(world) as client:
        now = await call(client, "expand", node_ids=[CLAIMS])
    as_of = now["read_context"]["as_of"]
    await write(world, docs, "guides/portal.md", "# Portal guide\n\n## Claims\n\nNothing here.\n")
    async with asking(world, PAST) as client:
        then = await call(client, "expand", node_ids=[CLAIMS], read_context={"as_of": as_of})
        assert edges_of(then) == edges_of(now)
        assert [edge["citation"] for edge in then["edges"]] == [edge["citation"] for edge in now["edges"]]
        assert edges_of(await call(client, "expand", node_ids=[CLAIMS])) == {(PAGE, "contains", CLAIMS)}
        summary = await call(client, "describe", read_context={"as_of": as_of})
        assert summary["edges"]["mentions"] == 1


@pytest.mark.requirement("unknown-graph-ids-get-suggestions")
async def test_unknown_ids_and_types_are_answered_with_the_nearest_of_ones_own(world: World) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        refused = await client.call_tool("graph_expand", {"node_ids": ["docs:docs_page:guides/portl.md"]})
        assert code_of(refused) == "INVALID_ARGUMENT"
        assert PAGE in words_of(refused)
        refused = await client.call_tool("graph_expand", {"node_ids": [":code:kb_serch"]})
        assert ":code:kb_search" in words_of(refused) or code_of(refused) == "INVALID_ARGUMENT"
        refused = await client.call_tool("graph_expand", {"node_ids": [CLAIMS], "rel_types": ["mention"]})
        assert code_of(refused) == "INVALID_ARGUMENT"
        assert "mentions" in words_of(refused)
        for strange in (
            "nonsense",
            ":",
            "::",
            "docs:",
            "docs::",
            "docs:docs_page:",
            ":term:",
            "p_" + "x" * 10,
            "\x00",
            "no:such:one",
        ):
            refused = await client.call_tool("graph_expand", {"node_ids": [strange]})
            assert code_of(refused) == "INVALID_ARGUMENT", strange


@pytest.mark.requirement("unknown-graph-ids-get-suggestions")
async def test_kinds_are_known_in_any_case_and_a_kind_that_nothing_has_is_refused_with_those_there_are(
    world: World,
) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        usual, upper = [
            await call(client, "entities_for_sections", section_ids=[PAGE], kinds=[kind]) for kind in ("code", "CODE")
        ]
        assert {node["kind"] for node in usual["nodes"]} >= {"code"}
        assert [node["node_id"] for node in upper["nodes"]] == [node["node_id"] for node in usual["nodes"]]
        refused = await client.call_tool("graph_entities_for_sections", {"section_ids": [PAGE], "kinds": ["nonsense"]})
        assert code_of(refused) == "INVALID_ARGUMENT"
        assert "There are: " in words_of(refused)
        assert "element" in words_of(refused)


@pytest.mark.requirement("over-budget-is-cut-and-said")
async def test_as_many_sources_are_described_as_a_result_holds(world: World) -> None:
    await docs_and_model(world)
    for number in range(450):
        await world.index.source(f"{number:03} {'x' * 60}")
    async with asking(world) as client:
        found = await call(client, "describe")
    assert 100 < len(found["sources"]) < 450
    assert (found["partial"], found["limit_reason"]) == (True, "byte_cap")
    assert found["usage"]["bytes_returned"] < RESULT_BYTES
    assert f"{452 - len(found['sources'])} more sources" in found["notes"][-1]


@pytest.mark.requirement("one-reason-for-one-cause")
async def test_without_documents_graph_and_search_give_the_same_reason(world: World) -> None:
    async def reasons() -> set[str]:
        found = await client.call_tool("kb_search", {"query": "claims"})
        told = {found.structured_content["empty_reason"]}
        for name, arguments in (
            ("describe", {}),
            ("expand", {"node_ids": [CLAIMS]}),
            ("parents", {"node_ids": ["a:b:c"]}),
        ):
            refused = await client.call_tool(f"graph_{name}", arguments)
            assert code_of(refused) == "BACKEND_UNAVAILABLE"
            error = refused.structured_content["error"]
            assert found.structured_content["empty_message"] in error["message"]
            told.add(error["details"]["empty_reason"])
        return told

    async with asking(world) as client:
        assert await reasons() == {"no_source"}
        await world.index.source("docs")
        assert await reasons() == {"not_indexed_yet"}


@pytest.mark.requirement("tools-graph-none")
async def test_without_a_graph_the_tools_say_what_to_use_instead(world: World) -> None:
    await world.index.source("docs")
    async with asking(world) as client:
        for name, arguments in (("describe", {}), ("expand", {"node_ids": [CLAIMS]})):
            refused = await client.call_tool(f"graph_{name}", arguments)
            assert code_of(refused) == "BACKEND_UNAVAILABLE"
            assert "kb_search" in words_of(refused) or "kb.search" in words_of(refused)


@pytest.mark.requirement("circles-and-loose-ends-end")
async def test_the_search_ends_for_cycles_and_unconnected_nodes(world: World) -> None:
    docs, _ = await docs_and_model(world)
    await write(world, docs, "one.md", "# One\n\nx\n", link("two.md"))
    await write(world, docs, "two.md", "# Two\n\nx\n", link("one.md"))
    async with asking(world) as client:
        found = await call(client, "expand", node_ids=["docs:docs_page:one.md"], rel_types=["links_to"], max_hops=3)
        assert found["total"] == 2
        assert len(found["edges"]) == 2
        none = await call(client, "paths", from_ids=["docs:docs_page:one.md"], to_ids=[CLAIMS], max_hops=5)
        assert (none["paths"], none["partial"]) == ([], False)


@pytest.mark.requirement("common-words-mention-nothing")
async def test_a_plain_word_that_too_many_pages_use_mentions_nothing(world: World) -> None:
    docs, _ = await docs_and_model(world)
    await world.index.rows("UPDATE relationship SET metadata = '{\"plain\": \"true\"}' WHERE type = 'mentions'")
    async with asking(world) as client:
        edge = (CLAIMS, "mentions", "insurance:element:e1")
        assert edge in edges_of(await call(client, "expand", node_ids=[CLAIMS]))
        assert edge in edges_of(await call(client, "expand", node_ids=["insurance:element:e1"]))
        await world.index.rows(
            "INSERT INTO common_name (source_id, to_key) VALUES (%s, node_key(0, 'term', 'web portal'))", docs.source_id
        )
        assert edge not in edges_of(await call(client, "expand", node_ids=[CLAIMS]))
        assert edge not in edges_of(await call(client, "expand", node_ids=["insurance:element:e1"]))


async def test_the_pages_of_a_past_state_stay_in_it(world: World) -> None:
    docs, _ = await docs_and_model(world)
    async with asking(world, PAST) as client:
        then = {"as_of": (await call(client, "describe"))["read_context"]["as_of"]}
        await write(world, docs, "guides/portal.md", "# Portal guide\n\nNothing more.\n")
        asked: dict[str, Any] = {"node_ids": [PAGE], "max_hops": 2, "page_size": 1, "read_context": then}
        found = await call(client, "expand", **asked)
        seen = [node["node_id"] for node in found["nodes"]]
        while found["next_cursor"]:
            found = await call(client, "expand", **asked, cursor=found["next_cursor"])
            assert found["read_context"]["as_of"] == then["as_of"]
            seen += [node["node_id"] for node in found["nodes"]]
    assert CLAIMS in seen
