"""Equal passages become one place; a page takes no more places than allowed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from citemark.model.candidates import ChunkHead
from citemark.retrieval.question import Ranked


def fold(places: Sequence[Ranked], heads: Mapping[int, ChunkHead], *, max_per_doc: int) -> list[Ranked]:
    """Places in order, word-for-word repeats folded into the best one shown, and at most `max_per_doc` per page.

    A place that its page has no room for stands for no other: the same text on another page may still be shown.
    """
    by_text: dict[bytes, int] = {}
    taken: Counter[int] = Counter()
    kept: list[Ranked] = []
    for place in places:
        head = heads.get(place.chunk_id)
        if head is None:
            continue
        first = by_text.get(head.text_hash)
        if first is not None:
            best = kept[first]
            kept[first] = replace(best, same_text=(*best.same_text, place.chunk_id))
        elif taken[place.page_id] < max_per_doc:
            taken[place.page_id] += 1
            by_text[head.text_hash] = len(kept)
            kept.append(place)
    return kept
