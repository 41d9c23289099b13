"""Turns the elements of a web page, in order, into the blocks that a builder takes."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from selectolax.lexbor import LexborNode

from citemark.extraction.builder import Builder, TextRun, inline
from citemark.extraction.html.looks import around, input_box, look_of
from citemark.extraction.html.nodes import (
    BLOCKS,
    DEEPEST,
    TEXT,
    Attributes,
    children,
    image_words,
    is_hidden,
    is_left_out,
    pieces_of,
    preformatted,
    table_of,
    target_of,
    words_of,
)
from citemark.extraction.list_numbers import letters, roman
from citemark.extraction.tables import write_table
from citemark.extraction.text_runs import PLAIN
from citemark.model.text import BlockKind
from citemark.text.marks import CHECKED, EMPTY

_LISTS = frozenset({"ul", "ol", "dir"})
_CONTENT = frozenset({"main", "article"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_FRAGMENT = re.compile(r"[^\s/#~%]{1,100}")
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]{1,20})")
_NUMBERS = re.compile(r"[\d\s]+")
_LONGEST_NUMBER = 7
"""An item's number with this many digits, or more, is ignored."""


_FIGURES: Mapping[str, Callable[[int], str]] = MappingProxyType(
    {"a": letters, "A": lambda n: letters(n).upper(), "i": roman, "I": lambda n: roman(n).upper()}
)


@dataclass(slots=True)
class _Counting:
    """How a numbered list counts: the number of its next item, and the kind of its figures."""

    number: int
    step: int
    figures: str


def _counting(node: LexborNode, attributes: Attributes) -> _Counting:
    backwards = "reversed" in attributes
    first = sum(item.tag == "li" for item in children(node)) if backwards else 1
    return _Counting(_integer(attributes.get("start"), first), -1 if backwards else 1, attributes.get("type") or "1")


