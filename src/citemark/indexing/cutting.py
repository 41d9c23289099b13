"""Blocks that do not fit are cut where it hurts least: rows, lines, sentences, words, and characters at last."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citemark.model.text import Block, BlockKind, Span

_SENTENCES = re.compile("(?<=[.!?\u3002\uff01\uff1f])[\"')\\]*_]*\\s+|\\n{2,}")
_LINES = re.compile(r"\n")
_WORDS = re.compile(r"\s+")
_BORDERS = {
    BlockKind.CODE: (_LINES, _WORDS),
    BlockKind.TABLE: (_LINES, _WORDS),
}
_DEFAULT = (_SENTENCES, _LINES, _WORDS)


@dataclass(frozen=True, slots=True)
class Piece:
    """A block or a part of one; `cost` in word pieces. `head` is repeated before parts of a cut table."""

    kind: BlockKind
    span: Span
    cost: int
    head: str = ""
    head_cost: int = 0


class WordPieceCount:
    """How many word pieces of a text begin in a range of its characters."""

    def __init__(self, pieces: Sequence[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in pieces]

    def between(self, start: int, end: int) -> int:
        """The pieces that begin in start..end."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def reach(self, start: int, room: int) -> int | None:
        """The character where the piece after `room` more begins; None when the text ends before."""
        place = bisect_left(self._starts, start) + room
        return self._starts[place] if place < len(self._starts) else None


def cut(body: str, block: Block, count: WordPieceCount, room: int) -> list[Piece]:
    """The block itself where it fits `room`, else its parts in order."""
    cost = count.between(block.span.start, block.span.end)
    if cost <= room:
        return [Piece(block.kind, block.span, cost)]
    head_end = block.span.start + len(block.head) if block.head and body.startswith(block.head, block.span.start) else 0
    head_cost = count.between(block.span.start, head_end) if head_end else 0
    if head_cost > room // 2:
        head_end = head_cost = 0
    # Parts of about the same size: a last row or line alone would say little.
    room -= head_cost
    share = -(-cost // -(-cost // room))
    parts: list[Piece] = []
    for span in _parts(body, block.span, block.kind, count, min(room, share + share // 4)):
        repeated = block.head.strip() if head_end and span.start >= head_end else ""
        parts.append(
            Piece(block.kind, span, count.between(span.start, span.end), repeated, head_cost if repeated else 0)
        )
    return parts


def _parts(body: str, span: Span, kind: BlockKind, count: WordPieceCount, room: int) -> Iterator[Span]:
    """Greedy parts of at most `room` word pieces, each ending at the best border in reach."""
    start = span.start
    while start < span.end:
        reach = count.reach(start, room)
        if reach is None or reach >= span.end:
            yield _trimmed(body, start, span.end)
            return
        end = _border(body, start, reach, kind)
        yield _trimmed(body, start, end)
        start = end
        while start < span.end and body[start].isspace():
            start += 1


def _border(body: str, start: int, reach: int, kind: BlockKind) -> int:
    for borders in _BORDERS.get(kind, _DEFAULT):
        found = 0
        for match in borders.finditer(body, start, reach):
            found = match.end()
        if found > start + (reach - start) // 3:
            return found
    return reach


def _trimmed(body: str, start: int, end: int) -> Span:
    while end > start and body[end - 1].isspace():
        end -= 1
    return Span(start, end)
