"""The elements of a page, in order, as the parts that a builder takes."""

import re
from collections.abc import Iterator
from typing import Any

from citemark.extraction.building import Builder
from citemark.extraction.headings import slugify
from citemark.extraction.inline import Piece, inline
from citemark.model.text import BlockKind

_DEEPEST = 120
_TEXT = "-text"
_SILENT = frozenset(
    {"script", "style", "noscript", "template", "nav", "footer", "aside", "form", "button", "select", "input",
     "textarea", "svg", "iframe", "object", "canvas", "audio", "video", "dialog", "menu", "map", "head", "link", "meta"}
)  # fmt: skip
_ROLES = frozenset({"navigation", "search", "banner", "contentinfo", "complementary", "menu", "menubar", "dialog"})
_BLOCKS = frozenset(
    {"address", "article", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption",
     "figure", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "li", "main", "ol", "p", "pre",
     "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"}
)  # fmt: skip
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_FRAGMENT = re.compile(r"[\w.:~-]{1,80}")


class Walker:
    """Walks one tree and hands what is to be read to the builder."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.first_heading = ""
        self._pieces: list[Piece] = []
        self._anchor = ""
        self._whole: Any = None

    def read(self, node: Any, *, whole: Any) -> None:
        """Read what is below `node`; `whole` is the page's body, whose own header is furniture."""
        self._whole = whole
        if node is not None:
            self._blocks(node, 0)
            self._flush()

    def _blocks(self, parent: Any, depth: int) -> None:
        for node in _children(parent):
            if self.builder.full:
                return
            if node.tag == _TEXT:
                self._pieces.append(Piece(node.text_content or ""))
            elif not self._is_read(node, parent):
                continue
            elif depth > _DEEPEST:
                self._pieces.append(Piece(node.text(deep=True)))
            elif node.tag in _BLOCKS or _holds_blocks(node):
                self._block(node, depth)
            else:
                self._pieces.extend(self._inline(node, depth))

    def _block(self, node: Any, depth: int) -> None:
        self._flush()
        match node.tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6" as tag:
                self._heading(node, int(tag[1]), depth)
            case "pre":
                self.builder.code(node.text(deep=True))
            case "ul" | "ol":
                self._list(node, depth, 0)
            case "blockquote":
                self._quote(node, depth)
            case "table" if _is_data(node):
                self._table(node, depth)
            case "dt":
                self.builder.paragraph(self._inline(node, depth))
            case "dd":
                self.builder.item(self._inline(node, depth))
            case _:
                self._anchor = self._anchor or _identifier(node) if node.tag == "section" else self._anchor
                self._blocks(node, depth + 1)
                self._flush()

    def _heading(self, node: Any, level: int, depth: int) -> None:
        said = [Piece(piece.text.replace("¶", ""), "") for piece in self._inline(node, depth)]
        text = inline(said).text.removesuffix(" #").strip()
        anchor = _identifier(node) or self._inner_identifier(node) or self._anchor
        self._anchor = ""
        if text:
            self.first_heading = self.first_heading or text
            self.builder.heading(text, level, slug=slugify(anchor) if anchor else "")

    def _inner_identifier(self, node: Any) -> str:
        inner = node.css_first("[id], a[name]")
        return "" if inner is None else _identifier(inner) or inner.attributes.get("name") or ""

    def _list(self, node: Any, depth: int, level: int) -> None:
        ordered = node.tag == "ol"
        number = _start(node)
        for item in _children(node):
            if item.tag in {"ul", "ol"} and depth < _DEEPEST:
                self._list(item, depth + 1, level + 1)
            if item.tag != "li" or not self._is_read(item, node):
                continue
            self._item(item, depth + 1, level, f"{number}." if ordered else "-")
            number += 1

    def _item(self, item: Any, depth: int, level: int, marker: str) -> None:
        """The item's own words first, then the lists and blocks inside it."""
        pieces: list[Piece] = []
        below: list[Any] = []
        for node in _children(item):
            if node.tag == _TEXT:
                pieces.append(Piece(node.text_content or ""))
            elif not self._is_read(node, item):
                continue
            elif node.tag in {"ul", "ol", "pre", "table", "blockquote"} or (below and node.tag in _BLOCKS):
                below.append(node)
            else:
                pieces.extend([*self._inline(node, depth), Piece(" ")])
        self.builder.item(pieces, depth=level, marker=marker)
        for node in below:
            if depth > _DEEPEST:
                self.builder.paragraph(node.text(deep=True))
            elif node.tag in {"ul", "ol"}:
                self._list(node, depth, level + 1)
            else:
                self._block(node, depth)

    def _quote(self, node: Any, depth: int) -> None:
        parts = [child for child in _children(node) if child.tag == "p"]
        for part in parts or [node]:
            self.builder.paragraph(self._inline(part, depth), BlockKind.QUOTE)

    def _table(self, node: Any, depth: int) -> None:
        caption = node.css_first("caption")
        if caption is not None:
            self.builder.paragraph(self._inline(caption, depth))
        rows = [row for row in node.css("tr") if _owner(row) == node.mem_id]
        cells = [[self._inline(cell, depth) for cell in _children(row) if cell.tag in {"td", "th"}] for row in rows]
        first = [cell.tag for cell in _children(rows[0]) if cell.tag in {"td", "th"}] if rows else []
        self.builder.table(cells, header=bool(first) and all(tag == "th" for tag in first))

    def _inline(self, node: Any, depth: int, target: str = "") -> list[Piece]:
        """The runs below an element that reads as one line, with where they link to."""
        if node.tag == "br":
            return [Piece("\n", target)]
        if node.tag == "img":
            return [Piece(node.attributes.get("alt") or "", target)]
        if node.tag == "a":
            target = node.attributes.get("href") or ""
        if depth > _DEEPEST:
            return [Piece(node.text(deep=True), target)]
        pieces: list[Piece] = []
        for child in _children(node):
            if child.tag == _TEXT:
                pieces.append(Piece(child.text_content or "", target))
            elif self._is_read(child, node):
                found = self._inline(child, depth + 1, target)
                pieces.extend([Piece(" "), *found, Piece(" ")] if child.tag in _BLOCKS else found)
        return pieces

    def _flush(self) -> None:
        pieces, self._pieces = self._pieces, []
        if pieces:
            self.builder.paragraph(pieces)

    def _is_read(self, node: Any, parent: Any) -> bool:
        tag, attributes = node.tag, node.attributes
        if tag in _SILENT or tag.startswith(("-", "!")):
            return False
        if tag == "header" and self._whole is not None and parent.mem_id == self._whole.mem_id:
            return False
        if "hidden" in attributes or (attributes.get("aria-hidden") or "").lower() == "true":
            return False
        if (attributes.get("role") or "").lower() in _ROLES:
            return False
        return not _HIDDEN.search(attributes.get("style") or "")


def _children(node: Any) -> Iterator[Any]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _holds_blocks(node: Any) -> bool:
    """An inline element around blocks, as many pages have it: a link around a card, a span around paragraphs."""
    return any(child.tag in _BLOCKS for child in _children(node))


def _is_data(table: Any) -> bool:
    """Whether a table holds data: one that lays out a page has other tables, headings or a single column inside."""
    if table.css_first("th") is not None:
        return True
    if table.css_first("table") is not None or table.css_first("h1, h2, h3, ul, ol, pre") is not None:
        return False
    return any(sum(cell.tag == "td" for cell in _children(row)) > 1 for row in table.css("tr"))


def _owner(row: Any) -> int:
    """The table that a row belongs to."""
    node = row.parent
    while node is not None and node.tag != "table":
        node = node.parent
    return 0 if node is None else int(node.mem_id)


def _identifier(node: Any) -> str:
    found = node.attributes.get("id") or ""
    return found if _FRAGMENT.fullmatch(found) else ""


def _start(node: Any) -> int:
    stated = node.attributes.get("start") or ""
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 7 else 1  # noqa: PLR2004
