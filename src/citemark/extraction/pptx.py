"""Presentations to text with spans: a section per slide, with its notes."""

from io import BytesIO
from typing import Any

import pptx

from citemark.extraction.building import Builder
from citemark.extraction.inline import Piece, inline
from citemark.extraction.office import nothing_in, reading
from citemark.extraction.pptx_shapes import is_title, pieces_of, placeholder_of, shapes_of, write_shape
from citemark.extraction.titles import sensible_title, tags_of
from citemark.extraction.xml_nodes import children
from citemark.extraction.zips import open_zip
from citemark.model.text import Extracted

_WHAT = "presentation"
_HIDDEN = "0"


def extract_pptx(data: bytes, *, fallback_title: str) -> Extracted:
    """The slides of a presentation in order, each a section `slide-N` that begins with its title.

    Lists, tables, the numbers of charts, diagrams and speaker notes are its text; dates, footers and slide numbers are
    not. A hidden slide is read, since whoever edits the file sees it, and its section's title says that it is hidden.

    Raises:
        SkippableSourceError: a password, an old format, a broken file, a zip bomb, or no text.
    """
    open_zip(data).close()
    with reading(_WHAT):
        presentation: Any = pptx.Presentation(BytesIO(data))
        builder = Builder()
        for number, slide in enumerate(presentation.slides, 1):
            if builder.full:
                break
            _slide(builder, slide, number)
        properties = presentation.core_properties
        return builder.finish(
            title=sensible_title(properties.title or "") or fallback_title,
            nothing=nothing_in(_WHAT),
            tags=tags_of(properties.keywords or ""),
            metadata={
                "author": properties.author or "",
                "subject": properties.subject or "",
                "created": properties.created.date().isoformat() if properties.created else "",
                "modified": properties.modified.date().isoformat() if properties.modified else "",
                "slides": str(len(presentation.slides)),
            },
        )


def _slide(builder: Builder, slide: Any, number: int) -> None:
    shapes = shapes_of(slide.shapes)
    heading: list[Piece] = []
    for shape in shapes:
        if is_title(shape):
            for paragraph in children(shape.text_frame._txBody, "p"):  # noqa: SLF001 - links stand in the XML only
                heading += [*pieces_of(paragraph, shape.part), Piece(" ")]
    hidden = " (hidden)" if slide._element.get("show") == _HIDDEN else ""  # noqa: SLF001 - python-pptx has no name for it
    said = inline(heading).text
    name = f"Slide {number}"
    title = f"{name}: {said}{hidden}" if said else f"{name}{hidden}"
    if said:
        builder.heading(heading, 1, title=title, slug=f"slide-{number}")
    else:
        builder.section(title, slug=f"slide-{number}")
    for shape in shapes:
        write_shape(builder, shape)
    if slide.has_notes_slide:
        _notes(builder, slide.notes_slide)


def _notes(builder: Builder, notes: Any) -> None:
    first = True
    for shape in notes.placeholders:
        if placeholder_of(shape) == "body" and shape.has_text_frame:
            for paragraph in children(shape.text_frame._txBody, "p"):  # noqa: SLF001 - as above
                pieces = pieces_of(paragraph, shape.part)
                if inline(pieces).text:
                    builder.paragraph([Piece("Notes: "), *pieces] if first else pieces)
                    first = False
