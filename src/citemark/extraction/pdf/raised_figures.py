"""Finds the raised and lowered figures of a PDF, which are smaller than their neighbours and stand higher or lower."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from citemark.extraction.pdf.pdfium import Characters
from citemark.model.raised import lowered, raised

_FIGURES = re.compile(r"[+\-\u2212]?\d[\d+\-\u2212]*")

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
    """The text of a range of characters, its raised and lowered figures in their written form."""
    text = characters.text[start:end]
    parts: list[str] = []
    at = 0
    edges_only = characters.is_one_piece(start, end)
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
