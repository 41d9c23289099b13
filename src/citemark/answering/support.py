"""Judges whether the documents that a sentence cites say what it says, and where: by words, without a model.

A sentence is compared with windows of a document: one span of text, or two consecutive spans. A logistic model weighs
five features; its weights were fitted on half of the golden citations. A decision record explains why no embedding is
involved.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log
from operator import itemgetter

from citemark.answering.checked import SourceText, Support
from citemark.answering.claims import Known, shown_texts, unknown_claims
from citemark.answering.wording import clauses, denied, denies, terms
from citemark.evidence.spans import pieces
from citemark.model.opposites import opposed
from citemark.model.text import Span

THRESHOLD = 0.5
"""The least score of a sentence that counts as supported."""

# Fitted together with the weights below on half of the golden answers (docs/answers.md); the other half tests them.
_MOST_UNKNOWN = 2
_LEAST_TERMS = 2
_LEAST_COVERED = 0.2
_MOST_AHEAD = -0.4
_NEARLY = 0.6


@dataclass(frozen=True, slots=True)
class _Window:
    """A stretch of a document's text with the stems in it."""

    span: Span
    stems: frozenset[str]


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
_WEIGHTS = (-4.54, -4.26, -4.44, -6.0, -5.25)
_BIAS = 1.36


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
        """How much of a clause is covered by a span that denies it and covers nearly as much as the best span."""
        stems = _stems(clause)
        if denies(clause) or len(stems) < _LEAST_TERMS:
            return 0.0
        found = list(self._ranked(stems, texts, paired=False))
        least = _NEARLY * max((share for _, share in found), default=0.0)
        near = [(window.span.of(text.document.text), share) for (text, window), share in found if share >= least]
        return max((share for words, share in near if any(scope & stems for scope in denied(words))), default=0.0)

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
            self._known[key] = Known.of(shown_texts(self._texts[number].document for number in key))
        return self._known[key]


def _stems(text: str) -> frozenset[str]:
    return frozenset(term.stem for term in terms(text))


def _read(document: SourceText) -> _Text:
    found = pieces(document.text)
    stems = [frozenset(term.stem for term in terms(piece.span.of(document.text))) for piece in found]
    single = [_Window(piece.span, among) for piece, among in zip(found, stems, strict=True)]
    paired = [_Window(Span(one.span.start, two.span.end), one.stems | two.stems) for one, two in pairwise(single)]
    return _Text(document, tuple(single), tuple(paired))
