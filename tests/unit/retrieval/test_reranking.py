"""A model that reads question and passage together moves the first ten candidates, and nothing else."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.support.in_memory_services import InMemoryWorld
from tests.unit.retrieval.material import NO_WHY, candidate

from citemark.retrieval.question import RankedCandidate
from citemark.retrieval.reranking import RERANKED, reranked


def of(number: int, relevance: float) -> RankedCandidate:
    return replace(candidate(number, score=relevance), why=replace(NO_WHY, relevance=relevance))


@pytest.mark.requirement("crossencoder-package-reranks")
def test_relevance_and_logit_order_together_and_scores_never_contradict_the_order() -> None:
    found = reranked([of(1, 0.9), of(2, 0.8), of(3, 0.7), of(4, 0.6)], [-4.0, 4.0, 3.9])
    assert [each.chunk_id for each in found] == [2, 3, 1, 4]
    assert [each.score for each in found] == [0.9, 0.8, 0.7, 0.6]
    assert [each.why.relevance for each in found] == [0.8, 0.7, 0.9, 0.6]


@pytest.mark.requirement("crossencoder-package-reranks")
async def test_the_first_ten_are_read_with_the_question_and_the_rest_follow_as_they_were() -> None:
    asked: list[tuple[str, int]] = []

    def judge(question: str, passages: Sequence[str]) -> list[float]:
        asked.append((question, len(passages)))
        return [8.0 if "n9" in passage.split() else 0.0 for passage in passages]

    texts = {f"{n:02}.md": f"valve n{n} " + "filler " * n for n in range(14)}
    plain = await InMemoryWorld(texts).ranked("valve", depth=14)
    judged = await InMemoryWorld(texts, judge=judge).ranked("valve", depth=14)
    assert plain == sorted(texts)
    assert asked == [("valve", RERANKED)]
    assert judged == ["09.md", *(name for name in plain if name != "09.md")]
    assert await InMemoryWorld(texts, judge=judge).ranked("honey") == []
