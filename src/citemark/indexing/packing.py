"""Packs units into chunks: as few as fit, evenly filled, cut where a reader would cut."""

from collections.abc import Sequence
from dataclasses import dataclass

_UNEVEN = 0.6
"""Weight of (1 - fill) squared beside 1 for each chunk; the sum of squares is least when chunks are even."""

WIDEST_GAP = 1_000
"""Characters of blank lines across which nothing is packed."""


@dataclass(frozen=True, slots=True)
class Unit:
    """An indivisible range of the body. `after` is the cost of a cut behind it: 0 is a natural end, None must be cut.

    A chunk that begins with this unit repeats `head`, which takes `head_cost` of its budget.
    """

    start: int
    end: int
    cost: int
    after: float | None = 0.0
    head: str = ""
    head_cost: int = 0


def pack(units: Sequence[Unit], budget: int) -> list[Sequence[Unit]]:
    """Consecutive runs of units, each within `budget` unless a single unit exceeds it.

    The cheapest partition by dynamic programming; looking back ends where the budget does.
    """
    runs: list[Sequence[Unit]] = []
    first = 0
    for beyond in range(1, len(units) + 1):
        last = units[beyond - 1]
        if beyond == len(units) or last.after is None or units[beyond].start - last.end > WIDEST_GAP:
            runs.extend(_partition(units[first:beyond], budget))
            first = beyond
    return runs


def _partition(units: Sequence[Unit], budget: int) -> list[Sequence[Unit]]:
    if units[0].head_cost + sum(unit.cost for unit in units) <= budget:
        return [units]
    least = [0.0] * (len(units) + 1)
    begin = [0] * (len(units) + 1)
    for beyond in range(1, len(units) + 1):
        size = 0
        best = float("inf")
        cut = (units[beyond - 1].after or 0.0) if beyond < len(units) else 0.0
        for first in range(beyond - 1, -1, -1):
            size += units[first].cost
            full = size + units[first].head_cost
            if size > budget and first < beyond - 1:
                break
            if full > budget and first < beyond - 1:
                continue
            price = least[first] + 1.0 + _UNEVEN * max(0.0, 1.0 - full / budget) ** 2 + cut
            if price < best:
                best = price
                begin[beyond] = first
        least[beyond] = best
    runs: list[Sequence[Unit]] = []
    beyond = len(units)
    while beyond:
        runs.append(units[begin[beyond] : beyond])
        beyond = begin[beyond]
    return runs[::-1]
