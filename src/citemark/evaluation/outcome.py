"""What an evaluation found: a row per question, the figures over them, and what each threshold would keep or reject."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from citemark.evaluation.rankings import mean
from citemark.retrieval.absence import Told

_STEPS = 20
"""Thresholds 0.05 apart: scores are not more precise than that."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """How many answerable questions still get a hit at `threshold`, and how many unanswerable ones get none."""

    threshold: float
    answerable_kept: int
    unanswerable_rejected: int

    def as_dict(self) -> dict[str, float | int]:
        """JSON form."""
        return {
            "threshold": self.threshold,
            "answerable_kept": self.answerable_kept,
            "unanswerable_rejected": self.unanswerable_rejected,
        }


def abstention_curve(answerable: Sequence[float], unanswerable: Sequence[float]) -> tuple[CurvePoint, ...]:
    """The curve for thresholds 0, 0.05 .. 1 over the best scores of the questions (a question without hits: -1)."""
    points: list[CurvePoint] = []
    for step in range(_STEPS + 1):
        threshold = step / _STEPS
        points.append(
            CurvePoint(
                threshold=threshold,
                answerable_kept=sum(score >= threshold for score in answerable),
                unanswerable_rejected=sum(score < threshold for score in unanswerable),
            )
        )
    return tuple(points)


NO_HIT = -1.0
"""The best score of a question that found nothing at all."""


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit as shown: page, section and score."""

    page: str
    section: str
    score: float


@dataclass(frozen=True, slots=True)
class GoldenRow:
    """One golden question.

    `shown` is what the product shows with its own threshold, and `document_hit`, `evidence_hit` and `abstained` are
    about that. `told` says what the first line of the evidence tells about absence. `withheld` counts the hits that
    their source could not vouch for: a question without any hit is then not rejected. `rank` (1-based, None: not within
    100), `reciprocal_rank`, `ndcg_at_10`, `recall_at_100` and `top_score` are about the whole ranking, including what
    is below the threshold; so is `confidence`, which is None for an architecture model. Bytes are counted as UTF-8, in
    the form in which a tool sends them.
    """

    question_id: str
    question: str
    kind: str
    answerable: bool
    abstained: bool
    document_hit: bool
    evidence_hit: bool
    rank: int | None
    reciprocal_rank: float
    ndcg_at_10: float
    recall_at_100: float
    top_score: float
    confidence: float | None
    evidence_bytes: int
    section_bytes: int
    milliseconds: float
    expected: tuple[str, ...]
    shown: tuple[ShownHit, ...]
    quotes: tuple[str, ...]
    told: Told = ""
    withheld: int = 0

    @property
    def rejected(self) -> bool:
        """Whether the reader is told first that something is absent, or gets nothing although nothing is withheld."""
        return bool(self.told) or (self.abstained and not self.withheld)

    def as_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "id": self.question_id,
            "question": self.question,
            "kind": self.kind,
            "answerable": self.answerable,
            "abstained": self.abstained,
            "document_hit": self.document_hit,
            "evidence_hit": self.evidence_hit,
            "rank": self.rank,
            "ndcg_at_10": round(self.ndcg_at_10, 4),
            "recall_at_100": round(self.recall_at_100, 4),
            "top_score": round(self.top_score, 4),
            "confidence": None if self.confidence is None else round(self.confidence, 4),
            "evidence_bytes": self.evidence_bytes,
            "section_bytes": self.section_bytes,
            "ms": round(self.milliseconds, 1),
            "expected": list(self.expected),
            "shown": [{"page": hit.page, "section": hit.section, "score": round(hit.score, 4)} for hit in self.shown],
            "quotes": list(self.quotes),
            "told": self.told,
            "withheld": self.withheld,
        }


