"""Tells logs, dumps and tables of figures, whose lines repeat a few patterns, from text that people wrote."""

import re
from collections import Counter
from collections.abc import Iterable

WORDS_FROM = 100
"""Chunks of such a text that get vectors: enough to find it by what it is about; its entries are found by words."""

_WORD = re.compile(r"[^\s,;|]+")
_VARYING = re.compile(r"[\d/\\=@]")
"""A word with such a sign differs from entry to entry: numbers, times, ids, paths, addresses and values."""

_SEEN_BEFORE = 10
"""Lines of one pattern from which it counts as repeated."""

_MOST_WRITTEN = 0.7
"""Share of the characters in lines of repeated patterns that text written by people does not reach."""

_LEAST = 5_000
"""Characters below which nothing is told: a short list repeats its pattern, too, and costs little."""


def repeats_patterns(lines: Iterable[str]) -> bool:
    """Whether most of a text consists of lines that are equal but for their figures, ids and paths."""
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for line in lines:
        pattern = _WORD.sub(_figure_for, line.strip())
        sizes[pattern] += len(line)
        counts[pattern] += 1
    whole = sum(sizes.values())
    repeated = sum(size for pattern, size in sizes.items() if "9" in pattern and counts[pattern] >= _SEEN_BEFORE)
    return whole >= _LEAST and repeated > _MOST_WRITTEN * whole


def _figure_for(word: re.Match[str]) -> str:
    return "9" if _VARYING.search(word[0]) else word[0]
