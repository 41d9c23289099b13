"""Cutting a passage into the spans that can answer: sentences, items, table rows, code blocks.

One pass over its lines makes blocks, which are then cut into spans. The lines are read by the same grammar as when the
page was indexed (`text/markdown.py`). A passage may begin and end anywhere in a page, so it may begin inside a fence,
or inside a table without its header. The heads, greetings and closings of letters and mails answer nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from citemark.model.text import Span
from citemark.text.markdown import (
    Fence,
    fence_at,
    front_matter_of,
    is_delimiter_row,
    is_heading,
    is_module_statement,
    is_numbered_heading,
    is_only_tags,
    is_rule,
    is_table_header,
    is_titled_tag,
    is_underline,
    list_marker,
    prose_marker,
    unquoted,
)
from citemark.text.properties import properties_alone
from citemark.text.sentences import sentences

_LONGEST_GREETING = 80
"""Characters of a salutation or closing; a longer line says something of its own."""

_MAIL_HEAD = re.compile(
    r"(?:from|to|cc|bcc|date|sent|subject|reply-to|von|an|datum|gesendet|betreff|de|\u00e0|envoy\u00e9|objet) ?:",
    re.IGNORECASE,
)
_SALUTATION = re.compile(
    r"(?:dear|hi|hello|hey|good (?:morning|afternoon|evening|day)|hallo|moin|liebe[rs]?|guten (?:tag|morgen|abend)|"
    r"sehr geehrte[rs]?|bonjour|bonsoir|salut|ch(?:er|\u00e8re)s?|madame|monsieur)\b[^.?:;]*[,!]$",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind|warm|many) (?:regards|wishes)|regards|cheers|thanks(?: a lot| again| in advance)?|"
    r"many thanks|thank you|(?:yours )?(?:sincerely|truly|faithfully)(?: yours)?|"
    r"mit (?:freundlichen|besten|herzlichen|vielen) gr\u00fc(?:\u00df|ss)en|"
    r"(?:viele|liebe|beste|freundliche|herzliche) gr\u00fc(?:\u00df|ss)e|mfg|vg|lg|gru(?:\u00df|ss)|"
    r"(?:vielen |besten )?dank|danke|(?:bien )?cordialement|bien \u00e0 (?:vous|toi)|"
    r"(?:meilleures |sinc\u00e8res )?salutations|merci(?: d.avance)?)(?: (?:from|aus|de) [\w ]+)?[ ,.!]*$",
    re.IGNORECASE,
)


def is_mail_head(paragraph: str) -> bool:
    """True for a paragraph of headers such as a mail begins with."""
    lines = paragraph.strip().splitlines()
    return len(lines) > 1 and all(_MAIL_HEAD.match(line.lstrip("> \t")) for line in lines)


def is_salutation(line: str) -> bool:
    """True for a line with a greeting."""
    return len(line) <= _LONGEST_GREETING and _SALUTATION.match(line) is not None


def is_closing(line: str) -> bool:
    """True for a line that closes a letter or mail; names and addresses follow it."""
    return len(line) <= _LONGEST_GREETING and _CLOSING.match(line) is not None


CutAt = Literal["start", "end", "both"]
"""At which end a quote cuts a sentence, or another unit of text, short."""


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
    ADDRESSING = "addressing"


@dataclass(frozen=True, slots=True)
class LayoutBlock:
    """Lines that belong together; `header` is the header row above a table row."""

    kind: SpanKind
    start: int
    end: int
    header: Span | None = None


_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ENDS = frozenset(".!?:\u2026")


def marker_end(text: str, start: int, end: int) -> int:
    """Where an item's own text begins, after its bullet or number."""
    return start + _marker_length(text[start:end])


def layout(text: str) -> Iterator[LayoutBlock]:
    """Blocks in order, never overlapping; together they hold every letter and digit of `text`."""
    return _LayoutScanner(text).blocks()