class PageReader:
    """Walks a page once, collects runs of text and passes them to the builder where a block ends."""

    def __init__(self, builder: Builder, *, base: str = "") -> None:
        self.first_heading = ""
        self._builder = builder
        self._base = base
        self._pieces: list[TextRun] = []
        self._lists: list[_Counting | None] = []
        self._marker = ""
        self._quotes = 0
        self._contents = 0
        self._anchor = ""
        self._look = PLAIN

    def read(self, node: LexborNode, *, is_content: bool) -> None:
        """Read everything below `node`; unless it is the page's own content, headers and sidebars are the site's."""
        self._contents = int(is_content)
        self._walk(node, "", 0)
        self._flush()

    def _walk(self, node: LexborNode, target: str, depth: int) -> None:
        for child in children(node):
            if self._builder.full:
                return
            tag = child.tag or ""
            if tag == TEXT:
                self._pieces.append(words_of(child, target, self._look))
                continue
            attributes = child.attributes
            if tag not in BLOCKS and (shown := input_box(tag, attributes)) and not is_hidden(attributes):
                self._pieces.append(TextRun(shown, target))
            if is_left_out(tag, attributes, in_content=self._contents > 0) and not (tag == "footer" and self._quotes):
                continue
            outer, self._look = self._look, look_of(child, tag, attributes, self._look)
            self._element(child, tag, attributes, target, depth)
            self._look = outer

    def _element(self, child: LexborNode, tag: str, attributes: Attributes, target: str, depth: int) -> None:
        if tag in BLOCKS:
            self._flush()
            self._block(child, tag, attributes, depth + 1)
            self._flush()
        elif tag == "br":
            self._pieces.append(TextRun("\n", target))
        elif tag == "img":
            self._pieces.append(TextRun(image_words(attributes), target))
        else:
            inner = (target_of(attributes, self._base) or target) if tag == "a" else target
            before, behind = around(child, tag) if tag[0] in "mq" else ("", "")
            if before:
                self._pieces.append(TextRun(before, target, self._look))
            self._inside(child, inner, depth + 1)
            if behind:
                self._pieces.append(TextRun(behind, target, self._look))

    def _inside(self, node: LexborNode, target: str, depth: int) -> None:
        if depth >= DEEPEST:
            self._pieces.extend(pieces_of(node, self._base, target, depth, self._look))
        else:
            self._walk(node, target, depth)

    def _block(self, node: LexborNode, tag: str, attributes: Attributes, depth: int) -> None:
        if tag in _HEADINGS:
            self._heading(node, int(tag[1]), attributes)
        elif tag == "pre":
            self._code(node, attributes)
        elif tag in _LISTS:
            self._lists.append(_counting(node, attributes) if tag == "ol" else None)
            self._inside(node, "", depth)
            self._flush()
            self._lists.pop()
        elif tag == "li":
            self._marker = self._next_marker(attributes)
            self._inside(node, "", depth)
            self._flush()
            self._marker = ""
        elif tag == "table":
            self._table(node, depth)
        else:
            self._container(node, tag, attributes, depth)

    def _container(self, node: LexborNode, tag: str, attributes: Attributes, depth: int) -> None:
        quotes, contents = int(tag == "blockquote"), int(tag in _CONTENT)
        if tag == "section" or "section" in (attributes.get("class") or "").split():
            self._anchor = _fragment(attributes)
        self._quotes += quotes
        self._contents += contents
        if shown := input_box(tag, attributes):
            self._pieces.append(TextRun(shown))
        self._inside(node, "", depth)
        self._flush()
        self._quotes -= quotes
        self._contents -= contents

    def _heading(self, node: LexborNode, level: int, attributes: Attributes) -> None:
        pieces = [piece for piece in pieces_of(node, self._base, look=self._look) if not _is_permalink(piece)]
        text = inline(pieces).text
        slug = _fragment(attributes) or _inner_fragment(node) or self._anchor
        self._anchor = ""
        self.first_heading = self.first_heading or text
        self._builder.heading(pieces, level, slug=slug)

    def _code(self, node: LexborNode, attributes: Attributes) -> None:
        self._anchor = ""
        text = preformatted(node)
        if _NUMBERS.fullmatch(text) and "\n" in text.strip():
            return  # the column of line numbers beside a listing
        self._builder.code(text, _language(node, attributes))

    def _table(self, node: LexborNode, depth: int) -> None:
        found = table_of(node, self._base)
        if found is None:
            self._inside(node, "", depth)
            return
        self._anchor = ""
        caption = node.css_first("caption")
        if caption is not None:
            self._builder.paragraph(pieces_of(caption, self._base, look=self._look))
        write_table(self._builder, found.rows, found.across, found.marked)

    def _next_marker(self, attributes: Attributes) -> str:
        counting = self._lists[-1] if self._lists else None
        if counting is None:
            return "-"
        number = _integer(attributes.get("value"), counting.number)
        counting.number = number + counting.step
        return f"{_FIGURES.get(attributes.get('type') or counting.figures, str)(number)}."

    def _flush(self) -> None:
        pieces, self._pieces = self._pieces, []
        texts = [piece.text.strip() for piece in pieces if piece.text.strip()]
        if not texts or (not self._marker and all(text in {CHECKED, EMPTY} for text in texts)):
            return  # nothing, or a control of the page itself
        self._anchor = ""
        if self._marker:
            self._builder.item(pieces, depth=max(0, len(self._lists) - 1), marker=self._marker)
            self._marker = ""
        else:
            self._builder.paragraph(pieces, BlockKind.QUOTE if self._quotes else BlockKind.PARAGRAPH)


def _is_permalink(piece: TextRun) -> bool:
    """True for the character after a heading that links to the heading itself."""
    return "#" in piece.target and not any(map(str.isalnum, piece.text))


def _fragment(attributes: Attributes) -> str:
    """The id of an element if it can be the last part of a slug unchanged, else ""."""
    found = attributes.get("id") or attributes.get("name") or ""
    return found if _FRAGMENT.fullmatch(found) else ""


def _inner_fragment(node: LexborNode) -> str:
    inner = node.css_first("a[id], a[name], span[id]")
    return "" if inner is None else _fragment(inner.attributes)


def _language(node: LexborNode, attributes: Attributes) -> str:
    """The language that is named by a listing itself, by the code element in it or by the elements around it."""
    code = node.css_first("code")
    around = [node.parent, node.parent.parent if node.parent is not None else None]
    for candidate in (attributes, *(near.attributes for near in (code, *around) if near is not None)):
        found = _LANGUAGE.search(candidate.get("class") or "")
        if found is not None:
            return "" if found[1] in {"default", "none", "plaintext", "text"} else found[1]
    return ""


def _integer(value: str | None, default: int) -> int:
    text = (value or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < _LONGEST_NUMBER else default
