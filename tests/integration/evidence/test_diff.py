"""Two states compared: what came, went and changed, cited before and after, and only what the caller may read."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent
from tests.integration.retrieval.world import World
from tests.support.groups import groups
from tests.support.models import model_source, put
from tests.support.models import text_of as text_of_element
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.indexing.rename_detector import RenameDetector
from citemark.model.baselines import HistorySetting
from citemark.model.documents import StatedRelationship, Verdict
from citemark.model.errors import InvalidArgument
from citemark.model.ids import NativeId
from citemark.model.ledger import Gone
from citemark.model.sources import Source
from citemark.model.text import Span
from citemark.services.bundle import LISTED_BASELINES
from citemark.services.history_keys import BASELINES
from citemark.services.requests import Caller
from citemark.store.history import HistoryStore

PAST = groups(capabilities=("architecture",), past=True)
PAGES = {
    "axle.md": "# The axle\nGrease the axle twice a year.\n",
    "bolt.md": "# The bolt\nTighten the bolt.\n",
    "cam.md": "# The cam\nNever touch the cam.\n",
    "sub/gear.md": "# The gear\nTwelve teeth.\n",
}


async def edited(world: World) -> tuple[Source, str]:
    """A source with a baseline and edits of every kind since; the name of the baseline."""
    source = await world.source("docs", PAGES)
    await world.services.get(BASELINES).create("release 1")
    await world.write(
        source,
        {
            "axle.md": "# The axle\nGrease the axle every month.\n",
            "sub/disc.md": "# The disc\nRound.\n",
            "screw.md": PAGES["bolt.md"],
        },
    )
    for gone in ("bolt.md", "sub/gear.md"):
        world.memory[source.source_id].texts.pop(gone)
        await world.index.drop(source, gone)
    renames = RenameDetector(world.index.stores.renames, world.index.stores.horizon)
    assert (await renames.follow(source.source_id)).found == 1
    return source, "release 1"


async def asked(client: Client, arguments: dict[str, Any], tool: str = "kb_diff") -> Mapping[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return result.structured_content


def ids(change: Mapping[str, Any]) -> tuple[str, str | None, str | None]:
    cited: list[dict[str, Any]] = [change.get(side) or {} for side in ("before", "after")]
    return change["change"], cited[0].get("document_id"), cited[1].get("document_id")


@pytest.mark.requirement("diffs-show-before-and-after", "baselines-compared-with-citations")
async def test_documents_are_added_removed_changed_and_renamed_with_citations_before_and_after(world: World) -> None:
    _, name = await edited(world)
    async with connected(world.services, families=PAST) as client:
        found = await asked(client, {"from": name})
        assert [ids(change) for change in found["changes"]] == [
            ("changed", "axle.md", "axle.md"),
            ("renamed", "bolt.md", "screw.md"),
            ("added", None, "sub/disc.md"),
            ("removed", "sub/gear.md", None),
        ]
        assert found["counts"] == {"added": 1, "removed": 1, "changed": 1, "renamed": 1}
        axle = found["changes"][0]
        assert axle["before"]["baseline_id"] == name
        assert axle["after"]["baseline_id"] is None
        assert axle["before"]["revision_id"] != axle["after"]["revision_id"]
        (place,) = axle["places"]
        assert place["before"]["text"] == "Grease the axle twice a year."
        assert place["before"]["lines"] == place["after"]["lines"] == {"start": 2, "end": 2}
        assert place["after"]["text"] == "Grease the axle every month."
        back = await asked(client, {"from": "HEAD", "to": name})
        assert back["counts"] == {"added": 2, "removed": 2, "changed": 1, "renamed": 0}
        text = text_of(await client.call_tool("kb_diff", {"from": name}))
        for said in ("Grease the axle twice a year.", "1. changed", "2. renamed", "docs: sub/gear.md", "baseline"):
            assert said in text


async def test_pages_of_a_list_go_on_in_the_states_of_the_first_and_meet_each_change_once(world: World) -> None:
    source, name = await edited(world)
    async with connected(world.services, families=PAST) as client:
        found = await asked(client, {"from": name, "page_size": 2})
        await world.write(source, {"cam.md": "# The cam\nTouch it.\n", "zinc.md": "# Zinc\nNew.\n"})
        seen = [ids(change) for change in found["changes"]]
        while found["next_cursor"]:
            found = await asked(client, {"from": name, "page_size": 2, "cursor": found["next_cursor"]})
            seen += [ids(change) for change in found["changes"]]
        assert [change for change, *_ in seen] == ["changed", "renamed", "added", "removed"]
        assert found["counts"]["changed"] == 1
        other = await client.call_tool("kb_diff", {"from": name, "page_size": 2, "cursor": "x" * 22})
        assert code_of(other) == "INVALID_ARGUMENT"


async def test_one_folder_can_be_compared_and_two_equal_states_are_reported_as_equal(world: World) -> None:
    _, name = await edited(world)
    async with connected(world.services, families=PAST) as client:
        found = await asked(client, {"from": name, "path_prefixes": ["sub/"]})
        assert [ids(change) for change in found["changes"]] == [
            ("added", None, "sub/disc.md"),
            ("removed", "sub/gear.md", None),
        ]
        other = await asked(client, {"from": name, "path_prefixes": ["sbu/"]})
        assert other["notes"] == ["no document whose path begins with 'sbu/' differs between the two states"]
        same = await asked(client, {"from": name, "to": name})
        assert same["changes"] == []
        assert same["notes"] == ["both are the same state"]


@pytest.mark.requirement("permission-of-now-in-any-state", "permission-is-always-of-now")
async def test_documents_that_their_source_does_not_confirm_are_withheld_and_counted(world: World) -> None:
    source, name = await edited(world)
    memory = world.memory[source.source_id]
    memory.verdicts["axle.md"] = Verdict.UNKNOWN
    async with connected(world.services, families=PAST) as client:
        found = await asked(client, {"from": name})
        assert [change for change, *_ in map(ids, found["changes"])] == ["renamed", "added", "removed"]
        assert found["withheld_unverified"] == 1


@pytest.mark.requirement("unreadable-moments-refused-clearly")
async def test_states_that_cannot_be_compared_are_refused_with_what_there_is(world: World) -> None:
    _, name = await edited(world)
    await world.source("other", {"a.md": "# A\nb\n"})
    await world.services.get(BASELINES).create("of other", ["other"])
    async with connected(world.services, families=PAST) as client:
        for one, other, said in (
            ("no such", "HEAD", "There is no baseline 'no such' of these sources; there are release 1, of other"),
            (name, "of other", "No source has both states: release 1 is of docs, of other of other."),
            ("2020-01-01T00:00:00Z", "HEAD", "Nothing had been recorded yet"),
            ("0001-01-01T00:00:00+14:00", "HEAD", "is not a moment between the years 1 and 9999"),
        ):
            result = await client.call_tool("kb_diff", {"from": one, "to": other})
            assert code_of(result) == "INVALID_ARGUMENT"
            assert said in text_of(result), text_of(result)
        found = await asked(client, {"from": name})
        assert any("left out: other" in note for note in found["notes"])
        wrong = await client.call_tool("kb_diff", {"from": name, "until": "HEAD"})
        assert "accepted here: cursor, from, model, page_size, path_prefixes, scope, to" in text_of(wrong)


@pytest.mark.requirement(
    "diffs-show-before-and-after", "baselines-listed-and-diffed", "baselines-compared-with-citations"
)
async def test_elements_and_relationships_of_models_are_compared(world: World) -> None:
    source = await model_source(world)
    await world.services.get(BASELINES).create("target")
    await world.index.rows(
        "UPDATE relationship SET valid_to = clock_timestamp() WHERE source_id = %s AND native_id = 'r2'",
        source.source_id,
    )
    await world.index.rows(
        "WITH old AS (UPDATE relationship SET valid_to = clock_timestamp() WHERE source_id = %s AND native_id = 'r3'"
        " RETURNING *) INSERT INTO relationship (source_id, page_id, from_document_id, type, to_native_id, revision_id,"
        " start_char, end_char, valid_from, native_id, metadata) SELECT source_id, page_id, from_document_id, type,"
        ' to_native_id, revision_id, start_char, end_char, valid_to, native_id, \'{"access": "write"}\' FROM old',
        source.source_id,
    )
    async with connected(world.services, families=PAST) as client:
        (baseline,) = (await asked(client, {}, "architecture_listBaselines"))["baselines"]
        assert (baseline["baseline_id"], baseline["models"]) == ("target", [source.name])
        found = await asked(client, {"from": "target", "to": "HEAD"}, "architecture_diffBaselines")
        assert found["elements"] == []
        assert found["relationship_counts"] == {"added": 0, "removed": 1, "changed": 1, "renamed": 0}
        changes = {
            (change.get("before") or change["after"])["relationship_id"]: change for change in found["relationships"]
        }
        assert changes["r2"]["change"] == "removed"
        assert changes["r3"]["before"]["properties"] == {"access": "read"}
        assert changes["r3"]["after"]["properties"] == {"access": "write"}
        assert changes["r3"]["before"]["citation"]["baseline_id"] == "target"
        first = await asked(client, {"from": "target", "page_size": 1}, "architecture_diffBaselines")
        assert len(first["relationships"]) == 1
        rest = await asked(
            client, {"from": "target", "page_size": 1, "cursor": first["next_cursor"]}, "architecture_diffBaselines"
        )
        assert rest["relationships"] != first["relationships"]
        assert rest["next_cursor"] is None
        text = text_of(await client.call_tool("architecture_diffBaselines", {"from": "target", "model": source.name}))
        assert "1 removed, 1 changed" in text
        unknown = await client.call_tool("architecture_diffBaselines", {"from": "target", "model": "nothing"})
        assert "no model is called" in text_of(unknown)


async def test_a_baseline_leaves_out_sources_without_history_and_holds_only_complete_states(world: World) -> None:
    source = await world.source("docs", PAGES)
    forgetful = await world.source("forgetful", {"a.md": "# A\nb\n"})
    history, baselines = world.index.stores.of(HistoryStore), world.services.get(BASELINES)
    await history.settle(forgetful.source_id, HistorySetting(keeps=False))
    made = await baselines.create("kept")
    assert [each.source.name for each in made.sources] == ["docs"]
    assert made.sources[0].documents == len(PAGES)
    assert made.notes == ("keeps no history, so left out: forgetful",)
    now = await world.index.stores.horizon.now()
    await world.write(source, {"axle.md": "# The axle\nOther words.\n"})
    await baselines.delete("kept")
    await history.purge(source.source_id, datetime.now(UTC))
    for name, sources, as_of, said in (
        ("no history", ["forgetful"], None, "keeps history"),
        ("ahead", [], now + timedelta(days=1), "is in the future"),
        ("before", ["docs"], now - timedelta(days=900), "is not kept|recorded yet"),
        ("hole", ["docs"], now, "is not kept"),
        ("unknown", ["docks"], None, "There is no source 'docks'; Sources: docs, forgetful"),
        ("2026-01-01", [], None, "read as a moment"),
        ("head", [], None, "read as a moment"),
        ("git:v1", [], None, "commit of a repository"),
        ("a\nb", [], None, "printable"),
        ("x" * 101, [], None, "1 to 100"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            await baselines.create(name, sources, as_of)
    with pytest.raises(InvalidArgument, match="There is no baseline 'kept'; there are none"):
        await baselines.delete("kept")


async def test_only_baselines_of_sources_that_the_caller_may_read_are_listed(world: World) -> None:
    await world.source("docs", PAGES)
    await world.services.get(BASELINES).create("mine")
    assert [each.baseline.name for each in await world.services.get(LISTED_BASELINES).list(Caller.local())] == ["mine"]
    await world.index.rows("UPDATE source_grant SET grantee = 'somebody else'")
    assert await world.services.get(LISTED_BASELINES).list(Caller.local()) == []


async def test_baselines_of_models_are_listed_a_hundred_a_page(world: World) -> None:
    await model_source(world, "insurance")
    for number in range(130):
        await world.services.get(BASELINES).create(f"state {number:03}")
    async with connected(world.services, families=PAST) as client:
        first = await asked(client, {}, "architecture_listBaselines")
        rest = await asked(client, {"cursor": first["next_cursor"]}, "architecture_listBaselines")
    assert (len(first["baselines"]), first["partial"], first["limit_reason"]) == (100, True, "page_size")
    assert [each["baseline_id"] for each in rest["baselines"]] == [f"state {number:03}" for number in range(100, 130)]
    assert (rest["next_cursor"], rest["partial"]) == (None, False)


@pytest.mark.requirement("prompt-what-changed", "tools-prompt-changed")
async def test_the_prompt_about_changes_is_there_where_states_can_be_compared(world: World) -> None:
    async with connected(world.services, families=groups()) as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["answer_with_evidence"]
    async with connected(world.services, families=groups(past=True)) as client:
        (_, listed) = (await client.list_prompts()).prompts
        assert [(each.name, each.required) for each in listed.arguments or ()] == [("from", True), ("to", False)]
        filled = await client.get_prompt("what_changed", {"from": "release 1"})
        assert isinstance(filled.messages[0].content, TextContent)
        text = filled.messages[0].content.text
        assert text.endswith("from release 1 to HEAD")
        assert "kb_diff" in text
        assert "architecture" not in text
        with pytest.raises(MCPError, match="/from: is required"):
            await client.get_prompt("what_changed", {"to": "HEAD"})


async def redrawn(world: World) -> Source:
    """A model after its baseline `target`: one element changed, one removed, one added with a relationship."""
    source = await model_source(world)
    await world.services.get(BASELINES).create("target")
    memory, described = world.memory[source.source_id], {"element_type": "Node", "layer": "technology"}
    serving = StatedRelationship("Serving", None, NativeId("e2"), None, Span(0, 1), "r4", {})
    text = text_of_element("e5").replace("in the cellar", "on the roof")
    await put(world.index, memory, source, "element", "e5", "Mainframe", text, [serving], described)
    flow = StatedRelationship("Flow", None, NativeId("e1"), None, Span(0, 1), "r9", {})
    await put(world.index, memory, source, "element", "e9", "Cloud", "Cloud is a Node.", [flow], described)
    await world.index.stores.ledger.record(source.source_id, [Gone(("element", NativeId("e6")))])
    for claim in await world.index.claim(source.source_id):
        await world.index.stores.pages.remove(claim, world.index.worker)
    return source


@pytest.mark.requirement("diffs-show-before-and-after", "baselines-listed-and-diffed")
async def test_an_element_that_says_something_else_is_shown_as_it_was_and_as_it_is(world: World) -> None:
    await redrawn(world)
    async with connected(world.services, families=PAST) as client:
        found = await asked(client, {"from": "target", "page_size": 2}, "architecture_diffBaselines")
        elements, links = list(found["elements"]), list(found["relationships"])
        while found["next_cursor"]:
            onward = {"from": "target", "page_size": 2, "cursor": found["next_cursor"]}
            found = await asked(client, onward, "architecture_diffBaselines")
            elements += found["elements"]
            links += found["relationships"]
        changes = [(each["change"], (each.get("after") or each["before"])["element_id"]) for each in elements]
        assert changes == [("changed", "e5"), ("removed", "e6"), ("added", "e9")]
        assert [(each["change"], each["after"]["relationship_id"]) for each in links] == [("added", "r9")]
        (place,) = elements[0]["places"]
        assert "in the cellar" in place["before"]["text"]
        assert "on the roof" in place["after"]["text"]
        assert elements[0]["before"]["citation"]["revision_id"] != elements[0]["after"]["citation"]["revision_id"]
        assert found["element_counts"] == {"added": 1, "removed": 1, "changed": 1, "renamed": 0}
        assert found["relationship_counts"] == {"added": 1, "removed": 0, "changed": 0, "renamed": 0}


@pytest.mark.requirement("diff-takes-a-model")
async def test_a_model_named_to_kb_diff_is_compared_as_the_tool_for_models_does(world: World) -> None:
    source = await redrawn(world)
    await world.source("docs", PAGES)
    now = await world.index.stores.horizon.now()
    wanted = {"from": "target", "to": now.isoformat(), "model": source.name}
    async with connected(world.services, families=PAST) as client:
        whole = await asked(client, wanted, "architecture_diffBaselines")
        found = await asked(client, wanted)
        assert [ids(change) for change in found["changes"]] == [
            ("changed", "e5", "e5"),
            ("removed", "e6", None),
            ("added", None, "e9"),
        ]
        assert [change["element_type"] for change in found["changes"]] == ["Node", "ApplicationComponent", "Node"]
        for change, element in zip(found["changes"], whole["elements"], strict=True):
            for side in ("before", "after"):
                assert change.get(side) == element.get(side, {}).get("citation")
            assert change.get("places") == element.get("places")
        for here, there in (("counts", "element_counts"), *((name, name) for name in SAME)):
            assert found[here] == whole[there], here
        shown = [text_of(await client.call_tool(name, wanted)) for name in ("kb_diff", "architecture_diffBaselines")]
        assert shown[0] == shown[1]
        paged = await asked(client, {**wanted, "page_size": 1})
        changes, relationships = list(paged["changes"]), list(paged["relationships"])
        while paged["next_cursor"]:
            paged = await asked(client, {**wanted, "page_size": 1, "cursor": paged["next_cursor"]})
            changes += paged["changes"]
            relationships += paged["relationships"]
        assert (changes, relationships) == (found["changes"], found["relationships"])


SAME = ("relationships", "relationship_counts", "before", "after", "read_context", "withheld_unverified")
"""What both tools call by one name."""


@pytest.mark.requirement("diff-takes-a-model")
async def test_a_model_that_is_not_there_and_paths_of_a_model_are_refused(world: World) -> None:
    source = await redrawn(world)
    async with connected(world.services, families=PAST) as client:
        for beside, said in (
            ({"model": "nothing"}, f"no model is called 'nothing'; yours: {source.name}"),
            ({"model": source.name, "path_prefixes": ["sub/"]}, "elements of a model have no path"),
        ):
            result = await client.call_tool("kb_diff", {"from": "target", **beside})
            assert code_of(result) == "INVALID_ARGUMENT"
            assert said in text_of(result)
