"""Lists, tables and relationship lines as sets of members: whether a question asks for all, and how many are left."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from citemark.evidence.spans import Piece, SpanKind, marker_end, pieces
from citemark.model.text import Span

_ASKS = re.compile(
    r"\b(?:list|enumerate|all|every|each|how many|who are|"
    r"(?:which|what)(?: (?!do|does|did|is|was|has|can|should|must|happens)[\w-]+){0,2} "
    r"(?!does|is|was|has|happens|its|this)[\w-]{2,}s|what are|"
    r"welche|alle[nr]?|s\u00e4mtliche|jede[rsn]?|nenne|liste|auflistung|wie ?viele|"
    r"quels|quelles|tous|toutes|chaque|\u00e9num\w+|combien|cu\u00e1les|qu\u00e9 \w+s|todos|todas|cada|"
    r"quali|tutt[ie]|ogni|welke|elke|quais|kt\u00f3re|jakie|wszystkie)\b",
    re.IGNORECASE,
)
_PHRASE_LINE = re.compile(r"^(It [^:.\n]{2,80}): [^\n]+$", re.MULTILINE)
"""A line of a model's text: a phrase, and the parts of the model that it holds for."""

_PART = re.compile(r"[^(),]+ \([A-Z]\w+\)(?: \[[^\]\n]*\])?")

_LONGEST_READ = 200_000
"""Characters around a quote that are searched for the rest of its list."""


def asks_for_members(phrasings: Iterable[str]) -> bool:
    """Whether a question asks for the members of something rather than for one thing."""
    return any(_ASKS.search(phrasing) for phrasing in phrasings)


def is_phrase_line(text: str) -> bool:
    """Whether a sentence is a line of a model's text that names several parts."""
    return _PHRASE_LINE.match(text) is not None


def holds_list(text: str) -> bool:
    """Whether a text has an item, a row or a line of a model's text."""
    kinds = {piece.kind for piece in pieces(text)}
    return not kinds.isdisjoint({SpanKind.ITEM, SpanKind.ROW}) or _PHRASE_LINE.search(text) is not None


def members_left(text: str, quoted: Sequence[Span]) -> list[int]:
    """For each quoted range of a text, how many members of the lists in it no range shows.

    A list that several ranges quote from is counted once, at the last of them.
    """
    left = [0] * len(quoted)
    start = max(0, min(span.start for span in quoted) - _LONGEST_READ)
    part = text[start : max(span.end for span in quoted) + _LONGEST_READ]
    ranges = [Span(span.start - start, span.end - start) for span in quoted]
    for members in (*_lists(part), *_phrases(part)):
        touching = [at for at, span in enumerate(ranges) if any(_meets(span, member) for member in members)]
        if touching:
            left[touching[-1]] += sum(not any(_meets(span, member) for span in ranges) for member in members)
    return left


def _meets(span: Span, member: Span) -> bool:
    """Whether a range holds the beginning of a member."""
    return span.start < member.end and member.start < span.end


def _lists(text: str) -> Iterator[list[Span]]:
    """The items of each list that begin as far from the margin as its first one, and the rows of each table."""
    for kind, group in groupby(pieces(text), key=lambda piece: piece.kind):
        found = list(group)
        if kind is SpanKind.ROW:
            yield [piece.span for piece in found]
        elif kind is SpanKind.ITEM:
            begun = [piece for piece in found if marker_end(text, piece.body.start, piece.body.end) > piece.body.start]
            margin = _margin(text, begun[0]) if begun else 0
            yield [piece.span for piece in begun if _margin(text, piece) == margin]


def _margin(text: str, piece: Piece) -> int:
    return piece.body.start - (text.rfind("\n", 0, piece.body.start) + 1)


def _phrases(text: str) -> Iterator[list[Span]]:
    """The parts that consecutive lines with one phrase name."""
    for _, group in groupby(_PHRASE_LINE.finditer(text), key=lambda match: match[1]):
        lines = list(group)
        yield [
            Span(*part.span())
            for line in lines
            for part in _PART.finditer(text, line.start() + len(line[1]), line.end())
        ]
