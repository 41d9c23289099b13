"""Models with texts that no result can hold: they are shortened, and hide nothing else."""

from typing import Any

import pytest
from mcp_types import CallToolResult
from tests.integration.evidence.architecture_client import asking, call
from tests.integration.retrieval.world import World
from tests.support.groups import groups
from tests.support.models import ELEMENTS, LAYOUT, LINKS, Element, Link, model_source, put, text_of
from tests.unit.tools.clients import text_of as words_of

from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.text import Span
from citemark.results.written import minified
from citemark.services.history_keys import BASELINES

NOVEL = "Each transfer is logged. " * 2500
"""60 KB, more than a result may have."""

PAST = groups(capabilities=("architecture",), past=True)


def weight(result: CallToolResult) -> int:
    return len(minified(result.structured_content).encode()) + len(words_of(result).encode())


async def wordy_model(world: World) -> None:
    """A model with a long relationship, which comes first in every list, and forty short ones."""
    spokes = {f"s{number:02}": Element(f"Spoke {number:02}", "Node", "technology") for number in range(40)}
    links = {f"l{number:02}": Link("Serving", f"s{number:02}", "e1", {}) for number in range(40)}
    long = Link("Flow", "e7", "e1", {"documentation": NOVEL, "name": "n" * 4000, "strength": "++"})
    await model_source(world, elements={**ELEMENTS, **spokes}, links={**LINKS, **links, "r5": long}, embedded=False)


@pytest.mark.requirement("over-budget-is-cut-and-said", "tools-budget-exceeded")
async def test_a_relationship_with_a_long_text_is_shortened_and_hides_no_other(world: World) -> None:
    await wordy_model(world)
    async with asking(world) as client:
        seen: list[str] = []
        cursor: str | None = None
        while cursor is not None or not seen:
            result = await client.call_tool("architecture_listRelationships", {"cursor": cursor, "page_size": 7})
            assert not result.is_error, result
            page = result.structured_content
            assert weight(result) <= 48 * 1024
            for row in page["relationships"]:
                if row["relationship_id"] == "r5":
                    assert row["properties"]["strength"] == "++"
                    assert NOVEL.startswith(row["properties"]["documentation"].removesuffix("…").rstrip())
                    assert len(row["properties"]["documentation"]) > 1000
                    assert row["shortened"] == ["name", "documentation"]
                    assert (page["partial"], page["limit_reason"]) == (True, "byte_cap")
                    assert "shortened" in words_of(result)
                    assert any("shortened" in note for note in page["notes"])
                else:
                    assert "shortened" not in row
            seen += [row["relationship_id"] for row in page["relationships"]]
            cursor = page["next_cursor"]
        assert len(seen) == len(set(seen)) == 45
        for end in ("e1", "e7"):
            element = await call(client, "getElement", element=end)
            assert "r5" in {row["relationship_id"] for row in element["relationships"]}
            assert (element["partial"], element["limit_reason"]) == (True, "byte_cap")
        other = await call(client, "getElement", element="e5")
        assert (other["partial"], "notes" in other) == (False, False)


@pytest.mark.requirement("over-budget-is-cut-and-said", "tools-budget-exceeded")
async def test_a_diff_and_a_view_show_a_long_relationship_shortened(world: World) -> None:
    source = await model_source(
        world, links={**LINKS, "r1": Link("Serving", "e2", "e1", {"documentation": NOVEL})}, embedded=False
    )
    await world.services.get(BASELINES).create("release 1")
    changed = StatedRelationship(
        "Serving", None, NativeId("e1"), None, Span(0, 1), "r1", {"documentation": f"{NOVEL}New."}
    )
    metadata = {"element_type": "ApplicationComponent", "layer": "application", "name": "CRM System"}
    memory = world.memory[source.source_id]
    await put(world.index, memory, source, "element", "e2", "CRM System", f"{text_of('e2')} New.", [changed], metadata)
    async with asking(world, PAST) as client:
        view = await call(client, "getView", view="v1")
        assert {row["relationship_id"]: row.get("shortened") for row in view["relationships"]} == {
            "r1": ["documentation"],
            "r4": None,
        }
        assert (view["partial"], view["limit_reason"], view["next_cursor"]) == (True, "byte_cap", None)
        diff = await call(client, "diffBaselines", **{"from": "release 1"})
        (row,) = diff["relationships"]
        assert row["before"]["shortened"] == row["after"]["shortened"] == ["documentation"]
        assert (diff["partial"], diff["limit_reason"]) == (True, "byte_cap")


@pytest.mark.requirement("over-budget-is-cut-and-said", "tools-budget-exceeded")
async def test_an_element_is_shown_without_its_rows_if_none_of_them_fits(world: World) -> None:
    giant: dict[str, Any] = {"giant": Element("giant " * 9000, "Node", "technology")}
    small = {"small": Element("Small", "Node", "technology", "A small one.")}
    links = {"l1": Link("Serving", "giant", "small", {})}
    await model_source(world, elements={**giant, **small}, links=links, embedded=False)
    async with asking(world) as client:
        result = await client.call_tool("architecture_getElement", {"element": "small"})
    element = result.structured_content
    assert element["element"]["element_name"] == "Small"
    assert element["relationships"] == []
    assert (element["partial"], element["limit_reason"], element["next_cursor"]) == (True, "byte_cap", None)
    assert "Shortened to fit" in words_of(result)


@pytest.mark.requirement("over-budget-is-cut-and-said")
async def test_an_element_in_more_views_than_are_listed_says_so(world: World) -> None:
    source = await model_source(world, embedded=False)
    memory, drawn = world.memory[source.source_id], {"layout": LAYOUT.as_json()}
    for number in range(50):
        if number == 49:
            async with asking(world) as client:
                whole = await call(client, "getElement", element="e1")
            assert (len(whole["views"]), whole["partial"], "notes" in whole) == (50, False, False)
        name = f"View {number:02}"
        await put(world.index, memory, source, "view", f"w{number}", name, f"{name} shows Web portal.", [], drawn)
    async with asking(world) as client:
        for relationships in (True, False):
            result = await client.call_tool(
                "architecture_getElement", {"element": "e1", "include_relationships": relationships}
            )
            element = result.structured_content
            assert len(element["views"]) == 50
            assert (element["partial"], element["limit_reason"]) == (True, "page_size")
            (note,) = element["notes"]
            assert "more views" in note
            assert note in words_of(result)


@pytest.mark.requirement("over-budget-is-cut-and-said", "every-tool-has-both-schemas")
async def test_an_element_with_more_relationships_than_are_listed_says_so(world: World) -> None:
    spokes = {f"s{number:03}": Element(f"Spoke {number:03}", "Node", "technology") for number in range(98)}
    links = {f"l{number:03}": Link("Serving", f"s{number:03}", "e1", {}) for number in range(98)}
    await model_source(world, elements={**ELEMENTS, **spokes}, links={**LINKS, **links}, embedded=False)
    async with asking(world) as client:
        result = await client.call_tool("architecture_getElement", {"element": "e1"})
        element = result.structured_content
        assert 50 < len(element["relationships"]) < 101
        assert element["partial"]
        (note,) = element["notes"]
        assert "architecture_listRelationships with this element lists all" in note
        assert note in words_of(result)
        bare = await client.call_tool("architecture_getElement", {"element": "e1", "include_relationships": False})
        assert "notes" not in bare.structured_content
