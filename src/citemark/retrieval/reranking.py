"""The best candidates in another order, by a model that reads question and passage together."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from citemark.retrieval.question import RankedCandidate

Judge: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""How well each of some passages answers a question, as a logit."""

RERANKED = 10
"""Candidates that are read: about a tenth of a second of two cores (ADR 37)."""

_WEIGHT = 0.05
"""Of the logit beside the relevance: what gained on web-like text and lost nothing on documentation (ADR 37)."""


def reranked(candidates: Sequence[RankedCandidate], logits: Sequence[float]) -> list[RankedCandidate]:
    """The candidates by relevance and logit together, those without a logit behind them as they were.

    The scores keep their places, so that order and score never contradict each other.
    """
    head = candidates[: len(logits)]
    order = sorted(
        range(len(head)), key=lambda at: (-(head[at].why.relevance + _WEIGHT * logits[at]), head[at].chunk_id)
    )
    scores = sorted((each.score for each in head), reverse=True)
    first = [replace(head[at], score=score) for at, score in zip(order, scores, strict=True)]
    return [*first, *candidates[len(logits) :]]
