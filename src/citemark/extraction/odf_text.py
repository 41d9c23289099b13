"""The text of an OpenDocument file: headings, paragraphs, lists, tables and text boxes, in order."""

from collections.abc import Iterator

from citemark.extraction.building import Builder
from citemark.extraction.inline import Piece, inline
from citemark.extraction.odf_inline import OdfInline, OdfParagraph, body_of
from citemark.extraction.office import names_columns
from citemark.extraction.xml_nodes import Node, attribute, child, children, name_of

_TRANSPARENT = frozenset(
    {
        "section",
        "text-box",
        "frame",
        "custom-shape",
        "rect",
        "g",
        "page",
        "list-header",
        "index-body",
        "numbered-paragraph",
    }
)
_CONTENTS = frozenset({"table-of-content", "alphabetical-index", "table-index", "illustration-index"})
_ROW_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_MOST_SPANNED = 100


class OdfText:
    """Walks a body once and hands what it finds to the builder.

    Args:
        builder: What to write to.
        numbered: The names of list styles that count; items of any other have a bullet.
        titles: The names of paragraph styles that make a paragraph the document's title.
    """

    def __init__(self, builder: Builder, numbered: frozenset[str], titles: frozenset[str]) -> None:
        self._builder = builder
        self._numbered = numbered
        self._titles = titles
        self._inline = OdfInline()
        self.title = ""

    def blocks(self, parent: Node) -> None:
        """Read what stands below a node, in order."""
        for node in children(parent):
            if self._builder.full:
                return
            match name_of(node):
                case "h":
                    self._heading(node)
                case "p":
                    self._paragraph(node)
                case "list":
                    self._list(node, 0, "")
                case "table":
                    self._table(node)
                case name if name in _TRANSPARENT:
                    self.blocks(node)
                case _:
                    pass

    def pieces(self, node: Node) -> list[Piece]:
        """All text below a node on one line: that of a cell, or of a slide's title."""
        pieces: list[Piece] = []
        for paragraph in _paragraphs(node):
            found = self._inline.read(paragraph)
            pieces += [*found.pieces, Piece(" ")]
            for box in found.boxes:
                pieces += self.pieces(box)
        return pieces

    def _heading(self, node: Node) -> None:
        found = self._inline.read(node)
        level = attribute(node, "outline-level")
        self._builder.heading(found.pieces, int(level) if level.isdigit() else 1)
        self._write_rest(found)

    def _paragraph(self, node: Node) -> None:
        found = self._inline.read(node)
        if attribute(node, "style-name") in self._titles and not self.title:
            self.title = inline(found.pieces).text[:200]
            self._builder.heading(found.pieces, 1)
        else:
            self._builder.paragraph(found.pieces)
        self._write_rest(found)

    def _list(self, node: Node, depth: int, style: str) -> None:
        style = attribute(node, "style-name") or style
        number = 0
        for item in children(node, "list-item", "list-header"):
            start = attribute(item, "start-value")
            number = int(start) if start.isdigit() else number + 1
            first = True
            for part in children(item):
                match name_of(part):
                    case "list":
                        self._list(part, depth + 1, style)
                    case "h":
                        self._heading(part)
                    case "p" if first and name_of(item) == "list-item":
                        found = self._inline.read(part)
                        marker = f"{number}." if style in self._numbered else "-"
                        self._builder.item(found.pieces, depth=depth, marker=marker)
                        self._write_rest(found)
                        first = False
                    case "p":
                        self._paragraph(part)
                    case _:
                        pass

    def _table(self, node: Node) -> None:
        rows = [[self.pieces(cell) for cell in _cells(row)] for row in _rows(node)]
        if rows and max(map(len, rows)) == 1:
            for row in _rows(node):
                for cell in _cells(row):
                    self.blocks(cell)
            return
        first = [inline(cell).text for cell in rows[0]] if rows else []
        marked = child(node, "table-header-rows") is not None
        self._builder.table(rows, header=marked or names_columns([cell for cell in first if cell]))

    def _write_rest(self, found: OdfParagraph) -> None:
        """The notes and the text boxes of a paragraph, below it."""
        for number, note in found.notes:
            pieces = [Piece(f"[^{number}]: ")]
            for paragraph in body_of(note):
                pieces += [*self._inline.read(paragraph).pieces, Piece(" ")]
            self._builder.paragraph(pieces)
        for box in found.boxes:
            self.blocks(box)


def _paragraphs(node: Node) -> Iterator[Node]:
    for part in children(node):
        name = name_of(part)
        if name in {"p", "h"}:
            yield part
        elif name not in _CONTENTS:
            yield from _paragraphs(part)


def _rows(table: Node) -> Iterator[Node]:
    for node in children(table):
        if name_of(node) == "table-row":
            yield node
        elif name_of(node) in _ROW_GROUPS:
            yield from _rows(node)


def _cells(row: Node) -> Iterator[Node]:
    """A cell per column; those that a wide one covers are empty."""
    for node in children(row, "table-cell", "covered-table-cell"):
        times = attribute(node, "number-columns-repeated")
        for _ in range(min(int(times) if times.isdigit() else 1, _MOST_SPANNED)):
            yield node
