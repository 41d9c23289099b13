"""Search over stores in memory: pages, cursors, hits that their source withholds, and who may see what."""

import pytest
from tests.support.in_memory_services import ME, SOMEBODY, InMemoryWorld

from citemark.model.documents import Verdict
from citemark.model.errors import UnknownCursor
from citemark.services.requests import SearchRequest

TEXTS = {f"page-{number}.md": "valve " + "filler " * number for number in range(6)}


async def test_pages_of_a_list_follow_each_other_without_gap_or_repetition() -> None:
    world = InMemoryWorld(TEXTS)
    seen: list[str] = []
    cursor = None
    while True:
        page = await world.find("valve", top_k=5, page_size=2, cursor=cursor)
        seen += [hit.section_id for hit in page.hits]
        cursor = page.meta.next_cursor
        if cursor is None:
            break
    assert seen == [f"page-{number}.md" for number in range(5)]


async def test_a_cursor_is_good_for_its_caller_and_question_alone() -> None:
    world = InMemoryWorld(TEXTS)
    cursor = (await world.find("valve", page_size=2)).meta.next_cursor
    for caller, query in ((SOMEBODY, "valve"), (ME, "filler")):
        with pytest.raises(UnknownCursor):
            await world.search.find(caller, SearchRequest(query, page_size=2, min_score=0.0, cursor=cursor))


async def test_a_hit_whose_source_does_not_vouch_is_replaced_and_counted() -> None:
    world = InMemoryWorld(TEXTS)
    world.told.verdicts["page-0.md"] = Verdict.UNKNOWN
    page = await world.find("valve", top_k=2, page_size=2)
    assert [hit.section_id for hit in page.hits] == ["page-1.md", "page-2.md"]
    assert page.meta.withheld_unverified == 1


async def test_a_document_that_is_gone_is_dropped_without_being_counted() -> None:
    world = InMemoryWorld(TEXTS)
    world.told.verdicts["page-0.md"] = Verdict.GONE
    page = await world.find("valve", top_k=2, page_size=2)
    assert "page-0.md" not in [hit.section_id for hit in page.hits]
    assert page.meta.withheld_unverified == 0
    assert world.stores.queued == ["page-0.md"]


async def test_an_empty_page_says_why() -> None:
    page = await InMemoryWorld(TEXTS).find("honey")
    assert page.meta.empty is not None
    assert page.meta.empty.reason == "nothing_answers"
