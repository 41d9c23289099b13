"""Search over stores in memory: pages, cursors, hits that their source withholds, and who may see what."""

from typing import Any

import pytest
from tests.support.in_memory_services import ME, SOMEBODY, InMemoryWorld

from citemark.model.documents import Verdict
from citemark.model.errors import UnknownCursor
from citemark.model.ids import DocumentId, RevisionId
from citemark.model.text import Span
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


async def test_a_cursor_is_valid_only_for_its_caller_and_question() -> None:
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


VERSIONS = ("spec/2024-11-05/valve.md", "spec/2025-06-18/valve.md", "spec/draft/valve.md")
PASSAGE = "The valve opens at once when the pump starts, as [the pump](/{0}/pump) and the boiler ask for it in turn."


def _of_versions(change: tuple[str, str] = ("", "")) -> InMemoryWorld:
    """An index of three versions of one page, of which the second says one thing otherwise."""
    world = InMemoryWorld()
    for name in VERSIONS:
        text = PASSAGE.format(name.split("/")[1])
        world.stores.put(world.docs, name, text.replace(*change) if name == VERSIONS[1] else text)
    return world


@pytest.mark.requirement("newest-dated-version-first")
@pytest.mark.parametrize(
    ("query", "first"),
    [("valve opens", VERSIONS[1]), ("valve opens in 2024-11-05", VERSIONS[0]), ("the draft: valve opens", VERSIONS[2])],
)
async def test_the_newest_version_of_a_page_is_the_hit_unless_the_question_names_one(query: str, first: str) -> None:
    (hit,) = (await _of_versions().find(query)).hits
    assert hit.section_id == first
    assert {hit.section_id, *hit.also_in} == set(VERSIONS)
    assert f"/{first.split('/')[1]}/" in hit.text
    assert hit.citation.document_id == first


@pytest.mark.requirement("newest-dated-version-first")
@pytest.mark.parametrize("change", [("at once", "at once 3 times"), ("opens", "never opens"), ("opens", "may open")])
async def test_a_version_with_a_different_statement_is_a_hit_of_its_own(change: tuple[str, str]) -> None:
    hits = (await _of_versions(change).find("valve opens")).hits
    assert sorted(hit.section_id for hit in hits) in (sorted(VERSIONS[:2]), sorted(VERSIONS[1:]))


@pytest.mark.requirement("repeated-passages-are-one-hit")
@pytest.mark.parametrize("change", [("primary", "other"), ("enabled", "disabled"), ("[x]", "[ ]")])
async def test_two_sections_of_a_page_that_differ_in_one_word_are_two_hits(change: tuple[str, str]) -> None:
    world = InMemoryWorld()
    page: dict[str, Any] = {"page_id": DocumentId(9), "revision_id": RevisionId(9)}
    text = "- [x] On the primary server the cache of the valve is enabled before the pump starts in the morning."
    world.stores.put(world.docs, "valves.md", text, span=Span(0, len(text)), **page)
    world.stores.put(world.docs, "valves.md", text.replace(*change), span=Span(200, 200 + len(text)), **page)
    hits = (await world.find("cache of the valve", max_per_doc=2)).hits
    assert {hit.text for hit in hits} == {text, text.replace(*change)}


@pytest.mark.requirement("repeated-passages-are-one-hit")
async def test_passages_of_pages_that_are_no_versions_of_each_other_are_never_collapsed_unless_equal() -> None:
    world = InMemoryWorld()
    text = "On the first server the cache of the valve is kept warm until the pump starts in the morning."
    elsewhere = world.stores.source("other")
    world.stores.put(world.docs, "2025-06-18/one.md", text)
    world.stores.put(world.docs, "2025-06-18/two.md", text.replace("warm", "cold"))
    world.stores.put(elsewhere, "2024-11-05/one.md", text.replace("warm", "clean"))
    world.stores.put(elsewhere, "again.md", f"{text} ")
    hits = (await world.find("cache of the valve")).hits
    assert sorted(len(hit.also_in) for hit in hits) == [0, 0, 1]
    assert {hit.text.strip() for hit in hits} == {text, text.replace("warm", "cold"), text.replace("warm", "clean")}


