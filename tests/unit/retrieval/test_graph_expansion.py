"""What is linked to the best passages of a question comes forward with them, and nothing that may not be shown does."""

import pytest
from tests.support.in_memory_services import InMemoryWorld

from citemark.model.documents import Verdict
from citemark.model.scope import Filters

TEXTS = {
    "pump.md": "valve pressure pump",
    "apart.md": "pressure of the air",
    "linked.md": "pressure of the oil",
    "wordless.md": "honey",
}


@pytest.fixture
def world() -> InMemoryWorld:
    return InMemoryWorld(TEXTS)


def link(world: InMemoryWorld, one: str, other: str) -> None:
    world.stores.link(world.chunks[one], world.chunks[other], "links_to")


@pytest.mark.requirement("hybrid-local-expands-over-the-graph")
@pytest.mark.parametrize(("one", "other"), [("pump.md", "linked.md"), ("linked.md", "pump.md")])
async def test_among_equal_passages_the_one_linked_to_the_best_comes_first(
    world: InMemoryWorld, one: str, other: str
) -> None:
    assert await world.ranked("valve pressure", graph=True) == ["pump.md", "apart.md", "linked.md"]
    link(world, one, other)
    assert await world.ranked("valve pressure", graph=True) == ["pump.md", "linked.md", "apart.md"]
    assert await world.ranked("valve pressure") == ["pump.md", "apart.md", "linked.md"]


@pytest.mark.requirement("graph-found-hit-says-why", "graph-retrieval-starts-at-best-hits")
async def test_a_passage_that_no_retriever_finds_is_found_over_an_edge_and_labelled_so(world: InMemoryWorld) -> None:
    link(world, "pump.md", "wordless.md")
    page = await world.find("valve pressure", mode="hybrid_local")
    (found,) = [hit for hit in page.hits if hit.section_id == "wordless.md"]
    assert (found.origin, str(found.why.link)) == ("graph_expanded", "pump.md -links_to-> this")
    assert found.score < page.hits[0].score
    assert "wordless.md" not in [
        hit.section_id for hit in (await world.find("valve pressure", mode="vector_only")).hits
    ]


@pytest.mark.requirement("graph-found-hit-says-why")
async def test_a_linked_passage_has_a_tenth_of_the_relevance_of_what_it_hangs_on(world: InMemoryWorld) -> None:
    link(world, "pump.md", "wordless.md")
    found = {each.chunk_id: each for each in (await world.rank("valve rates", graph=True)).candidates}
    best, linked = (found[world.chunks[name].chunk_id] for name in ("pump.md", "wordless.md"))
    assert 0 < best.why.relevance < 0.9
    assert linked.why.relevance == pytest.approx(best.why.relevance / 10)
    assert linked.score == pytest.approx(best.score / 10)  # without vectors both go by the fit of words alone


async def test_a_linked_passage_outside_of_the_filters_is_not_found(world: InMemoryWorld) -> None:
    link(world, "pump.md", "wordless.md")
    found = await world.ranked("valve pressure", graph=True, filters=Filters(path_prefixes=("pump", "apart")))
    assert found == ["pump.md", "apart.md"]


async def test_a_linked_passage_below_the_least_score_is_left_out(world: InMemoryWorld) -> None:
    link(world, "pump.md", "wordless.md")
    least = (await world.rank("valve pressure")).candidates[0].score
    assert await world.ranked("valve pressure", graph=True, min_score=least) == ["pump.md"]


async def test_a_linked_passage_of_a_source_that_is_not_the_callers_is_not_found(world: InMemoryWorld) -> None:
    theirs = world.stores.source("secret", tenant="elsewhere")
    world.stores.link(world.chunks["pump.md"], world.stores.put(theirs, "theirs.md", "secret"), "links_to")
    assert "theirs.md" not in await world.ranked("valve pressure", graph=True)


@pytest.mark.requirement("paths-run-through-vouched-nodes")
@pytest.mark.parametrize("verdict", [Verdict.GONE, Verdict.UNKNOWN])
async def test_links_of_a_remote_passage_that_its_source_does_not_confirm_are_not_followed(
    world: InMemoryWorld, verdict: Verdict
) -> None:
    link(world, "pump.md", "wordless.md")
    world.told.remote = True
    assert "wordless.md" in await world.ranked("valve pressure", graph=True)
    world.told.verdicts["pump.md"] = verdict
    assert "wordless.md" not in await world.ranked("valve pressure", graph=True)


async def test_later_pages_of_a_list_keep_the_edge_that_a_hit_was_found_by(world: InMemoryWorld) -> None:
    link(world, "pump.md", "linked.md")
    first = await world.find("valve pressure", page_size=1, mode="hybrid_local")
    second = await world.find("valve pressure", page_size=1, mode="hybrid_local", cursor=first.meta.next_cursor)
    assert [str(hit.why.link) for hit in second.hits] == ["pump.md -links_to-> this"]
    assert second.hits[0].origin == "bm25"


@pytest.mark.requirement("hybrid-local-expands-over-the-graph")
async def test_who_asks_for_the_graph_is_told_when_nothing_is_linked(world: InMemoryWorld) -> None:
    for mode, told in (("auto", False), ("vector_only", False), ("hybrid_local", True)):
        page = await world.find("valve pressure", mode=mode)
        assert any("Nothing that answers is linked" in note for note in page.meta.notes) is told
    link(world, "pump.md", "linked.md")
    notes = (await world.find("valve pressure", mode="hybrid_local")).meta.notes
    assert not any("linked" in note for note in notes)
