"""Tells logs, dumps and tables of figures, whose lines repeat a few patterns, from text that people wrote."""

import re
from collections import Counter, defaultdict
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
    whole = 0
    alike: defaultdict[tuple[int, int, int, int], list[str]] = defaultdict(list)
    for line in lines:
        whole += len(line)
        if _VARYING.search(line) is not None:
            written = line.strip()
            # Lines of one pattern have the same signs between their words, which is quicker to tell than the pattern.
            alike[(written.count(" "), written.count(","), written.count(";"), written.count("|"))].append(line)
    if whole < _LEAST:
        return False
    enough = _MOST_WRITTEN * whole
    candidates = [group for group in alike.values() if len(group) >= _SEEN_BEFORE]
    if sum(len(line) for group in candidates for line in group) <= enough:
        return False
    return sum(map(_repeated, candidates)) > enough


def _repeated(lines: Iterable[str]) -> int:
    """The characters in lines of patterns that repeat; each of the lines has a word that varies."""
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for line in lines:
        pattern = _WORD.sub(_figure_for, line.strip())
        sizes[pattern] += len(line)
        counts[pattern] += 1
    return sum(size for pattern, size in sizes.items() if counts[pattern] >= _SEEN_BEFORE)


def _figure_for(word: re.Match[str]) -> str:
    return "9" if _VARYING.search(word[0]) else word[0]