def open_fences(text: str) -> tuple[str, str]:
    """The fences that a text lacks: one before it if it begins inside code, and one after it if it ends inside code."""
    lines = [match.span() for match in _LINE.finditer(text)]
    closers = _fence_closers(text, lines)
    before = behind = ""
    for number, (start, end) in enumerate(lines):
        fence = fence_at(text[_content_start(text, start, end) : end].rstrip())
        if fence is None:
            continue
        if number in closers:
            last = text[_content_start(text, *lines[closers[number]]) : lines[closers[number]][1]].rstrip()
            behind = "" if closers[number] > number and fence.is_closed_by(last) else fence.mark
        elif not any(opener < number <= closer for opener, closer in closers.items()):
            before = before or fence.mark
    return before, behind


class _LayoutScanner:
    """The state of one pass over a text: the open paragraph, and the table being read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: LayoutBlock | None = None
        self._open_lines = 0
        self._header: Span | None = None
        self._in_table = False
        self._depth = 0

    def blocks(self) -> Iterator[LayoutBlock]:
        text = self._text
        if (properties := properties_alone(text)) and not (text[:1].isupper() and is_mail_head(text)):
            yield from (LayoutBlock(SpanKind.ITEM, each.span.start, each.span.end) for each in properties)
            return
        begin = 0
        front = front_matter_of(text)
        if front is not None:
            begin = front.end
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
            following = unquoted(text[slice(*lines[at + 1])]).rstrip() if at + 1 < len(lines) else ""
            yield from self._line(start, end, following)
            at += 1
        yield from self._flush()

    def _flush(self) -> Iterator[LayoutBlock]:
        if self._open is not None:
            mail_head = self._is_sentence() and is_mail_head(self._text[self._open.start : self._open.end])
            yield replace(self._open, kind=SpanKind.ADDRESSING) if mail_head else self._open
        self._open, self._open_lines = None, 0

    def _line(self, start: int, end: int, following: str) -> Iterator[LayoutBlock]:
        depth = self._text.count(">", start, _content_start(self._text, start, end))
        if depth != self._depth:
            yield from self._flush()  # a reply is no part of what it quotes
            self._depth = depth
        start = _content_start(self._text, start, end)
        line = self._text[start:end].rstrip()
        if self._table_line(line, following):
            yield from self._flush()
            yield from self._row(line, start, end, following)
            return
        self._in_table, self._header = False, None
        if is_underline(line) and self._open is not None and self._open_lines == 1 and self._is_sentence():
            yield LayoutBlock(SpanKind.HEADING, self._open.start, end)
            self._open, self._open_lines = None, 0
        elif not line or is_rule(line) or _is_bare_fence(line):
            yield from self._flush()
        elif kind := self._lone_kind(line):
            yield from self._flush()
            yield LayoutBlock(kind, start, end)
        elif is_closing(line):
            yield from self._flush()
            self._open, self._open_lines = LayoutBlock(SpanKind.ADDRESSING, start, end), 1
        else:
            if _marker_length(line):
                yield from self._flush()
                self._open, self._open_lines = LayoutBlock(SpanKind.ITEM, start, end), 0
            kind = self._open.kind if self._open else SpanKind.SENTENCE
            self._open = LayoutBlock(kind, self._open.start if self._open else start, end)
            self._open_lines += 1

    def _lone_kind(self, line: str) -> SpanKind | None:
        """The kind of a line that is a block of its own, or None for a line of a paragraph."""
        if is_heading(line) or (self._is_open_to_heading() and is_numbered_heading(line)):
            return SpanKind.HEADING
        if self._open is None and is_salutation(line):
            return SpanKind.ADDRESSING
        if is_only_tags(line):
            return SpanKind.HEADING if is_titled_tag(line) else SpanKind.MARKUP
        return SpanKind.MARKUP if self._open is None and is_module_statement(line) else None

    def _is_open_to_heading(self) -> bool:
        """Whether a heading without marks may be here: nothing is open, or a sentence has just ended."""
        return self._open is None or self._text[: self._open.end].rstrip()[-1:] in _ENDS

    def _is_sentence(self) -> bool:
        return self._open is not None and self._open.kind is SpanKind.SENTENCE

    def _table_line(self, line: str, following: str) -> bool:
        if "|" not in line:
            return False
        return line.startswith("|") or self._in_table or (is_table_header(line, following) and not _marker_length(line))

    def _row(self, line: str, start: int, end: int, following: str) -> Iterator[LayoutBlock]:
        if is_delimiter_row(line) and "|" in line:
            self._in_table = True
        elif is_table_header(line, following):
            self._header, self._in_table = Span(start, start + len(line)), True
            yield LayoutBlock(SpanKind.ROW_HEAD, start, end)
        else:
            yield LayoutBlock(SpanKind.ROW, start, end, self._header)


def _content_start(text: str, start: int, end: int) -> int:
    """Where a line's content begins, after indentation and block quote marks."""
    return end - len(unquoted(text[start:end]))


