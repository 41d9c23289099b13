"""Points, boxes and the lines between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from typing import NamedTuple


class Point(NamedTuple):
    """A position in the picture, in pixels."""

    x: float
    y: float

    def toward(self, other: "Point", length: float) -> "Point":
        """The point that is `length` pixels from this one on the way to another."""
        whole = hypot(other.x - self.x, other.y - self.y)
        if not whole:
            return self
        return Point(self.x + (other.x - self.x) * length / whole, self.y + (other.y - self.y) * length / whole)

    def beside(self, other: "Point", length: float) -> "Point":
        """The point that is `length` pixels to the left of this one when looking at another."""
        whole = hypot(other.x - self.x, other.y - self.y) or 1.0
        return Point(self.x + (other.y - self.y) * length / whole, self.y - (other.x - self.x) * length / whole)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> Point:
        """The middle of the box."""
        return Point(self.x + self.width / 2, self.y + self.height / 2)

    def place(self) -> dict[str, float]:
        """The attributes of the rectangle."""
        return {"x": self.x, "y": self.y, "width": self.width, "height": self.height}

    def holds(self, point: Point) -> bool:
        """Whether a point lies inside."""
        return self.x <= point.x <= self.x + self.width and self.y <= point.y <= self.y + self.height

    def facing(self, other: "Box") -> tuple[Point, Point] | None:
        """The ends of a vertical or horizontal line from this box to another; None if they do not face each other."""
        left, right = max(self.x, other.x), min(self.x + self.width, other.x + other.width)
        if right - left > _ROOM:
            x = (left + right) / 2
            return Point(x, self.centre.y), Point(x, other.centre.y)
        top, bottom = max(self.y, other.y), min(self.y + self.height, other.y + other.height)
        if bottom - top > _ROOM:
            y = (top + bottom) / 2
            return Point(self.centre.x, y), Point(other.centre.x, y)
        return None

    def edge(self, start: Point, aim: Point) -> Point:
        """Where the way from `start`, inside the box, to `aim` leaves it; `start` if it never does."""
        dx, dy = aim.x - start.x, aim.y - start.y
        shares: list[float] = []
        if dx:
            shares.append(((self.x + self.width if dx > 0 else self.x) - start.x) / dx)
        if dy:
            shares.append(((self.y + self.height if dy > 0 else self.y) - start.y) / dy)
        share = min((share for share in shares if share >= 0), default=0.0)
        return Point(start.x + dx * share, start.y + dy * share)


_ROOM = 10
"""Pixels by which two boxes must overlap in one direction for a straight line between them."""


def middle(path: Sequence[Point]) -> Point:
    """The point halfway along a path."""
    lengths = [hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(path)]
    left = sum(lengths) / 2
    for (start, end), length in zip(pairwise(path), lengths, strict=True):
        if left <= length:
            return start.toward(end, left)
        left -= length
    return path[-1]
