"""Fitting documents into a budget: the spans that answer best, with what surrounds them, in their order."""

from collections.abc import Sequence

from citemark.evidence.budget import bytes_len
from citemark.evidence.scoring import ScoredSpan, rank_spans
from citemark.evidence.windows import densest
from citemark.model.text import Span

GAP = " […] "
"""Stands where text was left out between two parts."""

_LINE_GAP = "\n[…]\n"
_MOST_REFUSED = 12
"""Enough for a short span behind long ones; trying all of them would take the square of their number."""

_LARGEST_GAP = len(_LINE_GAP.encode())


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """How much of `room` each of `sizes` gets: all alike, and what a small one leaves goes to the larger ones."""
    given = [0] * len(sizes)
    left = room
    waiting = sorted(range(len(sizes)), key=lambda at: sizes[at])
    while waiting:
        share = left // len(waiting)
        at = waiting.pop(0)
        given[at] = min(sizes[at], share)
        left -= given[at]
    return given


def pack(question: str, text: str, most_bytes: int) -> tuple[Span, ...]:
    """The parts of `text` to show, in order and apart, in at most `most_bytes` when `shown` joins them.

    The whole text where it fits; else the spans that answer best, then their neighbours, nearest first. A first span
    that does not fit is cut around its matched words. Empty when nothing of it fits.
    """
    whole = Span(len(text) - len(text.lstrip()), max(len(text) - len(text.lstrip()), len(text.rstrip())))
    if not len(whole) or bytes_len(whole.of(text)) <= most_bytes:
        return (whole,) if len(whole) else ()
    ranked = rank_spans(question, text)
    if not ranked:
        return _cut(text, whole, (), most_bytes)
    first = ranked[0].piece.span
    if bytes_len(first.of(text)) > most_bytes:
        return _cut(text, first, ranked, most_bytes)
    return tuple(_filled(text, ranked, most_bytes))


def shown(text: str, parts: Sequence[Span]) -> str:
    """The parts of `text` as one, with a mark wherever something between or around them was left out."""
    pieces: list[str] = []
    at = 0
    for part in parts:
        between = text[at : part.start]
        if between.strip():
            pieces.append((_LINE_GAP if "\n" in between else GAP) if pieces else "[…] ")
        else:
            pieces.append(between if pieces else "")
        pieces.append(part.of(text))
        at = part.end
    return "".join([*pieces, " […]" if text[at:].strip() else ""])


def _cut(text: str, span: Span, ranked: Sequence[ScoredSpan], most_bytes: int) -> tuple[Span, ...]:
    room = most_bytes - 2 * _LARGEST_GAP
    hits = ranked[0].hits if ranked else ()
    window = densest(text, span, hits, lambda start, end: bytes_len(text[start:end]) <= room)
    return (window,) if len(window) else ()


def _filled(text: str, ranked: Sequence[ScoredSpan], most_bytes: int) -> list[Span]:
    """Spans taken one by one while all of it fits; after so many refusals in a row the rest is not tried."""
    taken: list[Span] = []
    refused = 0
    for span in dict.fromkeys(_wanted(ranked)):
        wider = sorted([*taken, span])
        if bytes_len(shown(text, wider)) <= most_bytes:
            taken, refused = wider, 0
            continue
        refused += 1
        if refused == _MOST_REFUSED:
            break
    return taken


def _wanted(ranked: Sequence[ScoredSpan]) -> list[Span]:
    """The two best matching spans, what surrounds them, the other matching ones, then all from the best outwards."""
    places = sorted(span.piece.span for span in ranked)
    number = {place: at for at, place in enumerate(places)}
    matching = [span.piece.span for span in ranked if span.overlap and not span.label] or [ranked[0].piece.span]
    best = matching[:2]
    around = [number[core] + step for core in best for step in (1, -1, 2)]
    centre = number[best[0]]
    outwards = sorted(places, key=lambda place: abs(number[place] - centre))
    return [*best, *(places[at] for at in around if 0 <= at < len(places)), *matching[2:], *outwards]
