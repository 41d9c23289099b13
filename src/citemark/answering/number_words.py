"""Numbers written in words, by text2num: "thirty-five", "zweihundertfünfzig", "quatre-vingt-dix-sept"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Protocol, cast, get_args

import text_to_num

from citemark.model.text import Span
from citemark.text.letter_case import caseless

Language = Literal["en", "de", "fr"]
"""The languages whose numbers, denials and small words the check of an answer knows."""

LANGUAGES: tuple[Language, ...] = get_args(Language)

_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[^\w\s]|\d+|\n")
_DOZENS = MappingProxyType({"dozen": 12, "dutzend": 12, "douzaine": 12})
_ALONE_VAGUE = frozenset({"hundred", "hundert", "cent", "thousand", "tausend", "mille", "million", "millions"})
_ARTICLES = frozenset({"a", "an", "ein", "eine", "einem", "einen", "einer", "un", "une"})
_LONGEST = 60
"""Characters of the longest word that is looked up; the longest German number below a million has 54."""


@dataclass(frozen=True, slots=True)
class NumberWords:
    """A number in words: its place and value; `vague` if it only says about how many ("a hundred reasons")."""

    span: Span
    value: int
    vague: bool = False


class _Occurrence(Protocol):
    """A number that text2num found: a range of tokens, and its value."""

    start: int
    end: int
    value: float
    is_ordinal: bool


class _FindNumbers(Protocol):
    """The function of text2num, which has no types."""

    def __call__(self, tokens: Sequence["_Token"], language: str, threshold: float, /) -> Sequence[_Occurrence]: ...


class _Token:
    """A word or mark in the form that text2num reads."""

    __slots__ = ("span", "written")

    def __init__(self, written: str, span: Span) -> None:
        self.written = written
        self.span = span

    def text(self) -> str:
        """The word in lower case."""
        return self.written

    def nt_separated(self, previous: "_Token") -> bool:
        """Never: marks between words are tokens of their own."""
        del previous
        return False

    def not_a_number_part(self) -> bool:
        """True for digits, which are numbers already."""
        return self.written.isdigit()


def number_words(text: str, languages: Sequence[Language] = LANGUAGES) -> Iterator[NumberWords]:
    """Yield every whole number that words of `text` spell in one of `languages`, in order for each language."""
    tokens = [
        _Token(caseless(match[0]) if len(match[0]) <= _LONGEST else "", Span(*match.span()))
        for match in _TOKEN.finditer(text)
    ]
    find_numbers = cast("_FindNumbers", text_to_num.find_numbers)  # pyright: ignore[reportUnknownMemberType]
    for language in languages:
        for found in find_numbers(tokens, language, 0.0):
            words = tokens[found.start : found.end]
            if found.is_ordinal or found.value != int(found.value):
                continue
            if len(words) == 1 and words[0].written in _ARTICLES:
                continue  # an article far more often than a number
            span, value = Span(words[0].span.start, words[-1].span.end), int(found.value)
            following = tokens[found.end].written.removesuffix("s") if found.end < len(tokens) else ""
            if following in _DOZENS:
                span, value = Span(span.start, tokens[found.end].span.end), value * _DOZENS[following]
            yield NumberWords(span, value, vague=len(words) == 1 and words[0].written in _ALONE_VAGUE)
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        if token.written in _DOZENS and before is not None and before.written in _ARTICLES:
            yield NumberWords(Span(before.span.start, token.span.end), _DOZENS[token.written])
