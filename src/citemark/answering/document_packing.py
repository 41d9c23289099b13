"""Fits documents into a budget: the spans that answer best, with what surrounds them, in their original order."""

from collections.abc import Sequence

from citemark.evidence.budget import bytes_len
from citemark.evidence.readable import Unpadded
from citemark.evidence.scoring import ScoredSpan, rank_spans
from citemark.evidence.spans import SpanKind, pieces
from citemark.evidence.windows import densest
from citemark.model.text import Span

GAP = " […] "
"""Marks where text was left out between two parts."""

_LINE_GAP = "\n[…]\n"
_MOST_REFUSED = 12
"""How many spans in a row may not fit: enough to reach a short one after long ones; trying all takes quadratic time."""

_LARGEST_GAP = len(_LINE_GAP.encode())


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """How much of `room` each of `sizes` gets: equal shares, and what a small one leaves goes to the larger ones."""
    granted = [0] * len(sizes)
    left = room
    waiting = sorted(range(len(sizes)), key=lambda index: sizes[index])
    while waiting:
        share = left // len(waiting)
        index = waiting.pop(0)
        granted[index] = min(sizes[index], share)
        left -= granted[index]
    return granted


def pack(question: str, text: str, most_bytes: int) -> tuple[Span, ...]:
    """The parts of `text` to show, in order and disjoint, at most `most_bytes` long when `shown` joins them.

    They are the whole text if it fits; otherwise the spans that answer best, then their neighbours, nearest first. If
    the first span does not fit, it is cut around its matched words. Empty if nothing of it fits.
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
    """The parts of `text` joined, with a mark wherever something between or around them was left out."""
    pieces: list[str] = []
    seen = Unpadded(text)
    position = 0
    for part in parts:
        between = text[position : part.start]
        if between.strip():
            pieces.append((_LINE_GAP if "\n" in between else GAP) if pieces else "[…] ")
        else:
            pieces.append(between if pieces else "")
        pieces.append(seen.show(part))
        position = part.end
    return "".join([*pieces, " […]" if text[position:].strip() else ""])


def rows_end(text: str) -> int:
    """Where the rows end that `text` begins with and whose header row is above it; 0 if it begins with none."""
    end = 0
    for piece in pieces(text):
        if piece.kind is not SpanKind.ROW or piece.header is not None:
            break
        end = piece.span.end
    return end


def below_header(header: str, text: str) -> str:
    """`text` below the header row of its table, if there is one."""
    return f"{header}\n{text}" if header else text


def _cut(text: str, span: Span, ranked: Sequence[ScoredSpan], most_bytes: int) -> tuple[Span, ...]:
    room = most_bytes - 2 * _LARGEST_GAP
    hits = ranked[0].hits if ranked else ()
    window = densest(text, span, hits, lambda start, end: bytes_len(text[start:end]) <= room)
    return (window,) if len(window) else ()


def _filled(text: str, ranked: Sequence[ScoredSpan], most_bytes: int) -> list[Span]:
    """Choose spans one by one while all of them fit; after `_MOST_REFUSED` misfits in a row the rest is skipped."""
    chosen: list[Span] = []
    refused = 0
    for span in dict.fromkeys(_by_priority(ranked)):
        wider = sorted([*chosen, span])
        if bytes_len(shown(text, wider)) <= most_bytes:
            chosen, refused = wider, 0
            continue
        refused += 1
        if refused == _MOST_REFUSED:
            break
    return chosen


def _by_priority(ranked: Sequence[ScoredSpan]) -> list[Span]:
    """The two best matching spans, what surrounds them, the other matching ones, then all from the best outwards."""
    spans = sorted(scored.piece.span for scored in ranked)
    index_of = {span: index for index, span in enumerate(spans)}
    matching = [scored.piece.span for scored in ranked if scored.overlap and not scored.label] or [ranked[0].piece.span]
    best = matching[:2]
    around = [index_of[span] + step for span in best for step in (1, -1, 2)]
    centre = index_of[best[0]]
    outwards = sorted(spans, key=lambda span: abs(index_of[span] - centre))
    return [*best, *(spans[index] for index in around if 0 <= index < len(spans)), *matching[2:], *outwards]
