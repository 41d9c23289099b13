"""How many documents of accounts answer, and whether all of them were confirmed."""

from typing import Any

import pytest
from mcp import Client
from tests.integration.evidence.test_accounts import BOTH, account, called, put
from tests.integration.retrieval.world import World
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.model.documents import Verdict

QUESTION = "Who descaled the boiler?"
BOILER = "The boiler in cellar {} was descaled with citric acid by the plumber."
NOTES = 7


async def cloud(world: World) -> Any:
    source = await account(world)
    for number in range(NOTES):
        await put(world, source, "note", f"{number}", BOILER.format(number))
    return world.memory[source.source_id]


async def asked(client: Client, **arguments: Any) -> dict[str, Any]:
    return await called(client, "nc_semantic_search", query=QUESTION, **{"score_threshold": 0.0, **arguments})


def total(found: dict[str, Any]) -> tuple[int, str]:
    return found["total_found"], found["total_is"]


@pytest.mark.requirement(
    "total-says-whether-all-were-asked", "total-found-counts-above-threshold", "total-before-verification"
)
async def test_the_total_is_exact_when_all_were_asked_and_a_least_number_when_not(world: World) -> None:
    server = await cloud(world)
    async with connected(world.services, families=BOTH) as client:
        assert total(await asked(client)) == (NOTES, "exact")
        server.asked.clear()
        assert total(await asked(client, limit=3)) == (NOTES, "at_least")
        assert sum(map(len, server.asked)) == 3, "nothing is asked only to count"
        assert total(await asked(client, limit=NOTES)) == (NOTES, "exact")


@pytest.mark.requirement("total-says-whether-all-were-asked", "total-found-counts-above-threshold")
async def test_deleted_documents_are_not_counted_and_withheld_ones_may_exist(world: World) -> None:
    server = await cloud(world)
    async with connected(world.services, families=BOTH) as client:
        server.verdicts = {"2": Verdict.GONE}
        assert total(await asked(client)) == (NOTES - 1, "exact")
        server.verdicts = {"3": Verdict.UNKNOWN}
        assert total(await asked(client)) == (NOTES - 1, "at_least")


@pytest.mark.requirement("total-says-whether-all-were-asked")
async def test_the_cursor_leads_to_each_document_once_and_the_last_page_knows_the_total(world: World) -> None:
    server = await cloud(world)
    ids: list[str] = []
    totals: list[tuple[int, str]] = []
    async with connected(world.services, families=BOTH) as client:
        whole = [hit["id"] for hit in (await asked(client))["results"]]
        server.asked.clear()
        cursor = None
        while cursor or not ids:
            page = await asked(client, limit=3, cursor=cursor)
            ids += [hit["id"] for hit in page["results"]]
            totals.append(total(page))
            cursor = page["next_cursor"]
            assert (page["partial"], page["limit_reason"]) == ((True, "page_size") if cursor else (False, "none"))
    assert ids == whole
    assert totals == [(NOTES, "at_least"), (NOTES, "at_least"), (NOTES, "exact")]
    assert sum(map(len, server.asked)) == NOTES


@pytest.mark.requirement("total-says-whether-all-were-asked")
async def test_after_a_page_with_a_withheld_document_the_last_one_does_not_call_the_total_exact(world: World) -> None:
    server = await cloud(world)
    async with connected(world.services, families=BOTH) as client:
        first = (await asked(client))["results"][0]["id"]
        server.verdicts = {first: Verdict.UNKNOWN}
        page = await asked(client, limit=4)
        server.verdicts.clear()
        last = await asked(client, limit=4, cursor=page["next_cursor"])
    assert total(last) == (NOTES - 1, "at_least")


@pytest.mark.requirement("total-says-whether-all-were-asked")
async def test_a_cursor_of_another_question_is_refused_and_one_in_the_text_is_taken(world: World) -> None:
    await cloud(world)
    async with connected(world.services, families=BOTH) as client:
        asking = {"query": QUESTION, "score_threshold": 0.0, "limit": 2}
        page = await client.call_tool("nc_semantic_search", asking)
        assert page.structured_content is not None
        cursor = page.structured_content["next_cursor"]
        assert cursor in text_of(page)
        for other in ({"query": "Who paid?"}, {"score_threshold": 0.1}, {"doc_types": ["note"]}):
            refused = await client.call_tool("nc_semantic_search", {**asking, **other, "cursor": cursor})
            assert code_of(refused) == "INVALID_ARGUMENT"


@pytest.mark.requirement("total-says-whether-all-were-asked")
async def test_hits_that_do_not_fit_a_result_are_left_to_the_cursor_and_not_lost(world: World) -> None:
    source = await account(world)
    for number in range(NOTES):
        long = {f"Field {field} " + "x" * 150: "y" * 190 for field in range(50)}
        await put(world, source, "note", f"{number}", BOILER.format(number), **long)
    ids: list[str] = []
    async with connected(world.services, families=BOTH) as client:
        cursor = None
        while cursor or not ids:
            page = await asked(client, cursor=cursor)
            assert len(page["results"]) < NOTES
            ids += [hit["id"] for hit in page["results"]]
            cursor = page["next_cursor"]
    assert sorted(ids) == [str(number) for number in range(NOTES)]


@pytest.mark.requirement("wholly-withheld-answer-says-so-first")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("nc_semantic_search", {"query": QUESTION}),
        ("kb_search", {"query": QUESTION}),
        ("kb_retrieve_evidence", {"question": QUESTION}),
    ],
)
async def test_a_result_whose_hits_were_all_withheld_says_so_first(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    server = await cloud(world)
    server.verdicts = {str(number): Verdict.UNKNOWN for number in range(NOTES)}
    async with connected(world.services, families=BOTH) as client:
        result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    assert result.structured_content["empty_reason"] == "all_withheld"
    assert result.structured_content["withheld_unverified"] == NOTES
    first = text_of(result).splitlines()[0]
    assert "withheld" in first
    assert "othing" not in first