@dataclass(frozen=True, slots=True)
class RankedRow:
    """One question of a test collection; `shown` are its first ten documents."""

    question_id: str
    question: str
    ndcg_at_10: float
    recall_at_100: float
    reciprocal_rank: float
    hit_at_5: bool
    top_score: float
    milliseconds: float
    shown: tuple[ShownHit, ...]
    relevant: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "id": self.question_id,
            "question": self.question,
            "ndcg_at_10": round(self.ndcg_at_10, 4),
            "recall_at_100": round(self.recall_at_100, 4),
            "mrr": round(self.reciprocal_rank, 4),
            "document_hit": self.hit_at_5,
            "top_score": round(self.top_score, 4),
            "ms": round(self.milliseconds, 1),
            "relevant": list(self.relevant),
            "shown": [{"document": hit.page, "score": round(hit.score, 4)} for hit in self.shown],
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one evaluation: rates in 0..1, counts as integers, None where a figure has no meaning."""

    questions: int
    answerable: int
    document_hit_at_5: float
    evidence_hit_at_5: float | None
    mrr: float
    ndcg_at_10: float
    recall_at_100: float
    abstained: int
    wrongly_abstained: int
    bytes_median: int | None
    told_unanswerable: int = 0
    told_unsaid: int = 0
    told_names: int = 0
    told_things: int = 0
    withheld: int = 0

    def as_dict(self) -> dict[str, Any]:
        """JSON form, rates to four digits."""
        return {
            "questions": self.questions,
            "answerable": self.answerable,
            "document_hit_at_5": round(self.document_hit_at_5, 4),
            "evidence_hit_at_5": None if self.evidence_hit_at_5 is None else round(self.evidence_hit_at_5, 4),
            "mrr": round(self.mrr, 4),
            "ndcg_at_10": round(self.ndcg_at_10, 4),
            "recall_at_100": round(self.recall_at_100, 4),
            "abstained": self.abstained,
            "wrongly_abstained": self.wrongly_abstained,
            "bytes_median": self.bytes_median,
            "told_unanswerable": self.told_unanswerable,
            "told_unsaid": self.told_unsaid,
            "told_names": self.told_names,
            "told_things": self.told_things,
            "withheld": self.withheld,
        }


def golden_summary(rows: Sequence[GoldenRow]) -> Summary:
    """The figures over golden rows; rates are over the answerable questions.

    `abstained` counts the unanswerable questions that were rejected, `wrongly_abstained` the answerable ones without
    any hit; those of which something was withheld count as `withheld` instead. `told_unanswerable` counts the
    unanswerable questions whose first line tells an absence; `told_unsaid` the answerable ones that are told that the
    documents do not say, `told_names` those that are told that no document writes a name, and `told_things` those that
    are told that none mentions what is asked for.
    """
    answerable = [row for row in rows if row.answerable]
    return Summary(
        questions=len(rows),
        answerable=len(answerable),
        document_hit_at_5=mean([row.document_hit for row in answerable]),
        evidence_hit_at_5=mean([row.evidence_hit for row in answerable]),
        mrr=mean([row.reciprocal_rank for row in answerable]),
        ndcg_at_10=mean([row.ndcg_at_10 for row in answerable]),
        recall_at_100=mean([row.recall_at_100 for row in answerable]),
        abstained=sum(row.rejected for row in rows if not row.answerable),
        wrongly_abstained=sum(row.abstained and not row.withheld for row in answerable),
        told_unanswerable=sum(bool(row.told) for row in rows if not row.answerable),
        told_unsaid=sum(row.told == "unsaid" for row in answerable),
        told_names=sum(row.told == "names" for row in answerable),
        told_things=sum(row.told == "things" for row in answerable),
        withheld=sum(row.abstained and row.withheld > 0 for row in rows),
        bytes_median=round(median([row.evidence_bytes for row in rows])) if rows else None,
    )


def ranked_summary(rows: Sequence[RankedRow], min_score: float) -> Summary:
    """The figures over a test collection, all of whose questions have an answer; there are no figures on evidence."""
    return Summary(
        questions=len(rows),
        answerable=len(rows),
        document_hit_at_5=mean([row.hit_at_5 for row in rows]),
        evidence_hit_at_5=None,
        mrr=mean([row.reciprocal_rank for row in rows]),
        ndcg_at_10=mean([row.ndcg_at_10 for row in rows]),
        recall_at_100=mean([row.recall_at_100 for row in rows]),
        abstained=0,
        wrongly_abstained=sum(row.top_score < min_score for row in rows),
        bytes_median=None,
    )


def golden_curve(rows: Sequence[GoldenRow]) -> tuple[CurvePoint, ...]:
    """What each threshold would do to these questions."""
    return abstention_curve(
        [row.top_score for row in rows if row.answerable], [row.top_score for row in rows if not row.answerable]
    )
