"""Fills a budget of bytes with the passages that answer best: each whole, or a run of whole spans where it is long."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citemark.evidence.scoring import LABELS
from citemark.evidence.spans import Piece, SpanKind, pieces
from citemark.evidence.windows import word_end
from citemark.model.text import Span

WHOLE_BYTES = 800
"""A passage up to this size is quoted whole. Of a longer one a run of spans says as much (docs/benchmarks.md)."""

LEAST_BYTES = 120
"""With less room than a sentence or two takes, nothing more is quoted."""

Rate = Callable[[int, Sequence[str]], Sequence[float]]
"""How well each of some spans (texts) of a passage (its position) answers; called for long passages only."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What is quoted of one passage.

    `passage` is its position among the texts. `header` is the header row of a table of which `span` shows later rows.
    `cut` says that the quote ends inside a span, because not even one whole span had room.
    """

    passage: int
    span: Span
    header: Span | None = None
    cut: bool = False


def fill(texts: Sequence[str], budget: int, rate: Rate) -> list[Filled]:
    """What to quote of passages, which come best first, so that all quotes together take at most `budget` bytes.

    Args:
        texts: of the passages, best first.
        budget: UTF-8 bytes of quoted text, header rows included.
        rate: rates the spans of a passage that is too long to be quoted whole.
    """
    filled: list[Filled] = []
    left = budget
    for passage, text in enumerate(texts):
        if left < LEAST_BYTES and filled:
            break
        found = _whole(passage, text, left) or _run(passage, text, min(left, WHOLE_BYTES), rate)
        if found is None and not filled:
            found = _cut(passage, text, min(left, WHOLE_BYTES))
        if found is not None:
            filled.append(found)
            left -= size(text, found.span) + (size(text, found.header) if found.header else 0)
    return filled


def size(text: str, span: Span) -> int:
    """UTF-8 bytes of a span."""
    return len(span.of(text).encode())


def _whole(passage: int, text: str, left: int) -> Filled | None:
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if end <= start:
        return None
    span = Span(start, end)
    return Filled(passage, span) if size(text, span) <= min(left, WHOLE_BYTES) else None


def _run(passage: int, text: str, room: int, rate: Rate) -> Filled | None:
    """The best span that has room, with the neighbours that have room beside it, the better one first."""
    cut = pieces(text)
    rates = rate(passage, [piece.span.of(text) for piece in cut])
    fitting = [
        number
        for number, piece in enumerate(cut)
        if piece.kind not in LABELS and _bytes(text, cut, number, number) <= room
    ]
    if not fitting:
        return None
    first = last = max(fitting, key=lambda number: (rates[number], -number))
    while True:
        grown = [
            (rates[new], first - new, start, end)
            for new, start, end in ((first - 1, first - 1, last), (last + 1, first, last + 1))
            if 0 <= new < len(cut) and _bytes(text, cut, start, end) <= room
        ]
        if not grown:
            break
        _, _, first, last = max(grown)
    while last > first and cut[last].kind in LABELS:  # a heading says nothing without what it stands above
        last -= 1
    return Filled(passage, Span(cut[first].span.start, cut[last].span.end), _header(cut, first))


def _bytes(text: str, cut: Sequence[Piece], first: int, last: int) -> int:
    header = _header(cut, first)
    return size(text, Span(cut[first].span.start, cut[last].span.end)) + (size(text, header) if header else 0)


def _header(cut: Sequence[Piece], first: int) -> Span | None:
    """The header row above a run that begins at a later row of its table."""
    return cut[first].header if cut[first].kind is SpanKind.ROW else None


def _cut(passage: int, text: str, room: int) -> Filled | None:
    """The beginning of a passage that has no span short enough, up to the end of a word."""
    start = len(text) - len(text.lstrip())
    end = start
    used = 0
    for sign in text[start:]:
        used += len(sign.encode())
        if used > room:
            break
        end += 1
    end = word_end(text, end, start, len(text))
    return Filled(passage, Span(start, end), cut=True) if end > start else None
