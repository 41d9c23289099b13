"""Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009)."""

from collections import defaultdict
from collections.abc import Sequence

K = 60
CANDIDATES = 200


def reciprocal_ranks(rankings: Sequence[Sequence[int]], *, limit: int = CANDIDATES) -> dict[int, float]:
    """The fused value of the best `limit` ids over several rankings, best first; ties go to the smaller id."""
    fused: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, entry in enumerate(ranking, start=1):
            fused[entry] += 1.0 / (K + rank)
    best = sorted(fused.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(best[:limit])