def _marker_length(line: str) -> int:
    """The length of the bullet or number that begins an item, with the white space after it; 0 for other lines."""
    marker = list_marker(line) or prose_marker(line)
    return marker.end() if marker is not None and line[marker.end() :].strip() else 0


def _is_bare_fence(line: str) -> bool:
    """True for a fence without a language, which may also be a closing fence."""
    fence = fence_at(line)
    return fence is not None and not fence.info


def _fence_closers(text: str, lines: list[tuple[int, int]]) -> dict[int, int]:
    """Line numbers of opening fences, mapped to those of the lines that close them.

    A passage may be cut inside a fence: an unclosed fence runs to the end if it opens the passage or names a language.
    Any other unclosed fence, and one that is followed by a fence that names a language, is the closing half of a fence
    that began before the passage.
    """
    closers: dict[int, int] = {}
    opened: tuple[int, Fence, bool] | None = None
    blank_so_far = True
    for number, (start, end) in enumerate(lines):
        line = text[_content_start(text, start, end) : end].rstrip()
        fence = fence_at(line)
        if opened is None:
            if fence is not None:
                opened = (number, fence, blank_so_far or bool(fence.info))
        elif opened[1].is_closed_by(line):
            closers[opened[0]] = number
            opened = None
        elif not opened[2] and fence is not None and fence.mark[0] == opened[1].mark[0]:
            opened = (number, fence, bool(fence.info))
        blank_so_far = blank_so_far and not line
    if opened is not None and opened[2]:
        closers[opened[0]] = len(lines) - 1
    return closers


_TAKES_HEADING = frozenset({SpanKind.SENTENCE, SpanKind.ITEM})


@dataclass(frozen=True, slots=True)
class Piece:
    """One span, its kind, and what is above it.

    `span` starts at the heading lines directly above a first sentence, so that a heading never stands alone when
    text follows it; `body` is the span without them. `header` is the header row above a table row.
    """

    span: Span
    kind: SpanKind
    body: Span
    header: Span | None = None


def pieces(text: str) -> list[Piece]:
    """The spans of `text` in order, with their kinds, in linear time.

    They are disjoint, trimmed, and hold every letter and digit outside delimiter rows.
    """
    found: list[Piece] = []
    headings: list[Piece] = []
    for piece in _cut(text):
        if piece.kind is SpanKind.HEADING or (headings and piece.kind is SpanKind.MARKUP):
            headings.append(piece)
            continue
        if headings and piece.kind in _TAKES_HEADING:
            found.append(replace(piece, span=Span(headings[0].span.start, piece.span.end)))
        else:
            found += [*headings, piece]
        headings = []
    return found + headings


def _cut(text: str) -> Iterator[Piece]:
    for block in layout(text):
        for start, end in _ranges(text, block):
            part = text[start:end]
            trimmed = part.strip()
            if any(map(str.isalnum, trimmed)):
                lead = start + len(part) - len(part.lstrip())
                span = Span(lead, lead + len(trimmed))
                yield Piece(span, block.kind, span, block.header)


def _ranges(text: str, block: LayoutBlock) -> Iterator[tuple[int, int]]:
    if block.kind in _TAKES_HEADING:
        yield from sentences(text, block.start, block.end, marker_end(text, block.start, block.end))
    else:
        yield block.start, block.end
