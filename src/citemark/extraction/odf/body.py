"""Reads the text of an OpenDocument file: headings, paragraphs, lists, tables and text boxes, in order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from citemark.extraction.builder import Builder, TextRun, inline
from citemark.extraction.odf.looks import NO_BOXES, NO_LOOKS
from citemark.extraction.office import Node, attribute, child, children, name_of
from citemark.extraction.packages import costing
from citemark.extraction.tables import write_table
from citemark.extraction.text_runs import PLAIN, Look

_LEFT_OUT = frozenset(
    {"annotation", "annotation-end", "tracked-changes", "bookmark", "bookmark-start", "change-start", "change-end"}
    | {"script", "ruby-text", "soft-page-break", "note-citation", "sequence-decls", "event-listeners", "desc", "title"}
)

_MOST_BLANKS = 1_000
"""Most spaces that one element may stand for."""


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
"""Most times that a cell may be repeated; empty ends of rows are repeated thousands of times."""


_KINDS: Mapping[str, str] = MappingProxyType(
    {"h": "heading", "p": "paragraph", "list": "list", "table": "table", "frame": "shape"}
)
"""What the elements of a body are called."""

_LONGEST_REPEATED = 200
"""Most characters of a merged cell that is repeated in each of its rows."""


_Counts = dict[int, int]
"""The last number of each level of a list; the lists that continue one another share it."""


@dataclass(slots=True)
class OdfParagraph:
    """The text of a paragraph; `notes` are its notes with their numbers, `boxes` the text boxes anchored in it."""

    pieces: list[TextRun] = field(default_factory=list[TextRun])
    notes: list[tuple[int, Node]] = field(default_factory=list[tuple[int, Node]])
    boxes: list[Node] = field(default_factory=list[Node])


class OdfInline:
    """Reads paragraphs in order; notes are numbered in the order in which they appear."""

    def __init__(self, looks: Mapping[str, Look] = NO_LOOKS, boxes: Mapping[str, str] = NO_BOXES) -> None:
        self._notes = 0
        self._looks = looks
        self._boxes = boxes

    def read(self, paragraph: Node, look: Look = PLAIN) -> OdfParagraph:
        """The text of a paragraph in a place with this look; comments are written below it."""
        content = OdfParagraph()
        self._inside(paragraph, "", self._look_of(paragraph, look), content)
        return content

    def _look_of(self, node: Node, outer: Look) -> Look:
        own = self._looks.get(attribute(node, "style-name"), PLAIN)
        return outer.with_(place=own.place, struck=own.struck)

    def _inside(self, node: Node, target: str, look: Look, content: OdfParagraph) -> None:
        content.pieces.append(TextRun(_flat(node.text), target, look))
        for part in node:
            self._part(part, target, look, content)
            content.pieces.append(TextRun(_flat(part.tail), target, look))

    def _part(self, part: Node, target: str, look: Look, content: OdfParagraph) -> None:
        match name_of(part):
            case "s":
                blanks = attribute(part, "c")
                times = min(int(blanks) if blanks.isdigit() else 1, _MOST_BLANKS)
                content.pieces.append(TextRun(" " * times, target, look))
            case "tab":
                content.pieces.append(TextRun(" ", target, look))
            case "line-break":
                content.pieces.append(TextRun("\n", target, look))
            case "control" if (box := self._boxes.get(attribute(part, "control"))) is not None:
                content.pieces.append(TextRun(box, target))
            case "a":
                address = attribute(part, "href")
                self._inside(part, "" if address.startswith("#") else address, look, content)
            case "note":
                self._notes += 1
                content.notes.append((self._notes, part))
                content.pieces.append(TextRun(f"[^{self._notes}]"))
            case "frame" | "custom-shape" | "rect" | "g":
                content.boxes.append(part)
            case name if name and name not in _LEFT_OUT:
                self._inside(part, target, self._look_of(part, look), content)
            case _:
                pass


def body_of(note: Node) -> Iterator[Node]:
    """The paragraphs of a note."""
    yield from children(child(note, "note-body"), "p", "h")


def _flat(text: str | None) -> str:
    """Text with the line breaks of the XML as spaces, which is all that they mean."""
    return " ".join(text.split("\n")) if text else ""


class OdfText:
    """Walks a body once and passes its parts to the builder.

    Args:
        builder: Takes the parts.
        numbered: The names of list styles that number their items; items of any other style have a bullet.
        titles: The names of paragraph styles that make a paragraph the document's title.
        looks: What the look of a text says, by the names of styles.
        boxes: The boxes of the form controls, by their ids.
        mended: Whether a part that cannot be read costs that part, and not the file.
    """

    def __init__(
        self,
        builder: Builder,
        numbered: frozenset[str],
        titles: frozenset[str],
        looks: Mapping[str, Look] = NO_LOOKS,
        boxes: Mapping[str, str] = NO_BOXES,
        *,
        mended: bool = False,
    ) -> None:
        self.mended = mended
        self._builder = builder
        self._numbered = numbered
        self._titles = titles
        self._looks = looks
        self._inline = OdfInline(looks, boxes)
        self._lists: dict[str, _Counts] = {}
        self._last_list: tuple[str, _Counts] = ("", {})
        self._commented: set[Node] = set()
        self.title = ""

    def blocks(self, parent: Node) -> None:
        """Read the parts below a node, in order."""
        for node in children(parent):
            if self._builder.full:
                return
            with costing(self._builder, f"unreadable {_KINDS.get(name_of(node), 'part')}", when=self.mended):
                self._block(node)

    def _block(self, node: Node) -> None:
        match name_of(node):
            case "h":
                self._heading(node)
            case "p":
                self._paragraph(node)
            case "list":
                self._list(node)
            case "table":
                self._table(node)
            case "frame":
                self._frame(node)
            case name if name in _TRANSPARENT:
                self.blocks(node)
            case _:
                return
        self.write_comments(node)

    def write_comments(self, node: Node) -> None:
        """Write the comments below a node that were not written yet."""
        for comment in node.iter():
            if name_of(comment) != "annotation" or comment in self._commented:
                continue
            self._commented.add(comment)
            author = str(getattr(child(comment, "creator"), "text", "") or "").strip()
            pieces = [TextRun(f"Comment by {author}: " if author else "Comment: ")]
            for paragraph in _all_paragraphs(comment):
                pieces += [*self._inline.read(paragraph).pieces, TextRun(" ")]
            if inline(pieces[1:]).text:
                self._builder.paragraph(pieces)

    def _frame(self, node: Node) -> None:
        """Read the text of a frame, or write what its picture shows if the author said so; anything else is counted."""
        described = " ".join(str(getattr(child(node, "desc"), "text", "") or "").split())
        if child(node, "text-box") is not None:
            self.blocks(node)
        elif child(node, "object") is not None or child(node, "object-ole") is not None:
            self._builder.leave_out("embedded object")
        elif child(node, "image") is not None and described:
            self._builder.paragraph(f"[Image: {described}]")
        elif child(node, "image") is not None:
            self._builder.leave_out("image without text")
        else:
            self.blocks(node)

    def pieces(self, node: Node) -> list[TextRun]:
        """All text below a node on one line, such as that of a cell or of a slide's title."""
        pieces: list[TextRun] = []
        look = self._looks.get(attribute(node, "style-name"), PLAIN)
        for paragraph in _paragraphs(node):
            content = self._inline.read(paragraph, look)
            pieces += [*content.pieces, TextRun(" ")]
            for box in content.boxes:
                pieces += self.pieces(box)
        return pieces

    def _heading(self, node: Node) -> None:
        content = self._inline.read(node)
        level = attribute(node, "outline-level")
        self._builder.heading(content.pieces, int(level) if level.isdigit() else 1)
        self._write_rest(content)

    def _paragraph(self, node: Node) -> None:
        content = self._inline.read(node)
        if attribute(node, "style-name") in self._titles and not self.title:
            self.title = inline(content.pieces).text[:200]
            self._builder.heading(content.pieces, 1)
        else:
            self._builder.paragraph(content.pieces)
        self._write_rest(content)

    def _list(self, node: Node) -> None:
        style = attribute(node, "style-name")
        counts = self._lists.get(attribute(node, "continue-list"))
        if counts is None:
            goes_on = attribute(node, "continue-numbering") == "true" and style == self._last_list[0]
            counts = self._last_list[1] if goes_on else {}
        self._last_list = style, counts
        if attribute(node, "id"):
            self._lists[attribute(node, "id")] = counts
        self._items(node, 0, style, counts)

    def _items(self, node: Node, depth: int, style: str, counts: _Counts) -> None:
        style = attribute(node, "style-name") or style
        for item in children(node, "list-item", "list-header"):
            _count(item, depth, counts)
            first = True
            for part in children(item):
                match name_of(part):
                    case "list":
                        self._items(part, depth + 1, style, counts)
                    case "h":
                        self._heading(part)
                    case "p" if first and name_of(item) == "list-item":
                        content = self._inline.read(part)
                        marker = f"{counts[depth]}." if style in self._numbered else "-"
                        self._builder.item(content.pieces, depth=depth, marker=marker)
                        self._write_rest(content)
                        first = False
                    case "p":
                        self._paragraph(part)
                    case _:
                        pass

    def _table(self, node: Node) -> None:
        across: dict[tuple[int, int], int] = {}
        reaching = ReachingCells()
        rows: list[list[list[TextRun]]] = []
        for number, row in enumerate(_rows(node)):
            cells = list(_cells(row))
            rows.append(reaching.repeated([(self.pieces(cell), cell) for cell in cells]))
            across.update(
                ((number, column), spanned) for column, cell in enumerate(cells) if (spanned := columns_of(cell)) > 1
            )
        if rows and max(map(len, rows)) == 1:
            for row in _rows(node):
                for cell in _cells(row):
                    self.blocks(cell)
            return
        marked = sum(1 for _ in _rows(child(node, "table-header-rows")))
        write_table(self._builder, rows, across, marked if 0 < marked < len(rows) else None)

    def _write_rest(self, content: OdfParagraph) -> None:
        """Write the notes and the text boxes of a paragraph below it."""
        for number, note in content.notes:
            pieces = [TextRun(f"[^{number}]: ")]
            for paragraph in body_of(note):
                pieces += [*self._inline.read(paragraph).pieces, TextRun(" ")]
            self._builder.paragraph(pieces)
        for box in content.boxes:
            if name_of(box) == "frame":
                self._frame(box)
            else:
                self.blocks(box)


