"""Converts Word documents to text with spans: headings, lists, tables, notes, text boxes."""

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import docx
from docx.exceptions import PythonDocxError
from docx.opc.exceptions import OpcError
from docx.opc.part import XmlPart
from docx.oxml.exceptions import XmlchemyError

from citemark.extraction.builder import Builder, TextRun, inline, sensible_title, tags_of
from citemark.extraction.docx.looks import read_looks
from citemark.extraction.docx.runs import Paragraph, ParagraphReader
from citemark.extraction.docx.styles import Numbering, Style, read_styles, style_of
from citemark.extraction.markdown.headings import slugify
from citemark.extraction.office import (
    Node,
    attribute,
    attribute_of_child,
    child,
    children,
    is_on,
    name_of,
    nothing_in,
    parse_xml,
    reading,
)
from citemark.extraction.own_dates import own_dates
from citemark.extraction.packages import costing, mend_properties, read_package
from citemark.extraction.tables import write_table
from citemark.model.text import BlockKind, Extracted

_TYPES = "[Content_Types].xml"

_DOCUMENT = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"

_SAME_EXCEPT_TYPE = (
    b"application/vnd.ms-word.document.macroEnabled.main+xml",
    b"application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    b"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
)

_WHAT = "Word document"

_LIBRARY = "python-docx"
"""The author of the properties that the library makes for a file without any."""

_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

_TRANSPARENT = frozenset({"ins", "moveTo", "smartTag", "customXml", "sdtContent"})

_CONTENTS = "Table of Contents"

_MOST_CELLS_SPANNED = 100
"""Most columns that a cell may cover; Word itself allows 63."""


_LONGEST_REPEATED = 200
"""Most characters of a merged cell that is repeated in each of its rows, so that every row can be read alone."""


