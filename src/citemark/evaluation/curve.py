"""What each threshold would keep and reject: the abstention curve."""

from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = 20


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """At `threshold`, so many answerable questions still get a hit, and so many unanswerable ones get none."""

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
