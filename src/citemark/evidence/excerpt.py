"""Reading a text in bounded pieces that together give the whole text again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from citemark.evidence.budget import BYTES_PER_TOKEN, bytes_len, prefix_chars, suffix_chars, whole_sign_before
from citemark.evidence.preview import one_line
from citemark.evidence.readable import Unpadded, part_as_read
from citemark.evidence.spans import Piece, SpanKind, pieces
from citemark.model.errors import BudgetExceeded, InvalidArgument
from citemark.model.text import Span
from citemark.text.markdown import list_marker

MAX_BYTES = 32 * 1024
"""The most bytes that one excerpt may hold."""

_NEAR_LINE = 4
"""A line break is the preferred cut if it costs no more than a quarter of the room."""

_BULLET = "- "
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of a text: `text` for reading, the range `start_char..end_char` that it covers, and where to continue.

    `next_start_char` is None at the end; `truncated` says that text was left out before or after it.
    """

    text: str
    start_char: int
    end_char: int
    next_start_char: int | None
    truncated: bool


def read(text: str, start_char: int, max_tokens: int, max_bytes: int = MAX_BYTES) -> Cut:
    """The text from `start_char` on, within the token and byte limits, cut after a line or a word where one is near.

    Following `next_start_char` to the end gives the whole text, each character once.

    Raises:
        InvalidArgument: `start_char` lies outside the text.
        BudgetExceeded: not even one character fits.
    """
    _check(text, start_char)
    room = min(max_tokens * BYTES_PER_TOKEN, max_bytes)
    fits = prefix_chars(text[start_char : start_char + max(0, room)], room)
    end = start_char + fits
    if end < len(text):
        if not fits:
            raise BudgetExceeded(
                "not one character fits; ask for more tokens.", max_tokens=max_tokens, max_bytes=max_bytes
            )
        end = _tidy_end(text, start_char, end)
    return _cut(text, part_as_read(text, Span(start_char, end)), start_char, end)


def expand(body: str, span: Span, before_tokens: int, after_tokens: int, max_bytes: int = MAX_BYTES) -> Cut:
    """`span` of `body` with up to the given tokens before and after it, cut at word boundaries, within `max_bytes`.

    If `max_bytes` is too small, text is left out after the span first, then before it, then at the span's end.

    Raises:
        InvalidArgument: the span lies outside the body.
    """
    _check(body, span.end)
    fits = prefix_chars(body[span.start : min(span.end, span.start + max_bytes)], max_bytes)
    kept = span.start + fits
    if kept < span.end:
        kept = _tidy_end(body, span.start, kept)
    room = max_bytes - bytes_len(body[span.start : kept])
    behind = min(before_tokens * BYTES_PER_TOKEN, room)
    start = span.start - suffix_chars(body[max(0, span.start - behind) : span.start], behind)
    start = _tidy_start(body, start, span.start)
    room -= bytes_len(body[start : span.start])
    end = kept
    if kept == span.end:
        ahead = min(after_tokens * BYTES_PER_TOKEN, room)
        end = kept + prefix_chars(body[kept : kept + ahead], ahead)
        end = end if end == len(body) else _tidy_end(body, kept, end)
    return _cut(body, part_as_read(body, Span(start, end)), start, end)


def bullets(text: str) -> str:
    """One line per sentence, item or row of `text`, and per heading above them."""
    seen = Unpadded(text)
    return "\n".join(unit.line(seen) for unit in _units(text))


def read_bullets(text: str, start_char: int, max_tokens: int, max_bytes: int = MAX_BYTES) -> Cut:
    """Like `read`, with lines as of `bullets` and only whole ones, unless the first alone is too long.

    Raises:
        InvalidArgument: `start_char` lies outside the text.
        BudgetExceeded: not even one character fits.
    """
    _check(text, start_char)
    room = min(max_tokens * BYTES_PER_TOKEN, max_bytes)
    lines: list[str] = []
    seen = Unpadded(text)
    end = start_char
    for unit in _units(text, start_char):
        line = unit.line(seen)
        used = bytes_len(line) + bool(lines)
        if used > room:
            break
        room -= used
        lines.append(line)
        end = unit.span.end
    else:
        end = len(text)
    if lines or end == len(text):
        return _cut(text, "\n".join(lines), start_char, end)
    part = read(text, start_char, max_tokens, room - len(_BULLET))
    return _cut(text, _bullet(part.text), start_char, part.end_char)


def _bullet(span: str) -> str:
    """A span on a line of its own, after one bullet: its own if it is an item of a list."""
    line = one_line(span)
    return line if list_marker(line) else _BULLET + line


@dataclass(frozen=True, slots=True)
class _Unit:
    """What has a line of its own; a heading has no bullet, so that it is not taken for an item."""

    span: Span
    heading: bool = False

    def line(self, seen: Unpadded) -> str:
        shown = seen.show(self.span)
        return one_line(shown) if self.heading else _bullet(shown)


def _units(text: str, start_char: int = 0) -> Iterator[_Unit]:
    """The units of the whole text that extend beyond `start_char`; the first may lack its beginning."""
    for piece in pieces(text):
        for unit in _parts(piece, text):
            if unit.span.end > start_char:
                yield replace(unit, span=Span(max(unit.span.start, start_char), unit.span.end))


def _parts(piece: Piece, text: str) -> Iterator[_Unit]:
    """The headings that a piece begins with, a line each, and what stands below them."""
    if piece.kind is SpanKind.HEADING:
        yield _Unit(piece.span, heading=True)
        return
    for line in _LINE.finditer(text, piece.span.start, piece.body.start):
        if any(map(str.isalnum, line[0])):
            yield _Unit(Span(*line.span()), heading=True)
    yield _Unit(piece.body)


def _cut(text: str, shown: str, start: int, end: int) -> Cut:
    following = end if end < len(text) else None
    return Cut(shown, start, end, following, truncated=start > 0 or following is not None)


def _check(text: str, start_char: int) -> None:
    if not 0 <= start_char <= len(text):
        raise InvalidArgument(
            f"start_char {start_char} is outside the text, which has {len(text)} characters; use next_start_char.",
            start_char=start_char,
            length=len(text),
        )


def _tidy_end(text: str, start: int, end: int) -> int:
    """The best stop at or before `end`: after a near line break, after a space, or between visible characters."""
    if end <= start:
        return end
    line = text.rfind("\n", start, end) + 1
    if line > start and end - line <= (end - start) // _NEAR_LINE:
        return line
    if text[end].isspace() or text[end - 1].isspace():
        return whole_sign_before(text, end, start)
    at = end
    while at > start and not text[at - 1].isspace():
        at -= 1
    return at if at > start else whole_sign_before(text, end, start)


def _tidy_start(text: str, start: int, latest: int) -> int:
    if start in {0, latest} or text[start - 1].isspace():
        return start
    at = start
    while at < latest and not text[at].isspace():
        at += 1
    while at < latest and text[at].isspace():
        at += 1
    return at