def extract_docx(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the text of a Word document as it reads with all changes accepted.

    Headings by style or outline level open sections; the numbers of lists and headings are written out; tables of
    contents and hidden text are left out; notes and comments are placed below the paragraph that refers to them, and
    the headers and footers of the pages, each once, below the text. The title is that of the properties, else the
    paragraph styled as title, else `fallback_title`.

    Raises:
        SkippableSourceError: the file has a password, an old format or no text, is broken, or is a zip bomb.
    """

    def read(package: bytes, mended: bool) -> Extracted:
        with reading(_WHAT, PythonDocxError, OpcError, XmlchemyError):
            return _extract(package, fallback_title, mended=mended)

    return read_package(data, read, mend_properties)


def _extract(data: bytes, fallback_title: str, *, mended: bool) -> Extracted:
    with ZipFile(BytesIO(data)) as archive:
        data = as_document(archive, data)
    document: Any = docx.Document(BytesIO(data))
    reader = _BodyReader(document, mended=mended)
    reader.blocks(document.element.body)
    reader.furniture()
    properties = document.core_properties
    title = sensible_title(properties.title or "") or reader.title or fallback_title
    return reader.builder.finish(
        title=title,
        nothing=nothing_in(_WHAT),
        tags=tags_of(properties.keywords or ""),
        metadata={
            "author": "" if properties.author == _LIBRARY else properties.author or "",
            "subject": properties.subject or "",
            **own_dates(properties.created, properties.modified),
        },
    )


class _BodyReader:
    """Walks the body once and passes its parts to the builder."""

    def __init__(self, document: Any, *, mended: bool = False) -> None:
        """Take a document; if it is `mended`, a block that cannot be read costs that block."""
        self.builder = Builder()
        self._costs_a_block = mended
        self.title = ""
        related = document.part.rels.values()
        parts = {rel.reltype.removeprefix(_RELATED): rel.target_part for rel in related if not rel.is_external}
        styles = _root(parts.get("styles"))
        self._styles = read_styles(styles)
        self._numbering = Numbering(_root(parts.get("numbering")))
        looks = read_looks(styles)
        self._inline = ParagraphReader({rel.rId: rel.target_ref for rel in related if rel.is_external}, looks)
        self._notes = {
            (kind, attribute(note, "id")): note
            for kind in ("footnote", "endnote")
            for note in children(_root(parts.get(f"{kind}s")), kind)
        }
        self._comments = {
            attribute(comment, "id"): comment for comment in children(_root(parts.get("comments")), "comment")
        }
        self._furniture = [
            _root(rel.target_part)
            for rel in related
            if not rel.is_external and rel.reltype.removeprefix(_RELATED) in {"header", "footer"}
        ]

    def blocks(self, parent: Node) -> None:
        """Read the paragraphs and tables below a node, in order."""
        for node in children(parent):
            if self.builder.full:
                return
            kind = f"unreadable {'table' if name_of(node) == 'tbl' else 'paragraph'}"
            with costing(self.builder, kind, when=self._costs_a_block):
                self._block(node)

    def _block(self, node: Node) -> None:
        match name_of(node):
            case "p":
                self._paragraph(node)
            case "tbl":
                self._table(node)
            case "sdt":
                self._control(node)
            case name if name in _TRANSPARENT:
                self.blocks(node)
            case _:
                pass

    def furniture(self) -> None:
        """Write the headers and footers of all pages, each once, below the text."""
        written: set[str] = set()
        for root in self._furniture:
            with costing(self.builder, "unreadable header or footer", when=self._costs_a_block):
                self._write_furniture(root, written)

    def _write_furniture(self, root: Node, written: set[str]) -> None:
        pieces = [piece for node in _paragraphs(root) for piece in (*self._read(node).pieces, TextRun(" "))]
        text = inline(pieces).text
        if any(map(str.isalpha, text)) and text not in written:
            if not written:
                self.builder.section("Headers and footers", slug="headers-and-footers")
            self.builder.paragraph(f"{'Header' if name_of(root) == 'hdr' else 'Footer'}: {text}")
            written.add(text)

    def _read(self, node: Node) -> Paragraph:
        """The text of a paragraph; what it holds besides text is counted."""
        paragraph = self._inline.read(node)
        for kind in paragraph.left_out:
            self.builder.leave_out(kind)
        return paragraph

    def _control(self, node: Node) -> None:
        gallery = attribute_of_child(node, "sdtPr", "docPartObj", "docPartGallery")
        content = child(node, "sdtContent")
        if gallery != _CONTENTS and content is not None:
            self.blocks(content)

    def _paragraph(self, node: Node) -> None:
        style = style_of(node, self._styles)
        if style.is_contents:
            return
        paragraph = self._read(node)
        pieces = paragraph.pieces
        text = inline(pieces).text
        counts = style.list_id and not _is_gone(node, empty=not text)
        label = self._numbering.label(style.list_id, style.list_level) if counts else None
        if text:
            self._add(style, pieces, text, label)
        self._write_notes(paragraph.notes)
        self._write_comments(paragraph.comments)
        for box in paragraph.boxes:
            self.blocks(box)

    def _add(self, style: Style, pieces: list[TextRun], text: str, label: str | None) -> None:
        if style.is_title and not self.title:
            self.title = text[:200]
        if style.level or style.is_title:
            numbered = [TextRun(f"{label} "), *pieces] if label else pieces
            self.builder.heading(numbered, style.level or 1, slug=slugify(text))
        elif label is not None:
            self.builder.item(pieces, depth=style.list_level, marker=label or "-")
        else:
            self.builder.paragraph(pieces, BlockKind.QUOTE if style.is_quote else BlockKind.PARAGRAPH)

    def _write_notes(self, notes: list[tuple[str, str]]) -> None:
        for note in notes:
            if note in self._notes:
                pieces = [TextRun(f"[^{self._inline.number_of(note)}]: ")]
                for paragraph in children(self._notes[note], "p"):
                    pieces += [*self._inline.read(paragraph).pieces, TextRun(" ")]
                if inline(pieces[1:]).text:
                    self.builder.paragraph(pieces)

    def _write_comments(self, ids: list[str]) -> None:
        for comment in (self._comments[each] for each in dict.fromkeys(ids) if each in self._comments):
            author = attribute(comment, "author")
            pieces = [TextRun(f"Comment by {author}: " if author else "Comment: ")]
            for paragraph in _paragraphs(comment):
                pieces += [*self._inline.read(paragraph).pieces, TextRun(" ")]
            if inline(pieces[1:]).text:
                self.builder.paragraph(pieces)

    def _table(self, node: Node) -> None:
        rows = [list(_spread(row)) for row in _rows(node)]
        if not rows or max(map(len, rows)) <= 1:
            for cell, _ in (cell for row in rows for cell in row):
                if cell is not None:
                    self.blocks(cell)
            return
        notes: list[tuple[str, str]] = []
        comments: list[str] = []
        above: Mapping[int, list[TextRun]] = {}
        table: list[list[list[TextRun]]] = []
        for row in rows:
            texts: dict[int, list[TextRun]] = {}
            for column, (cell, goes_on) in enumerate(row):
                texts[column] = _repeated(above.get(column, [])) if goes_on else self._cell(cell, notes, comments)
            above = texts
            table.append([texts[column] for column in range(len(row))])
        marked = [*(is_on(row, "trPr", "tblHeader") for row in _rows(node)), False].index(False)
        write_table(self.builder, table, _across(rows), marked if 0 < marked < len(rows) else None)
        self._write_notes(notes)
        self._write_comments(comments)

    def _cell(self, cell: Node | None, notes: list[tuple[str, str]], comments: list[str]) -> list[TextRun]:
        """The text of a cell on one line, including that of tables and text boxes inside it."""
        pieces: list[TextRun] = []
        waiting = [cell] if cell is not None else []
        while waiting:
            for paragraph in _paragraphs(waiting.pop(0)):
                content = self._read(paragraph)
                pieces += [*content.pieces, TextRun(" ")]
                notes += content.notes
                comments += content.comments
                waiting += content.boxes
        return pieces


def _across(rows: Sequence[Sequence[tuple[Node | None, bool]]]) -> Mapping[tuple[int, int], int]:
    """How many columns each wide cell covers: those below it are None."""
    found: dict[tuple[int, int], int] = {}
    for number, row in enumerate(rows):
        for column, (cell, _) in enumerate(row):
            covered = [*(each is None for each, _ in row[column + 1 :]), False].index(False)
            if cell is not None and covered:
                found[number, column] = covered + 1
    return found


def _is_gone(paragraph: Node, *, empty: bool) -> bool:
    """Whether a paragraph is part of the next one, since its mark was deleted, or whether all of it is hidden."""
    mark = child(paragraph, "pPr", "rPr")
    return next(children(mark, "del", "moveFrom"), None) is not None or (empty and is_on(mark, "vanish"))


def _repeated(pieces: list[TextRun]) -> list[TextRun]:
    """The text of a merged cell for the rows below its first one; a long text is not repeated."""
    return pieces if sum(len(piece.text) for piece in pieces) <= _LONGEST_REPEATED else []


def _root(part: Any) -> Node:
    """The root of a part's XML, or an empty element for a missing part."""
    if isinstance(part, XmlPart):
        return part.element  # the library parsed it
    return parse_xml(part.blob if part is not None else b"<none/>")


def _rows(table: Node) -> Iterator[Node]:
    for node in children(table):
        match name_of(node):
            case "tr" if child(node, "trPr", "del") is None:
                yield node
            case "sdt":
                content = child(node, "sdtContent")
                if content is not None:
                    yield from _rows(content)
            case name if name in _TRANSPARENT:
                yield from _rows(node)
            case _:
                pass


def _spread(row: Node) -> Iterator[tuple[Node | None, bool]]:
    """One cell per column, or None if a wide cell covers the column, and whether it continues the cell above."""
    for node in children(row, "tc", "sdt", *_TRANSPARENT):
        if name_of(node) != "tc":
            content = child(node, "sdtContent") if name_of(node) == "sdt" else node
            if content is not None:
                yield from _spread(content)
            continue
        merged = attribute_of_child(node, "tcPr", "vMerge")
        yield node, merged is not None and merged != "restart"
        width = attribute_of_child(node, "tcPr", "gridSpan") or "1"
        for _ in range(min(int(width) if width.isdigit() else 1, _MOST_CELLS_SPANNED) - 1):
            yield None, False


def _paragraphs(node: Node) -> Iterator[Node]:
    """The paragraphs below a node, including those of tables inside it."""
    for part in children(node):
        name = name_of(part)
        if name == "p":
            yield part
        elif name not in {"del", "moveFrom"}:
            yield from _paragraphs(part)


def as_document(archive: ZipFile, data: bytes) -> bytes:
    """Give a package the plain document type: the library opens neither templates nor documents with macros.

    Args:
        archive: the package.
        data: its bytes, which are returned unchanged if it already has the plain type.
    """
    if _TYPES not in archive.namelist():
        return data
    types = archive.read(_TYPES)
    if not any(kind in types for kind in _SAME_EXCEPT_TYPE):
        return data
    for kind in _SAME_EXCEPT_TYPE:
        types = types.replace(kind, _DOCUMENT)
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as copy:
        for name in archive.namelist():
            copy.writestr(name, types if name == _TYPES else archive.read(name))
    return out.getvalue()
