"""search and fetch over a real index: the shapes that connectors document, ids that last, bounded documents."""

import json
from typing import Any

import pytest
from mcp import Client, MCPError
from tests.integration.retrieval.world import World
from tests.support.groups import EVERY_GROUP, groups
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.model.documents import Verdict
from citemark.model.scope import READ, Principal
from citemark.services.requests import Caller

LINES = [f"Pump {n} of the hall was painted in the year {1900 + n} by a person of the works." for n in range(400)]
PRIMED = "The feed pump must be primed with nine litres of water before it starts."
LINES[200] = PRIMED
LONG = "# Pumps\n\n" + "\n".join(LINES) + "\n"
AXLE = "# The axle\n\nGrease the axle twice a year: with the grease of the works.\n"
PAGES = {"pumps.md": LONG, "axle.md": AXLE}
RESOURCE = "https://citemark.example/base/mcp"
BOB = Caller.of(Principal("local", "bob", frozenset({READ})))


async def given(client: Client, name: str, **arguments: str) -> dict[str, Any]:
    """The result of a tool, which its one block of text holds as JSON, and its structured content again."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, text_of(result)
    (block,) = result.content
    assert block.type == "text"
    found = json.loads(block.text)
    assert result.structured_content == found
    return found


async def hit_for(client: Client, query: str) -> dict[str, str]:
    return (await given(client, "search", query=query))["results"][0]


@pytest.mark.requirement("search-and-fetch-shapes")
async def test_a_hit_has_an_id_a_title_and_an_address_and_its_id_fetches_the_document(world: World) -> None:
    await world.source("docs", PAGES)
    async with connected(world.services, connector_tools=True, http_resource=RESOURCE) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["search"].input_schema["required"] == ["query"]
        assert list(tools["search"].input_schema["properties"]) == ["query"]
        assert list(tools["fetch"].input_schema["properties"]) == ["id"]
        found = await given(client, "search", query="how often is the axle greased")
        hit = found["results"][0]
        assert set(found) == {"results"}
        assert set(hit) == {"id", "title", "url"}
        assert hit["url"].startswith("https://citemark.example/base/document?source=docs&document=axle.md")
        page = await given(client, "fetch", id=hit["id"])
    assert set(page) == {"id", "title", "text", "url", "metadata"}
    assert (page["id"], page["text"]) == (hit["id"], AXLE)
    assert hit["title"].endswith("The axle")
    assert all(isinstance(value, str) for value in page["metadata"].values())
    assert not {"next_id", "first_id", "superseded"} & set(page["metadata"])

    async with connected(world.services, connector_tools=True, structured_output_enabled=False) as client:
        result = await client.call_tool("search", {"query": "how often is the axle greased"})
    assert result.structured_content is None
    assert [set(each) for each in json.loads(text_of(result))["results"]] == [{"id", "title", "url"}]


@pytest.mark.requirement("search-ids-are-durable-citations")
async def test_an_id_is_a_citation_that_outlives_the_session_and_an_edit(world: World) -> None:
    source = await world.source("docs", PAGES)
    async with connected(world.services, connector_tools=True) as client:
        hit = await hit_for(client, "how often is the axle greased")
        quote = await client.call_tool("kb_search", {"query": "how often is the axle greased"})
    citation = quote.structured_content["results"][0]["citation"]
    assert citation["document_id"] in hit["id"]
    assert f"revision {citation['revision_id']}" in hit["id"]
    await world.write(source, {"axle.md": "# The axle\n\nNever grease the axle.\n"})
    async with connected(world.services, connector_tools=True, mode="legacy") as client:
        page = await given(client, "fetch", id=hit["id"])
        present = await given(client, "fetch", id=(await hit_for(client, "grease the axle"))["id"])
    assert page["text"] == AXLE
    assert "has changed since" in page["metadata"]["superseded"]
    assert "Never grease" in present["text"]
    assert "superseded" not in present["metadata"]


@pytest.mark.requirement("fetch-is-bounded")
async def test_a_long_document_is_read_from_the_cited_place_and_on_to_both_ends(world: World) -> None:
    await world.source("docs", PAGES)
    async with connected(world.services, connector_tools=True) as client:
        page = await given(client, "fetch", id=f"docs: pumps.md, line {LINES.index(PRIMED) + 3}")
        assert page["text"].startswith(PRIMED)
        assert page["metadata"]["citation"].startswith("docs: pumps.md, lines 203-")
        assert len(page["text"].encode()) <= 8192
        ahead, metadata = page["text"], page["metadata"]
        assert metadata["read_on"].startswith("This is lines ")
        while "next_id" in metadata:
            more = await given(client, "fetch", id=metadata["next_id"])
            ahead, metadata = ahead + more["text"], more["metadata"]
        behind, following = "", page["metadata"].get("first_id")
        while following is not None and len(behind) + len(ahead) < len(LONG):
            before = await given(client, "fetch", id=following)
            behind, following = behind + before["text"], before["metadata"].get("next_id")
    assert LONG.endswith(ahead)
    assert behind[: len(LONG) - len(ahead)] + ahead == LONG


@pytest.mark.requirement("fetch-is-bounded")
async def test_reading_on_ends_inside_of_a_single_endless_line(world: World) -> None:
    text = "# Endless\n\n" + " ".join(f"word{n}" for n in range(4000))
    await world.source("docs", {"endless.md": text})
    async with connected(world.services, connector_tools=True) as client:
        page = await given(client, "fetch", id="docs: endless.md, line 1")
        read = page["text"]
        while "next_id" in page["metadata"]:
            page = await given(client, "fetch", id=page["metadata"]["next_id"])
            read += page["text"]
    assert read == text


@pytest.mark.requirement("fetch-keeps-to-the-callers-rights")
async def test_a_document_that_its_source_withholds_or_another_person_has_is_not_fetched(world: World) -> None:
    source = await world.source("docs", PAGES)
    world.memory[source.source_id].remote = True
    async with connected(world.services, connector_tools=True) as client:
        hit = await hit_for(client, "how often is the axle greased")
        world.memory[source.source_id].verdicts["axle.md"] = Verdict.GONE
        gone = await client.call_tool("fetch", {"id": hit["id"]})
        never = await client.call_tool("fetch", {"id": hit["id"].replace("axle.md", "none.md")})
        found = await given(client, "search", query="how often is the axle greased")
    assert code_of(gone) == code_of(never) == "INVALID_ARGUMENT"
    assert text_of(gone).replace("axle.md", "none.md") == text_of(never)
    assert all("axle" not in row["id"] for row in found["results"])
    async with connected(world.services, connector_tools=True, caller=BOB) as client:
        assert code_of(await client.call_tool("fetch", {"id": hit["id"]})) == "INVALID_ARGUMENT"
        assert "docs" not in json.dumps((await given(client, "search", query="how is the axle greased"))["results"])


@pytest.mark.requirement("search-and-fetch-shapes")
async def test_nothing_found_says_why_in_words_for_its_reader(world: World) -> None:
    async with connected(world.services, connector_tools=True) as client:
        mine = await given(client, "search", query="axle")
    async with connected(world.services, connector_tools=True, caller=BOB) as client:
        bobs = await given(client, "search", query="axle")
    assert mine["results"] == bobs["results"] == []
    assert "`citemark add" in mine["notes"][-1]
    assert bobs["notes"][-1].endswith("Whoever runs this server can help.")


async def test_an_id_that_is_no_citation_is_refused_with_what_to_do(world: World) -> None:
    odd = '{"source":"docs","document_id":"axle.md","revision_id":"1","span":{"start":"0","end":9}}'
    async with connected(world.services, connector_tools=True) as client:
        for wrong in ("nonsense", "{", "{}", '{"source":1,"span":{}}', odd, "[1]", " "):
            result = await client.call_tool("fetch", {"id": wrong})
            assert code_of(result) == "INVALID_ARGUMENT"
            assert "from a result of search" in text_of(result)
        assert "at most" in text_of(await client.call_tool("fetch", {"id": "x" * 9000}))


@pytest.mark.requirement("search-and-fetch-off-by-default")
async def test_both_are_listed_with_every_list_if_they_are_asked_for_and_else_unknown() -> None:
    for kb, families in ((True, groups()), (True, EVERY_GROUP), (False, groups())):
        for listed in ("all", "core"):
            async with connected(connector_tools=True, families=families, kb_v2_enabled=kb, tools=listed) as client:
                assert {"search", "fetch"} <= {tool.name for tool in (await client.list_tools()).tools}
    async with connected() as client:
        assert not {"search", "fetch"} & {tool.name for tool in (await client.list_tools()).tools}
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("search", {"query": "axle"})
