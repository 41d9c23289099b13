"""Among passages that differ in little but their figures, those with the figures of the question come first.

Twelve meter readings or the appointments of a year are equally near to a question that names one of them: a model sees
the same sentence, and a date is written in another way than it is asked for.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citemark.model.candidates import StoredChunk
from citemark.model.figures import agreement, figures, without_figures
from citemark.model.sources import AllowedSources
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.retrievers import ScoredCandidate

_LOOKED_AT = 24
"""Candidates whose texts are read: two years of monthly entries; more take milliseconds of every such question."""

_LONGEST = 800
"""Characters of a passage that are compared: near-identical passages are short, or differ from the beginning."""

_ALIKE = 0.6
"""The share of common words from which passages are near-identical; the weekday and a remark of an event may differ."""

_AS_RELEVANT = 0.75
"""The least share of the best one's relevance for passages that have nothing in common but the pattern of a title."""

_WORD = re.compile(r"[^\W\d_]{2,}|#")


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A passage apart from its figures: the words of its text, and its page's title if that has a figure, else "".

    `keys` are what its figures match.
    """

    doc_type: str
    page_id: int
    title: str
    words: frozenset[str]
    keys: frozenset[str]
    relevance: float

    @classmethod
    def of(cls, chunk: StoredChunk, relevance: float) -> "_Pattern":
        title = without_figures(chunk.title).casefold()
        text = _text_of(chunk)
        found = figures(text)
        words = frozenset(_WORD.findall(without_figures(text, found).casefold()))
        keys = frozenset[str]().union(*(figure.keys for figure in found))
        return cls(chunk.doc_type, int(chunk.page_id), title if "#" in title else "", words, keys, relevance)

    def is_like(self, best: "_Pattern") -> bool:
        """Whether a passage differs from a better one in little but its figures."""
        if self.doc_type != best.doc_type:
            return False
        common, every = len(self.words & best.words), len(self.words | best.words)
        if every and common >= _ALIKE * every:
            return True
        titled = bool(self.title) and self.title == best.title and self.page_id != best.page_id
        return titled and self.relevance >= _AS_RELEVANT * best.relevance


async def by_figures(
    search: SearchIndex, allowed: AllowedSources, question: str, candidates: Sequence[ScoredCandidate]
) -> Sequence[ScoredCandidate]:
    """The candidates, best first, with near-identical ones ordered by the figures that they share with the question.

    They trade places among themselves, and no score changes. Nothing is read for a question without figures.
    """
    if len(candidates) < 2 or not figures(question):  # noqa: PLR2004 - one has no rival
        return candidates
    head = candidates[:_LOOKED_AT]
    return [
        *ordered(question, head, await search.read(allowed, [each.chunk_id for each in head])),
        *candidates[_LOOKED_AT:],
    ]


def ordered(
    question: str, candidates: Sequence[ScoredCandidate], chunks: Mapping[int, StoredChunk]
) -> list[ScoredCandidate]:
    """The candidates in their new order; one whose chunk is not given stays where it is."""
    asked = figures(question)
    patterns: dict[int, _Pattern] = {}
    groups: list[tuple[_Pattern, list[int]]] = []
    for at, candidate in enumerate(candidates):
        chunk = chunks.get(candidate.chunk_id)
        if chunk is None:
            continue
        patterns[at] = pattern = _Pattern.of(chunk, candidate.relevance)
        group = next((places for best, places in groups if pattern.is_like(best)), None)
        if group is None:
            groups.append((pattern, [at]))
        else:
            group.append(at)
    placed = list(candidates)
    for _, places in groups:
        shared = {at: agreement(asked, patterns[at].keys) for at in places}
        if len(set(shared.values())) > 1:
            for place, at in zip(places, sorted(places, key=lambda at: -shared[at]), strict=True):
                placed[place] = candidates[at]
    return placed


def _text_of(chunk: StoredChunk) -> str:
    """What a passage says, with the titles above it; the title of a page is often the only place of its date."""
    return "\n".join(dict.fromkeys((chunk.title, chunk.context, chunk.text[:_LONGEST])))
