"""The names by which documents are known, and where a text mentions them.

A name is found as whole words, the longest at each place. A name of one word means too much on its own: it counts only
in code, or written as its documents write it where few documents of the source use the word.
"""

import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from citemark.model.text import Span

_WORD = re.compile(r"\w+(?:[-./@]\w+)*")
"""A path, a version and a compound are one word, of which no part is a mention."""

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})", re.MULTILINE)
_MARKUP = re.compile(
    r"(?<!`)`(?P<code>[^`\n]+)`(?!`)"
    r"|\]\([^()\n]*\)"
    r"|<[/a-zA-Z!][^<>]*>"
    r"|://[^\s<>()\[\]\"'`]+"
)
"""Code inside of a line, and what nobody reads: targets of links, tags, addresses. Each part ends where another could
begin, so that hostile text cannot make it look further than once."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_MOST_PIECE = 20_000
"""Characters that are taken apart at a time: words and their places need twenty times the memory of the text."""


class KnownName(NamedTuple):
    """A name, case folded, how documents write it, and the sources of these documents."""

    name: str
    forms: frozenset[str]
    source_ids: frozenset[int]


class NamePlace(NamedTuple):
    """Where a text mentions a name."""

    name: str
    span: Span


class _Entry(NamedTuple):
    known: KnownName
    before: int
    """Characters of the name before its first word, such as an at sign."""
    after: int


class KnownNames:
    """A dictionary of names that finds them in texts."""

    def __init__(self, names: Iterable[KnownName]) -> None:
        self._entries: dict[str, list[_Entry]] = {}
        lengths: dict[str, set[int]] = {}
        for known in names:
            words = list(_WORD.finditer(known.name))
            if words:
                entry = _Entry(known, words[0].start(), len(known.name) - words[-1].end())
                self._entries.setdefault(" ".join(word[0] for word in words), []).append(entry)
                lengths.setdefault(words[0][0], set()).add(len(words))
        self._lengths = {first: tuple(sorted(counts, reverse=True)) for first, counts in lengths.items()}

    def __len__(self) -> int:
        return sum(map(len, self._entries.values()))

    def places(self, body: str, too_common: Container[str] = frozenset()) -> Iterator[NamePlace]:
        """Yield where a text mentions names, in order of place.

        Each source's names compete only with each other for a place: whether a reader sees a mention must not depend on
        documents that the reader may not see.

        Args:
            body: the text.
            too_common: names of one word that too many documents use.
        """
        folded = _folded(body)
        for start, end, in_code in _readable(body):
            yield from self._in_piece(body, folded, start, end, too_common, in_code=in_code)

    def _in_piece(
        self, body: str, folded: str, start: int, end: int, too_common: Container[str], *, in_code: bool
    ) -> Iterator[NamePlace]:
        found = list(_WORD.finditer(folded, start, end))
        words = [word[0] for word in found]
        taken: dict[int, int] = {}
        for place, first in enumerate(words):
            for count in self._lengths.get(first, ()):
                key = " ".join(words[place : place + count])
                for entry in self._entries.get(key, ()) if place + count <= len(words) else ():
                    known = entry.known
                    span = Span(
                        max(found[place].start() - entry.before, 0), found[place + count - 1].end() + entry.after
                    )
                    free = [source for source in known.source_ids if taken.get(source, 0) <= place]
                    if free and self._counts(known, body, folded, span, too_common, count, in_code=in_code):
                        taken.update(dict.fromkeys(free, place + count))
                        yield NamePlace(known.name, span)

    def _counts(
        self,
        known: KnownName,
        body: str,
        folded: str,
        span: Span,
        too_common: Container[str],
        count: int,
        *,
        in_code: bool,
    ) -> bool:
        if " ".join(span.of(folded).split()) != known.name:
            return False
        return count > 1 or in_code or (span.of(body) in known.forms and known.name not in too_common)


def words_of(body: str) -> set[str]:
    """The words of a text as names are made of them, case folded."""
    folded = _folded(body)
    return {word[0] for start, end, _ in _readable(body) for word in _WORD.finditer(folded, start, end)}


def _folded(body: str) -> str:
    """A text in folded case with each character at its place."""
    folded = body.casefold()
    if len(folded) == len(body):
        return folded
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
