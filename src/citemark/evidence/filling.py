"""Fills a budget of bytes with the passages that answer best: each whole, or a run of whole spans if it is long."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citemark.evidence.budget import BYTES_PER_TOKEN, EvidenceLimits, bytes_len
from citemark.evidence.readable import Unpadded, unpadded
from citemark.evidence.scoring import LABELS, RERANKED, overlap, question_tokens
from citemark.evidence.spans import Piece, SpanKind, pieces
from citemark.evidence.windows import word_end
from citemark.model.text import Span

WHOLE_BYTES = 800
"""A passage up to this size is quoted whole; for a longer one, a run of spans says as much (docs/benchmarks.md)."""

LEAST_BYTES = 120
"""If less room is left than a sentence or two takes, nothing more is quoted."""

Rate = Callable[[int, Sequence[str]], Sequence[float]]
"""Rates how well each of the given spans (texts) of a passage (its position) answers; called for long passages only."""

Near = Callable[[Sequence[str]], Sequence[float]]
"""Rates with a model how near each of the given spans is to the question; takes milliseconds for each."""


@dataclass(frozen=True, slots=True)
class PassageText:
    """The text of a passage, and the header row of the table that it begins in, if the text does not contain it."""

    text: str
    header: str = ""


@dataclass(frozen=True, slots=True)
class Filled:
    """What is quoted of one passage.

    `passage` is its position among the texts, `span` the part of its text that is quoted, and `shown` the same without
    the padding of tables. `header` is the header row of a table if `span` shows later rows of it. `cut` says that the
    quote ends inside a span, because there was not enough room for even one whole span.
    """

    passage: int
    span: Span
    shown: str
    header: str = ""
    cut: bool = False

    @property
    def size(self) -> int:
        """The number of UTF-8 bytes of what is shown."""
        return bytes_len(self.shown) + bytes_len(self.header)


def fill(passages: Sequence[PassageText], limits: EvidenceLimits, rate: Rate) -> list[Filled]:
    """What to quote of the passages so that all quotes together stay within `limits`.

    Args:
        passages: best first.
        limits: bytes of quoted text, header rows included, and optionally the number and length of quotes.
        rate: rates the spans of a passage that is not quoted whole.
    """
    filled: list[Filled] = []
    left = limits.max_bytes
    for number, passage in enumerate(passages):
        if (left < LEAST_BYTES and filled) or len(filled) == limits.max_quotes:
            break
        found = _Filler(number, passage, limits, min(left, quote_bytes(limits))).quote(rate, must=not filled)
        if found is not None:
            filled.append(found)
            left -= found.size
    return filled


def fill_by_words(
    phrasings: Sequence[str], passages: Sequence[PassageText], limits: EvidenceLimits, near: Near | None = None
) -> list[Filled]:
    """Like `fill`, with spans rated by the words that they share with a phrasing of the question.

    A model is asked, in one call, only about the spans of passages that have to be cut and share no such word.
    """
    wanted = [question_tokens(phrasing) for phrasing in phrasings]
    wordless: dict[int, Sequence[str]] = {}

    def by_words(number: int, spans: Sequence[str]) -> list[float]:
        rates = [overlap(wanted, span) for span in spans]
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


def quote_bytes(limits: EvidenceLimits) -> int:
    """The most bytes that one quote may take."""
    if limits.max_quote_tokens is None:
        return WHOLE_BYTES
    return min(WHOLE_BYTES, limits.max_quote_tokens * BYTES_PER_TOKEN)


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


def _without_addressing(found: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces from the first to the last one that is not a greeting, closing or the like."""
    saying = [at for at, piece in enumerate(found) if piece.kind is not SpanKind.ADDRESSING]
    return found[saying[0] : saying[-1] + 1] if saying else ()


class _Filler:
    """Cuts one passage to the room that is left for it."""

    def __init__(self, number: int, passage: PassageText, limits: EvidenceLimits, room: int) -> None:
        self._number = number
        self._text = passage.text
        self._above = passage.header
        self._limits = limits
        self._room = room
        self._unpadded = Unpadded(passage.text)

    def quote(self, rate: Rate, *, must: bool) -> Filled | None:
        """The whole passage if it may be; else a run of its spans; else, if there `must` be a quote, a cut span."""
        cut = _without_addressing(pieces(self._text))
        if not cut:
            return None
        if self._limits.include_context_tokens is None:
            found = self._of(cut, Span(cut[0].span.start, cut[-1].span.end))
            if found.size <= self._room:
                return found
        rates = rate(self._number, [piece.span.of(self._text) for piece in cut])
        best_first = sorted(range(len(cut)), key=lambda at: (cut[at].kind in LABELS, -rates[at], at))
        fitting = [at for at in best_first if cut[at].kind not in LABELS and self._run(cut, at, at).size <= self._room]
        if fitting:
            return self._grown(cut, rates, fitting[0])
        # A span is cut to the length that the caller set, but not to what other quotes have left.
        limited = self._limits.max_quote_tokens is not None and self._room == quote_bytes(self._limits)
        if must or limited:
            return self._beginning(cut[best_first[0]].span)
        return None

    def _grown(self, cut: Sequence[Piece], rates: Sequence[float], best: int) -> Filled:
        """A span, grown by the neighbours that there is room for, the better one first."""
        first = last = best
        while True:
            grown = [
                (rates[new], first - new, start, end)
                for new, start, end in ((first - 1, first - 1, last), (last + 1, first, last + 1))
                if 0 <= new < len(cut) and self._in_reach(cut, best, start, end)
            ]
            if not grown:
                break
            _, _, first, last = max(grown)
        while last > best and cut[last].kind in LABELS:  # a heading says nothing without the text below it
            last -= 1
        return self._run(cut, first, last)

    def _in_reach(self, cut: Sequence[Piece], best: int, first: int, last: int) -> bool:
        context = self._limits.include_context_tokens
        if context is not None:
            reach = context * BYTES_PER_TOKEN
            before = self._text[cut[first].span.start : cut[best].span.start]
            behind = self._text[cut[best].span.end : cut[last].span.end]
            if max(bytes_len(before), bytes_len(behind)) > reach:
                return False
        return self._run(cut, first, last).size <= self._room

    def _run(self, cut: Sequence[Piece], first: int, last: int) -> Filled:
        return self._of(cut[first:], Span(cut[first].span.start, cut[last].span.end))

    def _of(self, cut: Sequence[Piece], span: Span) -> Filled:
        """A quote of `span`, which begins with the first piece of `cut`."""
        header = ""
        if cut and cut[0].kind is SpanKind.ROW:
            own = cut[0].header
            header = unpadded(own.of(self._text)) if own is not None else self._above
        return Filled(self._number, span, self._unpadded.show(span), header)

    def _beginning(self, span: Span) -> Filled | None:
        """As much of a span as there is room for, up to the end of a word."""
        end = span.start
        used = 0
        for sign in span.of(self._text):
            used += bytes_len(sign)
            if used > self._room:
                break
            end += 1
        end = word_end(self._text, end, span.start, span.end)
        if end <= span.start:
            return None
        kept = Span(span.start, end)
        return Filled(self._number, kept, kept.of(self._text), cut=end < span.end)
