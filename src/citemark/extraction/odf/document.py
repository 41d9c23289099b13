"""Converts OpenDocument files (text, spreadsheet, presentation) to text with spans."""

import re
from collections.abc import Iterator
from io import BytesIO
from zipfile import ZipFile

from citemark.extraction.builder import Builder, TextRun, inline, sensible_title, tags_of
from citemark.extraction.odf.body import OdfText, ReachingCells, columns_of
from citemark.extraction.odf.looks import read_boxes, read_looks
from citemark.extraction.office import (
    Node,
    attribute,
    broken,
    child,
    children,
    locked,
    name_of,
    nothing_in,
    parse_xml,
    reading,
)
from citemark.extraction.own_dates import own_dates
from citemark.extraction.packages import costing, mend_properties, read_package, until_it_breaks
from citemark.extraction.sheets import MOST_COLUMNS, MOST_ROWS, CellBudget, Row, write_sheet
from citemark.model.text import Extracted

_LENGTH = re.compile(r"(-?[\d.]+)(cm|mm|in|pt)?")

_IN_MILLIMETRES = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 0.353}

_SAME_ROW = 8.0
"""In millimetres: shapes whose tops differ by less are side by side."""


_FURNITURE = frozenset({"date-time", "footer", "page-number", "header"})

_BESIDE_SLIDE = frozenset({"notes", "annotation"})

_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})

_NO_ROW: Row = []

_WHAT = "OpenDocument file"

_TITLE = "Title"


