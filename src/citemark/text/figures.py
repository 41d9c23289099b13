"""The figures of a text: its dates and numbers, in whatever form they are written, as comparable keys.

A figure chooses among passages that differ in little else: twelve meter readings, the invoices of a year.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citemark.model.text import Span
from citemark.text.dates import HAS_DIGIT, MONTH_NAMES, dates, month_number, words_beginning
from citemark.text.letter_case import caseless

_SHORT_DATE = re.compile(
    r"(?<![\w.,/-])(?:(?P<day>\d{1,2})\.[ ]?(?P<month>\d{1,2})\.(?:(?P<year>\d{2})(?![\d.])|(?!\d))"
    r"|(?P<one>\d{1,2})/(?P<other>\d{1,2})/(?P<slashed>\d{4}|\d{2})"
    r"|(?P<month_of>\d{1,2})/(?P<of_year>\d{4}))(?![\w/-])"
)
_NUMBER = re.compile(r"[^\W_]+(?:[-./,:'\u2019][^\W_]+)*")
_MARKS = re.compile(r"[-./,:'\u2019]")
_GROUPED = re.compile(r"\d{1,3}(?:([.,\u2019])\d{3})(?:\1\d{3})*")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_ORDINAL = re.compile(r"(\d{1,3})(?:st|nd|rd|th)")
_QUARTER = re.compile(r"q([1-4])")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_GERMAN_ORDINALS = {"erst": 1, "zweit": 2, "dritt": 3, "viert": 4}
_COUNTED = {
    **{word: str(number) for word, number in _ORDINALS.items()},
    **{f"{stem}e{ending}": str(number) for stem, number in _GERMAN_ORDINALS.items() for ending in ("", *"rsnm")},
}
"""Ordinals as far as quarters and halves go: higher ones are written in digits."""

_SPELT = MONTH_NAMES.union(_COUNTED)
_SPELT_WORDS = words_beginning(_SPELT)
_MONTH_KEY = re.compile(r"\d{4}-\d\d|[*~]\d\d")
_MOST_MONTHS = 12
_MOST_DAYS = 31
_ANY_YEAR, _NO_YEAR = "*", "~"
_SHORTEST_PLAIN = 3
_OTHER_WORDS = frozenset({"may", "mar"})
"""Months only with a capital inside a text: "may I", "el mar"."""

_LONGEST = 20_000
"""Characters of a text that are searched: passages are shorter."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A date or number in a text. `keys` are all that it matches, `own` the most exact of them first.

    A date matches its month and, where one of two dates has no year, the same day of any year.
    """

    span: Span
    own: tuple[str, ...]
    keys: frozenset[str]

    @property
    def is_date(self) -> bool:
        """Whether it is a date, with at least its month."""
        return any(_MONTH_KEY.match(key) for key in self.own)

    @property
    def spelt_alike(self) -> bool:
        """Whether every text that has this figure writes it in the same way: a number or identifier without marks."""
        return self.own[0].isalnum() and len(self.own[0]) == len(self.span)


def figures(text: str) -> list[Figure]:
    """The figures of a text, in order and disjoint."""
    found: list[Figure] = []
    taken = bytearray(min(len(text), _LONGEST))
    for figure in _every(text[:_LONGEST]):
        start, end = figure.span.start, figure.span.end
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            found.append(figure)
    return sorted(found, key=lambda each: each.span)


def keys_of(text: str) -> frozenset[str]:
    """Everything that the figures of a text match."""
    return frozenset[str]().union(*(figure.keys for figure in figures(text)))


def agreement(asked: Sequence[Figure], keys: frozenset[str]) -> float:
    """How many of the figures that were asked for are among the keys of a text; a date without its year counts half."""
    return sum(max((_worth(key) for key in figure.own if key in keys), default=0.0) for figure in asked)


def without_figures(text: str, found: Sequence[Figure] | None = None) -> str:
    """A text with a mark in place of each figure: what texts have in common that differ in their figures alone.

    Args:
        text: the text.
        found: its figures, if they are known already.
    """
    parts: list[str] = []
    at = 0
    for figure in figures(text) if found is None else found:
        parts += [text[at : figure.span.start], "#"]
        at = figure.span.end
    return "".join([*parts, text[at:]])


def _worth(key: str) -> float:
    return 0.5 if key.startswith(_NO_YEAR) else 1.0


def _every(text: str) -> Iterator[Figure]:
    has_digits = HAS_DIGIT.search(text) is not None
    for span, key in dates(text) if has_digits else ():
        yield _date(span, key)
    for match in _SHORT_DATE.finditer(text) if has_digits else ():
        keys = _short(match)
        if keys:
            yield _merged([_date(Span(*match.span()), key) for key in keys])
    for match in _SPELT_WORDS.finditer(text):
        word = caseless(match.group())
        if word not in _SPELT:
            continue
        if month_number(word) and (word not in _OTHER_WORDS or _is_name(match)):
            yield _date(Span(*match.span()), f"-{month_number(word):02}")
        elif word in _COUNTED:
            yield Figure(Span(*match.span()), (_COUNTED[word],), frozenset({_COUNTED[word]}))
    for match in _NUMBER.finditer(text) if has_digits else ():
        written = match.group()
        if not written.isalpha() and HAS_DIGIT.search(written):  # the former tells most, in a tenth of the time
            yield _number(match)


def _is_name(match: re.Match[str]) -> bool:
    return match.start() > 0 and match.group()[0].isupper()


def _number(match: re.Match[str]) -> Figure:
    """The figure of a number or an identifier, which its longer parts with a digit stand for too."""
    written = caseless(match.group())
    own = _plain(written)
    parts = {own} if own != written else {part for part in _MARKS.split(written) if _is_telling(part)}
    return Figure(Span(*match.span()), (own,), frozenset({own, *parts}))


def _is_telling(part: str) -> bool:
    return len(part) >= _SHORTEST_PLAIN and any(sign.isdecimal() for sign in part)


def _date(span: Span, key: str) -> Figure:
    """The figure of a date with the key that `dates` gives it, or "-03" for a month of any year."""
    year, month, *day = key.split("-")
    rest = "-".join([month, *day])
    if not year:
        return Figure(span, (_ANY_YEAR + rest,), frozenset(f"{mark}{each}" for mark in "*~" for each in {month, rest}))
    keys = {key, f"{year}-{month}", year, *(f"{_ANY_YEAR}{each}" for each in (month, rest))}
    return Figure(span, (key, _NO_YEAR + rest), frozenset(keys))


def _short(match: re.Match[str]) -> list[str]:
    """The keys of a date in digits: two if day and month could be told apart only by whoever wrote it."""
    given = match.groupdict()
    if given["month_of"]:
        pairs = [(0, int(given["month_of"]))]
        year = given["of_year"]
    elif given["one"]:
        one, other = int(given["one"]), int(given["other"])
        pairs, year = [(one, other), (other, one)], given["slashed"]
    else:
        pairs, year = [(int(given["day"]), int(given["month"]))], given["year"] or ""
    year = f"20{year}" if len(year) == 2 else year  # noqa: PLR2004
    return [
        f"{year}-{month:02}" + (f"-{day:02}" if day else "")
        for day, month in dict.fromkeys(pairs)
        if 1 <= month <= _MOST_MONTHS and day <= _MOST_DAYS
    ]


def _merged(readings: Sequence[Figure]) -> Figure:
    own = tuple(dict.fromkeys(key for reading in readings for key in reading.own))
    return Figure(readings[0].span, own, frozenset[str]().union(*(reading.keys for reading in readings)))


def _plain(written: str) -> str:
    """A number without the marks between its digits that depend on the language; an identifier as it is."""
    if _GROUPED.fullmatch(written):
        return re.sub(r"\D", "", written)
    if _DECIMAL.fullmatch(written):
        return written.replace(",", ".")
    if match := _ORDINAL.fullmatch(written) or _QUARTER.fullmatch(written):
        return match[1]
    return written
