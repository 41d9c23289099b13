"""Converts OpenDocument files (text, spreadsheet, presentation) to text with spans."""

import re
from collections.abc import Iterator
from zipfile import ZipFile

from citemark.extraction.builder import Builder, TextRun, inline, sensible_title, tags_of
from citemark.extraction.odf.body import OdfText
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
from citemark.extraction.sheets import MOST_COLUMNS, MOST_ROWS, CellBudget, Row, write_sheet
from citemark.extraction.zips import open_zip
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
    with open_zip(data) as file, reading(_WHAT):
        if any(name_of(node) == "encryption-data" for node in _part(file, "META-INF/manifest.xml").iter()):
            raise locked(_WHAT)
        return _extract(_part(file, "content.xml"), _part(file, "styles.xml"), _part(file, "meta.xml"), fallback_title)


def _extract(content: Node, styles: Node, meta: Node, fallback_title: str) -> Extracted:
    builder = Builder()
    automatic = child(content, "automatic-styles")
    text = OdfText(
        builder, _numbered_styles(automatic) | _numbered_styles(child(styles, "styles")), _title_styles(automatic)
    )
    properties = _properties(meta)
    body = next(children(child(content, "body")), None)
    match name_of(body) if body is not None else "":
        case "text":
            text.blocks(body)
            _write_furniture(builder, text, styles)
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
        "created": first.get("creation-date", "")[:10],
        "modified": first.get("date", "")[:10],
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
        write_sheet(builder, name, _rows(sheet, text, allowance), allowance)
        text.write_comments(sheet)
    return hidden


def _rows(node: Node, text: OdfText, allowance: CellBudget) -> Iterator[Row]:
    """The rows as text; an empty row counts once, however often it is repeated."""
    for row in _row_nodes(node):
        cells = _cells(row, text)
        allowance.looked_at -= 1 + len(cells)
        if allowance.is_spent:
            return
        times = attribute(row, "number-rows-repeated")
        repeated = int(times) if times.isdigit() and any(cells) else 1
        for _ in range(min(repeated, MOST_ROWS + 1)):
            yield cells


def _row_nodes(node: Node) -> Iterator[Node]:
    for part in children(node):
        if name_of(part) == "table-row":
            yield part
        elif name_of(part) in _GROUPS:
            yield from _row_nodes(part)


def _cells(row: Node, text: OdfText) -> Row:
    cells: Row = []
    for node in children(row, "table-cell", "covered-table-cell"):
        cell_text = inline(text.pieces(node)).text
        times = attribute(node, "number-columns-repeated")
        room = MOST_COLUMNS - len(cells)
        cells.extend([cell_text] * min(int(times) if times.isdigit() else 1, room))
    return cells if any(cells) else _NO_ROW


def write_slides(builder: Builder, text: OdfText, presentation: Node) -> int:
    """Add a section for each slide, with its notes, and return the number of slides."""
    slides = list(children(presentation, "page"))
    for number, slide in enumerate(slides, 1):
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
    return len(slides)


def _notes(builder: Builder, text: OdfText, notes: Node | None) -> None:
    for frame in children(notes, "frame"):
        if attribute(frame, "class") == "notes":
            pieces = text.pieces(frame)
            if inline(pieces).text:
                builder.paragraph([TextRun("Notes: "), *pieces])


def _length(shape: Node, name: str) -> float:
    match = _LENGTH.match(attribute(shape, name))
    return float(match[1]) * _IN_MILLIMETRES.get(match[2] or "mm", 1.0) if match else 0.0