def _count(item: Node, depth: int, counts: _Counts) -> None:
    """Give an item its number. One that only goes on with a deeper level is the item above, and a header has none."""
    start = attribute(item, "start-value")
    if start.isdigit():
        counts[depth] = int(start)
    elif name_of(item) == "list-item" and (depth not in counts or next(children(item, "p", "h"), None) is not None):
        counts[depth] = counts.get(depth, 0) + 1
    else:
        return
    for deeper in [level for level in counts if level > depth]:
        del counts[deeper]


def _paragraphs(node: Node) -> Iterator[Node]:
    """The paragraphs below a node, however deep, except for those of comments."""
    for part in children(node):
        name = name_of(part)
        if name in {"p", "h"}:
            yield part
        elif name not in _CONTENTS and name not in _LEFT_OUT:
            yield from _paragraphs(part)


def _all_paragraphs(node: Node) -> Iterator[Node]:
    """The paragraphs of a comment, those of its lists included."""
    return (part for part in node.iter() if name_of(part) in {"p", "h"})


class ReachingCells:
    """Repeats a cell that spans rows in each of them, so that every row can be read alone."""

    def __init__(self) -> None:
        self._reaching: dict[int, tuple[int, list[TextRun]]] = {}

    def repeated(self, cells: Sequence[tuple[list[TextRun], Node]]) -> list[list[TextRun]]:
        """The texts of a row's cells by column, with those of the cells above that reach down to it."""
        texts: list[list[TextRun]] = []
        for column, (pieces, cell) in enumerate(cells):
            rows, above = self._reaching.pop(column, (0, []))
            covered = name_of(cell) == "covered-table-cell"
            texts.append(above if covered and rows else pieces)
            down = rows - 1 if covered else _integer(cell, "number-rows-spanned") - 1
            if down > 0 and sum(len(piece.text) for piece in texts[-1]) <= _LONGEST_REPEATED:
                self._reaching[column] = (down, texts[-1])
        return texts


def columns_of(cell: Node) -> int:
    """How many columns a cell covers."""
    return min(_integer(cell, "number-columns-spanned"), _MOST_SPANNED)


def _integer(node: Node, name: str) -> int:
    value = attribute(node, name)
    return int(value) if value.isdigit() else 1


def _rows(table: Node | None) -> Iterator[Node]:
    for node in children(table):
        if name_of(node) == "table-row":
            yield node
        elif name_of(node) in _ROW_GROUPS:
            yield from _rows(node)


def _cells(row: Node) -> Iterator[Node]:
    """One cell per column; cells that a wide one covers are empty."""
    for node in children(row, "table-cell", "covered-table-cell"):
        times = attribute(node, "number-columns-repeated")
        for _ in range(min(int(times) if times.isdigit() else 1, _MOST_SPANNED)):
            yield node
