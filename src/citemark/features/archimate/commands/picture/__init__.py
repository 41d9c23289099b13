"""A view as a picture: SVG from its layout, readable without a legend."""

from collections import Counter
from collections.abc import Mapping, Sequence

from citemark.features.archimate.commands.picture import arrows, boxes
from citemark.features.archimate.commands.picture.boxes import box_of
from citemark.features.archimate.commands.picture.geometry import Box, Point, middle
from citemark.model.layouts import Layout, LayoutConnection
from citemark.text.svg import PAPER, drawing, element

_MARGIN = 16.0
_BESIDE = 9.0
"""Pixels between two lines that join the same boxes."""

_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def picture_of(layout: Layout, name: str) -> str:
    """An SVG document of a layout; an empty page if the layout has no boxes."""
    nodes = {node.node_id: node for node in layout.nodes}
    parents = {node.parent for node in layout.nodes}
    paths = _paths(layout, {ident: box_of(node) for ident, node in nodes.items()})
    lines = {line.connection_id: line for line in layout.connections}
    shapes = [boxes.drawn(node, holds_others=node.node_id in parents) for node in layout.nodes]
    strokes = [arrows.drawn(lines[ident], path) for ident, path in paths.items()]
    labels = [arrows.label(lines[ident], path) for ident, path in paths.items()]
    found = (boxes.caption(node, holds_others=node.node_id in parents) for node in layout.nodes)
    captions = [caption for caption in found if caption is not None]
    page = _page([*(box_of(node) for node in layout.nodes), *(area for _, area in captions)], paths)
    parts = [part for part in (*shapes, *strokes, *(words for words, _ in captions), *labels) if part]
    paper = element("rect", **page.place(), fill=PAPER)
    box = (page.x, page.y, page.width, page.height)
    size = {"width": page.width, "height": page.height}
    return drawing(name, box, (paper, *parts), **size, font_family=_FONT, stroke_width=1) + "\n"


def _paths(layout: Layout, places: Mapping[str, Box]) -> dict[str, list[Point]]:
    """The path of each line that can be drawn, by its id; lines between a box and its contents are left out."""
    paths: dict[str, list[Point]] = {}
    waiting = list(layout.connections)
    between: Counter[frozenset[str]] = Counter()
    holders = _holders(layout)
    while waiting:
        later: list[LayoutConnection] = []
        for line in waiting:
            ends = [_end(end, places, paths) for end in (line.source, line.target)]
            if None in ends:
                later.append(line)
                continue
            if line.source in holders.get(line.target, ()) or line.target in holders.get(line.source, ()):
                continue
            pair = frozenset((line.source, line.target))
            source, target = (end for end in ends if end is not None)
            bends = [Point(x, y) for x, y in line.bends]
            paths[line.connection_id] = _path_between(source, target, bends, _shift(between[pair]))
            between[pair] += not bends
        if len(later) == len(waiting):
            break
        waiting = later
    return {line.connection_id: paths[line.connection_id] for line in layout.connections if line.connection_id in paths}


def _end(ident: str, places: Mapping[str, Box], paths: Mapping[str, list[Point]]) -> Box | None:
    """The end of a line: a box, or the middle of another line."""
    if ident in places:
        return places[ident]
    if ident not in paths:
        return None
    point = middle(paths[ident])
    return Box(point.x, point.y, 0, 0)


def _holders(layout: Layout) -> dict[str, set[str]]:
    """The boxes that contain each box, at any depth."""
    holders: dict[str, set[str]] = {}
    for node in layout.nodes:
        if node.parent is not None:
            holders[node.node_id] = {node.parent, *holders.get(node.parent, ())}
    return holders


def _shift(number: int) -> float:
    """How far the line with this number is moved aside: the first not at all, the others to either side in turn."""
    return 0.0 if not number else _BESIDE * ((number + 1) // 2) * (1 if number % 2 else -1)


def _path_between(source: Box, target: Box, bends: list[Point], shift: float) -> list[Point]:
    """The path between the edges of two boxes by way of the bends; straight across if they face each other."""
    if source == target:
        return _loop(source)
    start, end = source.centre, target.centre
    if not bends:
        start, end = source.facing(target) or (start, end)
        if shift:
            start, end = start.beside(end, shift), end.beside(start, -shift)
    path = [start, *bends, end]
    path[0] = source.edge(path[0], path[1])
    path[-1] = target.edge(path[-1], path[-2])
    return path


def _loop(box: Box) -> list[Point]:
    """The path from a box back to itself, around its upper right corner."""
    right, top = box.x + box.width, box.y
    return [
        Point(right - 20, top),
        Point(right - 20, top - 14),
        Point(right + 14, top - 14),
        Point(right + 14, top + 14),
        Point(right, top + 14),
    ]


def _page(areas: Sequence[Box], paths: Mapping[str, list[Point]]) -> Box:
    """The drawn area, with a margin."""
    points = [point for path in paths.values() for point in path]
    xs = [x for area in areas for x in (area.x, area.x + area.width)] + [point.x for point in points]
    ys = [y for area in areas for y in (area.y, area.y + area.height)] + [point.y for point in points]
    if not xs:
        return Box(0, 0, 2 * _MARGIN, 2 * _MARGIN)
    left, top = min(xs) - _MARGIN, min(ys) - _MARGIN
    return Box(left, top, max(xs) + _MARGIN - left, max(ys) + _MARGIN - top)


__all__ = ["picture_of"]
