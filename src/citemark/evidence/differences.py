"""What differs between a quotation and the document, as shortly as it can be said."""

import difflib
import re
import unicodedata
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from citemark.model.text import Span

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphens and characters without width, which may stand inside a word."""

_NO_INVISIBLE = dict.fromkeys(map(ord, _INVISIBLE))

_WORD = re.compile(
    rf"(?<![\w.,])[-\u2212+\u00b1](?=\d)"
    rf"|[^\W_](?:[{_INVISIBLE}]?[^\W_])*(?:[.,:]\d[^\W_]*)*"
    r"|[%\u2030\u00b0\u20ac$\u00a3\u00a5\u00a7&@\u2260\u2264\u2265\u2248\u00d7\u00f7]|[<>](?=\s?\d)|(?<!=)=(?!=)"
)
"""Words, numbers with their signs, and symbols that mean something. Everything between them is a mark."""

_LONGEST = 80
"""The most characters of either side that are shown."""

_MOST_WORDS = 1000
"""Words of a side that are compared one by one; comparison time grows with their square."""

Kind = Literal["words", "marks", "letter_case"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference between a quotation and a document, and how many more there are.

    `document` and `quotation` are what each of them has there, "" for nothing; `after` is the word before it.
    """

    kind: Kind
    document: str
    quotation: str
    after: str = ""
    more: int = 0

    @property
    def message(self) -> str:
        """The difference in a sentence."""
        alone, says, ours = _WORDINGS[self.kind]
        place = f" after {_quoted(self.after)}" if self.after else ""
        if self.document and self.quotation:
            text = f"{says} {ours(self.document)} where the quotation {says} {ours(self.quotation)}"
        elif self.document:
            text = f"{says} {ours(self.document)}{place}, which the quotation leaves out"
        else:
            text = f"has nothing there where the quotation {says} {ours(self.quotation)}{place}"
        places = f"{self.more} other place{'' if self.more == 1 else 's'} differ{'s' if self.more == 1 else ''}"
        return f"{alone} document {text}{f', and {places}' if self.more else ''}."


def _quoted(text: str) -> str:
    return f'"{_short(text)}"'


def _in_code(text: str) -> str:
    return f"`{_short(text)}`"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}\u2026"


_WORDINGS: Mapping[Kind, tuple[str, str, Callable[[str], str]]] = MappingProxyType(
    {
        "words": ("The", "says", _quoted),
        "marks": ("Only marks such as quotation marks, dashes or markup differ: the", "writes", _in_code),
        "letter_case": ("Only upper and lower case differ: the", "writes", _quoted),
    }
)
"""How a message of each kind begins, its verb, and how it shows what differs."""


def occurrences(quote: str, body: str) -> Iterator[Span]:
    """Where the words of a quotation stand in a body, in whatever case and with whatever marks between them."""
    numbers: dict[str, int] = {}
    quoted = array("l", (numbers.setdefault(_norm(word[0]), len(numbers) + 1) for word in _WORD.finditer(quote)))
    if not quoted:
        return
    known, starts, ends = array("l"), array("l"), array("l")
    for word in _WORD.finditer(body):
        known.append(numbers.get(_norm(word[0]), 0))
        starts.append(word.start())
        ends.append(word.end())
    wanted, words, size = quoted.tobytes(), known.tobytes(), quoted.itemsize
    at = words.find(wanted)
    while at >= 0:
        first, rest = divmod(at, size)
        if rest == 0:
            yield Span(starts[first], ends[first + len(quoted) - 1])
        at = words.find(wanted, at + (len(wanted) if rest == 0 else 1))


def difference_at(quote: str, body: str, found: Span) -> Difference | None:
    """How `quote` differs from the stretch of `body` that was found for it; None if words and marks are the same."""
    start, end = _whole_words(body, found)
    ours, theirs = _words(quote), _words(body[start:end])
    if _norms(ours) == _norms(theirs):
        return _of_marks(quote, body[start:end], ours, theirs) or _of_outer_marks(quote, ours, body, start, end)
    # What was found begins and ends with words of the quotation: those that differ at its ends are beside it.
    before, behind = _outside(_norms(ours), _norms(theirs))
    start, end = _wider(body, start, end, before, behind)
    return _of_words(quote, ours, body[start:end], _words(body[start:end]))


def _of_words(
    quote: str, ours: Sequence[tuple[str, Span]], text: str, theirs: Sequence[tuple[str, Span]]
) -> Difference | None:
    codes = _compared(_norms(ours), _norms(theirs)).get_opcodes()
    changes = [(low, high, start, end) for tag, low, high, start, end in codes if tag != "equal"]
    if not changes:
        return None
    low, high, start, end = changes[0]
    after = ours[low - 1][0] if low else ""
    return Difference("words", _part(text, theirs[start:end]), _part(quote, ours[low:high]), after, len(changes) - 1)


