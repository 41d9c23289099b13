"""Reorders the best candidates with a model that reads question and passage together."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from citemark.retrieval.question import RankedCandidate

Judge: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Rates how well each passage answers a question, as a logit."""

RERANKED = 10
"""The number of candidates that the model reads: about a tenth of a second on two cores (ADR 37)."""

_WEIGHT = 0.05
"""Weight of the logit against 1 for the relevance: it gained on web-like text, lost none on documentation (ADR 37)."""


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
