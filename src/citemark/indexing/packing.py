"""From blocks to chunks: cut into units (whole blocks if they fit, else lines, rows or sentences), then packed.

The result is as few chunks as possible, evenly filled and cut where a reader would cut.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from citemark.indexing.token_counter import TokenCounter
from citemark.model.text import Block, BlockKind
from citemark.text.markdown import is_delimiter_row
from citemark.text.sentences import sentences

_TAG_END = re.compile(r"</(?:p|li|div|h\d|tr|ul|ol|table)>|<br\s?/?>")
_BLANK = re.compile(r"\s*")

_LINE = re.compile(r"[^\r\n]+")

_WORD = re.compile(r"\w")

_UNEVEN = 0.6
"""Weight of (1 - fill) squared, where each chunk costs 1; the sum of squares is least when chunks are even."""

# What a cut costs, where each chunk costs 1: a cut that costs 1 is made only if it saves a chunk. Mostly the order of
# the costs matters: never after a heading, between sentences rather than lines, between lines rather than words.
_NEVER = 100.0
_BETWEEN_WORDS = 0.8
_TAG_EDGE = 0.6
_BETWEEN_LINES = 0.5
_BETWEEN_SENTENCES = 0.3
_SAME_LIST = 0.3
_INTRODUCED = 0.25

_LARGEST_HEAD = 1 / 3
"""A share of a chunk's room: a repeated table header leaves at least two thirds to the rows."""

_WIDEST_RULE = 4_000
"""Characters: a wider line of dashes below a header is left out of all chunks, so that it makes none of them long."""

_MANY_UNITS = 64
"""Packing looks back over all units of a chunk, so if there are many, the tiny ones are joined first."""

_GRAINS = 16
"""Joined units hold up to a sixteenth of a chunk, so joining makes chunks uneven by no more than that."""

WIDEST_GAP = 1_000
"""Characters of blank lines across which nothing is packed."""


@dataclass(frozen=True, slots=True)
class Unit:
    """An indivisible range of the body.

    Attributes:
        start: its first character.
        end: the position after its last character.
        cost: its size in word pieces.
        after: what a cut after it costs; 0 is a natural end, None means that a cut must be made.
        head: what a chunk that begins with this unit repeats, such as the header of a table.
        head_cost: the size of `head` in word pieces.
    """

    start: int
    end: int
    cost: int
    after: float | None = 0.0
    head: str = ""
    head_cost: int = 0


