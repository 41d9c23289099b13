"""Nodes of a view as SVG: elements in the colour of their layer, groups, notes, boxes for other views."""

from collections.abc import Sequence
from typing import assert_never

from citemark.features.archimate.commands.picture.geometry import Box
from citemark.features.archimate.commands.picture.lettering import LINE, cut_short, fitted, width_of, words
from citemark.model.layouts import LayoutNode
from citemark.text.svg import FAINT, INK, PAPER, element, escaped, outlined_text, points, title

FILLS = {
    "strategy": "#f5deaa",
    "business": "#ffffb5",
    "application": "#b5ffff",
    "technology": "#c9e7b7",
    "physical": "#b3e0c0",
    "motivation": "#d6ccff",
    "implementation_migration": "#ffe0e0",
    "other": "#f2f2f2",
}
"""The colours that ArchiMate tools use for layers."""

_NAME_SIZES = (12.0, 11.0, 10.0, 9.0)
_TYPE_SIZE = 8.5
_PAD = 6.0
_CUT = 8.0
_FOLD = 12.0
_CAPTION = 110.0
_LEAST_LETTERS = 6
_BEHAVIOUR = (
    "Process",
    "Function",
    "Interaction",
    "Event",
    "Service",
    "Capability",
    "ValueStream",
    "CourseOfAction",
    "WorkPackage",
)
JUNCTION = "Junction"


def box_of(node: LayoutNode) -> Box:
    """The box of a node; a node without a size gets that of an element."""
    return Box(node.x, node.y, node.width if node.width > 0 else 120.0, node.height if node.height > 0 else 55.0)


def drawn(node: LayoutNode, *, holds_others: bool) -> str:
    """A node with its name; a node that holds others has its name at the top."""
    box = box_of(node)
    if node.type == JUNCTION:
        centre, radius = box.centre, max(4.0, min(box.width, box.height, 16.0) / 2)
        body = element("circle", cx=centre.x, cy=centre.y, r=radius, fill=INK)
        return _titled(node, body)
    match node.kind:
        case "element":
            body = _element(node, box, holds_others=holds_others)
        case "group":
            body = _group(node, box)
        case "note":
            body = _note(node, box)
        case "view":
            body = _view(node, box, holds_others=holds_others)
        case _:
            assert_never(node.kind)
    return _titled(node, body)


def caption(node: LayoutNode, *, holds_others: bool) -> tuple[str, Box] | None:
    """The name beneath a box that is too small for it, and the area that it takes; None if it fits."""
    if node.kind in {"group", "note"} or node.type == JUNCTION or holds_others or not _too_small(node, box_of(node)):
        return None
    box = box_of(node)
    (name, *_), size = fitted(node.label, _CAPTION, _NAME_SIZES[-1] * LINE, _NAME_SIZES[-1:])
    wide = width_of(name, size)
    area = Box(box.centre.x - wide / 2, box.y + box.height, wide, size * LINE + 2)
    return outlined_text(name, box.centre.x, area.y + size, font_size=size, text_anchor="middle"), area


def _too_small(node: LayoutNode, box: Box) -> bool:
    """Whether so little of the name fits into the box that it says nothing."""
    name, _ = fitted(node.label, box.width - 2 * _PAD, box.height - 2 * _PAD, _NAME_SIZES)
    return cut_short(name) and len("".join(name)) < _LEAST_LETTERS


def _titled(node: LayoutNode, body: str) -> str:
    about = f"{node.label} ({words(node.type)})" if node.type else node.label
    return element("g", title(about), body)


def _element(node: LayoutNode, box: Box, *, holds_others: bool) -> str:
    fill = FILLS.get(node.layer, FILLS["other"])
    if node.layer == "motivation":
        shape = element("polygon", points=_octagon(box), fill=fill, stroke=INK)
    elif node.type.endswith(_BEHAVIOUR):
        shape = _rectangle(box, fill, rx=9)
    else:
        shape = _rectangle(box, fill)
    return shape + _lettering(node, box, at_top=holds_others)