async def test_a_version_of_a_hit_on_an_earlier_page_is_not_repeated_on_a_later_one() -> None:
    world = _of_versions()
    for number in range(3):
        world.stores.put(world.docs, f"{number}.md", f"valve {number} " + "filler " * 40)
    seen: list[str] = []
    page = await world.find("valve opens", page_size=1)
    while page.meta.next_cursor is not None:
        seen += [hit.section_id for hit in page.hits]
        page = await world.find("valve opens", page_size=1, cursor=page.meta.next_cursor)
    assert {*VERSIONS} & {*seen} == {VERSIONS[1]}, "the newest is shown, also if it comes on a later page"
    assert sorted({*seen, *(hit.section_id for hit in page.hits)} - {*VERSIONS}) == ["0.md", "1.md", "2.md"]


@pytest.mark.requirement("failed-verification-shows-nothing")
@pytest.mark.parametrize("verdict", [Verdict.OK, Verdict.GONE, Verdict.UNKNOWN])
async def test_a_later_page_names_no_linked_document_that_its_source_does_not_confirm(verdict: Verdict) -> None:
    world = InMemoryWorld({"pump.md": "valve pressure pump", "other.md": "valve and words", "far.md": "honey"})
    world.stores.link(world.chunks["pump.md"], world.chunks["far.md"], "links_to")
    page = await world.find("valve pressure pump", page_size=2, mode="auto")
    world.told.verdicts["pump.md"] = verdict
    (hit,) = (await world.find("valve pressure pump", page_size=2, mode="auto", cursor=page.meta.next_cursor)).hits
    assert (hit.section_id, hit.origin) == ("far.md", "graph_expanded")
    named = None if hit.why.link is None else hit.why.link.title
    assert named == (world.chunks["pump.md"].title if verdict is Verdict.OK else None)


DATES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-03-01", "2026-07-28")


@pytest.mark.requirement("tools-kb-dedupe-fills", "newest-dated-version-first")
@pytest.mark.parametrize("max_per_doc", [2, 4])
async def test_six_versions_of_a_page_leave_room_for_the_others_and_the_newest_is_shown(max_per_doc: int) -> None:
    world = InMemoryWorld()

    def put(number: int, date: str) -> None:
        page: dict[str, Any] = {"page_id": DocumentId(100 + number), "revision_id": RevisionId(100 + number)}
        for part in range(4):
            said = ("said", "told")[number % 2]
            text = f"valve {part} as [{said}](/{date}/{part}) in " + "words " * 20
            at = Span(1000 * part, 1000 * part + len(text))
            world.stores.put(world.docs, f"spec/{date}/valve.md", text, span=at, **page)

    # All passages are equally relevant, so they are ranked in the order in which they are put.
    for number, date in enumerate(DATES[:3]):
        put(number, date)
    for number in range(6):
        world.stores.put(world.docs, f"guide-{number}.md", f"valve {number} " + "filler " * 27)
    for number, date in enumerate(DATES[3:], start=3):
        put(number, date)
    for top_k in (5, 10):
        hits = (await world.find("valve", top_k=top_k, page_size=20, max_per_doc=max_per_doc)).hits
        assert len(hits) == min(top_k, max_per_doc + 6)
        assert [hit.section_id for hit in hits].count(f"spec/{DATES[-1]}/valve.md") == max_per_doc
        assert len([hit for hit in hits if hit.section_id.startswith("guide")]) == len(hits) - max_per_doc


@pytest.mark.requirement("table-rows-are-passages")
async def test_a_row_and_its_table_are_one_hit_and_leave_room_for_another_of_the_page() -> None:
    world = InMemoryWorld()
    page: dict[str, Any] = {"page_id": DocumentId(9), "revision_id": RevisionId(9)}
    table = "| valve | bar |\n|---|---|\n| inlet | 3 |\n| outlet | 4 |"
    row = "| inlet | 3 |"
    world.stores.put(world.docs, "valves.md", table, span=Span(0, len(table)), **page)
    world.stores.put(world.docs, "valves.md", row, span=Span(table.index(row), table.index(row) + len(row)), **page)
    world.stores.put(world.docs, "valves.md", "The inlet valve is red.", span=Span(90, 113), **page)
    hits = (await world.find("inlet", max_per_doc=2)).hits
    assert [hit.text for hit in hits] == [row, "The inlet valve is red."]
