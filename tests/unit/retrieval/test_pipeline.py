"""Ranking over stores in memory: what is found, in which order, and what never comes up."""

from tests.support.in_memory_services import SOMEBODY, InMemoryWorld

from citemark.model.scope import Filters

TEXTS = {
    "valves.md": "valve pressure valve",
    "pumps.md": "pump pressure and a long tail of other words",
    "copy.md": "valve pressure valve",
    "bees.md": "honey",
}


async def test_chunks_that_share_more_words_come_first() -> None:
    assert (await InMemoryWorld(TEXTS).ranked("valve pressure"))[:2] == ["valves.md", "pumps.md"]


async def test_equal_texts_are_one_candidate_that_knows_the_others() -> None:
    world = InMemoryWorld(TEXTS)
    (first, *_) = (await world.rank("valve")).candidates
    assert (first.chunk_id, first.same_text) == (
        world.chunks["valves.md"].chunk_id,
        (world.chunks["copy.md"].chunk_id,),
    )


async def test_sources_of_another_tenant_are_neither_found_nor_counted() -> None:
    world = InMemoryWorld(TEXTS)
    theirs = world.stores.source("secret", tenant="elsewhere")
    before = await world.rank("valve")
    world.stores.put(theirs, "theirs.md", "valve valve valve")
    after = await world.rank("valve")
    assert [each.score for each in after.candidates] == [each.score for each in before.candidates]
    assert await world.ranked("valve", SOMEBODY) == ["theirs.md"]


async def test_filters_cut_before_the_best_are_chosen() -> None:
    world = InMemoryWorld(TEXTS)
    assert await world.ranked("pressure", filters=Filters(path_prefixes=("pumps",)), depth=1) == ["pumps.md"]


async def test_candidates_below_the_least_score_are_left_out() -> None:
    world = InMemoryWorld(TEXTS)
    assert await world.ranked("valve pressure", min_score=0.99) == []


async def test_a_name_that_no_document_mentions_halves_the_scores_and_is_noted() -> None:
    world = InMemoryWorld(TEXTS)
    plain, named = await world.rank("valve"), await world.rank("valve XR500")
    assert "no document here mentions XR500" in named.notes
    assert named.candidates[0].score < plain.candidates[0].score


async def test_replaced_chunks_are_not_found() -> None:
    world = InMemoryWorld(TEXTS)
    world.stores.replaced(world.chunks["bees.md"])
    assert await world.ranked("honey") == []
