"""The slides of a presentation and the shapes on them, out of the parts of its file."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.package import OpcPackage

from citemark.extraction.office import Node, attribute, child, children, name_of, parse_xml

_READ = re.compile(
    r"presentationml\.(slide|slideLayout|slideMaster|notesSlide|notesMaster)\+xml$|drawingml\.chart\+xml$"
)
"""Content types of the parts that a slide is made of."""

_REFERENCE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_SHAPES = ("sp", "grpSp", "graphicFrame", "cxnSp", "pic", "contentPart")
_PLACED_BY_LAYOUT = frozenset({"sp", "pic"})

_MASTERS = {
    **dict.fromkeys(("body", "chart", "clipArt", "dgm", "media", "obj", "pic", "subTitle", "tbl"), "body"),
    **dict.fromkeys(("ctrTitle", "title"), "title"),
    **{kind: kind for kind in ("dt", "ftr", "sldNum")},
}
"""The kind of a layout's placeholder, and that of the master's placeholder which it takes its place from."""

_SAME_ROW = 300_000
"""In EMU (8 mm): shapes whose tops differ by less are side by side."""

_UNITS = {"mm": 36_000, "cm": 360_000, "in": 914_400, "pt": 12_700, "pc": 152_400, "pi": 152_400}
"""EMU in each unit that a length may be written in."""


class Presentation:
    """The parts of a presentation. All that slides are made of is parsed at once, so that damage is noticed."""

    def __init__(self, data: bytes) -> None:
        """Open a file.

        Raises:
            Exception: any error of lxml, zipfile or python-docx, for a file that is broken.
        """
        self.package: Any = OpcPackage.open(BytesIO(data))
        self.part: Any = self.package.main_document_part
        root = parse_xml(self.part.blob)
        if name_of(root) != "presentation":
            raise ValueError(f"its main part is {name_of(root)[:50]!r} and not a presentation")
        self._roots = {
            part.partname: parse_xml(part.blob)
            for part in self.package.iter_parts()
            if _READ.search(part.content_type) is not None
        }
        self.references = [str(entry.get(_REFERENCE)) for entry in children(child(root, "sldIdLst"), "sldId")]
        """What the list of slides refers to, in order."""

    @property
    def properties(self) -> Any:
        """The properties of the file, or None if it has none."""
        kinds = {rel.reltype for rel in self.package.rels.values()}
        return self.package.core_properties if RELATIONSHIP_TYPE.CORE_PROPERTIES in kinds else None

    def slide(self, reference: str) -> "Slide":
        """The slide that the list of slides refers to."""
        return Slide(self, self.part.rels[reference].target_part)

    def root_of(self, part: Any) -> Node:
        """The root of a part that slides are made of."""
        return self._roots[part.partname]


class Slide:
    """A slide, its shapes, and its notes."""

    def __init__(self, presentation: Presentation, part: Any) -> None:
        self.part = part
        self.root = presentation.root_of(part)
        self.tree = child(self.root, "cSld", "spTree")
        self._presentation = presentation

    def shapes(self) -> list["Shape"]:
        """The shapes from top to bottom, and those side by side from left to right."""
        layout = related(self.part, "slideLayout")
        above = (layout, related(layout, "slideMaster"))
        trees = [child(self._presentation.root_of(part), "cSld", "spTree") for part in above if part is not None]
        placed = [(_place(shape, trees), Shape(shape, self.part)) for shape in children(self.tree, *_SHAPES)]
        return _sorted(placed)

    def notes(self) -> Iterator["Shape"]:
        """The shapes of the notes."""
        part = related(self.part, "notesSlide")
        if part is not None:
            tree = child(self._presentation.root_of(part), "cSld", "spTree")
            yield from (Shape(shape, part) for shape in children(tree, *_SHAPES))


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape on a slide, by its XML, with the part that its relationships are of."""

    element: Node
    part: Any

    def shapes(self) -> list["Shape"]:
        """The shapes of a group, sorted as those of a slide."""
        return _sorted([(_place(inner, ()), Shape(inner, self.part)) for inner in children(self.element, *_SHAPES)])

    @property
    def placeholder(self) -> str | None:
        """The kind of a placeholder ("" for the usual one), or None if the shape is not a placeholder."""
        mark = _mark(self.element)
        return None if mark is None else attribute(mark, "type")

    @property
    def paragraphs(self) -> Iterator[Node]:
        """The paragraphs of its text."""
        return children(child(self.element, "txBody"), "p")

    @property
    def table(self) -> Node | None:
        """The table in a frame."""
        return child(self.element, "graphic", "graphicData", "tbl")

    @property
    def has_chart(self) -> bool:
        """True for the frame of a chart."""
        return child(self.element, "graphic", "graphicData", "chart") is not None

    def referred(self, name: str, reference: str) -> Any:
        """The part of the file to which the first element `name` in a shape refers, or None if there is none."""
        related_by = attribute(next(self.element.iter(f"{{*}}{name}"), None), reference)
        if related_by not in self.part.rels or self.part.rels[related_by].is_external:
            return None
        return self.part.rels[related_by].target_part


