"""Chooses which passages are quoted, and how much of each: as much as answers, then it stops.

Passages come best first. One that is much less relevant than the best is left out; the best of every document comes
before a second passage of any, as far as they are about equally relevant.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean

from citemark.evidence.budget import MOST_BYTES, USUAL_BYTES, EvidenceLimits
from citemark.evidence.cutting import Filled, PassageCutter, Rate, quote_bytes
from citemark.evidence.scoring import RERANKED, question_tokens, tokens_among

RELEVANT = 0.75
"""The share of the best relevance from which a passage is quoted at all; chosen on the public question sets."""

_EQUAL, _EQUAL_ELSEWHERE = 0.8, 0.85
"""From these on, a passage of a document that is quoted, and one of another, is about as relevant as the best.

Chosen on the public sets: other documents dilute an answer sooner than further passages of the one that answers."""

_FURTHER_BYTES = 250
"""How far a further passage of a document is grown: the spans that answer, not all that is around them."""

_ELSEWHERE_BYTES = 350
"""How far the first passage of another document is grown."""

_LEAST_BYTES = 120
"""A part of a passage that is smaller than a sentence or two says too little, unless the passage itself is so small."""

_USUAL_SPAN = 150
"""Characters of a sentence, for the number of spans in a text."""

Near = Callable[[Sequence[str]], Sequence[float]]
"""Rates with a model how near each of the given spans is to the question; takes milliseconds for each."""


@dataclass(frozen=True, slots=True)
class PassageText:
    """The text of a passage, and what decides whether it is quoted.

    `header` is the header row of the table that it begins in, if the text does not contain it. `relevances` are those
    under each phrasing of the question; without any, the passage counts as relevant as the best. Passages with one
    `document` are of one page; `side` names which of the things that a question compares they are about.
    """

    text: str
    header: str = ""
    relevances: tuple[float, ...] = ()
    document: Hashable = None
    side: str = ""


def fill(passages: Sequence[PassageText], limits: EvidenceLimits, rate: Rate) -> list[Filled]:
    """What to quote of the passages, in the order in which it answers.

    Args:
        passages: best first.
        limits: optionally bytes of quoted text, headers included, and the number and length of quotes. Without a number
            of bytes, quoting stops where relevance drops, and at 1,200 or 2,400 bytes.
        rate: rates the spans of a passage that is not quoted whole.
    """
    return _Filling(passages, limits, rate).filled()


class _Filling:
    """The quotes so far, and the room that is left."""

    def __init__(self, passages: Sequence[PassageText], limits: EvidenceLimits, rate: Rate) -> None:
        self._passages = passages
        self._limits = limits
        self._rate = rate
        relevances = [passage.relevances for passage in passages]
        self._shares, self._agreed = shares_of(relevances), agreed_shares(relevances)
        self._filled: list[Filled] = []
        self._used = 0

    def filled(self) -> list[Filled]:
        for number in self._order():
            if len(self._filled) == self._limits.max_quotes:
                break
            self._add(number)
        return self._filled

    def _order(self) -> list[int]:
        """The passages that are relevant enough: one of each side, one of each document, then the others."""
        places = range(len(self._passages))
        if self._limits.filled is not None:
            return list(places)
        kept = [at for at in places if self._shares[at] >= RELEVANT or self._passages[at].side]
        firsts = [*_first_of_each(kept, self._side), *_first_of_each(kept, self._document)]
        relevant = [at for at in kept if self._shares[at] >= RELEVANT]
        return list(dict.fromkeys([*kept[:1], *firsts, *relevant]))

    def _side(self, at: int) -> Hashable:
        return self._passages[at].side or None

    def _document(self, at: int) -> Hashable:
        return self._passages[at].document if self._shares[at] >= RELEVANT else None

    def _add(self, number: int) -> None:
        passage = self._passages[number]
        usual, left = self._room(number)
        cutter = PassageCutter(number, passage.text, passage.header, self._limits)
        found = cutter.quote(self._rate, left, usual=usual, must=not self._filled)
        if found is None or self._is_shred(found, passage, usual):
            return
        self._filled.append(found)
        self._used += found.size

    def _room(self, number: int) -> tuple[int, int]:
        """How far the next quote is grown, and the most bytes that it may have."""
        longest = quote_bytes(self._limits)
        most = MOST_BYTES if self._limits.max_bytes is None else self._limits.max_bytes
        if self._limits.filled is not None:
            return min(longest, most - self._used), most - self._used
        passage = self._passages[number]
        new = all(self._passages[other.passage].document != passage.document for other in self._filled)
        broad = passage.side or self._agreed[number] >= (_EQUAL_ELSEWHERE if new else _EQUAL)
        left = min(most, MOST_BYTES if broad or self._lists(number) else USUAL_BYTES) - self._used
        grown = longest if not self._filled else _ELSEWHERE_BYTES if new else _FURTHER_BYTES
        return min(grown, left), left

    def _lists(self, number: int) -> bool:
        """Whether a passage may be the list that is asked for: the best one, or a further one of its document."""
        first = self._filled[0].passage if self._filled else number
        return self._limits.whole_lists and self._passages[first].document == self._passages[number].document

    def _is_shred(self, found: Filled, passage: PassageText, usual: int) -> bool:
        """Whether a part of a passage is what just fits beside the other quotes, rather than what answers."""
        return bool(self._filled) and found.size < _LEAST_BYTES and usual < min(_FURTHER_BYTES, len(passage.text))


def _first_of_each(places: Sequence[int], key: Callable[[int], Hashable]) -> list[int]:
    """The first place for each key except None, in order."""
    found: dict[Hashable, int] = {}
    for at in places:
        if (name := key(at)) is not None:
            found.setdefault(name, at)
    return list(found.values())


def shares_of(relevances: Sequence[Sequence[float]]) -> list[float]:
    """How relevant each passage is under the phrasing that suits it best, as a share of the best of all."""
    best = max((max(each) for each in relevances if each), default=0.0)
    return [max(each) / best if each and best > 0 else 1.0 for each in relevances]


def agreed_shares(relevances: Sequence[Sequence[float]]) -> list[float]:
    """How relevant each passage is as a share of the best under each phrasing, mean over the phrasings.

    What only one of several phrasings finds may be what it guessed.
    """
    bests = [max(column) for column in zip(*(each for each in relevances if each), strict=True)]
    return [
        fmean(value / best if best > 0 else 1.0 for value, best in zip(each, bests, strict=True)) if each else 1.0
        for each in relevances
    ]


def fill_by_words(
    phrasings: Sequence[str], passages: Sequence[PassageText], limits: EvidenceLimits, near: Near | None = None
) -> list[Filled]:
    """Like `fill`, with spans rated by the words that they share with a phrasing of the question, rare words more.

    A model is asked, in one call, only about the spans of passages that have to be cut and share no such word.
    """
    wanted = [question_tokens(phrasing) for phrasing in phrasings]
    weights = _weights(frozenset[str]().union(*wanted), [passage.text for passage in passages])
    wordless: dict[int, Sequence[str]] = {}

    def by_words(number: int, spans: Sequence[str]) -> list[float]:
        rates = [_shared(wanted, weights, span) for span in spans]
        if not any(rates):
            wordless[number] = spans
        return rates

    filled = fill(passages, limits, by_words)
    asked = [(number, span) for number, spans in wordless.items() for span in spans][:RERANKED]
    if near is None or not asked:
        return filled
    found = dict(zip(asked, near([span for _, span in asked]), strict=True))
    return fill(
        passages,
        limits,
        lambda number, spans: [
            rate + found.get((number, span), 0.0) for rate, span in zip(by_words(number, spans), spans, strict=True)
        ],
    )


def _weights(words: frozenset[str], texts: Sequence[str]) -> Mapping[str, float]:
    """How much each word tells the spans apart: one that every span has says nothing about which one answers."""
    counts = Counter(token.text for text in texts for token in tokens_among(text, words))
    spans = 1 + sum(map(len, texts)) / _USUAL_SPAN
    return {word: log(1 + spans / max(1, counts[word])) for word in words}


def _shared(phrasings: Sequence[frozenset[str]], weights: Mapping[str, float], text: str) -> float:
    """The largest share of a phrasing's words, by weight, that occur in `text`."""
    words = {token.text for token in tokens_among(text, frozenset(weights))}
    return max(
        (
            sum(weights[word] for word in words & wanted) / sum(weights[word] for word in wanted)
            for wanted in phrasings
            if wanted
        ),
        default=0.0,
    )


def alternated(relevances: Sequence[Sequence[float]]) -> list[int]:
    """The positions of a ranking, in the order that results when several phrasings take turns.

    The ranking itself, by the best relevance over the phrasings, has the first turn. Then each phrasing takes the most
    relevant of what is left. This leaves room for what one phrasing alone finds beside what all of them find.

    Args:
        relevances: the relevance of each position of the ranking, under each phrasing.
    """
    places = range(len(relevances))
    phrasings = range(len(relevances[0]) if relevances else 0)
    turns = [iter(places), *(iter(sorted(places, key=lambda at: -relevances[at][one])) for one in phrasings)]
    order: dict[int, None] = {}
    while len(order) < len(relevances):
        for turn in turns:
            following = next((place for place in turn if place not in order), None)
            if following is not None:
                order[following] = None
    return list(order)
