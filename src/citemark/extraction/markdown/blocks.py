"""Divides the lines of a page into blocks: in one pass, in linear time for any input, and with support for MDX.

It does not use markdown-it-py (ADR 9), whose block pass reads 100 kB/s of short lines, mistakes JSX for HTML that
swallows Markdown, and mistakes indented text inside JSX for code. Only the top level matters here; tests compare the
two on real pages.
"""

import re
from functools import cached_property

from citemark.model.text import Block, BlockKind, LineIndex, Span
from citemark.text.markdown import (
    Fence,
    fence_at,
    is_block,
    is_component,
    is_heading,
    is_module_statement,
    is_rule,
    is_table_header,
    is_underline,
    list_marker,
    tag_end,
    tag_name,
    unquoted,
)

_RAW = re.compile(r"<(?:(pre|script|style|textarea)(?=[\s>]|$)|(!--)|(\?)|(!\[CDATA\[)|(![A-Za-z]))", re.IGNORECASE)
_CLOSING_NAME = re.compile(r"</([\w.-]++)")
_RAW_END = ("", "-->", "?>", "]]>", ">")
_SPECIAL = frozenset("#`~><-+*_|{0123456789ie")
_INDENTED = 4
"""Columns of indentation from which a line is code, and the width of a tab."""

_DEEPEST = 100
"""Most nested list items on one line; a line of a million markers must not take a million steps back."""

_LEAST_ROWS = 3
"""Lines of a table that has a header, its rule and one row."""

_MOST_BLOCKS = 200_000
"""Most blocks of a page; the rest of a longer one is a single paragraph, which is cut like any other."""


def read_blocks(body: str, lines: LineIndex, first: int) -> list[Block]:
    """The blocks of `body` from the zero-based line `first` onwards."""
    return _BlockScanner(body, lines, first).read()


