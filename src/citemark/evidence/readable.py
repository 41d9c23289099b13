"""A quote as a reader sees it: table rows without padding, and around the words what is needed to understand them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from citemark.evidence.markup import Replaced, replaced_in
from citemark.evidence.spans import CutAt, LayoutBlock, SpanKind, layout, open_fences
from citemark.model.text import Span
from citemark.text.markdown import is_delimiter_row, unquoted

_LEFT_OUT = "[…]"


def readable(words: str, header: str = "", cut: CutAt | None = None) -> str:
    """The words of a quote below their table's header row, with fences closed and a mark where a sentence is cut."""
    if cut in ("start", "both"):
        words = f"{_LEFT_OUT} {words}"
    if cut in ("end", "both"):
        words = f"{words} {_LEFT_OUT}"
    before, behind = open_fences(words)
    return "\n".join(filter(None, [header, before, words, behind]))


_BLANKS = re.compile(r"[ \t]{2,}")
_DASHES = re.compile(r"-{4,}")
_EMPTIED = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_ROWS = frozenset({SpanKind.ROW, SpanKind.ROW_HEAD})
_MARKS = re.compile(r"[|<>&^]|%%|\{/\*| {64}")
"""Without any of these, a text is shown as it is."""

_AROUND = 2_000
"""Characters on either side of a part that decide how it is shown: longer than any tag that people write."""


class Unpadded:
    """A text as a reader of the page sees it, except that Markdown marks remain.

    Table rows have single spaces, and their delimiter rows three dashes per column. Outside code, tags and comments are
    left out, entities are replaced by the characters that they stand for, and so are names of blocks and the room that
    data took which are not read.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = parts_as_read(text)

    def show(self, span: Span) -> str:
        """The characters of `span` in this form: the same words in the same order."""
        shown: list[str] = []
        at = span.start
        first = bisect_right(self._parts, span.start, key=lambda part: part.end)
        for part in self._parts[first:]:
            if part.start >= span.end:
                break
            shown += [self.text[at : max(at, part.start)], part.shown if part.start >= span.start else ""]
            at = max(at, part.end)
        words, whole = self.text[span.start : span.end], "".join([*shown, self.text[min(at, span.end) : span.end]])
        if whole == words:
            return words
        return _EMPTIED.sub("\n\n", whole).strip("\n") or _only_markup(words)


def as_read(text: str) -> str:
    """A whole text as a reader of the page sees it."""
    return Unpadded(text).show(Span(0, len(text)))


def part_as_read(text: str, span: Span) -> str:
    """A part of a text, which may be long, as a reader of the page sees it."""
    start, end = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
    return Unpadded(text[start:end]).show(Span(span.start - start, span.end - start))


def without_markup(text: str) -> str:
    """A text as a model reads it: as a reader sees it, and without the delimiter rows of tables."""
    shown = as_read(text)
    if "|" not in shown:
        return shown
    return "\n".join(
        line for line in shown.split("\n") if "|" not in line or not is_delimiter_row(unquoted(line).rstrip())
    )


def unpadded(row: str) -> str:
    """One table row without padding and tags."""
    return as_read(_BLANKS.sub(" ", row.strip()))


def _only_markup(words: str) -> str:
    """What is shown of words that are nothing but markup: a plain tag as it is, others as something left out."""
    return _LEFT_OUT if "=" in words else words


def parts_as_read(text: str) -> list[Replaced]:
    """What is not shown as it is written, in order; in the delimiter row of a table, those are dashes."""
    if _MARKS.search(text) is None:
        return []
    blocks = list(layout(text)) if "|" in text or "```" in text or "~~~" in text else []
    found: list[Replaced] = []
    at = 0
    for block in blocks:
        if block.kind is SpanKind.CODE:
            found += replaced_in(text, at, block.start)
            at = block.end
    found += replaced_in(text, at, len(text))
    padding = list(_padding(text, blocks))
    if not padding:
        return found
    taken = [(part.start, part.end) for part in found]
    free = [part for part in padding if not _overlaps(taken, part)]
    return sorted([*found, *free], key=lambda part: part.start)


def _overlaps(taken: Sequence[tuple[int, int]], part: Replaced) -> bool:
    at = bisect_right(taken, (part.start, part.start))
    before = at > 0 and taken[at - 1][1] > part.start
    return before or (at < len(taken) and taken[at][0] < part.end)


def _padding(text: str, blocks: Sequence[LayoutBlock]) -> Iterator[Replaced]:
    for block in blocks:
        if block.kind not in _ROWS:
            continue
        yield from (Replaced(*blanks.span(), " ") for blanks in _BLANKS.finditer(text, block.start, block.end))
        following = text.find("\n", block.end)
        end = following if following >= 0 else len(text)
        if is_delimiter_row(text[block.end : end].strip(" \t\r>")):
            yield from (Replaced(*dashes.span(), "---") for dashes in _DASHES.finditer(text, block.end, end))
