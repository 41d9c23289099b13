"""The coarse layout of a passage: one pass over its lines, into blocks that spans are cut from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from citemark.model.text import Span


class SpanKind(StrEnum):
    """What a span is made of."""

    SENTENCE = "sentence"
    ITEM = "item"
    ROW = "row"
    ROW_HEAD = "row_head"
    CODE = "code"
    HEADING = "heading"
    MARKUP = "markup"
    FRONT_MATTER = "front_matter"


@dataclass(frozen=True, slots=True)
class LayoutBlock:
    """Lines that belong together; `header` is the header row above a table row."""

    kind: SpanKind
    start: int
    end: int
    header: Span | None = None


_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_QUOTED = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*")
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_BARE_FENCE = re.compile(r"(?:`{3,}|~{3,})$")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_UNDERLINE = re.compile(r"(?:=+|-{2,})$")
_BREAK = re.compile(r"(?:[-*_][ \t]*){3,}$")
_RULE_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_ITEM = re.compile(r"(?:[-*+•‣◦▪●○]|\d{1,3}[.)]|[a-z]\))[ \t]+(?=\S)")
_TAGS = re.compile(r"(?:<[^<>]*>\s*)+$")
_TITLED = re.compile(r"<[^<>]*\stitle=", re.IGNORECASE)
_MODULE = re.compile(r"import\s[^'\"]*\sfrom\s['\"]|export\s(?:const|default|function)\s")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?=[\w-]+:)(?:[^\n]*\n){1,200}?---[ \t]*(?:\r?\n|\Z)")


def marker_end(text: str, start: int, end: int) -> int:
    """Where an item's own text begins, behind its bullet or number."""
    marker = _ITEM.match(text, start, end)
    return marker.end() if marker else start


def layout(text: str) -> Iterator[LayoutBlock]:
    """Blocks in order, never overlapping; together they hold every letter and digit of `text`."""
    return _Reader(text).blocks()


class _Reader:
    """The state of one pass: the open paragraph, the table being read, the rest of the lines."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: LayoutBlock | None = None
        self._open_lines = 0
        self._header: Span | None = None
        self._in_table = False

    def blocks(self) -> Iterator[LayoutBlock]:
        text = self._text
        begin = 0
        if front := _FRONT_MATTER.match(text):
            begin = front.end()
            yield LayoutBlock(SpanKind.FRONT_MATTER, 0, begin)
        lines = [match.span() for match in _LINE.finditer(text, begin)]
        closers = _fence_closers(text, lines)
        at = 0
        while at < len(lines):
            start, end = lines[at]
            if at in closers:
                yield from self._flush()
                at = closers[at] + 1
                yield LayoutBlock(SpanKind.CODE, start, lines[at - 1][1])
                continue
            following = text[slice(*lines[at + 1])] if at + 1 < len(lines) else ""
            yield from self._line(start, end, following)
            at += 1
        yield from self._flush()

    def _flush(self) -> Iterator[LayoutBlock]:
        if self._open is not None:
            yield self._open
        self._open, self._open_lines = None, 0

    def _line(self, start: int, end: int, following: str) -> Iterator[LayoutBlock]:
        start = _content_start(self._text, start, end)
        line = self._text[start:end].rstrip()
        if self._table_line(line, following):
            yield from self._flush()
            yield from self._row(line, start, end, following)
            return
        self._in_table, self._header = False, None
        if _UNDERLINE.match(line) and self._open is not None and self._open_lines == 1 and self._is_sentence():
            yield LayoutBlock(SpanKind.HEADING, self._open.start, end)
            self._open, self._open_lines = None, 0
        elif not line or _BREAK.match(line) or _BARE_FENCE.match(line):
            yield from self._flush()
        elif kind := _lone_kind(line):
            yield from self._flush()
            yield LayoutBlock(kind, start, end)
        else:
            if _ITEM.match(line):
                yield from self._flush()
                self._open, self._open_lines = LayoutBlock(SpanKind.ITEM, start, end), 0
            kind = self._open.kind if self._open else SpanKind.SENTENCE
            self._open = LayoutBlock(kind, self._open.start if self._open else start, end)
            self._open_lines += 1

    def _is_sentence(self) -> bool:
        return self._open is not None and self._open.kind is SpanKind.SENTENCE

    def _table_line(self, line: str, following: str) -> bool:
        if "|" not in line:
            return False
        return line.startswith("|") or self._in_table or (_is_rule(following) and not _ITEM.match(line))

    def _row(self, line: str, start: int, end: int, following: str) -> Iterator[LayoutBlock]:
        if _is_rule(line):
            self._in_table = True
        elif _is_rule(following):
            self._header, self._in_table = Span(start, start + len(line)), True
            yield LayoutBlock(SpanKind.ROW_HEAD, start, end)
        else:
            yield LayoutBlock(SpanKind.ROW, start, end, self._header)


def _content_start(text: str, start: int, end: int) -> int:
    """Where a line's content begins, behind indentation and quotation marks."""
    prefix = _QUOTED.match(text, start, end)
    return prefix.end() if prefix else start


def _is_rule(line: str) -> bool:
    line = line.strip().lstrip("> ")
    return "|" in line and _RULE_ROW.match(line) is not None


def _lone_kind(line: str) -> SpanKind | None:
    """The kind of a line that is a block of its own, None for a line of a paragraph."""
    if _HEADING.match(line):
        return SpanKind.HEADING
    if line.startswith("<") and _TAGS.match(line):
        return SpanKind.HEADING if _TITLED.match(line) else SpanKind.MARKUP
    return SpanKind.MARKUP if _MODULE.match(line) else None


def _fence_closers(text: str, lines: list[tuple[int, int]]) -> dict[int, int]:
    """Line numbers of opening fences and of the lines that close them.

    A passage may be cut inside a fence: an unclosed fence runs to the end when it opens the passage or names a
    language; any other one, and one that is followed by a fence that names a language, is the closing half of a fence
    that began before the passage.
    """
    closers: dict[int, int] = {}
    opened: tuple[int, str, str] | None = None
    blank_so_far = True
    for number, (start, end) in enumerate(lines):
        line = text[_content_start(text, start, end) : end].rstrip()
        if opened is None:
            if line[:3] in {"```", "~~~"} and (fence := _FENCE.match(line)):
                opened = (number, fence[1], "first" if blank_so_far else fence[2])
        elif line[:3] == opened[1][:3] and len(line) >= len(opened[1]) and not line.strip(opened[1][0]):
            closers[opened[0]] = number
            opened = None
        elif not opened[2] and line[:3] == opened[1][:3] and (fence := _FENCE.match(line)):
            opened = (number, fence[1], fence[2])
        blank_so_far = blank_so_far and not line
    if opened is not None and opened[2]:
        closers[opened[0]] = len(lines) - 1
    return closers
