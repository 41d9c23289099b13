"""What is read and quoted first, and where that ends."""

import pytest
from tests.support.in_memory_services import ME, InMemoryWorld

from citemark.services.requests import SearchRequest
from citemark.services.responses import Evidence


def spec(version: str, said: str) -> str:
    return f"# Batching\n\n{said} in the revision {version}. Batching of requests is a matter of the transport.\n"


@pytest.mark.requirement("both-sides")
async def test_each_side_of_a_comparison_is_quoted_before_a_second_passage_of_either() -> None:
    world = InMemoryWorld()
    world.stores.put(world.docs, "spec/1.2/batching.md", spec("1.2", "Support for batching was added"))
    for name in ("requests", "errors", "limits"):
        world.stores.put(world.docs, f"spec/1.2/{name}.md", spec("1.2", f"Batching of {name} is supported"))
    world.stores.put(world.docs, "spec/2.0/changes.md", "Version 2.0 removed it: no more batches anywhere.")
    found = await world.quote("How did support for batching change from 1.2 to 2.0?")
    assert [quote.side for quote in found.quotes[:2]] == ["1.2", "2.0"]


@pytest.mark.requirement("evidence-stops")
async def test_documents_that_are_about_as_relevant_are_quoted_and_others_are_not() -> None:
    world = InMemoryWorld()
    world.stores.put(world.docs, "a.md", "The kiln burns at 900 degrees with dry oak wood.")
    world.stores.put(world.docs, "b.md", "The kiln burns at 950 degrees with wet oak wood.")
    world.stores.put(world.docs, "c.md", "Wood is kept in the shed behind the house, where it stays dry.")
    for number in range(8):
        world.stores.put(world.docs, f"other{number}.md", f"Entry {number} says nothing about it but names wood.")
    found = await world.quote("At which degrees does the kiln burn oak wood?")
    assert {quote.section_id for quote in found.quotes} == {"a.md", "b.md"}
    filled = await world.quote("At which degrees does the kiln burn oak wood?", max_bytes=2_000)
    assert len(filled.quotes) > len(found.quotes)


@pytest.mark.requirement("named-version-first")
async def test_a_version_that_is_named_comes_before_a_proposal_that_is_as_relevant() -> None:
    world = InMemoryWorld()
    world.stores.put(world.docs, "seps/17-limits.md", "Rate limits: the limit of requests is 20 a minute, per limits.")
    world.stores.put(world.docs, "spec/2025-06-18/limits.md", "The limit of requests is 50 a minute.")
    found = await world.quote("limit of requests in 2025-06-18")
    assert found.quotes[0].section_id == "spec/2025-06-18/limits.md"


@pytest.mark.requirement("whole-lists")
async def test_a_question_for_members_says_how_many_are_left() -> None:
    world = InMemoryWorld()
    items = "".join(f"- Region {number:03} costs {number} euros, and it closes at noon\n" for number in range(99))
    world.stores.put(world.docs, "regions.md", f"The regions and their prices are as follows:\n\n{items}")
    (quote,) = (await world.quote("List all regions with their prices")).quotes
    assert quote.more == 99 - quote.quote.count("- Region") > 0
    assert len(quote.quote) > 2_000
    (quote,) = (await world.quote("the price of Region 017")).quotes
    assert "Region 017" in quote.quote
    assert len(quote.quote) <= 800


async def test_a_list_of_a_revision_that_was_purged_is_counted_in_its_passage(monkeypatch: pytest.MonkeyPatch) -> None:
    world = InMemoryWorld()
    items = "".join(f"- Region {number:03} costs {number} euros\n" for number in range(150))
    world.stores.put(world.docs, "regions.md", f"The regions are as follows:\n\n{items}")

    async def purged(*_: object) -> None:
        return None

    monkeypatch.setattr(world.stores, "body", purged)
    (quote,) = (await world.quote("List all regions")).quotes
    assert quote.more == 150 - quote.quote.count("- Region")


@pytest.mark.requirement("evidence-stops")
async def test_each_phrasing_has_its_turn_in_evidence_that_ends_itself() -> None:
    world = InMemoryWorld()
    world.stores.put(world.docs, "lead.md", "A lead holds at least the level of a member.")
    world.stores.put(world.docs, "member.md", "Members are sponsored by two reviewers after three months of review.")
    found: Evidence = await world.evidence.retrieve(
        ME,
        SearchRequest(
            "a lead holds the level of a member", also=("members are sponsored by reviewers",), min_score=0.0
        ),
    )
    assert {quote.section_id for quote in found.quotes} == {"lead.md", "member.md"}


async def test_without_documents_there_is_no_evidence() -> None:
    assert (await InMemoryWorld().quote("anything")).quotes == ()


@pytest.mark.requirement("front-matter-is-no-evidence")
@pytest.mark.parametrize(("question", "quoted"), [("pumps of the plant?", False), ("status of the pumps", True)])
async def test_the_properties_of_a_page_are_quoted_only_for_a_question_about_one(question: str, quoted: bool) -> None:
    world = InMemoryWorld()
    table = "| Field | Value |\n|---|---|\n| **Status** | status of the pumps |\n| **Plant** | pumps |"
    world.stores.put(world.docs, "a.md", "The pumps of the plant: their status is good.")
    world.stores.put(world.docs, "b.md", table.replace("Plant", "Title"))
    found = [quote.section_id for quote in (await world.quote(question)).quotes]
    assert ("b.md" in found) == quoted
