"""Where two versions of a text differ, line by line, with each side short enough to be shown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from citemark.evidence.readable import part_as_read
from citemark.model.text import Lines, Span, lines_of

MOST_PLACES = 3
"""The most places shown of one document: a reader who wants all of them reads both versions."""

MOST_CHARS = 300
"""Characters of each side of a place: two or three sentences, so a page of fifty documents fits in one result."""

_BEFORE_CHANGE = 60
"""Characters shown before the first difference in a paragraph that is too long to be shown whole."""

_MOST_COMPARED = 200_000
"""Characters of a text whose lines are compared one by one; of longer texts, only equal head and tail are left out."""

_MOST_LINES = 5_000
_MOST_PAIRS = 20_000
"""The most lines, and pairs of equal lines, that are compared: time grows with both, and stays below half a second."""


@dataclass(frozen=True, slots=True)
class PlaceSide:
    """What one version says at a place, with its position in characters and lines; `cut` if not all of it is shown."""

    text: str
    span: Span
    lines: Lines
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ChangedPlace:
    """Lines that differ; one side is None if lines were only added or only removed."""

    before: PlaceSide | None
    after: PlaceSide | None


def changed_places(before: str, after: str) -> tuple[tuple[ChangedPlace, ...], int]:
    """The first places where two texts differ, and the number of further ones."""
    old, new = _lines(before), _lines(after)
    found = [each for each in _ranges(old, new) if _says_something(old, new, each)]
    places = tuple(_place(old, new, *each) for each in found[:MOST_PLACES])
    return places, len(found) - len(places)


def _lines(text: str) -> list[str]:
    """The lines of a text as `lines_of` counts them."""
    return text.removesuffix("\n").split("\n") if text else []


_Range = tuple[int, int, int, int]


def _ranges(old: Sequence[str], new: Sequence[str]) -> Iterator[_Range]:
    """Ranges of lines that differ: start and end in the old text, then start and end in the new one."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if not a and not b:
        return
    if not a or not b or not _comparable(a, b):
        yield head, head + len(a), head, head + len(b)
        return
    for kind, a_from, a_to, b_from, b_to in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind != "equal":
            yield head + a_from, head + a_to, head + b_from, head + b_to


def _says_something(old: Sequence[str], new: Sequence[str], place: _Range) -> bool:
    """Whether more than blank lines differ."""
    return any(line.strip() for line in (*old[place[0] : place[1]], *new[place[2] : place[3]]))


def _comparable(a: Sequence[str], b: Sequence[str]) -> bool:
    if max(sum(map(len, a)), sum(map(len, b))) > _MOST_COMPARED or max(len(a), len(b)) > _MOST_LINES:
        return False
    there = Counter(b)
    return sum(there[line] for line in a) <= _MOST_PAIRS


def _place(old: Sequence[str], new: Sequence[str], a_from: int, a_to: int, b_from: int, b_to: int) -> ChangedPlace:
    one, other = "\n".join(old[a_from:a_to]), "\n".join(new[b_from:b_to])
    same = _common_start(one, other)
    return ChangedPlace(_side(old, a_from, one, same), _side(new, b_from, other, same))


def _common_start(one: str, other: str) -> int:
    """The length of the common start of two texts, by bisection: a paragraph may have millions of characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _side(lines: Sequence[str], first: int, text: str, same: int) -> PlaceSide | None:
    """One side of a place; if it is too long, it starts shortly before its first difference."""
    if not text.strip():
        return None
    start = 0 if len(text) <= MOST_CHARS else max(0, min(same, len(text) - MOST_CHARS) - _BEFORE_CHANGE)
    end = min(len(text), start + MOST_CHARS)
    before = sum(len(line) + 1 for line in lines[:first])
    shown = text[start:end]
    return PlaceSide(
        text=part_as_read(text, Span(start, end)),
        span=Span(before + start, before + end),
        lines=lines_of(text, Span(start, start + len(shown.rstrip("\n"))), first + 1),
        cut=len(shown) < len(text),
    )