def _lettering(node: LayoutNode, box: Box, *, at_top: bool) -> str:
    """The name and, in small letters, the type if there is room for it."""
    width, height = box.width - 2 * _PAD, box.height - 2 * _PAD
    if not at_top and _too_small(node, box):
        return ""
    kind = words(node.type)
    beneath = _TYPE_SIZE * LINE + 1
    if at_top:
        name, size = fitted(node.label, width, 2 * _NAME_SIZES[0] * LINE, _NAME_SIZES)
        return _lines(name, box.x + box.width / 2, box.y + _PAD, size, weight="600")
    kinds, small = fitted(kind, width, beneath, (_TYPE_SIZE, 7.5)) if kind else ([], _TYPE_SIZE)
    shown = bool(kinds) and not cut_short(kinds)
    name, size = fitted(node.label, width, height - (beneath if shown else 0), _NAME_SIZES)
    if shown and cut_short(name):
        shown = False
        name, size = fitted(node.label, width, height, _NAME_SIZES)
    tall = len(name) * size * LINE
    top = box.y + (box.height - tall - (beneath if shown else 0)) / 2
    text = _lines(name, box.x + box.width / 2, top, size)
    if shown:
        text += _lines(kinds, box.x + box.width / 2, top + tall + 1, small, ink=FAINT)
    return text


def _group(node: LayoutNode, box: Box) -> str:
    shape = _rectangle(box, PAPER, fill_opacity=0.45, stroke_dasharray="6 4")
    name, size = fitted(node.label, box.width - 2 * _PAD, 2 * _NAME_SIZES[0] * LINE, _NAME_SIZES)
    return shape + _lines(name, box.x + _PAD, box.y + _PAD, size, anchor="start", weight="600")


def _note(node: LayoutNode, box: Box) -> str:
    right, bottom = box.x + box.width, box.y + box.height
    above, left = (right, bottom - _FOLD), (right - _FOLD, bottom)
    outline = points(((box.x, box.y), (right, box.y), above, left, (box.x, bottom)))
    fold = points((above, (right - _FOLD, bottom - _FOLD), left))
    shape = element("polygon", points=outline, fill="#fffdf0", stroke=FAINT) + element(
        "polyline", points=fold, fill="none", stroke=FAINT
    )
    text, size = fitted(node.label, box.width - 2 * _PAD, box.height - 2 * _PAD, (11.0, 10.0, 9.0, 8.0))
    return shape + _lines(text, box.x + _PAD, box.y + _PAD, size, anchor="start")


def _view(node: LayoutNode, box: Box, *, holds_others: bool) -> str:
    course = f"M{box.x + box.width - 18:g} {box.y + 5:g}h12v8h-12z m3 3h6"
    roomy = box.width > 40  # noqa: PLR2004 - else the mark would cover the name
    mark = element("path", d=course, fill="none", stroke=FAINT) if roomy else ""
    return _rectangle(box, "#eef2f6") + mark + _lettering(node, box, at_top=holds_others)


def _rectangle(box: Box, fill: str, **attributes: str | float) -> str:
    return element("rect", **box.place(), fill=fill, stroke=INK, **attributes)


def _octagon(box: Box) -> str:
    cut = min(_CUT, box.width / 3, box.height / 3)
    right, bottom = box.x + box.width, box.y + box.height
    corners = (
        (box.x + cut, box.y),
        (right - cut, box.y),
        (right, box.y + cut),
        (right, bottom - cut),
        (right - cut, bottom),
        (box.x + cut, bottom),
        (box.x, bottom - cut),
        (box.x, box.y + cut),
    )
    return points(corners)


def _lines(
    lines: Sequence[str],
    x: float,
    top: float,
    size: float,
    *,
    anchor: str = "middle",
    weight: str = "",
    ink: str = INK,
) -> str:
    rows = [
        element("tspan", escaped(line), x=x, y=top + size * (LINE * number + 0.95)) for number, line in enumerate(lines)
    ]
    return element("text", *rows, font_size=size, text_anchor=anchor, fill=ink, font_weight=weight or None)
