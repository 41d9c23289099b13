"""Equal passages become one place; a page takes no more places than allowed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Place(NamedTuple):
    """A candidate with its scores; hundreds are made for one question."""

    score: float
    relevance: float
    chunk_id: int
    source_id: int
    page_id: int
    text_hash: bytes
    cosine: float | None
    bm25: float


@dataclass(frozen=True, slots=True)
class Folded:
    """A place that is kept, and the chunks with word for word its text."""

    place: Place
    same_text: list[int] = field(default_factory=list[int])


def fold(places: Iterable[Place], *, max_per_doc: int, depth: int) -> list[Folded]:
    """The first `depth` places, repeats folded into the best one shown, and at most `max_per_doc` per page.

    A place that its page has no room for stands for no other: the same text on another page may still be shown.
    """
    kept: list[Folded] = []
    by_text: dict[bytes, Folded] = {}
    taken: Counter[int] = Counter()
    for place in places:
        first = by_text.get(place.text_hash)
        if first is not None:
            first.same_text.append(place.chunk_id)
            continue
        if taken[place.page_id] >= max_per_doc or len(kept) >= depth:
            continue
        taken[place.page_id] += 1
        kept.append(Folded(place))
        by_text[place.text_hash] = kept[-1]
    return kept
