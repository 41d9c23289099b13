"""Lines of a text as editors count them: after CRLF, LF or a lone CR."""

import re
from bisect import bisect_right

from citemark.model.text import Lines, Span

_BREAK = re.compile(r"\r\n|\r|\n")


class LineIndex:
    """Where each line begins and ends; built once per text."""

    def __init__(self, text: str) -> None:
        breaks = [match.span() for match in _BREAK.finditer(text)]
        self.starts = [0, *(end for _, end in breaks)]
        self.ends = [*(start for start, _ in breaks), len(text)]

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, offset: int) -> int:
        """The zero-based line of a character offset; a line break belongs to the line that it ends."""
        return bisect_right(self.starts, offset) - 1

    def of(self, span: Span) -> Lines:
        """The lines that a span touches."""
        first = self.at(span.start)
        last = self.at(max(span.start, span.end - 1))
        return Lines(first + 1, last + 1)
