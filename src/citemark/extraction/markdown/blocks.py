"""A page's lines to blocks: one pass, linear in any input, aware of MDX.

Not markdown-it-py (ADR 9): its block pass reads 100 kB/s of short lines, takes JSX for HTML that swallows Markdown, and
takes indented text inside JSX for code. Only the top level matters here; tests compare the two on real pages.
"""

import re

from citemark.model.markdown import (
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
from citemark.model.text import Block, BlockKind, LineIndex, Span

_RAW = re.compile(r"<(?:(pre|script|style|textarea)(?=[\s>]|$)|(!--)|(\?)|(!\[CDATA\[)|(![A-Za-z]))", re.IGNORECASE)
_RAW_END = ("", "-->", "?>", "]]>", ">")
_SPECIAL = frozenset("#`~><-+*_|{0123456789ie")
_INDENTED = 4
"""Columns from which a line is indented code, and the width of a tab."""

_DEEPEST = 100
"""List items inside each other on one line; a line of a million markers must not take a million steps back."""

_MOST_BLOCKS = 200_000
"""The rest of a longer page is a single paragraph, which is cut like any other."""


def read_blocks(body: str, lines: LineIndex, first: int) -> list[Block]:
    """Blocks of `body` from the zero-based line `first` on."""
    return _BlockScanner(body, lines, first).read()


class _BlockScanner:
    """Walks the lines once; `_items` holds the content columns of the list items that are open."""

    def __init__(self, body: str, lines: LineIndex, first: int) -> None:
        self._body = body
        self._lines = lines
        self._at = first
        self._count = len(lines)
        self._blocks: list[Block] = []
        self._items: list[int] = []
        self._after_blank = True
        self._mdx = False
        self._comments_end = True

    def read(self) -> list[Block]:
        while self._at < self._count:
            stripped, indent = self._line(self._at)
            if not stripped:
                self._at += 1
                self._after_blank = True
                continue
            if len(self._blocks) >= _MOST_BLOCKS:
                self._close(BlockKind.PARAGRAPH, self._at, self._count)
                break
            while self._items and indent < self._items[-1]:
                self._items.pop()
            self._block(stripped, indent)
            self._after_blank = False
        return self._blocks

    def _line(self, number: int) -> tuple[str, int]:
        """A line without its white space, and the column where it begins."""
        text = self._body[self._lines.starts[number] : self._lines.ends[number]]
        left = text.lstrip()
        indent = len(text) - len(left)
        if indent and "\t" in text[:indent]:
            indent = len(text[:indent].expandtabs(_INDENTED))
        return left.rstrip(), indent

    def _close(self, kind: BlockKind, first: int, beyond: int, head: str = "") -> None:
        """End the block of lines `first` up to `beyond`, and go on there."""
        start, end = self._lines.starts[first], self._lines.ends[beyond - 1]
        text = self._body[start:end]
        if kind not in (BlockKind.CODE, BlockKind.LIST_ITEM):
            start += len(text) - len(text.lstrip())
        span = Span(start, max(start, end - (len(text) - len(text.rstrip()))))
        if len(span):
            self._blocks.append(Block(kind, span, head))
        self._at = beyond

    def _block(self, stripped: str, indent: int) -> None:
        depth = indent - (self._items[-1] if self._items else 0)
        if depth >= _INDENTED and not self._mdx and self._code_may_begin():
            self._indented_code(self._items[-1] if self._items else 0)
        elif stripped[0] not in _SPECIAL and "|" not in stripped:
            self._paragraph(self._at)
        elif (fence := fence_at(stripped)) is not None:
            self._fence(self._at, fence)
        elif stripped[0] == "<" and self._markup(stripped):
            pass
        elif (kind := self._single_line(stripped)) is not None:
            self._close(kind, self._at, self._at + 1)
        elif stripped[0] == ">":
            self._quote()
        elif (marker := list_marker(stripped)) is not None:
            self._item(stripped, indent, marker)
        elif self._is_table(self._at, stripped):
            self._table()
        elif not (self._module(stripped, indent) or self._comment(stripped)):
            self._paragraph(self._at)

    def _single_line(self, stripped: str) -> BlockKind | None:
        if is_heading(stripped):
            return BlockKind.PARAGRAPH if self._items else BlockKind.HEADING
        return BlockKind.MARKUP if is_rule(stripped) else None

    def _markup(self, stripped: str) -> bool:
        """Take HTML or JSX; False when the line only begins with an inline tag, or with none."""
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
        first = self._at
        beyond = at = first + 1
        while at < self._count:
            stripped, indent = self._line(at)
            at += 1
            if stripped:
                if indent - base < _INDENTED:
                    break
                beyond = at
        self._close(BlockKind.CODE, first, beyond)

    def _fence(self, first: int, fence: Fence) -> None:
        at = self._at + 1
        base = self._items[-1] if self._items else 0
        while at < self._count:
            stripped, indent = self._line(at)
            if stripped and indent < base:
                break
            at += 1
            if fence.is_closed_by(stripped):
                break
        self._close(BlockKind.CODE, first, at)

    def _raw(self, match: re.Match[str]) -> None:
        """Comments, scripts and preformatted text, blank lines included: nothing inside is Markdown."""
        start = self._lines.starts[self._at]
        if match[1]:
            close = re.compile(f"</{match[1]}>", re.IGNORECASE).search(self._body, start)
            end = close.end() if close else len(self._body)
        else:
            mark = _RAW_END[(match.lastindex or 1) - 1]
            found = self._body.find(mark, start)
            end = found + len(mark) if found >= 0 else len(self._body)
        preformatted = bool(match[1]) and match[1].lower() == "pre"
        self._close(BlockKind.CODE if preformatted else BlockKind.MARKUP, self._at, self._lines.at(end - 1) + 1)

    def _comment(self, stripped: str) -> bool:
        if not stripped.startswith("{/*"):
            return False
        start = self._lines.starts[self._at]
        found = self._body.find("*/}", start) if self._comments_end else -1
        if found < 0:
            self._comments_end = False
            return False
        self._close(BlockKind.MARKUP, self._at, self._lines.at(found) + 1)
        return True

    def _tag(self, stripped: str) -> bool:
        """Take the lines of a tag; False when the line only begins with an inline one."""
        name = tag_name(stripped)
        if name is None:
            return False
        start = self._body.index("<", self._lines.starts[self._at])
        if not is_block(name):
            end, closed = tag_end(stripped, 0)
            if not closed or end < len(stripped):
                return False
            self._close(BlockKind.MARKUP, self._at, self._at + 1)
            return True
        self._mdx = self._mdx or is_component(name)
        end, closed = tag_end(self._body, start)
        if closed:
            self._close(BlockKind.MARKUP, self._at, self._lines.at(end - 1) + 1)
        else:
            self._until_blank()
        return True

    def _until_blank(self) -> None:
        at = self._at
        while at < self._count and self._line(at)[0]:
            at += 1
        self._close(BlockKind.MARKUP, self._at, at)

    def _quote(self) -> None:
        first = at = self._at
        fenced = lazy = False
        while at < self._count:
            stripped, indent = self._line(at)
            if stripped.startswith(">"):
                inner = unquoted(stripped)
                if fence_at(inner) is not None:
                    fenced = not fenced
                lazy = bool(inner) and not fenced and not is_heading(inner)
            elif not stripped or not lazy or self._interrupts(at, stripped, indent):
                break
            at += 1
        self._close(BlockKind.QUOTE, first, at)

    def _item(self, stripped: str, indent: int, marker: re.Match[str]) -> None:
        """A list item's own lines: up to a blank line, a nested item or any other block."""
        first = self._at
        column = indent
        at = 0
        match: re.Match[str] | None = marker
        while match is not None and len(self._items) < _DEEPEST:
            gap = len(match[2].expandtabs(_INDENTED)) if match[2] else 1
            column += len(match[1]) + (gap if gap <= _INDENTED else 1)
            self._items.append(column)
            at = match.end()
            match = None if is_rule(stripped, at) else list_marker(stripped, at)
        fence = fence_at(stripped, at)
        if fence is not None:
            self._fence(first, fence)
        else:
            self._paragraph(first)

    def _paragraph(self, first: int) -> None:
        """Lines up to a blank one or another block; underlined, it is a heading."""
        at = first + 1
        inside = bool(self._items)
        while at < self._count:
            stripped, indent = self._line(at)
            if not stripped:
                break
            if not inside and stripped[0] in "=-" and indent < _INDENTED and is_underline(stripped):
                self._close(BlockKind.HEADING, first, at + 1)
                return
            if self._interrupts(at, stripped, indent):
                break
            at += 1
        self._close(BlockKind.LIST_ITEM if inside else BlockKind.PARAGRAPH, first, at)

    def _interrupts(self, number: int, stripped: str, indent: int) -> bool:
        """Whether a line ends the paragraph above it (CommonMark 0.31, MDX tags beside it)."""
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
        first = self._at
        at = first + 2
        while at < self._count:
            stripped, indent = self._line(at)
            if not stripped or (stripped[0] != "|" and self._interrupts(at, stripped, indent)):
                break
            at += 1
        head = self._body[self._lines.starts[first] : self._lines.ends[first + 1]].strip()
        self._close(BlockKind.TABLE, first, at, head)
