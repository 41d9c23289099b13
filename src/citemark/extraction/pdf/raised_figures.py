"""Finds raised and lowered text of a PDF, which is smaller than its neighbours and stands higher or lower."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from citemark.extraction.pdf.pdfium import Characters
from citemark.text.raised import lowered, raised

_FIGURES = re.compile(r"[+\-\u2212]?\d[\d+\-\u2212]*")

_WORD = re.compile(r"\S{2,64}")
_SHORT = 8
"""Characters of a word that are all looked at; of longer words, only the ends may be raised."""

_SMALL = 0.86
"""Times the size of its neighbour: a larger character is no index, whatever its place."""

_RAISED = 0.12
_LOWERED = -0.05
"""Of the neighbour's size: how far above and below its baseline an index stands at least (sub- is less than super-)."""

_FARTHEST = 0.75
"""Of the neighbour's size: anything farther above or below is on another line."""

_NEAR = 1.2
"""Sizes between the first of some figures and the neighbour that they are compared with, besides their own width."""


_MOST_BREAKS = 5
"""Characters between two neighbours: PDFium ends the line behind a raised character, and adds a space."""


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """The character that a figure is compared with: its size, where it stands, and where its line leads."""

    size: float
    origin: tuple[float, float]
    direction: tuple[float, float]

    def offset(self, origin: tuple[float, float]) -> tuple[float, float]:
        """How far another character is along this line and above it, in sizes of this character."""
        x, y = origin[0] - self.origin[0], origin[1] - self.origin[1]
        along, across = self.direction
        return (x * along + y * across) / self.size, (y * along - x * across) / self.size


def with_places(characters: Characters, start: int, end: int) -> str:
    """The text of a range of characters, what is raised or lowered in it in its written form."""
    edges_only = characters.is_one_piece(start, end)
    parts: list[str] = []
    at = 0
    for placed in () if edges_only else _placed_letters(characters, start, end):
        parts += [_with_figures(characters, start + at, start + placed.start, edges_only=False), placed.written]
        at = placed.end
    if not parts:
        return _with_figures(characters, start, end, edges_only=edges_only)
    return "".join([*parts, _with_figures(characters, start + at, end, edges_only=False)])


@dataclass(frozen=True, slots=True)
class _Placed:
    """A part of a text that is raised or lowered, with letters in it, in its written form."""

    start: int
    end: int
    written: str


def _placed_letters(characters: Characters, start: int, end: int) -> Iterator[_Placed]:
    """The raised or lowered ends and middles of words (x with a raised n, V with a lowered max), in order."""
    for word in _WORD.finditer(characters.text[start:end]):
        first, last = word.start(), word.end()
        examined = range(first, last) if last - first <= _SHORT else (first, last - 1)
        sizes = {index: characters.size(start + index) for index in examined}
        if min(sizes.values()) >= _SMALL * max(sizes.values()):
            continue
        sizes = {index: characters.size(start + index) for index in range(first, last)}
        yield from _placed_in_word(characters, start, sizes)


def _placed_in_word(characters: Characters, start: int, sizes: Mapping[int, float]) -> Iterator[_Placed]:
    largest = max(sizes.values())
    neighbour: _Neighbour | None = None
    for is_small, same in groupby(sizes, key=lambda index: sizes[index] < _SMALL * largest):
        stretch = list(same)
        text = characters.text[start + stretch[0] : start + stretch[-1] + 1]
        if not is_small:
            at = start + stretch[-1]
            neighbour = _Neighbour(sizes[stretch[-1]], characters.origin(at), characters.direction(at))
        elif neighbour is not None and any(map(str.isalpha, text)):
            place = _place(characters, start + stretch[0], [neighbour], 1)
            before = characters.text[start + stretch[0] - 1]
            if place:
                yield _Placed(stretch[0], stretch[-1] + 1, raised(text, before) if place > 0 else lowered(text))


def _with_figures(characters: Characters, start: int, end: int, *, edges_only: bool) -> str:
    """The text of a range of characters, its raised and lowered figures in their written form."""
    text = characters.text[start:end]
    parts: list[str] = []
    at = 0
    for figures in _FIGURES.finditer(text):
        if edges_only and figures.start() > 0 and figures.end() < len(text.rstrip()):
            continue
        places = _places(characters, start + figures.start(), start + figures.end())
        if not any(places):
            continue
        parts.append(text[at : figures.start()])
        for place, same in groupby(zip(places, figures[0], strict=True), key=lambda pair: pair[0]):
            words = "".join(character for _, character in same)
            parts.append(raised(words) if place > 0 else lowered(words) if place < 0 else words)
        at = figures.end()
    return "".join([*parts, text[at:]]) if parts else text


def _places(characters: Characters, start: int, end: int) -> Sequence[int]:
    """For each figure of a range: 1 if it is raised, -1 if it is lowered, else 0."""
    beside = (_beside(characters, end, 1), _beside(characters, start - 1, -1))
    indexes = [start, end - 1, *(index for index in beside if index is not None)]
    sizes = [characters.size(index) for index in indexes]
    if min(sizes[:2]) > _SMALL * max(sizes):
        return [0] * (end - start)
    neighbours = [
        _Neighbour(size, characters.origin(index), characters.direction(index))
        for index, size in zip(indexes, sizes, strict=True)
        if size
    ]
    return [_place(characters, index, neighbours, end - start) for index in range(start, end)]


def _beside(characters: Characters, index: int, step: int) -> int | None:
    """The nearest character that is no white space, however PDFium breaks the line there."""
    for candidate in range(index, index + _MOST_BREAKS * step, step):
        if 0 <= candidate < len(characters.text) and not characters.text[candidate].isspace():
            return candidate
    return None


def _place(characters: Characters, index: int, neighbours: Sequence[_Neighbour], figures: int) -> int:
    size = characters.size(index)
    origin = characters.origin(index)
    for neighbour in neighbours:
        distance, rise = neighbour.offset(origin)
        near = abs(rise) < _FARTHEST and abs(distance) < _NEAR + figures
        if near and size < _SMALL * neighbour.size and (rise >= _RAISED or rise <= _LOWERED):
            return 1 if rise > 0 else -1
    return 0
