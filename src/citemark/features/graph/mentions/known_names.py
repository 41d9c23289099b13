"""The names by which documents are known, and where a text mentions them.

A name is found only as whole words, and the longest name wins at each position. A plain word is too ambiguous on its
own: it counts only as a whole piece of code, or inside a sentence if it is written as its documents write it. If many
documents use the word this way it does not count either; the caller, which counts them, leaves it out. Compounds such
as JSON-RPC, tools/list and PumpControl are names wherever they are written as their documents write them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from citemark.model.graph import KnownName
from citemark.model.text import Span

_WORD = re.compile(r"\w+(?:[-./@]\w+)*")
"""A path, a version or a compound is one word, and no part of it is a mention."""

_MOST_WORDS = 8
"""The most words of a name to look for: a longer one is a sentence, and each length costs a lookup at a first word."""

_MOST_ALIKE = 8
"""The most names that differ only in what is between their words; each is compared wherever the words occur."""

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})", re.MULTILINE)
_MARKUP = re.compile(
    r"(?<!`)`(?P<code>[^`\n]+)`(?!`)"
    r"|\]\([^()\n]*\)"
    r"|<[/a-zA-Z!][^<>]*>"
    r"|://[^\s<>()\[\]\"'`]+"
)
"""Inline code, and what nobody reads: the targets of links, tags, addresses. Each part ends where another could begin,
so that hostile text cannot make the expression scan ahead more than once."""

_PLAIN = re.compile(r"[^\W\d_]?[^\W\d_A-Z]*|[^\W\d_a-z]+")
"""A word that is not a compound: neither joined nor with capitals inside."""

_BEGINS = frozenset("\n.!?:;|>#")
"""A word after one of these characters owes its capital to its position."""

_SET_BEFORE = " \t*_\"'([{-•\u201c\u2018"
_PROPER_BEFORE = re.compile(r"(?:^|[^\S\n])[^\W\d_a-z][^\W\d_A-Z]+ $")
_PROPER_AFTER = re.compile(r" [^\W\d_a-z]")
_LINK_AFTER = re.compile(r"[*_]{0,3}\]")
_MOST_SET = 4
"""The most characters before the text of a link: a bracket and three marks of emphasis."""

_LONGEST_WORD_BEFORE = 40

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_MOST_PIECE = 20_000
"""How many characters are split into words at a time: words and positions need twenty times the memory of the text."""


class NamePlace(NamedTuple):
    """Where a text mentions a name."""

    name: str
    span: Span
    plain: bool = False
    """Whether it is a plain word inside a sentence, which counts only if few documents use it this way."""


class _Entry(NamedTuple):
    known_name: KnownName
    name: str
    before: int
    """Characters of the name before its first word, such as an at sign."""
    after: int
    words: int
    plain: bool


class KnownNames:
    """A dictionary of names that finds them in texts."""

    def __init__(self, names: Iterable[KnownName]) -> None:
        self._entries: dict[str, list[_Entry]] = {}
        # How many words names have, by their first and their second word ("" if there is none): texts are full of words
        # that some name begins with.
        self._lengths: dict[str, dict[str, tuple[int, ...]]] = {}
        for known_name in names:
            # By its forms, not by the term: a letter that folds to several is kept in texts, so that positions hold.
            for name in {_in_lower_case(form) for form in known_name.forms}:
                words = list(_WORD.finditer(name))
                alike = self._entries.setdefault(" ".join(word[0] for word in words), [])
                if 0 < len(words) <= _MOST_WORDS and len(alike) < _MOST_ALIKE:
                    plain = len(words) == 1 and all(map(_PLAIN.fullmatch, known_name.forms))
                    alike.append(
                        _Entry(known_name, name, words[0].start(), len(name) - words[-1].end(), len(words), plain)
                    )
                    seconds = self._lengths.setdefault(words[0][0], {})
                    second = words[1][0] if len(words) > 1 else ""
                    seconds[second] = tuple(sorted({*seconds.get(second, ()), len(words)}, reverse=True))

    def __len__(self) -> int:
        return sum(map(len, self._entries.values()))

    def places(self, body: str) -> Iterator[NamePlace]:
        """Yield where a text mentions names, in order of position.

        Each source's names compete only with each other for a position: whether a reader sees a mention must not depend
        on documents that the reader may not see.
        """
        if not self._lengths:  # as on a first load, where names are noted once everything has been read
            return
        text = _Text(body)
        for start, end, in_code in _readable(body):
            yield from self._in_piece(text, start, end, in_code=in_code)

    def _in_piece(self, text: "_Text", start: int, end: int, *, in_code: bool) -> Iterator[NamePlace]:
        words = _WORD.findall(text.lowered, start, end)
        if self._lengths.keys().isdisjoint(words):  # most pieces have no first word of a name: where words are is moot
            return
        starts = _Starts(text.lowered, words, start)
        taken: dict[int, int] = {}
        for position, key in self._keys(words):
            for entry in self._entries.get(key, ()):
                last = position + entry.words - 1
                span = Span(max(starts[position] - entry.before, 0), starts[last] + len(words[last]) + entry.after)
                free = [source for source in entry.known_name.source_ids if taken.get(source, 0) <= position]
                whole = in_code and (span.start, span.end) == (start, end)
                if free and text.means(entry, span, whole=whole, in_code=in_code):
                    taken.update(dict.fromkeys(free, last + 1))
                    yield NamePlace(entry.known_name.name, span, entry.plain and not in_code)

    def _keys(self, words: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The runs of words that may be a name, by the position of their first word; longer ones first."""
        for position, (first, following) in enumerate(zip(words, [*words[1:], ""], strict=True)):
            seconds = self._lengths.get(first)
            if seconds is None:
                continue
            for count in seconds.get(following, ()):
                if count > 1 and position + count <= len(words):
                    yield position, " ".join(words[position : position + count])
            if "" in seconds:
                yield position, first


