"""Counts the word pieces in spans of one text, after a single pass of the tokenizer."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

from citemark.embedding.contract import CharRanges

LONGEST_PIECE = 100
"""Characters; WordPiece reads a longer unbroken run as one unknown word, whatever its size."""

CHARACTERS_PER_TOKEN = 16
"""Unbroken runs and stretches of blanks count as a word piece per 16 characters, which bounds every chunk."""

_PART = 2_000
"""Characters of the parts that such a run may be cut into; one part fills nearly half a chunk."""


class TokenCounter:
    """Counts in O(log n). A run longer than `LONGEST_PIECE` counts by its characters and may be cut inside."""

    def __init__(self, text: str, offsets: Sequence[tuple[int, int]]) -> None:
        self._text = text
        ranges = offsets if isinstance(offsets, CharRanges) else CharRanges.of(offsets)
        self._starts: Sequence[int] = ranges.starts
        self._sums: Sequence[int] = range(len(offsets) + 1)
        self._inside: frozenset[int] = frozenset()
        if ranges.longest > LONGEST_PIECE:
            self._weigh(ranges)

    def cost(self, start: int, end: int) -> int:
        """The number of word pieces that begin in the range, or its share of characters if that is more."""
        pieces = self._sums[bisect_left(self._starts, end)] - self._sums[bisect_left(self._starts, start)]
        return max(pieces, (end - start) // CHARACTERS_PER_TOKEN)

    def reach(self, start: int, end: int, budget: int) -> int:
        """The furthest cut in (start, end] whose left side costs at most `budget`, between words if possible."""
        first = bisect_left(self._starts, start)
        beyond = bisect_right(self._sums, self._sums[first] + budget) - 1
        furthest = min(end, start + budget * CHARACTERS_PER_TOKEN)
        beyond = max(first + 1, min(beyond, bisect_left(self._starts, furthest)))
        if beyond >= len(self._starts) or self._starts[beyond] >= end:
            return end
        for index in range(beyond, first + (beyond - first) // 2, -1):
            if self._parts_words(self._starts[index]):
                return self._starts[index]
        return self._starts[beyond]

    def _parts_words(self, at: int) -> bool:
        before, after = self._text[at - 1], self._text[at]
        return not (before.isalnum() and after.isalnum()) or at in self._inside

    def _weigh(self, offsets: Sequence[tuple[int, int]]) -> None:
        starts: list[int] = []
        weights: list[int] = []
        inside: set[int] = set()
        for start, end in offsets:
            length = end - start
            if length <= LONGEST_PIECE:
                starts.append(start)
                weights.append(1)
                continue
            parts = -(-length // _PART)
            edges = [start + length * part // parts for part in range(parts + 1)]
            starts.extend(edges[:-1])
            inside.update(edges[1:-1])
            weights.extend(-(-(right - left) // CHARACTERS_PER_TOKEN) for left, right in pairwise(edges))
        self._starts = starts
        self._sums = [0, *accumulate(weights)]
        self._inside = frozenset(inside)
