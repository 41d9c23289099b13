"""Heals words that a line end has parted, by the words that the document writes elsewhere."""

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_END = re.compile(r"([^\W\d_]+)([-\u2010])$")
_BEGIN = re.compile(r"[^\W_]+")
_SUSPENDED = frozenset({"and", "or", "und", "oder", "bis", "et", "ou", "en", "of", "y", "e", "o", "and/or", "sowie"})
_LEAST_HALF = 3
_LONGEST_WORD = 100


class Hyphens:
    """The words of a document, which tell a hyphen of the line from one of the word."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: set[str] = set()
        for line in lines:
            words = _WORD.findall(line)
            if words and line.endswith(("-", "\u2010")):
                words.pop()
            self._words.update(word.casefold().replace("\u2010", "-") for word in words)

    def joined(self, before: str, after: str) -> str | None:
        """Two lines as one when the first ends inside a word; None when they are words apart.

        The hyphen goes where the whole word is written without it elsewhere, and where nothing is known; it stays where
        the word is written with it, where both halves are words, before a capital or a digit, and in "up- and down".
        """
        end, begin = _END.search(before[-_LONGEST_WORD:]), _BEGIN.match(after[:_LONGEST_WORD])
        if end is None or begin is None:
            return None
        left, right = end[1].casefold(), begin[0].casefold()
        if right in _SUSPENDED:
            return f"{before} {after}"
        whole, compound = left + right, f"{left}-{right}"
        two_words = min(len(left), len(right)) >= _LEAST_HALF and left in self._words and right in self._words
        kept = not after[0].islower() or compound in self._words or two_words
        if whole not in self._words and kept:
            return before + after
        return before[:-1] + after
