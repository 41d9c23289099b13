"""Reorders the best candidates with a model that reads question and passage together."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from citemark.model.sources import AllowedSources
from citemark.retrieval.model_loading import UNLOADABLE, not_loaded
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.question import RankedCandidate

Judge: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Rates how well each passage answers a question, as a logit."""

RERANKED = 10
"""The number of candidates that the model reads: about a tenth of a second on two cores (ADR 37)."""

_WEIGHT = 0.05
"""Weight of the logit against 1 for the relevance: it gained on web-like text, lost none on documentation (ADR 37)."""


async def judged(
    judge: Judge, search: SearchIndex, question: str, allowed: AllowedSources, candidates: Sequence[RankedCandidate]
) -> list[RankedCandidate]:
    """The candidates, the first of them reordered by a model that reads them together with the question.

    Raises:
        BackendUnavailable: the model cannot be loaded.
    """
    if not candidates:
        return []
    chunks = await search.read(allowed, [each.chunk_id for each in candidates[:RERANKED]])
    head = [each for each in candidates[:RERANKED] if each.chunk_id in chunks]
    texts = [chunks[each.chunk_id].text for each in head]
    try:
        logits = await asyncio.to_thread(judge, question, texts)
    except UNLOADABLE as error:
        raise not_loaded(error) from None
    return reranked([*head, *candidates[RERANKED:]], logits)


def reranked(candidates: Sequence[RankedCandidate], logits: Sequence[float]) -> list[RankedCandidate]:
    """The candidates by relevance and logit together; those without a logit follow in their previous order.

    The scores keep their positions, so that order and score never contradict each other.
    """
    head = candidates[: len(logits)]
    order = sorted(
        range(len(head)), key=lambda at: (-(head[at].why.relevance + _WEIGHT * logits[at]), head[at].chunk_id)
    )
    scores = sorted((each.score for each in head), reverse=True)
    first = [replace(head[at], score=score) for at, score in zip(order, scores, strict=True)]
    return [*first, *candidates[len(logits) :]]
