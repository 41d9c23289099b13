"""Among passages that differ in little but their figures, those with the figures of the question come first.

Twelve meter readings or the appointments of a year are equally near to a question that names one of them: a model sees
the same sentence, and a date is written in another way than it is asked for.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from citemark.model.accounts import DATED
from citemark.model.candidates import StoredChunk
from citemark.model.sources import AllowedSources
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.retrievers import ScoredCandidate
from citemark.text.figures import agreement, figures, keys_of, without_figures

_LOOKED_AT = 24
"""Candidates whose texts are read: two years of monthly entries; more take milliseconds of every such question."""

_LONGEST = 800
"""Characters of a passage that are compared: near-identical passages are short, or differ from the beginning."""

_ALIKE = 0.6
"""The share of common words from which passages are near-identical; the weekday and a remark of an event may differ."""

_AS_RELEVANT = 0.75
"""The least share of the best one's relevance for passages that have nothing in common but the pattern of a title."""

_LEAST_SERIES = 3
"""Passages that differ in their dates by chance are two."""

_PERHAPS_ALIKE = 0.3
"""The share of common words, those of dates included, below which passages are not compared further: half of the one
above, because the words of dates, which may all differ, count here and do not count there."""

_FEW_WORDS = 12
"""Passages with fewer words are always compared: most of these may belong to dates."""

_WORD = re.compile(r"[^\W\d_]{2,}|#")


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A passage apart from its figures: the words of its text, and its page's title if that has a figure, else "".

    `keys` are what its figures match; `dated` says whether a date is among them.
    """

    doc_type: str
    page_id: int
    title: str
    words: frozenset[str]
    keys: frozenset[str]
    relevance: float
    dated: bool

    @classmethod
    def of(cls, chunk: StoredChunk, relevance: float) -> "_Pattern":
        text = _text_of(chunk)
        found = figures(text)
        words = frozenset(_WORD.findall(without_figures(text, found).casefold()))
        keys = frozenset[str]().union(*(figure.keys for figure in found))
        dated = any(figure.is_date for figure in found)
        return cls(chunk.doc_type, int(chunk.page_id), _title_pattern(chunk.title), words, keys, relevance, dated)

    def is_like(self, best: "_Pattern") -> bool:
        """Whether a passage differs from a better one in little but its figures."""
        if self.doc_type != best.doc_type:
            return False
        common, every = len(self.words & best.words), len(self.words | best.words)
        if every and common >= _ALIKE * every:
            return True
        titled = bool(self.title) and self.title == best.title and self.page_id != best.page_id
        return titled and self.relevance >= _AS_RELEVANT * best.relevance


@dataclass(frozen=True, slots=True)
class Placed:
    """The candidates in their order, and in words which date the passages of a series lack; "" if they lack none."""

    candidates: Sequence[ScoredCandidate]
    lacking: str = ""


async def by_figures(
    search: SearchIndex, allowed: AllowedSources, question: str, candidates: Sequence[ScoredCandidate]
) -> Placed:
    """The candidates, best first, with near-identical ones ordered by the figures that they share with the question.

    They trade places among themselves, and no score changes. Nothing is read for a question without figures.
    """
    if len(candidates) < 2 or not figures(question):  # noqa: PLR2004 - one has no rival
        return Placed(candidates)
    head, rest = candidates[:_LOOKED_AT], candidates[_LOOKED_AT:]
    series = Series.among(head, await search.read(allowed, [each.chunk_id for each in head]))
    return Placed([*series.ordered(question), *rest], series.lacking(question, cut=bool(rest)))


class Series:
    """Candidates, those of which that differ in little but their figures belong together."""

    def __init__(self, candidates: Sequence[ScoredCandidate], chunks: Mapping[int, StoredChunk]) -> None:
        """Compare candidates, whose passages are given by their places among them."""
        self._candidates = candidates
        self._chunks = chunks
        self._patterns = {at: _Pattern.of(chunks[at], candidates[at].relevance) for at in _perhaps_alike(chunks)}
        self._groups: list[list[int]] = []
        for at, pattern in self._patterns.items():
            group = next((places for places in self._groups if pattern.is_like(self._patterns[places[0]])), None)
            if group is None:
                self._groups.append([at])
            else:
                group.append(at)

    @classmethod
    def among(cls, candidates: Sequence[ScoredCandidate], chunks: Mapping[int, StoredChunk]) -> "Series":
        """The series among candidates, best first; one whose chunk is not given belongs to none."""
        found = ((at, chunks.get(each.chunk_id)) for at, each in enumerate(candidates))
        return cls(candidates, {at: chunk for at, chunk in found if chunk})

    def ordered(self, question: str) -> list[ScoredCandidate]:
        """The candidates in their new order."""
        asked = figures(question)
        placed = list(self._candidates)
        for places in self._groups:
            shared = {at: agreement(asked, self._patterns[at].keys) for at in places}
            if len(set(shared.values())) > 1:
                for place, at in zip(places, sorted(places, key=lambda at: -shared[at]), strict=True):
                    placed[place] = self._candidates[at]
        return placed

    def lacking(self, question: str, *, cut: bool) -> str:
        """The date in a question that the series of the best candidate lacks, in words; "" if it has it, or is none.

        Not said of appointments, which may recur on days that no text names, nor of a series that goes on below the
        candidates, if these are `cut` off.
        """
        best = self._groups[0] if self._groups else []
        dates = [figure for figure in figures(question) if figure.is_date]
        last = len(self._candidates) - 1
        if not dates or len(best) < _LEAST_SERIES or best[0] != 0 or (cut and last in best):
            return ""
        if any(self._patterns[at].doc_type in DATED or not self._patterns[at].dated for at in best):
            return ""
        if any(agreement([date], keys) for keys in map(self._keys, self._chunks) for date in dates):
            return ""
        written = " and ".join(question[date.span.start : date.span.end] for date in dates)
        return f"none of the {len(best)} similar passages found has {written}"

    def _keys(self, at: int) -> frozenset[str]:
        """What the figures of a passage match."""
        return self._patterns[at].keys if at in self._patterns else keys_of(_text_of(self._chunks[at]))


def _perhaps_alike(chunks: Mapping[int, StoredChunk]) -> Sequence[int]:
    """The places of passages that may be near-identical to another one: of the others, no figures need to be found."""
    words = {at: frozenset(_WORD.findall(_text_of(chunk).casefold())) for at, chunk in chunks.items()}
    titles = {title: _title_pattern(title) for title in {chunk.title for chunk in chunks.values()}}
    alike: set[int] = set()
    for one, other in combinations(chunks, 2):
        first, second = titles[chunks[one].title], titles[chunks[other].title]
        if chunks[one].doc_type == chunks[other].doc_type and (
            (first and first == second) or _may_be_alike(words[one], words[other])
        ):
            alike |= {one, other}
    return [at for at in chunks if at in alike]


def _may_be_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    common = len(one & other)
    return min(len(one), len(other)) < _FEW_WORDS or common >= _PERHAPS_ALIKE * (len(one) + len(other) - common)


def _title_pattern(title: str) -> str:
    """A title with a mark in place of each figure; "" if it has none."""
    pattern = without_figures(title).casefold()
    return pattern if "#" in pattern else ""


def _text_of(chunk: StoredChunk) -> str:
    """What a passage says, with the titles above it; the title of a page is often the only place of its date."""
    return "\n".join(dict.fromkeys((chunk.title, chunk.context, chunk.text[:_LONGEST])))
