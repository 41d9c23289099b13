"""The slides of an OpenDocument presentation."""

import re

from citemark.extraction.building import Builder
from citemark.extraction.inline import Piece, inline
from citemark.extraction.odf_text import OdfText
from citemark.extraction.xml_nodes import Node, attribute, child, children, name_of

_LENGTH = re.compile(r"(-?[\d.]+)(cm|mm|in|pt)?")
_IN_MILLIMETRES = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 0.353}
_SAME_ROW = 8.0
_FURNITURE = frozenset({"date-time", "footer", "page-number", "header"})


def write_slides(builder: Builder, text: OdfText, presentation: Node) -> int:
    """Add a section per slide, with its notes; gives their number."""
    slides = list(children(presentation, "page"))
    for number, slide in enumerate(slides, 1):
        shapes = sorted(
            (shape for shape in children(slide) if name_of(shape) != "notes"),
            key=lambda shape: (_length(shape, "y") // _SAME_ROW, _length(shape, "x")),
        )
        titles = [shape for shape in shapes if attribute(shape, "class") == "title"]
        heading = [piece for shape in titles for piece in text.pieces(shape)]
        said = inline(heading).text
        if said:
            builder.heading(heading, 1, title=f"Slide {number}: {said}", slug=f"slide-{number}")
        else:
            builder.section(f"Slide {number}", slug=f"slide-{number}")
        for shape in shapes:
            if shape not in titles and attribute(shape, "class") not in _FURNITURE:
                text.blocks(shape)
        _notes(builder, text, child(slide, "notes"))
    return len(slides)


def _notes(builder: Builder, text: OdfText, notes: Node | None) -> None:
    for frame in children(notes, "frame"):
        if attribute(frame, "class") == "notes":
            pieces = text.pieces(frame)
            if inline(pieces).text:
                builder.paragraph([Piece("Notes: "), *pieces])


def _length(shape: Node, name: str) -> float:
    match = _LENGTH.match(attribute(shape, name))
    return float(match[1]) * _IN_MILLIMETRES.get(match[2] or "mm", 1.0) if match else 0.0
