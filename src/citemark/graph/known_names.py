"""The names by which documents are known, and where a text mentions them.

A name is found as whole words, the longest at each place. A plain word means too much on its own: it counts only as a
whole piece of code, or inside of a sentence, written as its documents write it. Where many documents use the word so it
does not count either: whoever counts them leaves it out. Compounds such as JSON-RPC, tools/list and PumpControl are
names wherever they are written as their documents write them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from citemark.model.graph import KnownName
from citemark.model.text import Span

_WORD = re.compile(r"\w+(?:[-./@]\w+)*")
"""A path, a version and a compound are one word, of which no part is a mention."""

_MOST_WORDS = 8
"""Words of a name that is looked for: a longer one is a sentence, and each length costs a look-up at its first word."""

_MOST_ALIKE = 8
"""Names that differ in nothing but what stands between their words; each is compared where the words stand."""

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})", re.MULTILINE)
_MARKUP = re.compile(
    r"(?<!`)`(?P<code>[^`\n]+)`(?!`)"
    r"|\]\([^()\n]*\)"
    r"|<[/a-zA-Z!][^<>]*>"
    r"|://[^\s<>()\[\]\"'`]+"
)
"""Code inside of a line, and what nobody reads: targets of links, tags, addresses. Each part ends where another could
begin, so that hostile text cannot make it look further than once."""

_PLAIN = re.compile(r"[^\W\d_]?[^\W\d_A-Z]*|[^\W\d_a-z]+")
"""A word that is no compound: neither joined nor with capitals inside."""

_BEGINS = frozenset("\n.!?:;|>#")
"""A word after one of these has its capital from its place."""

_SET_BEFORE = " \t*_\"'([{-•\u201c\u2018"
_PROPER_BEFORE = re.compile(r"(?:^|[^\S\n])[^\W\d_a-z][^\W\d_A-Z]+ $")
_PROPER_AFTER = re.compile(r" [^\W\d_a-z]")
_LINK_AFTER = re.compile(r"[*_]{0,3}\]")
_MOST_SET = 4
"""A bracket and three marks of emphasis."""

_LONGEST_WORD_BEFORE = 40

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_MOST_PIECE = 20_000
"""Characters that are taken apart at a time: words and their places need twenty times the memory of the text."""


class NamePlace(NamedTuple):
    """Where a text mentions a name."""

    name: str
    span: Span
    plain: bool = False
    """Whether it is a plain word inside of a sentence, which counts only where few documents use it so."""


class _Entry(NamedTuple):
    known: KnownName
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
        lengths: dict[str, set[int]] = {}
        for known in names:
            # By its forms and not by the term: where a letter folds to several, texts keep it, so that places stay.
            for name in {_in_lower_case(form) for form in known.forms}:
                words = list(_WORD.finditer(name))
                alike = self._entries.setdefault(" ".join(word[0] for word in words), [])
                if 0 < len(words) <= _MOST_WORDS and len(alike) < _MOST_ALIKE:
                    plain = len(words) == 1 and all(map(_PLAIN.fullmatch, known.forms))
                    alike.append(_Entry(known, name, words[0].start(), len(name) - words[-1].end(), len(words), plain))
                    lengths.setdefault(words[0][0], set()).add(len(words))
        self._lengths = {first: tuple(sorted(counts, reverse=True)) for first, counts in lengths.items()}

    def __len__(self) -> int:
        return sum(map(len, self._entries.values()))

    def places(self, body: str) -> Iterator[NamePlace]:
        """Yield where a text mentions names, in order of place.

        Each source's names compete only with each other for a place: whether a reader sees a mention must not depend on
        documents that the reader may not see.
        """
        text = _Text(body)
        for start, end, in_code in _readable(body):
            yield from self._in_piece(text, start, end, in_code=in_code)

    def _in_piece(self, text: "_Text", start: int, end: int, *, in_code: bool) -> Iterator[NamePlace]:
        found = list(_WORD.finditer(text.lowered, start, end))
        words = [word[0] for word in found]
        taken: dict[int, int] = {}
        for place, first in enumerate(words):
            for count in self._lengths.get(first, ()):
                key = " ".join(words[place : place + count])
                for entry in self._entries.get(key, ()) if place + count <= len(words) else ():
                    first_char = max(found[place].start() - entry.before, 0)
                    span = Span(first_char, found[place + count - 1].end() + entry.after)
                    free = [source for source in entry.known.source_ids if taken.get(source, 0) <= place]
                    whole = in_code and (span.start, span.end) == (start, end)
                    if free and text.means(entry, span, whole=whole, in_code=in_code):
                        taken.update(dict.fromkeys(free, place + count))
                        yield NamePlace(entry.known.name, span, entry.plain and not in_code)


class _Text:
    """A text with what decides about a name in it."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.lowered = _in_lower_case(body)

    def means(self, entry: _Entry, span: Span, *, whole: bool, in_code: bool) -> bool:
        """Whether the words at a place mean what the name names."""
        known = entry.known
        if " ".join(span.of(self.lowered).split()) != entry.name:
            return False
        if entry.words > 1:
            return not self._in_longer_name(span)
        written = span.of(self.body)
        if not entry.plain:
            return written in known.forms or _turned(written) in known.forms
        if in_code:
            return whole and (written in known.forms or entry.name in known.forms)
        if written not in known.forms:
            return False
        return not written[0].isupper() or self._is_link(span) or not (self._begins(span) or self._in_title(span))

    def _is_link(self, span: Span) -> bool:
        """Whether the words are the whole text of a link: whoever wrote it points at something by that name."""
        before = self.body[max(span.start - _MOST_SET, 0) : span.start].rstrip("*_")
        return before.endswith("[") and _LINK_AFTER.match(self.body, span.end) is not None

    def _in_title(self, span: Span) -> bool:
        """Whether another capital stands beside a word, which has its own from a title or a longer name then."""
        before = self.body[max(span.start - _LONGEST_WORD_BEFORE, 0) : span.start]
        return _PROPER_BEFORE.search(before) is not None or _PROPER_AFTER.match(self.body, span.end) is not None

    def _begins(self, span: Span) -> bool:
        """Whether a sentence, a line or a cell begins with the words at a place."""
        before = self.body[max(span.start - _LONGEST_WORD_BEFORE, 0) : span.start].rstrip(_SET_BEFORE)
        return not before or before[-1] in _BEGINS

    def _in_longer_name(self, span: Span) -> bool:
        """Whether another word in capitals before the words makes them the end of a longer name."""
        if not self.body[span.start].isupper():
            return False
        before = self.body[max(span.start - _LONGEST_WORD_BEFORE, 0) : span.start]
        proper = _PROPER_BEFORE.search(before)
        return proper is not None and not self._begins(Span(span.start - len(proper[0].lstrip()), span.start))


