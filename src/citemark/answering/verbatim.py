"""Whether a document says a sentence word for word, and not only as a part of something else."""

import re
from bisect import bisect_right
from itertools import pairwise

from citemark.answering.wording import denies
from citemark.evidence.spans import pieces

_QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_MOST_PLACES = 20
"""How many places with the same words are examined; a sentence seldom occurs twice."""

_CLAUSE_END = re.compile(r"[,;:.!?\u2013\u2014]\s|\s(?:but|aber)\s")

# What joins the characters before or after a match to its first or last word, or to its first or last number.
_WORD_BEFORE = re.compile(r"\w[-\u2010\u2011'\u2019]?\Z")
_WORD_AFTER = re.compile(r"[-\u2010\u2011'\u2019]?\w")
_NUMBER_BEFORE = re.compile(r"(?:\w|\d[.,:/'\u2019 \u2013-]|[+\u2212-])\Z")
_NUMBER_AFTER = re.compile(r"\w|[.,:/'\u2019 \u2013-]\d")
_MARKS = ".,-'\u2019"


def on_one_line(text: str) -> str:
    """`text` on one line, without the marks of a quotation."""
    return " ".join(_QUOTED.sub(" ", text).split())


class SourceWords:
    """The words of a document on one line, with the places where its sentences begin."""

    def __init__(self, text: str) -> None:
        starts = {start for piece in pieces(text) for start in (piece.span.start, piece.body.start)}
        self._begins = [0]
        parts: list[str] = []
        for start, end in pairwise(sorted({0, len(text), *starts})):
            part = on_one_line(text[start:end])
            if part:
                parts.append(part)
                self._begins.append(self._begins[-1] + len(part) + 1)
        self._line = " ".join(parts)
        self._whole = on_one_line(text)

    def contain(self, words: str) -> bool:
        """True when these words of one line occur anywhere, even inside of others."""
        return words in self._whole

    def state(self, words: str) -> bool:
        """True when a sentence or clause of the document has these words and does not deny them.

        So "5 bar" is not stated by "15 bar", and "use vinegar" not by "Do not use vinegar".
        """
        at = -1
        for _ in range(_MOST_PLACES):
            at = self._line.find(words, at + 1)
            if at < 0:
                break
            if self._is_apart(at, at + len(words)) and not self._is_denied(at, at + len(words)):
                return True
        return False

    def _is_apart(self, start: int, end: int) -> bool:
        """True when the range begins and ends between words and numbers."""
        first, last = self._line[start : start + 1], self._line[end - 1 : end]
        before, after = self._line[max(0, start - 2) : start], self._line[end : end + 2]
        if first.isalnum() and (_NUMBER_BEFORE if first.isdigit() else _WORD_BEFORE).search(before):
            return False
        if last.isalnum():
            return not (_NUMBER_AFTER if last.isdigit() else _WORD_AFTER).match(after)
        return last not in _MARKS or not after[:1].isalnum()

    def _is_denied(self, start: int, end: int) -> bool:
        """True when the sentence has a denial before the range, or its clause has one after it."""
        at = bisect_right(self._begins, start)
        after = self._line[end : self._begins[at]]
        border = _CLAUSE_END.search(after)
        return denies(self._line[self._begins[at - 1] : start]) or denies(after[: border.start()] if border else after)