class _Starts:
    """Where the words of a piece of text begin, as far as anyone asks. What is between them has no letter of a word."""

    def __init__(self, lowered: str, words: Sequence[str], start: int) -> None:
        self._lowered = lowered
        self._words = words
        self._found: list[int] = []
        self._beyond = start

    def __getitem__(self, position: int) -> int:
        while len(self._found) <= position:
            word = self._words[len(self._found)]
            self._found.append(self._lowered.index(word, self._beyond))
            self._beyond = self._found[-1] + len(word)
        return self._found[position]


class _Text:
    """A text, and the tests that decide whether words in it mean a name."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.lowered = _in_lower_case(body)

    def means(self, entry: _Entry, span: Span, *, whole: bool, in_code: bool) -> bool:
        """Whether the words at `span` refer to what the name of `entry` stands for."""
        known_name = entry.known_name
        if " ".join(span.of(self.lowered).split()) != entry.name:
            return False
        if entry.words > 1:
            return not self._in_longer_name(span)
        written = span.of(self.body)
        if not entry.plain:
            return written in known_name.forms or _with_first_letter_swapped(written) in known_name.forms
        if in_code:
            return whole and (written in known_name.forms or entry.name in known_name.forms)
        if written not in known_name.forms:
            return False
        return not written[0].isupper() or self._is_link(span) or not (self._begins(span) or self._in_title(span))

    def _is_link(self, span: Span) -> bool:
        """Whether the words are the whole text of a link: its author points at something by that name."""
        before = self.body[max(span.start - _MOST_SET, 0) : span.start].rstrip("*_")
        return before.endswith("[") and _LINK_AFTER.match(self.body, span.end) is not None

    def _in_title(self, span: Span) -> bool:
        """Whether a capitalised word is next to this one, which then owes its capital to a title or a longer name."""
        before = self.body[max(span.start - _LONGEST_WORD_BEFORE, 0) : span.start]
        return _PROPER_BEFORE.search(before) is not None or _PROPER_AFTER.match(self.body, span.end) is not None

    def _begins(self, span: Span) -> bool:
        """Whether a sentence, a line or a cell begins with the words at `span`."""
        before = self.body[max(span.start - _LONGEST_WORD_BEFORE, 0) : span.start].rstrip(_SET_BEFORE)
        return not before or before[-1] in _BEGINS

    def _in_longer_name(self, span: Span) -> bool:
        """Whether a capitalised word before the words makes them the end of a longer name."""
        if not self.body[span.start].isupper():
            return False
        before = self.body[max(span.start - _LONGEST_WORD_BEFORE, 0) : span.start]
        proper = _PROPER_BEFORE.search(before)
        return proper is not None and not self._begins(Span(span.start - len(proper[0].lstrip()), span.start))


def _with_first_letter_swapped(name: str) -> str:
    """A compound with the case of its first letter swapped: a field is often named after its type."""
    return name[:1].swapcase() + name[1:]


def _in_lower_case(body: str) -> str:
    """The case-folded text, with each character at its original position."""
    lowered = body.casefold()
    if len(lowered) == len(body):
        return lowered
    return "".join(character.casefold() if len(character.casefold()) == 1 else character for character in body)


def _readable(body: str) -> Iterator[tuple[int, int, bool]]:
    """The pieces of a text in which names are looked for, and whether each piece is inline code."""
    for start, end in _outside_of_fences(body):
        position = start
        for match in _MARKUP.finditer(body, start, end):
            beyond, until = match.span()
            if beyond > position:
                yield from _pieces(body, position, beyond)
            if match["code"]:
                yield *match.span("code"), True
            position = until
        yield from _pieces(body, position, end)


def _outside_of_fences(body: str) -> Iterator[tuple[int, int]]:
    position, fence = 0, ""
    for match in _FENCE.finditer(body):
        mark = match[1]
        if not fence:
            yield position, match.start()
            fence = mark
        elif mark.startswith(fence):
            fence = ""
            position = match.end()
    if not fence:
        yield position, len(body)


def _pieces(body: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """The paragraphs between two positions, in slices, none of them code; no name extends over several paragraphs."""
    for gap in _PARAGRAPH.finditer(body, start, end):
        yield from _slices(start, gap.start())
        start = gap.end()
    yield from _slices(start, end)


def _slices(start: int, end: int) -> Iterable[tuple[int, int, bool]]:
    if end - start <= _MOST_PIECE:
        return ((start, end, False),) if start < end else ()
    return [(position, min(position + _MOST_PIECE, end), False) for position in range(start, end, _MOST_PIECE)]
