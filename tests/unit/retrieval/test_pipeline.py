"""Ranking over stores in memory: what is found, in which order, and what never comes up."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from structlog.testing import capture_logs
from tests.support.in_memory_services import ME, SOMEBODY, InMemoryWorld, vector
from tests.support.in_memory_stores import NOW, SET, InMemoryStores

from citemark.embedding.contract import EmbeddingFailed
from citemark.embedding.model_files import DamagedModel
from citemark.model.baselines import HistoryRange
from citemark.model.candidates import RetrieverHits
from citemark.model.documents import Verdict
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.ids import DocumentId, EmbeddingSetId, SourceId
from citemark.model.scope import Filters, ReadContext

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


async def test_replaced_chunks_are_not_found() -> None:
    world = InMemoryWorld(TEXTS)
    world.stores.replaced(world.chunks["bees.md"])
    assert await world.ranked("honey") == []


class Answering:
    """Answers a question with vectors of so many dimensions, or cannot be loaded."""

    def __init__(self, dimensions: int | None) -> None:
        self._dimensions = dimensions
        self.identity = self
        self.languages = ()
        self.calibration = None

    def embed_queries(self, texts: Sequence[str]) -> Any:
        if self._dimensions is None:
            raise OSError(2, "No such file", "/models/query.onnx")
        return np.ones((len(texts), self._dimensions), np.float32)


def embedding(dimensions: int | None) -> InMemoryWorld:
    return InMemoryWorld(TEXTS, stores=InMemoryStores(), embedder=cast("Any", Answering(dimensions)))


async def test_without_the_model_that_made_the_vectors_words_alone_rank_and_that_is_noted() -> None:
    world = InMemoryWorld(TEXTS, stores=InMemoryStores())
    ranking = await world.rank("valve")
    assert ranking.candidates
    assert f"the settings do not reach {SET.model}, which made the vectors: ranked by words alone" in ranking.notes


async def test_vectors_of_another_size_than_those_of_the_index_are_not_compared() -> None:
    ranking = await embedding(SET.dimensions + 1).rank("valve")
    assert ranking.candidates
    assert [note for note in ranking.notes if "other vectors than those of the index" in note]


class OnlyOnce(Answering):
    """Answers its first question, and what happens after that decides whether it is asked another one."""

    def __init__(self, afterwards: Callable[[], None]) -> None:
        super().__init__(SET.dimensions)
        self._afterwards = afterwards
        self.asked = 0

    def embed_queries(self, texts: Sequence[str]) -> Any:
        self.asked += 1
        if self.asked > 1:
            raise EmbeddingFailed("The model answers no more.", "out of memory")
        self._afterwards()
        return super().embed_queries(texts)


@pytest.mark.requirement("absence-is-told")
@pytest.mark.parametrize("switched", [False, True])
async def test_where_a_question_without_its_unknown_name_gets_no_vectors_those_of_the_question_serve(
    switched: bool,
) -> None:
    def afterwards() -> None:
        if switched:
            stores.active = replace(SET, set_id=EmbeddingSetId(2))

    async def scores(embedder: Answering) -> list[tuple[int, float]]:
        world = InMemoryWorld(TEXTS, stores=stores, embedder=cast("Any", embedder))
        stores.put(world.docs, "seals.md", "seals hold", vector(0.9))
        ranking = await world.rank("valve of the XR500")
        assert ranking.absence.names == ("XR500",)
        return [(each.chunk_id, each.score) for each in ranking.candidates]

    stores = InMemoryStores()
    expected = await scores(Answering(SET.dimensions))
    stores, model = InMemoryStores(), OnlyOnce(afterwards)
    with capture_logs() as logs:
        assert await scores(model) == expected
    assert [each["reason"] for each in logs if each["event"] == "question_not_embedded"] == ["out of memory"] * (
        not switched
    )
    assert model.asked == (1 if switched else 2), "another model's vectors are not asked for"


async def test_a_passage_that_the_vectors_did_not_bring_up_is_compared_with_the_question_too() -> None:
    class Nearest(InMemoryStores):
        async def dense(self, *asked: Any, **fields: Any) -> list[RetrieverHits]:
            set_id, vectors, allowed, _ = asked
            return await super().dense(set_id, vectors, allowed, 1, **fields)

    stores = Nearest()
    world = InMemoryWorld(stores=stores, embedder=cast("Any", Answering(SET.dimensions)))
    near = stores.put(world.docs, "near.md", "valve", vector=[1 / SET.dimensions] * SET.dimensions)
    far = stores.put(world.docs, "far.md", "valve pressure", vector=[-1 / SET.dimensions] * SET.dimensions)
    found = {each.chunk_id: each.why for each in (await world.rank("pressure")).candidates}
    assert (found[near.chunk_id].vector_rank, found[near.chunk_id].cosine) == (1, pytest.approx(1.0))
    assert (found[far.chunk_id].vector_rank, found[far.chunk_id].cosine) == (None, pytest.approx(-1.0))


async def test_a_model_that_cannot_be_loaded_ends_the_search_and_only_the_log_names_its_file() -> None:
    with capture_logs() as logged, pytest.raises(BackendUnavailable, match="cannot be loaded") as caught:
        await embedding(None).rank("valve")
    assert "query.onnx" not in f"{caught.value.message} {caught.value.details}"
    assert ["query.onnx" in entry["reason"] for entry in logged] == [True]


async def test_a_damaged_model_that_reads_passages_ends_the_search_without_naming_its_file() -> None:
    def judge(*_: object) -> list[float]:
        raise DamagedModel(Path("/models/judge.onnx"), "cannot be read")

    with pytest.raises(BackendUnavailable, match="cannot be loaded") as caught:
        await InMemoryWorld(TEXTS, judge=judge).rank("valve")
    assert "judge.onnx" not in f"{caught.value.message} {caught.value.details}"


async def test_a_moment_before_all_history_is_refused_and_the_error_says_where_each_history_begins() -> None:
    class Purged(InMemoryStores):
        async def history_ranges(self, source_ids: Sequence[int], moment: Any) -> list[HistoryRange]:
            return [
                HistoryRange(SourceId(number), keeps=True, since=NOW, begins=NOW - timedelta(days=9), changed=True)
                for number in source_ids
            ]

    world = InMemoryWorld(TEXTS, stores=Purged(active=None))
    with pytest.raises(InvalidArgument, match="the history of docs begins at 2026-01-31T12:00:00"):
        await world.rank("valve", read_context=ReadContext(as_of=NOW - timedelta(days=2)))


async def test_twenty_of_the_sources_that_cannot_be_read_as_of_a_moment_are_named() -> None:
    class OneKept(InMemoryStores):
        async def history_ranges(self, source_ids: Sequence[int], moment: Any) -> list[HistoryRange]:
            return [
                HistoryRange(SourceId(number), number == 1, since=None, begins=NOW - timedelta(days=9), changed=True)
                for number in source_ids
            ]

    world = InMemoryWorld(TEXTS, stores=OneKept(active=None))
    for number in range(25):
        world.stores.source(f"forgetful {number}")
    ranking = await world.rank("valve", read_context=ReadContext(as_of=NOW - timedelta(days=2)))
    assert len([note for note in ranking.notes if note.startswith("left out: forgetful")]) == 20


async def test_a_page_of_one_hit_asks_about_one_document_and_about_more_once_that_is_withheld() -> None:
    world = InMemoryWorld({f"{number}.md": "valve " * number for number in range(1, 9)})
    ranking = await world.rank("valve")

    async def page() -> list[int]:
        asked = len(world.told.asked)
        await world.pipeline.page(ME.principal, ranking.allowed, ranking.candidates, start=0, size=1)
        return world.told.asked[asked:]

    assert await page() == [1]
    first = await world.stores.read(ranking.allowed, [ranking.candidates[0].chunk_id])
    (chunk,) = first.values()
    world.told.verdicts[chunk.native_id] = Verdict.GONE
    assert await page() == [1, 4]


async def test_each_candidate_has_a_relevance_for_each_phrasing() -> None:
    world = InMemoryWorld(TEXTS)
    alone = await world.rank("valve")
    phrased = await world.rank("valve", also=("honey",))
    assert {each.why.relevances for each in alone.candidates} == {()}
    by_name = dict(zip(await world.ranked("valve", also=("honey",)), phrased.candidates, strict=True))
    assert by_name["bees.md"].why.relevances[0] == 0 < by_name["bees.md"].why.relevances[1]
    assert by_name["valves.md"].why.relevances[1] == 0 < by_name["valves.md"].why.relevances[0]


@pytest.mark.requirement("tools-kb-dedupe-fills")
@pytest.mark.parametrize("noise", [False, True])
async def test_a_page_with_more_chunks_than_a_retriever_returns_does_not_keep_other_pages_out(noise: bool) -> None:
    world = InMemoryWorld(stores=InMemoryStores(), embedder=cast("Any", Answering(SET.dimensions)))
    for number in range(120):
        text = f"valve pressure {number}"
        world.stores.put(world.docs, "big.md", text, vector=vector(0.9), page_id=DocumentId(1000))
    for name in ("one.md", "two.md", "three.md"):
        world.stores.put(world.docs, name, f"valve pressure of {name} at night", vector=vector(0.8))
    if noise:
        world.stores.put(world.docs, "noise.md", "honey", vector=vector(0.99))
    found = await world.ranked("valve pressure", depth=15, max_per_doc=4, min_score=0.5)
    assert found.count("big.md") == 4
    assert {"one.md", "two.md", "three.md"} <= {*found}


async def test_lists_are_not_extended_if_nothing_beyond_them_can_reach_the_score() -> None:
    class Counting(InMemoryStores):
        depths: tuple[int, ...] = ()

        async def sparse(self, plans: Any, limit: int, pages: Any, ended: Any = ()) -> list[RetrieverHits]:
            self.depths += (limit,)
            return await super().sparse(plans, limit, pages, ended)

    stores = Counting(active=None)
    world = InMemoryWorld(stores=stores)
    stores.put(world.docs, "good.md", "valve pressure of the pump")
    for number in range(200):
        stores.put(world.docs, f"{number}.md", f"valve {number} " + "filler " * 20)
    assert await world.ranked("valve pressure of the pump", min_score=0.5) == ["good.md"]
    assert stores.depths == (100,)
    await world.ranked("valve", min_score=0.0, depth=150)
    assert stores.depths == (100, 100, 400)


async def test_candidates_beyond_those_looked_for_are_kept_only_if_the_question_asks_for_them() -> None:
    world = InMemoryWorld({f"{number}.md": "valve " * number for number in range(1, 9)})
    assert len((await world.rank("valve", depth=3)).candidates) == 3
    assert len((await world.rank("valve", depth=3, most=5)).candidates) == 5