def extract_odt(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the text of an .odt, .ods or .odp file, whichever the file itself says that it is.

    In a text document, headings open sections; deleted text and tables of contents are left out; notes and comments are
    placed below the paragraph that they belong to, headers and footers below the text, each once. Sheets become
    sections as in `extract_xlsx`, slides as in `extract_pptx`.

    Raises:
        SkippableSourceError: the file has a password or no text, is broken, or is a zip bomb.
    """

    def read(package: bytes, mended: bool) -> Extracted:
        with ZipFile(BytesIO(package)) as file, reading(_WHAT):
            if any(name_of(node) == "encryption-data" for node in _part(file, "META-INF/manifest.xml").iter()):
                raise locked(_WHAT)
            content, styles, meta = (_part(file, name) for name in ("content.xml", "styles.xml", "meta.xml"))
            return _extract(content, styles, meta, fallback_title, mended=mended)

    return read_package(data, read, mend_properties)


def _extract(content: Node, styles: Node, meta: Node, fallback_title: str, *, mended: bool) -> Extracted:
    builder = Builder()
    automatic = child(content, "automatic-styles")
    text = OdfText(
        builder,
        _numbered_styles(automatic) | _numbered_styles(child(styles, "styles")),
        _title_styles(automatic),
        read_looks(child(styles, "styles"), automatic),
        read_boxes(content),
        mended=mended,
    )
    properties = _properties(meta)
    body = next(children(child(content, "body")), None)
    match name_of(body) if body is not None else "":
        case "text":
            text.blocks(body)
            looks = read_looks(child(styles, "styles"), child(styles, "automatic-styles"))
            _write_furniture(builder, OdfText(builder, frozenset(), frozenset(), looks), styles)
        case "spreadsheet":
            hidden = write_sheets(builder, text, body, _hidden_styles(automatic))
            builder.leave_out("hidden sheet", len(hidden))
            properties["hidden_sheets"] = ", ".join(hidden)
        case "presentation":
            properties["slides"] = str(write_slides(builder, text, body))
        case _:
            raise broken(_WHAT, "it is neither a text, a spreadsheet nor a presentation")
    title = sensible_title(properties.pop("title", "")) or text.title or fallback_title
    tags = tags_of(properties.pop("keywords", ""))
    return builder.finish(title=title, nothing=nothing_in(_WHAT), tags=tags, metadata=properties)


def _part(file: ZipFile, name: str) -> Node:
    """The root of a part, or an empty element if the file lacks a part that is optional."""
    if name != "content.xml" and name not in file.namelist():
        return parse_xml(b"<none/>")
    return parse_xml(file.read(name))


def _properties(meta: Node) -> dict[str, str]:
    stored: dict[str, list[str]] = {}
    for node in children(child(meta, "meta")):
        stored.setdefault(name_of(node), []).append(str(node.text or "").strip())
    first = {name: values[0] for name, values in stored.items()}
    return {
        "title": first.get("title", ""),
        "keywords": ",".join(stored.get("keyword", [])),
        "author": first.get("initial-creator", "") or first.get("creator", ""),
        "subject": first.get("subject", ""),
        **own_dates(first.get("creation-date", ""), first.get("date", "")),
    }


def _numbered_styles(styles: Node | None) -> frozenset[str]:
    """The list styles whose first level is numbered."""
    return frozenset(
        attribute(style, "name")
        for style in children(styles, "list-style")
        if name_of(next(children(style), style)) == "list-level-style-number"
    )


def _title_styles(automatic: Node | None) -> frozenset[str]:
    """The style of titles and those derived from it in this file."""
    derived = (
        attribute(style, "name")
        for style in children(automatic, "style")
        if attribute(style, "parent-style-name") == _TITLE
    )
    return frozenset({_TITLE, *derived})


def _hidden_styles(automatic: Node | None) -> frozenset[str]:
    """The table styles that hide their sheet."""
    return frozenset(
        attribute(style, "name")
        for style in children(automatic, "style")
        if attribute(child(style, "table-properties"), "display") == "false"
    )


def _write_furniture(builder: Builder, text: OdfText, styles: Node) -> None:
    """Write the headers and footers of all pages, each once, below the text."""
    written: set[str] = set()
    for page in children(child(styles, "master-styles"), "master-page"):
        for part in children(page):
            label = "Header" if name_of(part).startswith("header") else "Footer"
            words = inline(text.pieces(part)).text
            if any(map(str.isalpha, words)) and words not in written:
                if not written:
                    builder.section("Headers and footers", slug="headers-and-footers")
                builder.paragraph(f"{label}: {words}")
                written.add(words)


def write_sheets(builder: Builder, text: OdfText, spreadsheet: Node, hidden_styles: frozenset[str]) -> list[str]:
    """Add a section for each visible sheet, and return the names of the hidden ones."""
    hidden: list[str] = []
    allowance = CellBudget()
    for sheet in children(spreadsheet, "table"):
        name = attribute(sheet, "name")
        if attribute(sheet, "style-name") in hidden_styles:
            hidden.append(name)
            continue
        across: dict[tuple[int, int], int] = {}
        rows = _rows(sheet, text, allowance, across)
        whole = until_it_breaks(builder, rows, "unreadable part of a sheet") if text.mended else rows
        write_sheet(builder, name, whole, allowance, across)
        text.write_comments(sheet)
    return hidden


def _rows(node: Node, text: OdfText, allowance: CellBudget, across: dict[tuple[int, int], int]) -> Iterator[Row]:
    """The rows as text; an empty row counts once, however often it is repeated.

    `across` is filled with the cells that cover several columns.
    """
    reaching = ReachingCells()
    number = 0
    for row in _row_nodes(node):
        cells = _cells(row, text, reaching)
        across.update(((number, column), count) for column, count in _wide_cells(row))
        allowance.looked_at -= 1 + len(cells)
        if allowance.is_spent:
            return
        times = attribute(row, "number-rows-repeated")
        repeated = int(times) if times.isdigit() and any(cells) else 1
        for _ in range(min(repeated, MOST_ROWS + 1)):
            number += 1
            yield cells


def _row_nodes(node: Node) -> Iterator[Node]:
    for part in children(node):
        if name_of(part) == "table-row":
            yield part
        elif name_of(part) in _GROUPS:
            yield from _row_nodes(part)


def _cells(row: Node, text: OdfText, reaching: ReachingCells) -> Row:
    found: list[tuple[list[TextRun], Node]] = []
    for node in children(row, "table-cell", "covered-table-cell"):
        found += [([TextRun(inline(text.pieces(node)).text)], node)] * min(_times(node), MOST_COLUMNS - len(found))
    cells = ["".join(piece.text for piece in pieces) for pieces in reaching.repeated(found)]
    return cells if any(cells) else _NO_ROW


def _wide_cells(row: Node) -> Iterator[tuple[int, int]]:
    """The cells that cover several columns, each with its column and their number."""
    column = 0
    for node in children(row, "table-cell", "covered-table-cell"):
        if (count := columns_of(node)) > 1:
            yield column, count
        column += _times(node)


def _times(node: Node) -> int:
    """How many columns in a row have the same cell."""
    times = attribute(node, "number-columns-repeated")
    return int(times) if times.isdigit() else 1


def write_slides(builder: Builder, text: OdfText, presentation: Node) -> int:
    """Add a section for each slide, with its notes, and return the number of slides."""
    slides = list(children(presentation, "page"))
    for number, slide in enumerate(slides, 1):
        with costing(builder, "unreadable slide", when=text.mended):
            _slide(builder, text, slide, number)
    return len(slides)


def _slide(builder: Builder, text: OdfText, slide: Node, number: int) -> None:
    shapes = sorted(
        (shape for shape in children(slide) if name_of(shape) not in _BESIDE_SLIDE),
        key=lambda shape: (_length(shape, "y") // _SAME_ROW, _length(shape, "x")),
    )
    titles = [shape for shape in shapes if attribute(shape, "class") == "title"]
    heading = [piece for shape in titles for piece in text.pieces(shape)]
    heading_text = inline(heading).text
    if heading_text:
        builder.heading(heading, 1, title=f"Slide {number}: {heading_text}", slug=f"slide-{number}")
    else:
        builder.section(f"Slide {number}", slug=f"slide-{number}")
    for shape in shapes:
        if shape not in titles and attribute(shape, "class") not in _FURNITURE:
            text.blocks(shape)
    _notes(builder, text, child(slide, "notes"))
    text.write_comments(slide)


def _notes(builder: Builder, text: OdfText, notes: Node | None) -> None:
    for frame in children(notes, "frame"):
        if attribute(frame, "class") == "notes":
            pieces = text.pieces(frame)
            if inline(pieces).text:
                builder.paragraph([TextRun("Notes: "), *pieces])


def _length(shape: Node, name: str) -> float:
    match = _LENGTH.match(attribute(shape, name))
    return float(match[1]) * _IN_MILLIMETRES.get(match[2] or "mm", 1.0) if match else 0.0