def _turned(name: str) -> str:
    """A compound with its first letter in the other case: a field is called after its type."""
    return name[:1].swapcase() + name[1:]


def _in_lower_case(body: str) -> str:
    """A text in folded case with each character at its place."""
    lowered = body.casefold()
    if len(lowered) == len(body):
        return lowered
    return "".join(each.casefold() if len(each.casefold()) == 1 else each for each in body)


def _readable(body: str) -> Iterator[tuple[int, int, bool]]:
    """The pieces of a text in which names are looked for, and whether each is code inside of a line."""
    for start, end in _outside_of_fences(body):
        done = start
        for match in _MARKUP.finditer(body, start, end):
            yield from ((s, e, False) for s, e in _pieces(body, done, match.start()))
            if match["code"]:
                yield match.start("code"), match.end("code"), True
            done = match.end()
        yield from ((s, e, False) for s, e in _pieces(body, done, end))


def _outside_of_fences(body: str) -> Iterator[tuple[int, int]]:
    done, fence = 0, ""
    for match in _FENCE.finditer(body):
        mark = match[1]
        if not fence:
            yield done, match.start()
            fence = mark
        elif mark.startswith(fence):
            fence = ""
            done = match.end()
    if not fence:
        yield done, len(body)


def _pieces(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Paragraphs, which no name reaches across."""
    for gap in _PARAGRAPH.finditer(body, start, end):
        yield from _short(start, gap.start())
        start = gap.end()
    yield from _short(start, end)


def _short(start: int, end: int) -> Iterator[tuple[int, int]]:
    return ((at, min(at + _MOST_PIECE, end)) for at in range(start, end, _MOST_PIECE))
