"""Whether the documents that a sentence cites say what it says, and where: by words, without a model.

A sentence is held against windows of a document: one span of text, or two that follow each other. Six observations are
weighed by a logistic model whose weights were fitted on half of the golden citations (docs/decisions explains why no
embedding takes part).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log

from citemark.answering.checked import SourceText, Support
from citemark.answering.claims import Known, shown_texts, unknown_claims
from citemark.answering.wording import clauses, denied, denies, terms
from citemark.evidence.spans import pieces
from citemark.model.text import Span

HELD = 0.5
"""The least score of a sentence that counts as supported."""

_MOST_UNKNOWN = 2
_LEAST_TERMS = 2


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
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Observations:
    """What speaks for and against a sentence; all but `unknown` lie in -1..1.

    `covered`: the share of its words, the rare ones weighing more, that the best window of a cited document has.
    `rival`, `rival_whole`: by how much another document has more, in its best window and in all of its text.
    `unknown`: numbers, dates and names that no cited document has, at most two.
    `polarity`: `covered` if one of the two denies what the other does not, else 0.
    `uneven`: by how much its best covered clause is better covered than its worst.
    """

    covered: float
    rival: float
    rival_whole: float
    unknown: float
    polarity: float
    uneven: float

    def values(self) -> tuple[float, ...]:
        """In the order of the weights."""
        return (self.covered, self.rival, self.rival_whole, self.unknown, self.polarity, self.uneven)


_WEIGHTS = (-0.54, -2.58, -1.19, -3.6, -4.12, -4.38)
_BIAS = 1.13


class Judge:
    """Judges sentences of one answer over its documents."""

    def __init__(self, documents: Sequence[SourceText]) -> None:
        self._texts = {document.number: _read(document) for document in documents}
        self._known: dict[tuple[int, ...], Known] = {}
        windows = [window for text in self._texts.values() for window in text.single]
        self._count = len(windows)
        self._often: dict[str, int] = {}
        for window in windows:
            for stem in window.stems:
                self._often[stem] = self._often.get(stem, 0) + 1

    def support(self, sentence: str, numbers: Sequence[int]) -> Support | None:
        """The best place for a sentence (its citations blanked) in some documents; None without a common word."""
        found = self._best(frozenset(term.stem for term in terms(sentence)), numbers)
        if found is None:
            return None
        number, window, _ = found
        return Support(number, window.span, self.score(sentence, numbers))

    def score(self, sentence: str, numbers: Sequence[int]) -> float:
        """How likely it is that the documents cited support the sentence; from 0.5 on it counts as supported."""
        seen = self.observe(sentence, numbers)
        weighed = _BIAS + sum(weight * value for weight, value in zip(_WEIGHTS, seen.values(), strict=True))
        return 1 / (1 + exp(-weighed))

    def observe(self, sentence: str, numbers: Sequence[int]) -> Observations:
        """What the score is made of."""
        sentence = " ".join(sentence.split())
        stems = frozenset(term.stem for term in terms(sentence))
        others = [number for number in self._texts if number not in numbers]
        covered, best = self._covered(stems, numbers)
        rival, _ = self._covered(stems, others)
        parts = [frozenset(term.stem for term in terms(clause)) for clause in clauses(sentence)]
        by_clause = [self._covered(part, numbers)[0] for part in parts if len(part) >= _LEAST_TERMS] or [covered]
        return Observations(
            covered=covered,
            rival=rival - covered,
            rival_whole=self._whole(stems, others) - self._whole(stems, numbers),
            unknown=float(min(_MOST_UNKNOWN, len(unknown_claims(sentence, self._known_of(numbers))))),
            polarity=covered if best is not None and _contrary(sentence, stems, best) else 0.0,
            uneven=max(by_clause) - min(by_clause),
        )

    def _covered(self, stems: frozenset[str], numbers: Iterable[int]) -> tuple[float, str | None]:
        found = self._best(stems, numbers)
        if found is None:
            return (0.0 if stems else 1.0), None
        number, window, share = found
        return share, window.span.of(self._texts[number].document.text)

    def _best(self, stems: frozenset[str], numbers: Iterable[int]) -> tuple[int, _Window, float] | None:
        """The window that covers most of the stems; a pair only where it covers more than either of its spans."""
        best: tuple[int, _Window, float] | None = None
        for number in numbers:
            text = self._texts[number]
            for window in (*text.single, *text.paired):
                share = self._share(stems, window.stems)
                if share > (best[2] if best else 0.0):
                    best = (number, window, share)
        return best

    def _whole(self, stems: frozenset[str], numbers: Iterable[int]) -> float:
        return max((self._share(stems, self._texts[number].stems) for number in numbers), default=0.0)

    def _share(self, stems: frozenset[str], among: frozenset[str]) -> float:
        total = sum(map(self._rarity, stems))
        return sum(self._rarity(stem) for stem in stems if stem in among) / total if total else 1.0

    def _rarity(self, stem: str) -> float:
        return log(1 + self._count / (self._often.get(stem, 0) + 0.5))

    def _known_of(self, numbers: Sequence[int]) -> Known:
        key = tuple(sorted(numbers))
        if key not in self._known:
            self._known[key] = Known.of(shown_texts(self._texts[number].document for number in key))
        return self._known[key]


def _read(document: SourceText) -> _Text:
    found = pieces(document.text)
    stems = [frozenset(term.stem for term in terms(piece.span.of(document.text))) for piece in found]
    single = [_Window(piece.span, among) for piece, among in zip(found, stems, strict=True)]
    paired = [_Window(Span(one.span.start, two.span.end), one.stems | two.stems) for one, two in pairwise(single)]
    return _Text(document, tuple(single), tuple(paired), frozenset(stem for among in stems for stem in among))


def _contrary(sentence: str, stems: frozenset[str], window: str) -> bool:
    """True when the window denies something that the sentence says without a denial, or the other way round."""
    if denies(sentence):
        return not denies(window)
    return any(scope & stems for scope in denied(window))
