"""A quote as a reader sees it: rows of tables without padding, and what its words need to be understood around them."""

import re
from collections.abc import Iterator

from citemark.evidence.quotes import CutAt
from citemark.evidence.spans import SpanKind, layout, open_fences
from citemark.model.markdown import is_delimiter_row
from citemark.model.text import Span

_LEFT_OUT = "[…]"


def readable(words: str, header: str = "", cut: CutAt | None = None) -> str:
    """The words of a quote below the header row of their table, fences closed, with a mark where a sentence is cut."""
    if cut in ("start", "both"):
        words = f"{_LEFT_OUT} {words}"
    if cut in ("end", "both"):
        words = f"{words} {_LEFT_OUT}"
    before, behind = open_fences(words)
    return "\n".join(filter(None, [header, before, words, behind]))


_BLANKS = re.compile(r"[ \t]{2,}")
_DASHES = re.compile(r"-{4,}")
_ROWS = frozenset({SpanKind.ROW, SpanKind.ROW_HEAD})


class Unpadded:
    """A text whose table rows are shown with single spaces, and their rules with three dashes a column."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._rows = list(_rows(text)) if "|" in text else []

    def show(self, span: Span) -> str:
        """The characters of `span`, the rows in it without padding; the same words in the same order."""
        parts: list[str] = []
        at = span.start
        for row, pattern in self._rows:
            start, end = max(row.start, at), min(row.end, span.end)
            if start < end:
                parts += [self._text[at:start], pattern.sub(_single, self._text[start:end])]
                at = end
        return "".join([*parts, self._text[at : span.end]])


def unpadded(row: str) -> str:
    """One row without padding."""
    return _BLANKS.sub(_single, row.strip())


def _single(padding: re.Match[str]) -> str:
    return "---" if padding[0][0] == "-" else " "


def _rows(text: str) -> Iterator[tuple[Span, re.Pattern[str]]]:
    """The rows, each with what is padding in it; of a rule below a header that is its dashes."""
    for block in layout(text):
        if block.kind not in _ROWS:
            continue
        yield Span(block.start, block.end), _BLANKS
        following = text.find("\n", block.end)
        line = text[block.end : following if following >= 0 else len(text)]
        if is_delimiter_row(line.strip(" \t\r>")):
            yield Span(block.end, block.end + len(line)), _DASHES