def units_of(body: str, blocks: Sequence[Block], counter: TokenCounter, budget: int) -> list[Unit]:
    """The units of one section's blocks, each within `budget`; a heading counts against what follows it."""
    units: list[Unit] = []
    room = budget
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        pieces = _pieces(body, block, counter, room)
        penalty = _penalty(body, block, following)
        if pieces[-1].after != penalty:
            pieces[-1] = replace(pieces[-1], after=penalty)
        units.extend(pieces)
        room = budget
        if block.kind is BlockKind.HEADING:
            room = max(budget // 2, budget - sum(piece.cost for piece in pieces))
    return _fused(units, budget // _GRAINS) if len(units) > _MANY_UNITS else units


def parts_of(start: int, end: int, counter: TokenCounter, room: int) -> list[Unit]:
    """Even parts of a range that offers no better place for a cut, cut between words if there are any."""
    cost = counter.cost(start, end)
    share = -(-cost // -(-cost // room)) if cost else room
    found: list[Unit] = []
    while start < end:
        cut = counter.reach(start, end, min(room, share + room // _GRAINS))
        found.append(Unit(start, cut, counter.cost(start, cut), _BETWEEN_WORDS))
        start = cut
    return found


def _pieces(body: str, block: Block, counter: TokenCounter, room: int) -> list[Unit]:
    start, end = block.span.start, block.span.end
    cost = counter.cost(start, end)
    if cost <= room:
        return [Unit(start, end, cost)]
    match block.kind:
        case BlockKind.CODE:
            pieces = _by_lines(body, start, end, counter, room)
        case BlockKind.TABLE:
            pieces = _by_rows(body, block, counter, room)
        case _:
            pieces = _by_sentences(body, start, end, counter, room)
    return _fused(pieces, room // _GRAINS)


def _lines(body: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The lines of a range that are not blank."""
    return (line for line in _LINE.finditer(body, start, end) if not line[0].isspace())


def _by_lines(body: str, start: int, end: int, counter: TokenCounter, room: int) -> list[Unit]:
    found: list[Unit] = []
    for line in _lines(body, start, end):
        if found and body.count("\n", found[-1].end, line.start()) > 1:
            found[-1] = replace(found[-1], after=_BETWEEN_LINES / 2)
        found.extend(_within(line.start(), line.end(), counter, room, _BETWEEN_LINES))
    return found


def _by_rows(body: str, block: Block, counter: TokenCounter, room: int) -> list[Unit]:
    """The rows; all but the first repeat the header row, or as much of it as fits, when they begin a chunk.

    The rule below the header costs nothing, since the model does not read it (`embedded_text`).
    """
    header = _Header.of(body, block, counter, room)
    if header is None:
        return _by_lines(body, block.span.start, block.span.end, counter, room)
    found = _within(header.start, header.end, counter, room, _NEVER)
    wide = header.beyond - header.end > _WIDEST_RULE
    found[-1] = replace(found[-1], after=None) if wide else replace(found[-1], end=header.beyond)
    for line in _lines(body, header.beyond, block.span.end):
        found.extend(header.above(_within(line.start(), line.end(), counter, room - header.cost, _BETWEEN_LINES)))
    return found


def rows_of(body: str, block: Block, counter: TokenCounter, room: int) -> Iterator[Unit]:
    """The rows of a table that has a header, each with the header as its head, except those too long for a chunk."""
    header = _Header.of(body, block, counter, room)
    if header is None:
        return
    for line in _lines(body, header.beyond, block.span.end):
        parts = _within(line.start(), line.end(), counter, room - header.cost, _BETWEEN_LINES)
        if len(parts) == 1:
            yield from header.above(parts)


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of a table: where its lines are, where the rows begin, and what chunks repeat of it at what cost."""

    start: int
    end: int
    beyond: int
    repeated: str
    cost: int

    @classmethod
    def of(cls, body: str, block: Block, counter: TokenCounter, room: int) -> "_Header | None":
        lines = [line for line in _LINE.finditer(block.head) if not is_delimiter_row(line[0])]
        named = [line for line in lines if _WORD.search(line[0])] or lines[:1]
        if not named:
            return None
        start = block.span.start
        first, end = start + named[0].start(), start + named[-1].end()
        repeated, cost = end, counter.cost(first, end)
        if cost > room * _LARGEST_HEAD:
            repeated = counter.reach(first, end, int(room * _LARGEST_HEAD))
            cost = counter.cost(first, repeated)
        return cls(start, end, start + len(block.head), " ".join(body[first:repeated].split()), cost)

    def above(self, parts: Iterable[Unit]) -> list[Unit]:
        """Parts of a row, changed so that they repeat this header when they begin a chunk."""
        return [replace(part, head=self.repeated, head_cost=self.cost) for part in parts]


def _by_sentences(body: str, start: int, end: int, counter: TokenCounter, room: int) -> list[Unit]:
    found: list[Unit] = []
    for left, right in _sentences(body, start, end):
        cost = counter.cost(left, right)
        if cost <= room:
            found.append(Unit(left, right, cost, _BETWEEN_SENTENCES))
            continue
        for line in _lines(body, left, right):
            found.extend(_within(line.start(), line.end(), counter, room, _BETWEEN_LINES))
        found[-1] = replace(found[-1], after=_BETWEEN_SENTENCES)
    return found


def _sentences(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Sentences, each with the blanks after it, also divided after closing block tags and line breaks."""
    for _, stop in sentences(body, start, end, start):
        for border in (*(tag.end() for tag in _TAG_END.finditer(body, start, stop)), stop):
            blank = _BLANK.match(body, border, end)
            beyond = blank.end() if blank is not None else border
            if body[start:beyond].strip():
                yield start, beyond
            start = max(start, beyond)


def _within(start: int, end: int, counter: TokenCounter, room: int, after: float) -> list[Unit]:
    cost = counter.cost(start, end)
    if cost <= room:
        return [Unit(start, end, cost, after)]
    parts = parts_of(start, end, counter, room)
    parts[-1] = replace(parts[-1], after=after)
    return parts


def _fused(units: list[Unit], grain: int) -> list[Unit]:
    """Join tiny neighbours into one unit, which bounds the work of packing."""
    found: list[Unit] = []
    for unit in units:
        last = found[-1] if found else None
        near = last is not None and last.after is not None and unit.start - last.end <= WIDEST_GAP
        if last is not None and near and last.cost + unit.cost <= grain:
            found[-1] = replace(last, end=unit.end, cost=last.cost + unit.cost, after=unit.after)
        else:
            found.append(unit)
    return found


def _penalty(body: str, block: Block, following: Block | None) -> float:
    """The cost of a cut between two blocks."""
    if following is None:
        return 0.0
    closes = following.kind is BlockKind.MARKUP and body.startswith("</", following.span.start)
    together = block.kind is BlockKind.LIST_ITEM and following.kind in (BlockKind.LIST_ITEM, BlockKind.CODE)
    return max(
        _NEVER if block.kind is BlockKind.HEADING else 0.0,
        _TAG_EDGE if closes or _opens(body, block) else 0.0,
        _SAME_LIST if together else 0.0,
        _INTRODUCED if body[block.span.end - 1] == ":" else 0.0,
    )


def _opens(body: str, block: Block) -> bool:
    if block.kind is not BlockKind.MARKUP:
        return False
    markup = block.span.of(body)
    return markup.startswith("<") and not markup.endswith("/>") and "</" not in markup


def pack(units: Sequence[Unit], budget: int) -> list[Sequence[Unit]]:
    """Consecutive runs of units, each within `budget` unless a single unit exceeds it.

    This is the cheapest partition, found by dynamic programming; looking back ends where the budget does.
    """
    runs: list[Sequence[Unit]] = []
    first = 0
    for beyond in range(1, len(units) + 1):
        last = units[beyond - 1]
        if beyond == len(units) or last.after is None or units[beyond].start - last.end > WIDEST_GAP:
            runs.extend(_partition(units[first:beyond], budget))
            first = beyond
    return runs


def _partition(units: Sequence[Unit], budget: int) -> list[Sequence[Unit]]:
    if units[0].head_cost + sum(unit.cost for unit in units) <= budget:
        return [units]
    least = [0.0] * (len(units) + 1)
    begin = [0] * (len(units) + 1)
    for beyond in range(1, len(units) + 1):
        size = 0
        best = float("inf")
        cut = (units[beyond - 1].after or 0.0) if beyond < len(units) else 0.0
        for first in range(beyond - 1, -1, -1):
            size += units[first].cost
            full = size + units[first].head_cost
            if size > budget and first < beyond - 1:
                break
            if full > budget and first < beyond - 1:
                continue
            price = least[first] + 1.0 + _UNEVEN * max(0.0, 1.0 - full / budget) ** 2 + cut
            if price < best:
                best = price
                begin[beyond] = first
        least[beyond] = best
    runs: list[Sequence[Unit]] = []
    beyond = len(units)
    while beyond:
        runs.append(units[begin[beyond] : beyond])
        beyond = begin[beyond]
    return runs[::-1]
