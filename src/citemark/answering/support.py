"""Judges whether the documents that a sentence cites say what it says, and where: by words, without a model.

A sentence is compared with windows of a document: one span of text, or two consecutive spans. A logistic model weighs
five features; its weights were fitted on half of the golden citations. A decision record explains why no embedding is
involved.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, log
from operator import itemgetter

from citemark.answering.checked import SourceText, Support
from citemark.answering.claims import Known, shown_texts, unknown_claims
from citemark.answering.wording import Clause, clauses, denied, denies, polar_clauses, terms
from citemark.evidence.spans import SpanKind, pieces
from citemark.model.text import Span
from citemark.text.opposites import opposed

THRESHOLD = 0.5
"""The least score of a sentence that counts as supported."""

# Fitted together with the weights below on half of the golden answers (docs/answers.md); the other half tests them.
_MOST_UNKNOWN = 2
_LEAST_TERMS = 2
_LEAST_COVERED = 0.2
_MOST_AHEAD = -0.4
_NEARLY = 0.6
_SLIGHT = 0.3
_MOST_ITEM = 8


@dataclass(frozen=True)
class _Window:
    """A stretch of a document's text with the stems in it; single spans also have their words and what leads in."""

    span: Span
    stems: frozenset[str]
    words: str = ""
    lead_in: str = ""

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses of a single span, made when a sentence is near it."""
        return tuple(_clauses_of(self.words, self.stems, self.lead_in))


@dataclass(frozen=True, slots=True)
class _Text:
    """A document cut into windows."""

    document: SourceText
    single: tuple[_Window, ...]
    paired: tuple[_Window, ...]


@dataclass(frozen=True, slots=True)
class SupportFeatures:
    """The features that speak against a sentence.

    A document covers a sentence by having its words in one window; rare words weigh more. `rival`: by how much another
    document covers the sentence better than the cited ones, in -0.4..1. `unknown`: how many of its numbers, dates and
    names no cited document has, at most two. `denied`: how much of one of its clauses is covered by a span that denies
    what the clause says. `opposed`: how much of the sentence the nearest span covers if that has the opposite of one of
    its words, otherwise 0. `uneven`: how much better its best clause is covered than its worst.
    """

    rival: float
    unknown: float
    denied: float
    opposed: float
    uneven: float

    def values(self) -> tuple[float, ...]:
        """The features in the order of the weights."""
        return (self.rival, self.unknown, self.denied, self.opposed, self.uneven)


# A logistic regression; all weights are negative, as each feature speaks against a sentence.
_WEIGHTS = (-3.74, -5.45, -6.06, -6.21, -4.21)
_BIAS = 1.92


class SupportClassifier:
    """Judges the sentences of one answer by its documents."""

    def __init__(self, documents: Sequence[SourceText]) -> None:
        self._texts = {document.number: _read(document) for document in documents}
        self._known: dict[tuple[int, ...], Known] = {}
        windows = [window for text in self._texts.values() for window in text.single]
        often = Counter(stem for window in windows for stem in window.stems)
        self._rarities = {stem: log(1 + len(windows) / (count + 0.5)) for stem, count in often.items()}
        self._unseen = log(1 + len(windows) / 0.5)

    def support(self, sentence: str, numbers: Sequence[int]) -> tuple[float, Support | None]:
        """The score of a sentence (its citations blanked) and its best place, or None if too few words match."""
        score = self.score(sentence, numbers)
        texts = [self._texts[number] for number in numbers]
        found = max(self._ranked(_stems(sentence), texts, paired=True), key=itemgetter(1), default=None)
        if found is None or found[1] < _LEAST_COVERED:
            return score, None
        text, window = found[0]
        return score, Support(text.document.number, window.span, score)

    def score(self, sentence: str, numbers: Sequence[int]) -> float:
        """How likely it is that the documents cited support the sentence; from 0.5 on it counts as supported."""
        seen = self.observe(sentence, numbers)
        weighed = _BIAS + sum(weight * value for weight, value in zip(_WEIGHTS, seen.values(), strict=True))
        return 1 / (1 + exp(-weighed))

    def observe(self, sentence: str, numbers: Sequence[int]) -> SupportFeatures:
        """The features from which the score is computed."""
        sentence = " ".join(sentence.split())
        stems = _stems(sentence)
        cited = [self._texts[number] for number in numbers]
        others = [text for number, text in self._texts.items() if number not in numbers]
        nearest, share = self._nearest(stems, cited)
        parts = [part for part in map(_stems, clauses(sentence)) if len(part) >= _LEAST_TERMS]
        by_clause = [self._covered(part, cited) for part in parts] if len(parts) > 1 else [1.0]
        return SupportFeatures(
            rival=max(_MOST_AHEAD, self._covered(stems, others) - self._covered(stems, cited)),
            unknown=float(min(_MOST_UNKNOWN, len(unknown_claims(sentence, self._known_of(numbers))))),
            denied=max(self._denied(part, cited) for part in clauses(sentence) or [sentence]),
            opposed=share if opposed(sentence, nearest) else 0.0,
            uneven=max(by_clause) - min(by_clause),
        )

    def _covered(self, stems: frozenset[str], texts: Iterable[_Text]) -> float:
        return max((found[1] for found in self._ranked(stems, texts, paired=True)), default=0.0) if stems else 1.0

    def _nearest(self, stems: frozenset[str], texts: Iterable[_Text]) -> tuple[str, float]:
        found = max(self._ranked(stems, texts, paired=False), key=itemgetter(1), default=None)
        if found is None:
            return "", 0.0
        (text, window), share = found
        return window.span.of(text.document.text), share

    def _denied(self, clause: str, texts: Iterable[_Text]) -> float:
        """How much of a clause a span covers that denies what the clause says, or says what it denies.

        Only spans count that cover nearly as much as the best, and none does if one that agrees covers more.
        """
        stems = _stems(clause)
        if len(stems) < _LEAST_TERMS:
            return 0.0
        own = [reach for reach in denied(clause) if stems.intersection(reach)]
        spans = [(window, self._share(stems, window.stems)) for text in texts for window in text.single]
        least = _NEARLY * max((share for _, share in spans), default=0.0)
        near = [(each, share) for window, share in spans if share >= max(least, _SLIGHT) for each in window.clauses]
        if own:
            about = frozenset[str]().union(*own)
            denying = max((self._share(stems, each.stems) for each, _ in near if each.denies(about)), default=0.0)
            saying = [share for each, share in near if not each.denied and about <= each.stems]
            return max(saying, default=0.0) if not denying else 0.0
        opposing = 0.0
        for each, share in near:
            reached = each.reaches(stems)
            if reached and share > opposing:
                here = self._share(stems, each.stems)
                agreeing = (self._share(stems, other.stems) for other, _ in near if other.affirms(reached))
                opposing = opposing if any(found > here for found in agreeing) else share
        return opposing

    def _share(self, stems: frozenset[str], found: frozenset[str]) -> float:
        """The share of the weight of `stems` that is in `found`."""
        return sum(map(self._rarity, stems & found)) / (sum(map(self._rarity, stems)) or 1.0)

    def _ranked(
        self, stems: frozenset[str], texts: Iterable[_Text], *, paired: bool
    ) -> Iterator[tuple[tuple[_Text, _Window], float]]:
        """Yield each window with the share of the stems' weight that it has; single spans before pairs."""
        total = sum(map(self._rarity, stems)) or 1.0
        for text in texts:
            for window in (*text.single, *text.paired) if paired else text.single:
                common = stems & window.stems
                if common:
                    yield (text, window), sum(map(self._rarity, common)) / total

    def _rarity(self, stem: str) -> float:
        return self._rarities.get(stem, self._unseen)

    def _known_of(self, numbers: Sequence[int]) -> Known:
        key = tuple(sorted(numbers))
        if key not in self._known:
            self._known[key] = Known(shown_texts(self._texts[number].document for number in key))
        return self._known[key]


def _stems(text: str) -> frozenset[str]:
    return frozenset(term.stem for term in terms(text))


def _read(document: SourceText) -> _Text:
    found = pieces(document.text)
    single: list[_Window] = []
    lead_in = ""
    for piece in found:
        words = piece.span.of(document.text)
        item = piece.kind is SpanKind.ITEM
        if not item:
            lead_in = words if words.endswith(":") and "?" not in words else ""
        single.append(_Window(piece.span, _stems(words), words, lead_in if item else ""))
    paired = [_Window(Span(one.span.start, two.span.end), one.stems | two.stems) for one, two in pairwise(single)]
    return _Text(document, tuple(single), tuple(paired))


def _clauses_of(words: str, stems: frozenset[str], lead_in: str) -> Iterator[Clause]:
    """The clauses of a span; an item that is no sentence is denied by the denial that leads in to its list."""
    if lead_in and stems and len(stems) <= _MOST_ITEM and not words.endswith((".", "!", "?")) and denies(lead_in):
        yield Clause(stems | _stems(lead_in), (tuple(stems),))
    else:
        yield from polar_clauses(words)
