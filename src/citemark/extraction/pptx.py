"""Converts presentations to text with spans: a section per slide, with its notes."""

from collections.abc import Iterator
from typing import Any

from docx.exceptions import PythonDocxError
from docx.opc.exceptions import OpcError
from docx.oxml.exceptions import XmlchemyError

from citemark.extraction.builder import Builder, TextRun, inline, sensible_title, tags_of
from citemark.extraction.docx.runs import IMAGE, described
from citemark.extraction.number_formats import general
from citemark.extraction.office import (
    Node,
    attribute,
    child,
    children,
    name_of,
    nothing_in,
    parse_xml,
    reading,
)
from citemark.extraction.office_math import math_runs
from citemark.extraction.office_runs import drawn_look, words_in
from citemark.extraction.own_dates import own_dates
from citemark.extraction.packages import costing, mend_properties, read_package
from citemark.extraction.slide_comments import comments_of
from citemark.extraction.slides import Presentation, Shape, Slide
from citemark.extraction.symbol_fonts import with_symbols
from citemark.extraction.tables import write_table
from citemark.model.text import Extracted

_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr"})

_REPEATED = frozenset({"ftr", "hdr"})

_TITLES = frozenset({"title", "ctrTitle"})

_LISTED = frozenset({"body", "obj", ""})

_SHAPE_TREES = frozenset({"spTree", "grpSp"})

_SWITCHED_ON = frozenset({"1", "true", "on"})

_DIAGRAM_DATA = "dm"

_CACHES = frozenset({"strCache", "strLit", "numCache", "numLit", "lvl"})

_NUMBERS = frozenset({"numCache", "numLit"})

_Points = dict[int, str]
"""What a chart keeps of a range of cells, by the position in that range."""

_DEEPEST = 20
"""Most nested groups of shapes that are read."""

_WHAT = "presentation"

_LIBRARY = "python-pptx"
"""The author that this library, which other programs write presentations with, gives to a file without one."""

_HIDDEN = "0"