class _BlockScanner:
    """Walks the lines once; `_items` holds the content columns of the open list items."""

    def __init__(self, body: str, lines: LineIndex, first: int) -> None:
        self._body = body
        self._lines = lines
        self._index = first
        self._count = len(lines)
        self._blocks: list[Block] = []
        self._items: list[int] = []
        self._after_blank = True
        self._mdx = False
        self._comments_end = True

    def read(self) -> list[Block]:
        while self._index < self._count:
            stripped, indent = self._line(self._index)
            if not stripped:
                self._index += 1
                self._after_blank = True
                continue
            if len(self._blocks) >= _MOST_BLOCKS:
                self._close(BlockKind.PARAGRAPH, self._index, self._count)
                break
            while self._items and indent < self._items[-1]:
                self._items.pop()
            self._block(stripped, indent)
            self._after_blank = False
        return self._blocks

    def _line(self, number: int) -> tuple[str, int]:
        """A line without the white space around it, and the column where its text begins."""
        text = self._body[self._lines.starts[number] : self._lines.ends[number]]
        left = text.lstrip()
        indent = len(text) - len(left)
        if indent and "\t" in text[:indent]:
            indent = len(text[:indent].expandtabs(_INDENTED))
        return left.rstrip(), indent

    def _close(self, kind: BlockKind, first: int, beyond: int, head: str = "") -> None:
        """End the block of the lines from `first` up to, but not including, `beyond`, and continue at `beyond`."""
        start, end = self._lines.starts[first], self._lines.ends[beyond - 1]
        text = self._body[start:end]
        if kind not in (BlockKind.CODE, BlockKind.LIST_ITEM):
            start += len(text) - len(text.lstrip())
        span = Span(start, max(start, end - (len(text) - len(text.rstrip()))))
        if len(span):
            self._blocks.append(Block(kind, span, head))
        self._index = beyond

    def _block(self, stripped: str, indent: int) -> None:
        depth = indent - (self._items[-1] if self._items else 0)
        if depth >= _INDENTED and not self._mdx and self._code_may_begin():
            self._indented_code(self._items[-1] if self._items else 0)
        elif stripped[0] not in _SPECIAL and "|" not in stripped:
            self._paragraph(self._index)
        elif (fence := fence_at(stripped)) is not None:
            self._fence(self._index, fence)
        elif stripped[0] == "<" and self._markup(stripped):
            pass
        elif (kind := self._single_line(stripped)) is not None:
            self._close(kind, self._index, self._index + 1)
        elif stripped[0] == ">":
            self._quote()
        elif (marker := list_marker(stripped)) is not None:
            self._item(stripped, indent, marker)
        elif self._is_table(self._index, stripped):
            self._table()
        elif not (self._module(stripped, indent) or self._comment(stripped)):
            self._paragraph(self._index)

    def _single_line(self, stripped: str) -> BlockKind | None:
        if is_heading(stripped):
            return BlockKind.PARAGRAPH if self._items else BlockKind.HEADING
        return BlockKind.MARKUP if is_rule(stripped) else None

    def _markup(self, stripped: str) -> bool:
        """Read a block of HTML or JSX; return False if the line only begins with an inline tag, or with no tag."""
        raw = _RAW.match(stripped)
        if raw is not None:
            self._raw(raw)
            return True
        return self._tag(stripped)

    def _module(self, stripped: str, indent: int) -> bool:
        if indent or not is_module_statement(stripped):
            return False
        self._until_blank()
        return True

    def _code_may_begin(self) -> bool:
        return self._after_blank or not self._blocks or self._blocks[-1].kind in (BlockKind.HEADING, BlockKind.CODE)

    def _indented_code(self, base: int) -> None:
        first = self._index
        beyond = index = first + 1
        while index < self._count:
            stripped, indent = self._line(index)
            index += 1
            if stripped:
                if indent - base < _INDENTED:
                    break
                beyond = index
        self._close(BlockKind.CODE, first, beyond)

    def _fence(self, first: int, fence: Fence) -> None:
        index = self._index + 1
        base = self._items[-1] if self._items else 0
        while index < self._count:
            stripped, indent = self._line(index)
            if stripped and indent < base:
                break
            index += 1
            if fence.is_closed_by(stripped):
                break
        self._close(BlockKind.CODE, first, index)

    def _raw(self, match: re.Match[str]) -> None:
        """Read comments, scripts or preformatted text, including blank lines: nothing inside is Markdown."""
        start = self._lines.starts[self._index]
        if match[1]:
            close = re.compile(f"</{match[1]}>", re.IGNORECASE).search(self._body, start)
            end = close.end() if close else len(self._body)
        else:
            mark = _RAW_END[(match.lastindex or 1) - 1]
            found = self._body.find(mark, start)
            end = found + len(mark) if found >= 0 else len(self._body)
        preformatted = bool(match[1]) and match[1].lower() == "pre"
        self._close(BlockKind.CODE if preformatted else BlockKind.MARKUP, self._index, self._lines.at(end - 1) + 1)

    def _comment(self, stripped: str) -> bool:
        if not stripped.startswith("{/*"):
            return False
        start = self._lines.starts[self._index]
        found = self._body.find("*/}", start) if self._comments_end else -1
        if found < 0:
            self._comments_end = False
            return False
        self._close(BlockKind.MARKUP, self._index, self._lines.at(found) + 1)
        return True

    def _tag(self, stripped: str) -> bool:
        """Read the lines of a tag; return False if the line only begins with an inline tag, or with no tag."""
        name = tag_name(stripped)
        if name is None:
            return False
        start = self._body.index("<", self._lines.starts[self._index])
        if not is_block(name):
            end, closed = tag_end(stripped, 0)
            if not closed or end < len(stripped):
                return False
            self._close(BlockKind.MARKUP, self._index, self._index + 1)
            return True
        end, closed = tag_end(self._body, start)
        self._mdx = self._mdx or (is_component(name) and self._is_paired(name, start, end))
        if closed:
            self._close(BlockKind.MARKUP, self._index, self._lines.at(end - 1) + 1)
        else:
            self._until_blank()
        return True

    def _is_paired(self, name: str, start: int, end: int) -> bool:
        """Whether a tag closes itself or another, or is closed: a page that says `<Enter>` is not MDX."""
        alone = self._body.startswith("</", start) or self._body.endswith("/>", start, end)
        return alone or name in self._closing_names

    @cached_property
    def _closing_names(self) -> frozenset[str]:
        return frozenset(_CLOSING_NAME.findall(self._body))

    def _until_blank(self) -> None:
        index = self._index
        while index < self._count and self._line(index)[0]:
            index += 1
        self._close(BlockKind.MARKUP, self._index, index)

    def _quote(self) -> None:
        first = index = self._index
        fenced = lazy = False
        while index < self._count:
            stripped, indent = self._line(index)
            if stripped.startswith(">"):
                inner = unquoted(stripped)
                if fence_at(inner) is not None:
                    fenced = not fenced
                lazy = bool(inner) and not fenced and not is_heading(inner)
            elif not stripped or not lazy or self._interrupts(index, stripped, indent):
                break
            index += 1
        self._close(BlockKind.QUOTE, first, index)

    def _item(self, stripped: str, indent: int, marker: re.Match[str]) -> None:
        """Read a list item's own lines: up to a blank line, a nested item or any other block."""
        first = self._index
        column = indent
        position = 0
        match: re.Match[str] | None = marker
        while match is not None and len(self._items) < _DEEPEST:
            column += len(match[1])
            gap = len(f"{' ' * column}{match[2]}".expandtabs(_INDENTED)) - column if match[2] else 1
            column += gap if gap <= _INDENTED else 1
            self._items.append(column)
            position = match.end()
            match = None if is_rule(stripped, position) else list_marker(stripped, position)
        fence = fence_at(stripped, position)
        if fence is not None:
            self._fence(first, fence)
        else:
            self._paragraph(first)

    def _paragraph(self, first: int) -> None:
        """Read lines up to a blank one or another block; if they are underlined, they are a heading."""
        index = first + 1
        inside = bool(self._items)
        while index < self._count:
            stripped, indent = self._line(index)
            if not stripped:
                break
            if not inside and stripped[0] in "=-" and indent < _INDENTED and is_underline(stripped):
                self._close(BlockKind.HEADING, first, index + 1)
                return
            if self._interrupts(index, stripped, indent):
                break
            index += 1
        self._close(BlockKind.LIST_ITEM if inside else BlockKind.PARAGRAPH, first, index)

    def _interrupts(self, number: int, stripped: str, indent: int) -> bool:
        """Whether a line ends the paragraph above it (by CommonMark 0.31, and for MDX tags)."""
        first = stripped[0]
        if first not in _SPECIAL and "|" not in stripped:
            return False
        base = self._items[-1] if self._items else 0
        if indent - base >= _INDENTED and not self._mdx:
            return False
        if first == "<":
            name = tag_name(stripped)
            return (name is not None and is_block(name)) or _RAW.match(stripped) is not None
        if (marker := list_marker(stripped)) is not None:
            sibling = indent < base
            fit = marker.end() < len(stripped) and (first in "-+*" or marker[1][:-1] == "1")
            return sibling or fit or is_rule(stripped)
        return (
            first == ">"
            or is_heading(stripped)
            or fence_at(stripped) is not None
            or is_rule(stripped)
            or self._is_table(number, stripped)
        )

    def _is_table(self, number: int, stripped: str) -> bool:
        if "|" not in stripped or number + 1 >= self._count:
            return False
        return is_table_header(stripped, self._line(number + 1)[0])

    def _table(self) -> None:
        first = self._index
        index = first + 2
        while index < self._count:
            stripped, indent = self._line(index)
            if not stripped or (stripped[0] != "|" and self._interrupts(index, stripped, indent)):
                break
            index += 1
        names = self._body[self._lines.starts[first] : self._lines.ends[first]]
        # Some programs leave the header of a table empty, and write the names of the columns below it.
        last = first + 1 if any(map(str.isalnum, names)) or index - first <= _LEAST_ROWS else first + 2
        head = self._body[self._lines.starts[first] : self._lines.ends[last]].strip()
        self._close(BlockKind.TABLE, first, index, head)
