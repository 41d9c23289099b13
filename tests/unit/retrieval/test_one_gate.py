"""A hit is shown when its own score passes, and further phrasings take nothing away."""

from collections.abc import Sequence
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.in_memory_services import InMemoryWorld, vector
from tests.support.in_memory_stores import SET, InMemoryStores

from citemark.model.ids import DocumentId
from citemark.retrieval.question import Ranking

WORDS = ("valve", "pump", "oil", "air", "XR500")
PHRASING = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
QUESTIONS = st.lists(PHRASING, min_size=1, max_size=4, unique=True)


class DrawnVectors:
    """Gives each text the vector that its words point to, so that phrasings are near different pages."""

    calibration = None
    languages = ()

    def __init__(self) -> None:
        self.identity = self

    def embed_queries(self, texts: Sequence[str]) -> Any:
        cosines = [(sum(map(ord, text)) % 21 - 10) / 10 for text in texts]
        return np.array([vector(cosine) for cosine in cosines], np.float32)


@st.composite
def worlds(draw: st.DrawFn) -> InMemoryWorld:
    """A few pages with words, vectors (or none yet) and links between them."""
    world = InMemoryWorld(stores=InMemoryStores(SET), embedder=cast("Any", DrawnVectors()))
    texts = draw(st.lists(st.lists(st.sampled_from(WORDS[:4]), min_size=1, max_size=4), min_size=1, max_size=8))
    put = [
        world.stores.put(
            world.docs,
            f"{number}.md",
            " ".join([*text, f"page {number}"]),
            vector=draw(st.none() | st.floats(-1, 1).map(vector)),
        )
        for number, text in enumerate(texts)
    ]
    for one, other in draw(st.lists(st.tuples(st.sampled_from(put), st.sampled_from(put)), max_size=4)):
        if one is not other:
            world.stores.link(one, other, "links_to")
    return world


def scores(ranking: Ranking) -> dict[int, float]:
    """The score of every passage of a ranking, those with the same text as another included."""
    return {number: each.score for each in ranking.candidates for number in (each.chunk_id, *each.same_text)}


@pytest.mark.requirement("one-gate", "further-phrasing-removes-no-hit")
@given(worlds(), QUESTIONS, st.sampled_from([0.0, 0.3, 0.5, 0.7]), st.booleans())
async def test_a_further_phrasing_lowers_no_score_and_removes_no_hit(
    world: InMemoryWorld, phrasings: list[str], min_score: float, graph: bool
) -> None:
    question, *also = phrasings
    asked: dict[str, Any] = {"min_score": min_score, "graph": graph, "depth": 50, "max_per_doc": 5}
    fewer = scores(await world.rank(question, also=tuple(also[:-1]), **asked))
    more = scores(await world.rank(question, also=tuple(also), **asked))
    assert fewer.keys() <= more.keys()
    assert all(more[number] >= score - 1e-9 for number, score in fewer.items())


@pytest.mark.requirement("one-gate", "only-own-score-hides-a-hit")
@given(worlds(), QUESTIONS, st.sampled_from([0.3, 0.5, 0.7]))
async def test_every_passage_whose_own_score_passes_is_shown(
    world: InMemoryWorld, phrasings: list[str], min_score: float
) -> None:
    question, *also = phrasings
    every = scores(await world.rank(question, also=tuple(also), depth=50))
    shown = scores(await world.rank(question, also=tuple(also), depth=50, min_score=min_score))
    assert shown == {number: score for number, score in every.items() if score >= min_score}


@pytest.mark.requirement("further-phrasing-removes-no-hit")
async def test_a_passage_linked_to_a_hit_of_the_question_keeps_its_lift_beside_better_hits_of_a_phrasing() -> None:
    better = {f"pump-{number}.md": f"pump {number}" for number in range(3)}
    world = InMemoryWorld({"valve.md": "valve of the long cold line", "linked.md": "honey", **better})
    world.stores.link(world.chunks["valve.md"], world.chunks["linked.md"], "links_to")
    alone = scores(await world.rank("valve pressure", graph=True))
    phrased = scores(await world.rank("valve pressure", also=("pump",), graph=True))
    linked = world.chunks["linked.md"].chunk_id
    assert 0 < alone[linked] <= phrased[linked]


@pytest.mark.requirement("further-phrasing-removes-no-hit")
async def test_lists_go_as_deep_for_a_question_with_a_phrasing_as_for_the_question_alone() -> None:
    """The lists of the question end on one page and have to be deepened; those of the phrasing are long enough."""
    world = InMemoryWorld()
    for number in range(120):
        world.stores.put(world.docs, "big.md", f"valve pressure {number}", page_id=DocumentId(1000))
    for name, words in product(("one", "two", "three"), ("valve pressure at night in", "pump")):
        world.stores.put(world.docs, f"{words[:2]}-{name}.md", f"{words} {name}")
    world.stores.put(world.docs, "weak.md", "pump " + "filler " * 40)
    asked: dict[str, Any] = {"depth": 15, "needed": 3, "max_per_doc": 2, "min_score": 0.2}
    alone = await world.ranked("valve pressure", **asked)
    phrased = await world.ranked("valve pressure", also=("pump",), **asked)
    assert {"va-one.md", "va-two.md", "va-three.md"} <= {*alone}
    assert {*alone} <= {*phrased}
