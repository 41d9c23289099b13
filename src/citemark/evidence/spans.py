"""Cutting a passage into the spans that can answer: sentences, items, table rows, code blocks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from citemark.evidence.layout import LayoutBlock, SpanKind, layout, marker_end
from citemark.model.sentences import sentences
from citemark.model.text import Span

__all__ = ["Piece", "SpanKind", "pieces", "split_spans"]

_TAKES_HEADING = frozenset({SpanKind.SENTENCE, SpanKind.ITEM})


@dataclass(frozen=True, slots=True)
class Piece:
    """One span, its kind, and what stands above it.

    `span` starts at the heading lines directly above a first sentence, so that a heading never stands alone when
    text follows it; `body` is the span without them. `header` is the header row above a table row.
    """

    span: Span
    kind: SpanKind
    body: Span
    header: Span | None = None


def split_spans(text: str) -> list[Span]:
    """The spans of `text` in order: disjoint, trimmed, holding every letter and digit outside table rules."""
    return [piece.span for piece in pieces(text)]


def pieces(text: str) -> list[Piece]:
    """The spans of `text` with their kinds, in linear time."""
    found: list[Piece] = []
    headings: list[Piece] = []
    for piece in _cut(text):
        if piece.kind is SpanKind.HEADING or (headings and piece.kind is SpanKind.MARKUP):
            headings.append(piece)
            continue
        if headings and piece.kind in _TAKES_HEADING:
            found.append(replace(piece, span=Span(headings[0].span.start, piece.span.end)))
        else:
            found += [*headings, piece]
        headings = []
    return found + headings


def _cut(text: str) -> Iterator[Piece]:
    for block in layout(text):
        for start, end in _ranges(text, block):
            part = text[start:end]
            trimmed = part.strip()
            if any(map(str.isalnum, trimmed)):
                lead = start + len(part) - len(part.lstrip())
                span = Span(lead, lead + len(trimmed))
                yield Piece(span, block.kind, span, block.header)


def _ranges(text: str, block: LayoutBlock) -> Iterator[tuple[int, int]]:
    if block.kind in _TAKES_HEADING:
        yield from sentences(text, block.start, block.end, marker_end(text, block.start, block.end))
    else:
        yield block.start, block.end
