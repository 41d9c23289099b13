"""Documents in the order of their own dates."""

import pytest
from tests.support.in_memory_services import InMemoryWorld

from citemark.retrieval.newest import newest_first
from citemark.retrieval.question import RankedCandidate, Why


def candidate(number: int, relevance: float, *, shares_words: bool = True) -> RankedCandidate:
    why = Why(None, 1, 0.5, 1.0, 2.0, relevance, 0.01, shares_words=shares_words)
    return RankedCandidate(number, 1, number, 0.8, why)


@pytest.mark.requirement("latest-is-newest")
def test_of_about_equally_relevant_documents_the_newest_comes_first() -> None:
    candidates = [candidate(1, 0.80), candidate(2, 0.79), candidate(3, 0.78), candidate(4, 0.50), candidate(5, 0.79)]
    dates = {1: "2024-05-01", 2: "2026-05-01T10:00:00Z", 4: "2026-11-01", 5: "not a date"}
    assert [each.chunk_id for each in newest_first(candidates, dates)] == [2, 1, 5, 3, 4]


@pytest.mark.requirement("latest-is-newest")
def test_what_shares_no_word_with_the_question_is_not_moved_by_its_date() -> None:
    candidates = [candidate(1, 0.80), candidate(2, 0.79, shares_words=False)]
    assert newest_first(candidates, {1: "2024-05-01", 2: "2026-05-01"}) == candidates
    assert newest_first([], {}) == []


@pytest.mark.requirement("latest-is-newest")
async def test_a_question_for_the_latest_finds_the_newest_document_first_and_others_do_not() -> None:
    world = InMemoryWorld()
    for year in (2024, 2026, 2025):
        text = f"The price list of year {year} for pumps and valves."
        world.stores.put(world.docs, f"prices-{year}.md", text, dated=f"{year}-03-01")
    latest = await world.ranked("latest price list for pumps", min_score=0.0)
    assert latest[0] == "prices-2026.md"
    assert [*latest] == ["prices-2026.md", "prices-2025.md", "prices-2024.md"]
    page = await world.find("Which is the current version of the price list for pumps?")
    assert page.hits[0].section_id.startswith("prices-2026.md")
    assert (await world.ranked("price list for pumps", min_score=0.0))[0] == "prices-2024.md"
