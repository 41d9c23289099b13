"""Passages with equal text collapse into one candidate; a page has no more candidates than asked for."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class ScoredCandidate(NamedTuple):
    """A chunk with its scores, before reasons are kept; hundreds are made for one question.

    The scores are those under the phrasing that it is most relevant to, counted from 0, the question itself.
    """

    score: float
    relevance: float
    chunk_id: int
    source_id: int
    page_id: int
    text_hash: bytes
    cosine: float | None
    bm25: float
    phrasing: int = 0


@dataclass(frozen=True, slots=True)
class Collapsed:
    """A candidate that is kept, and the chunks with word for word its text."""

    candidate: ScoredCandidate
    same_text: list[int] = field(default_factory=list[int])


def collapse(candidates: Iterable[ScoredCandidate], *, max_per_doc: int, depth: int) -> list[Collapsed]:
    """The first `depth` candidates, repeats collapsed into the best one shown, and at most `max_per_doc` per page.

    A candidate that its page has no room for does not count as shown: the same text on another page may still be shown.
    """
    kept: list[Collapsed] = []
    by_text: dict[bytes, Collapsed] = {}
    taken: Counter[int] = Counter()
    for candidate in candidates:
        first = by_text.get(candidate.text_hash)
        if first is not None:
            first.same_text.append(candidate.chunk_id)
            continue
        if taken[candidate.page_id] >= max_per_doc or len(kept) >= depth:
            continue
        taken[candidate.page_id] += 1
        kept.append(Collapsed(candidate))
        by_text[candidate.text_hash] = kept[-1]
    return kept
