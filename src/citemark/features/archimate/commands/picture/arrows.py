"""The lines of relationships with their ArchiMate ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from citemark.features.archimate.commands.picture.geometry import Point, middle
from citemark.model.layouts import LayoutConnection
from citemark.text.svg import INK, PAPER, element, outlined_text, points

End = Literal["none", "open", "filled", "hollow", "diamond", "hollow_diamond", "dot", "half"]

_LONG, _HALF = 11.0, 4.5
_LABEL_SIZE = 10.0


@dataclass(frozen=True, slots=True)
class LineStyle:
    """How a relationship type is drawn: the pattern of its line and the markers at its ends."""

    dashes: str = ""
    start: End = "none"
    end: End = "none"


_DASHED = "5 3"
_DOTTED = "1.5 3"

_STYLES = {
    "Composition": LineStyle(start="diamond"),
    "Aggregation": LineStyle(start="hollow_diamond"),
    "Assignment": LineStyle(start="dot", end="filled"),
    "Realization": LineStyle(_DASHED, end="hollow"),
    "Serving": LineStyle(end="open"),
    "Influence": LineStyle(_DASHED, end="open"),
    "Triggering": LineStyle(end="filled"),
    "Flow": LineStyle(_DASHED, end="filled"),
    "Specialization": LineStyle(end="hollow"),
    "Association": LineStyle(),
}
_ACCESS = {
    "read": LineStyle(_DOTTED, start="open"),
    "write": LineStyle(_DOTTED, end="open"),
    "readwrite": LineStyle(_DOTTED, start="open", end="open"),
}


def style_of(line: LayoutConnection) -> LineStyle:
    """The style of a relationship by its type, mode and direction; a thin dotted line for anything else."""
    match line.type:
        case "Access":
            return _ACCESS.get(line.detail, LineStyle(_DOTTED))
        case "Association" if line.detail == "directed":
            return LineStyle(end="half")
        case "":
            return LineStyle("2 3")
        case _:
            return _STYLES.get(line.type, LineStyle())


def drawn(line: LayoutConnection, path: Sequence[Point]) -> str:
    """A line along a path of at least two points, with its ends."""
    style = style_of(line)
    course = list(path)
    marks = [_mark(style.start, course[0], course[1]), _mark(style.end, course[-1], course[-2])]
    course[0] = _shortened(style.start, course[0], course[1])
    course[-1] = _shortened(style.end, course[-1], course[-2])
    return _shape("polyline", course, "none", dashes=style.dashes or None) + "".join(marks)


def label(line: LayoutConnection, path: Sequence[Point]) -> str:
    """The name of a line, or the strength of an influence, at its middle; empty if it has neither."""
    label_text = line.label or (line.detail if line.type == "Influence" else "")
    if not label_text:
        return ""
    point = middle(path)
    words = " ".join(label_text.split())
    return outlined_text(words, point.x, point.y - 3, font_size=_LABEL_SIZE, text_anchor="middle")


def _mark(end: End, tip: Point, away: Point) -> str:
    """The marker at one end of a line whose tip is here and which goes away from it."""
    back = tip.toward(away, _LONG)
    left, right = back.beside(tip, _HALF), back.beside(tip, -_HALF)
    if end == "dot":
        centre = tip.toward(away, 3)
        return element("circle", cx=centre.x, cy=centre.y, r=3, fill=INK)
    far = tip.toward(away, 2 * _LONG)
    shapes = {
        "none": "",
        "open": _shape("polyline", (left, tip, right), "none"),
        "half": _shape("polyline", (left, tip), "none"),
        "filled": _shape("polygon", (left, tip, right), INK),
        "hollow": _shape("polygon", (left, tip, right), PAPER),
        "diamond": _shape("polygon", (tip, left, far, right), INK),
        "hollow_diamond": _shape("polygon", (tip, left, far, right), PAPER),
    }
    return shapes[end]


def _shortened(end: End, tip: Point, away: Point) -> Point:
    """Where the line itself ends: before a marker that is drawn hollow."""
    if end == "hollow":
        return tip.toward(away, _LONG)
    return tip.toward(away, 2 * _LONG) if end == "hollow_diamond" else tip


def _shape(name: str, corners: Sequence[Point], fill: str, dashes: str | None = None) -> str:
    return element(name, points=points(corners), fill=fill, stroke=INK, stroke_dasharray=dashes)
