"""Candidates for tests of ranking."""

from citemark.retrieval.question import RankedCandidate, Why

NO_WHY = Why(None, None, None, 0.0, 0.0, 0.0, 0.0)


def candidate(chunk_id: int, page_id: int = 1, score: float = 0.5) -> RankedCandidate:
    return RankedCandidate(chunk_id, 1, page_id, score, NO_WHY)