def extract_pptx(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the slides of a presentation in order, each as a section `slide-N` that begins with its title.

    The text includes lists, tables, the numbers of charts, diagrams, speaker notes and comments, and footers once for
    all slides, but not dates and slide numbers. A hidden slide is read, since people who edit the file see it, and its
    section's title says that it is hidden.

    Raises:
        SkippableSourceError: the file has a password, an old format or no text, is broken, or is a zip bomb.
    """

    def read(package: bytes, mended: bool) -> Extracted:
        with reading(_WHAT, PythonDocxError, OpcError, XmlchemyError):
            return _extract(package, fallback_title, mended=mended)

    return read_package(data, read, mend_properties)


def _extract(data: bytes, fallback_title: str, *, mended: bool) -> Extracted:
    presentation = Presentation(data)
    builder = Builder()
    slides: list[Slide] = []
    for number, reference in enumerate(presentation.references, 1):
        if mended and reference not in presentation.part.rels:
            builder.leave_out("missing slide")
            continue
        with costing(builder, "unreadable slide", when=mended):
            slide = presentation.slide(reference)
            slides.append(slide)
            if not builder.full:
                _slide(builder, slide, number, mended=mended)
    with costing(builder, "unreadable footer", when=mended):
        _footers(builder, slides)
    properties = presentation.properties
    return builder.finish(
        title=sensible_title(_text(properties, "title")) or fallback_title,
        nothing=nothing_in(_WHAT),
        tags=tags_of(_text(properties, "keywords")),
        metadata={
            "author": "" if _text(properties, "author") == _LIBRARY else _text(properties, "author"),
            "subject": _text(properties, "subject"),
            **(own_dates(properties.created, properties.modified) if properties is not None else {}),
            "slides": str(len(slides)),
        },
    )


def _text(properties: Any, name: str) -> str:
    return "" if properties is None else getattr(properties, name) or ""


def _slide(builder: Builder, slide: Slide, number: int, *, mended: bool) -> None:
    """Add a slide; if the file is mended, a shape or the notes that cannot be read cost themselves."""
    if slide.tree is None:
        raise ValueError("the slide has no shapes")
    _choose(slide.tree)
    shapes = slide.shapes()
    heading: list[TextRun] = []
    for shape in shapes:
        if shape.placeholder in _TITLES:
            for paragraph in shape.paragraphs:
                heading += [*pieces_of(paragraph, shape.part), TextRun(" ")]
    hidden = " (hidden)" if attribute(slide.root, "show") == _HIDDEN else ""
    heading_text = inline(heading).text
    name = f"Slide {number}"
    title = f"{name}: {heading_text}{hidden}" if heading_text else f"{name}{hidden}"
    if heading_text:
        builder.heading(heading, 1, title=title, slug=f"slide-{number}")
    else:
        builder.section(title, slug=f"slide-{number}")
    for shape in shapes:
        with costing(builder, "unreadable shape", when=mended):
            write_shape(builder, shape)
    with costing(builder, "unreadable note", when=mended):
        _notes(builder, slide)
    with costing(builder, "unreadable comment", when=mended):
        for author, text in comments_of(slide.part):
            builder.paragraph(f"Comment by {author}: {text}" if author else f"Comment: {text}")


def _footers(builder: Builder, slides: list[Slide]) -> None:
    """Add the footers and headers of slides, each text once, below the last slide."""
    texts = (
        words_in(body)
        for slide in slides
        if slide.tree is not None
        for mark in slide.tree.iter("{*}ph")
        if attribute(mark, "type") in _REPEATED
        if (body := child(next(mark.iterancestors("{*}sp"), None), "txBody")) is not None
    )
    found = [text for text in dict.fromkeys(texts) if any(map(str.isalpha, text))]
    if found:
        builder.section("Footers", slug="footers")
    for text in found:
        builder.paragraph(f"Footer: {text}")


def _notes(builder: Builder, slide: Slide) -> None:
    first = True
    for shape in slide.notes():
        if shape.placeholder == "body":
            for paragraph in shape.paragraphs:
                pieces = pieces_of(paragraph, shape.part)
                if inline(pieces).text:
                    builder.paragraph([TextRun("Notes: "), *pieces] if first else pieces)
                    first = False


def _choose(tree: Node) -> None:
    """Replace the alternatives of shapes by the first of each: it has the text of equations."""
    for node in list(tree.iter("{*}AlternateContent")):
        parent = node.getparent()
        if name_of(parent) in _SHAPE_TREES:
            chosen = next(children(node, "Choice", "Fallback"), None)
            for shape in list(children(chosen)):
                node.addprevious(shape)
            parent.remove(node)


def write_shape(builder: Builder, shape: Shape, depth: int = 0) -> None:
    """Add the text of a shape, except for titles, dates, footers and slide numbers."""
    kind = shape.placeholder
    if kind in _FURNITURE or kind in _TITLES or depth > _DEEPEST:
        return
    if name_of(shape.element) == "grpSp":
        for inner in shape.shapes():
            write_shape(builder, inner, depth + 1)
    elif shape.table is not None:
        _table(builder, shape.table, shape.part)
    elif shape.has_chart:
        _chart(builder, shape)
    elif name_of(shape.element) == "sp":
        for paragraph in shape.paragraphs:
            write_paragraph(builder, paragraph, shape.part, listed=kind in _LISTED if kind is not None else False)
    elif (kind_left_out := _without_words(builder, shape)) is not None:
        builder.leave_out(kind_left_out)
    else:
        _diagram(builder, shape)


def _without_words(builder: Builder, shape: Shape) -> str | None:
    """Write what a picture shows if its author said so, and return the kind of a shape that has no words else."""
    names = {name_of(node) for node in shape.element.iter()}
    if "oleObj" in names:
        return "embedded object"
    if names & {"videoFile", "audioFile", "wavAudioFile"}:
        return "video" if "videoFile" in names else "sound"
    if name_of(shape.element) != "pic":
        return None
    shown = described(shape.element)
    builder.paragraph(f"[Image: {shown}]" if shown else "")
    return None if shown else IMAGE


def write_paragraph(builder: Builder, paragraph: Node, part: Any, *, listed: bool) -> None:
    """Add a paragraph, as a list item if its placeholder or its own properties say so."""
    properties = child(paragraph, "pPr")
    level = attribute(properties, "lvl")
    numbered = child(properties, "buAutoNum") is not None
    bullet = child(properties, "buChar") is not None or numbered
    if bullet or (listed and child(properties, "buNone") is None):
        builder.item(pieces_of(paragraph, part), depth=int(level) if level.isdigit() else 0)
    else:
        builder.paragraph(pieces_of(paragraph, part))


def pieces_of(paragraph: Node, part: Any) -> list[TextRun]:
    """The runs of a paragraph, with the addresses that they link to."""
    pieces: list[TextRun] = []
    for run in children(paragraph, "r", "fld", "br", "m", "AlternateContent"):
        name = name_of(run)
        if name == "br":
            pieces.append(TextRun("\n"))
        elif name in {"m", "AlternateContent"}:
            pieces.extend(math_runs(run))
        else:
            link = attribute(child(run, "rPr", "hlinkClick"), "id")
            target = part.rels[link].target_ref if link in part.rels and part.rels[link].is_external else ""
            text = child(run, "t")
            shown = with_symbols(str(text.text or ""), _font_of(run)) if text is not None else ""
            pieces.append(TextRun(shown, target, drawn_look(child(run, "rPr"))))
    return pieces


def _font_of(run: Node) -> str:
    properties = child(run, "rPr")
    return attribute(child(properties, "sym"), "typeface") or attribute(child(properties, "latin"), "typeface")


def _table(builder: Builder, table: Node, part: Any) -> None:
    """Add a table; a cell that spans rows is repeated in each of them, so that every row can be read alone."""
    rows: list[list[list[TextRun]]] = []
    across: dict[tuple[int, int], int] = {}
    for number, row in enumerate(children(table, "tr")):
        cells: list[list[TextRun]] = []
        for column, cell in enumerate(children(row, "tc")):
            below, beside = (attribute(cell, name) in _SWITCHED_ON for name in ("vMerge", "hMerge"))
            pieces: list[TextRun] = []
            for paragraph in children(child(cell, "txBody"), "p"):
                pieces += [*pieces_of(paragraph, part), TextRun(" ")]
            if below and not beside and rows and column < len(rows[-1]):
                pieces = rows[-1][column]
            elif below or beside:
                pieces = []
            spanned = int(attribute(cell, "gridSpan") or "1")
            if spanned > 1:
                across[number, column] = spanned
            cells.append(pieces)
        rows.append(cells)
    write_table(builder, rows, across)


def _chart(builder: Builder, shape: Shape) -> None:
    """Add the title of a chart, and the numbers behind it as tables; charts of all types store them alike."""
    part = shape.referred("chart", "id")
    chart = child(parse_xml(part.blob), "chart") if part is not None else None
    title = child(chart, "title", "tx")
    for paragraph in children(child(title, "rich"), "p"):
        builder.paragraph(pieces_of(paragraph, part))
    builder.paragraph(" ".join(_points(child(title, "strRef")).values()))
    for plot in children(child(chart, "plotArea")):
        for places, columns in _series_by_places(plot):
            indexes = sorted({*places, *(index for _, points in columns for index in points)})
            rows = [
                [places.get(index, "" if places else str(index + 1)), *(points.get(index, "") for _, points in columns)]
                for index in indexes
            ]
            if rows:
                builder.table([["", *(name for name, _ in columns)], *rows])


def _series_by_places(plot: Node) -> list[tuple[_Points, list[tuple[str, _Points]]]]:
    """The series of a plot by name, those with the same categories (or the same x) together."""
    tables: list[tuple[_Points, list[tuple[str, _Points]]]] = []
    for series in children(plot, "ser"):
        name = " ".join(_points(child(series, "tx")).values())
        places = _points(next(children(series, "cat", "xVal"), None))
        if not tables or (places and places != tables[-1][0]):
            tables.append((places, []))
        for values in children(series, "val", "yVal", "bubbleSize"):
            column = f"{name} (size)" if name_of(values) == "bubbleSize" else name
            tables[-1][1].append((column, _points(values)))
    return tables


def _points(node: Node | None) -> _Points:
    """The texts or numbers that a chart keeps of a range of cells; of labels with several levels, the innermost."""
    cache = next((part for part in node.iter() if name_of(part) in _CACHES), None) if node is not None else None
    if cache is None:
        own = child(node, "v")
        return {} if own is None else {0: str(own.text or "")}
    found: _Points = {}
    for point in children(cache, "pt"):
        index, value = attribute(point, "idx"), child(point, "v")
        if index.isdigit() and value is not None and value.text:
            found[int(index)] = _number(value.text) if name_of(cache) in _NUMBERS else value.text
    return found


def _number(text: str) -> str:
    try:
        return general(float(text))
    except ValueError:  # an error such as #N/A
        return text


def _diagram(builder: Builder, shape: Shape) -> None:
    """Add the texts of a SmartArt diagram, which is stored in a part of its own."""
    for texts in _diagram_texts(shape):
        builder.item(texts)


def _diagram_texts(shape: Shape) -> Iterator[list[TextRun]]:
    part = shape.referred("relIds", _DIAGRAM_DATA)
    for point in parse_xml(part.blob).iter() if part is not None else ():
        if name_of(point) == "pt" and attribute(point, "type") in {"", "node"}:
            yield [
                piece
                for node in point.iter()
                if name_of(node) == "p"
                for piece in (*pieces_of(node, part), TextRun(" "))
            ]
