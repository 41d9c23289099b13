"""Timing, and what a list of times comes to."""

import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds over many questions."""

    p50: float
    p95: float
    questions: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Latency":
        """The figures of measured seconds."""
        return cls(median(seconds) * 1000, quantile(seconds, 0.95) * 1000, len(seconds))

    def as_dict(self) -> dict[str, float | int]:
        """For the results file."""
        return {"p50_ms": round(self.p50, 3), "p95_ms": round(self.p95, 3), "questions": self.questions}


class Stopwatch:
    """Seconds since it was made or last read."""

    def __init__(self) -> None:
        self._began = perf_counter()

    def lap(self) -> float:
        """Seconds since the last lap."""
        now = perf_counter()
        took, self._began = now - self._began, now
        return took


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of all lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def load() -> float:
    """The machine's load average over the last minute: other work makes figures worse."""
    return round(os.getloadavg()[0], 2)