def _of_marks(
    quote: str, text: str, ours: Sequence[tuple[str, Span]], theirs: Sequence[tuple[str, Span]]
) -> Difference | None:
    cases = [(mine, other) for (mine, _), (other, _) in zip(ours, theirs, strict=True) if mine != other]
    if cases:
        return Difference("letter_case", cases[0][1], cases[0][0], more=len(cases) - 1)
    marks = [
        (mine, other, number)
        for number, (mine, other) in enumerate(zip(_between(quote, ours), _between(text, theirs), strict=True))
        if mine != other
    ]
    if not marks:
        return None
    mine, other, number = marks[0]
    return Difference("marks", other, mine, ours[number][0], len(marks) - 1)


def _of_outer_marks(quote: str, ours: Sequence[tuple[str, Span]], body: str, start: int, end: int) -> Difference | None:
    """The marks at the ends of a quotation that the document does not have before `start` or behind `end`."""
    before, behind = body[max(0, start - _LONGEST) : start], body[end : end + _LONGEST]
    words_before = [word.end() for word in _WORD.finditer(before)]
    next_word = _WORD.search(behind)
    theirs_first = _spaced(before[words_before[-1] if words_before else 0 :])
    theirs_last = _spaced(behind[: next_word.start() if next_word else None])
    first, last = _spaced(quote[: ours[0][1].start]), _spaced(quote[ours[-1][1].end :])
    found: list[Difference] = []
    if not theirs_first.endswith(first):
        found.append(Difference("marks", theirs_first[-len(first) :].strip(), first))
    if not theirs_last.startswith(last):
        found.append(Difference("marks", theirs_last[: len(last)].strip(), last, ours[-1][0]))
    return replace(found[0], more=len(found) - 1) if found else None


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _between(text: str, words: Sequence[tuple[str, Span]]) -> list[str]:
    """The marks between each word and the next, with single spaces where there is white space."""
    return [" ".join(text[one.end : other.start].split()) for (_, one), (_, other) in pairwise(words)]


def _compared(ours: Sequence[str], theirs: Sequence[str]) -> difflib.SequenceMatcher[str]:
    return difflib.SequenceMatcher(None, ours[:_MOST_WORDS], theirs[:_MOST_WORDS], autojunk=False)


def _outside(ours: Sequence[str], theirs: Sequence[str]) -> tuple[int, int]:
    """How many more words the quotation has than the other side before the first shared one, and behind the last."""
    blocks = [block for block in _compared(ours, theirs).get_matching_blocks() if block.size]
    if not blocks or max(len(ours), len(theirs)) > _MOST_WORDS:
        return 0, 0
    first, last = blocks[0], blocks[-1]
    behind = (len(ours) - last.a - last.size) - (len(theirs) - last.b - last.size)
    return max(0, first.a - first.b), max(0, behind)


def _wider(body: str, start: int, end: int, before: int, behind: int) -> tuple[int, int]:
    """The stretch with so many more words of its own sentence at either side."""
    if behind:
        following = _sentence(body[end : end + _LONGEST * 4])
        words = [word for _, word in _words(following)][:behind]
        end += words[-1].end if words else 0
    if before:
        low = max(0, start - _LONGEST * 4)
        words = [word for _, word in _words(body[low:start])][-before:]
        start = low + words[0].start if words else start
    return start, end


def _sentence(text: str) -> str:
    """A text up to the end of its first sentence or line."""
    stop = re.search(r"[.!?](?=\s)|\n\s*\n", text)
    return text if stop is None else text[: stop.start()]


def _whole_words(body: str, found: Span) -> tuple[int, int]:
    start, end = found.start, found.end
    while 0 < start < len(body) and body[start - 1].isalnum() and body[start].isalnum():
        start -= 1
    while 0 < end < len(body) and body[end - 1].isalnum() and body[end].isalnum():
        end += 1
    return start, end


def _words(text: str) -> list[tuple[str, Span]]:
    return [(word[0], Span(word.start(), word.end())) for word in _WORD.finditer(text)]


def _norms(words: Sequence[tuple[str, Span]]) -> list[str]:
    return [_norm(word) for word, _ in words]


def _norm(word: str) -> str:
    return unicodedata.normalize("NFC", word.translate(_NO_INVISIBLE)).casefold()


def _part(text: str, words: Sequence[tuple[str, Span]]) -> str:
    return " ".join(text[words[0][1].start : words[-1][1].end].split()) if words else ""