def related(part: Any, kind: str) -> Any:
    """The first part of this kind that a part, if there is one, is related to; None without any."""
    relations = () if part is None else part.rels.values()
    found = (each for each in relations if not each.is_external and each.reltype.rpartition("/")[2] == kind)
    relation = next(found, None)
    return None if relation is None else relation.target_part


def _sorted(placed: list[tuple[tuple[int, int], Shape]]) -> list[Shape]:
    return [shape for _, shape in sorted(placed, key=lambda each: each[0])]


def _place(shape: Node, above: Sequence[Node]) -> tuple[int, int]:
    """The row of a shape and its left in EMU; a placeholder without a place has that of its layout or master."""
    offset = _offset(shape)
    mark = _mark(shape)
    if offset is None and mark is not None and name_of(shape) in _PLACED_BY_LAYOUT:
        offset = _inherited(_index(mark), above)
    try:
        return _length(attribute(offset, "y")) // _SAME_ROW, _length(attribute(offset, "x"))
    except ValueError:
        return 0, 0


def _inherited(index: str, above: Sequence[Node]) -> Node | None:
    """Where a layout has the placeholder of this index, or else where the master has one of that kind."""
    if not above:
        return None
    found = _first(above[0], lambda mark: _index(mark) == index)
    offset = None if found is None else _offset(found)
    if found is None or offset is not None or len(above) == 1:
        return offset
    kind = _MASTERS.get(attribute(_mark(found), "type") or "obj")
    placed = _first(above[1], lambda mark: attribute(mark, "type") == kind)
    return None if placed is None else _offset(placed)


def _first(tree: Node | None, wanted: Callable[[Node], bool]) -> Node | None:
    """The first placeholder on a layout or a master whose mark is the wanted one."""
    marked = ((shape, _mark(shape)) for shape in children(tree, *_SHAPES))
    return next((shape for shape, mark in marked if mark is not None and wanted(mark)), None)


def _mark(shape: Node) -> Node | None:
    """What makes a shape a placeholder, or None."""
    found = next(shape.iter("{*}ph", "{*}txBody"), None)
    return found if found is not None and name_of(found) == "ph" else None


def _index(mark: Node) -> str:
    return attribute(mark, "idx") or "0"


def _offset(shape: Node) -> Node | None:
    """The element with the place of a shape of any kind."""
    for path in (("spPr", "xfrm", "off"), ("grpSpPr", "xfrm", "off"), ("xfrm", "off")):
        found = child(shape, *path)
        if found is not None:
            return found
    return None


def _length(written: str) -> int:
    """A length in EMU, 0 for none.

    Raises:
        ValueError: it is no length.
    """
    unit = _UNITS.get(written[-2:])
    return int(float(written[:-2]) * unit) if unit else int(written or "0")
