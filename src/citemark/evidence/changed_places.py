"""Where two versions of a text differ, line by line, each side short enough to be shown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from citemark.model.text import Lines, Span

MOST_PLACES = 3
"""Shown of one document: who wants all of them reads both versions."""

MOST_CHARS = 300
"""Of each side of a place: two or three sentences, and a page of fifty documents stays below a result's cap."""

_BEFORE_CHANGE = 60
"""Characters that lead up to the first difference in a paragraph that is too long to be shown whole."""

_MOST_COMPARED = 200_000
"""Characters of a text whose lines are compared one by one; of longer ones, equal head and tail are left out."""

_MOST_LINES = 5_000
_MOST_PAIRS = 20_000
"""Lines, and pairs of equal lines, that are compared: the time grows with both, and stays below half a second."""


@dataclass(frozen=True, slots=True)
class PlaceSide:
    """The text of one version at a changed place, with its characters and lines; `cut` if only a part is shown."""

    text: str
    span: Span
    lines: Lines
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ChangedPlace:
    """Lines that differ; one side is None where lines only came or only went."""

    before: PlaceSide | None
    after: PlaceSide | None


def changed_places(before: str, after: str) -> tuple[tuple[ChangedPlace, ...], int]:
    """The first places where two texts differ, and how many more there are."""
    old, new = _lines(before), _lines(after)
    found = [each for each in _ranges(old, new) if _says_something(old, new, each)]
    places = tuple(_place(old, new, *each) for each in found[:MOST_PLACES])
    return places, len(found) - len(places)


def _lines(text: str) -> list[str]:
    """The lines of a text; only line feeds end one, as citations count them."""
    return text.removesuffix("\n").split("\n") if text else []


_Range = tuple[int, int, int, int]


def _ranges(old: Sequence[str], new: Sequence[str]) -> Iterator[_Range]:
    """Ranges of lines that differ: from and to in the old text, from and to in the new one."""
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
    """How many characters two texts begin with alike, halving what is left: a paragraph may have millions."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _side(lines: Sequence[str], first: int, text: str, same: int) -> PlaceSide | None:
    """A side of a place, from shortly before its first difference on where it is too long."""
    if not text.strip():
        return None
    start = 0 if len(text) <= MOST_CHARS else max(0, min(same, len(text) - MOST_CHARS) - _BEFORE_CHANGE)
    end = min(len(text), start + MOST_CHARS)
    before = sum(len(line) + 1 for line in lines[:first])
    line = first + 1 + text.count("\n", 0, start)
    shown = text[start:end]
    return PlaceSide(
        text=shown,
        span=Span(before + start, before + end),
        lines=Lines(line, line + shown.rstrip("\n").count("\n")),
        cut=len(shown) < len(text),
    )
