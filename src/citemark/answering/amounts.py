"""Numbers and lengths of time, in digits and in words, as comparable keys."""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from citemark.answering.number_words import LANGUAGES, Language, number_words
from citemark.model.text import Span
from citemark.text.letter_case import caseless
from citemark.text.raised import RAISED, with_characters

_DAY = 86_400
_UNITS = {
    "second": ("s", 1), "sec": ("s", 1), "sekunde": ("s", 1), "minute": ("s", 60), "min": ("s", 60),
    "hour": ("s", 3600), "stunde": ("s", 3600), "day": ("s", _DAY), "tag": ("s", _DAY), "werktag": ("s", _DAY),
    "week": ("s", 7 * _DAY), "woche": ("s", 7 * _DAY), "seconde": ("s", 1), "heure": ("s", 3600), "jour": ("s", _DAY),
    "semaine": ("s", 7 * _DAY), "month": ("m", 1), "monat": ("m", 1), "year": ("m", 12), "jahr": ("m", 12),
    "mois": ("m", 1), "année": ("m", 12), "an": ("m", 12),
}  # fmt: skip
"""Units of time by name; months are not a fixed number of days."""

RAISED_FIGURES = "".join(RAISED)[:12]
"""The raised digits and signs."""

_UNIT = rf"(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})(?:s|e|en|n|es)?\b"
_BLANK = r"[ \t\u00a0-]+"
_DIGITS = re.compile(
    rf"(?<![\w.])(?:-(?=\d{{4,}}))?(?P<number>\d+(?:[.,]\d+)*(?:[{RAISED_FIGURES}]+|\^[+\u2212-]?\d+)?)"
)
_COUNTED = re.compile(rf"\+?(?:{_BLANK}(?!{_UNIT.replace('?P<unit>', '?:')})[^\W\d_]+)?{_BLANK}{_UNIT}", re.IGNORECASE)
_RANGE = re.compile(r"[ \t]*(?:-|\u2013|\b(?:to|or|bis|oder|à|ou)\b)[ \t]*", re.IGNORECASE)
_UNIT_BEFORE = re.compile(rf"\b{_UNIT}[^.!?\n]{{0,30}}\Z", re.IGNORECASE)
_FREE = re.compile(r"[ \t]*(?:$|[,.;)|\n]|(?:by|that|or|and|to|per|oder|und|bis|pro)\b)", re.IGNORECASE)
"""What follows a number that counts nothing there: its unit was named before it ("of months, at least twelve")."""

_LOOK_BACK = 50
"""How many characters before a number are searched for its unit: half a line."""

_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10,
    "hälfte": 2, "drittel": 3, "viertel": 4, "fünftel": 5, "zehntel": 10,
    "moitié": 2, "tiers": 3, "quart": 4, "cinquième": 5, "dixième": 10,
}  # fmt: skip
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "ein": 1, "zwei": 2, "drei": 3, "vier": 4,
    "un": 1, "une": 1, "la": 1, "deux": 2, "trois": 3, "quatre": 4,
}  # fmt: skip
_SHARE = re.compile(
    rf"(?:(?<!\band )|(?!an?[ -]half))\b(?P<count>{'|'.join(_COUNTS)})[ -]"
    rf"(?P<part>{'|'.join(_PARTS)})s?\b",
    re.IGNORECASE,
)
_HALF = re.compile(rf"\b(?:(?:half[ ]an?|(?:ein\w*[ ])?halbe\w*)[ ]|(?:une?[ ])?demi-){_UNIT}", re.IGNORECASE)
_SINGLE = re.compile(
    rf"\b(?:an?|one|per|each|every|ein(?:e[nmrs]?)?|pro|jede[nmrs]?|une?|par|chaque)[ ]{_UNIT}", re.IGNORECASE
)
"""One of a unit, as documents write it: an answer that writes it this way does not claim a number."""

_NOTE = re.compile(rf"(?<=\d)(?<!(?<![\d.,])10)[{RAISED_FIGURES[:10]}]+")
"""Raised digits behind a number other than ten."""

_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+\Z")
_MOST_DIGITS = 40
"""A longer number is compared as it is written: no length of time has that many digits, and int() refuses 4,300."""

_LEAST_SPELLED = 2
"""The least number in words that counts: "one" is seldom meant as a number."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as written; `key` is its value ("4", "7.0", "1/3"), `lasting` a length of time ("1209600 s"), if any.

    `spelled` means that it is written in words.
    """

    span: Span
    key: str
    lasting: str | None = None
    spelled: bool = False


def amount_keys(text: str) -> frozenset[str]:
    """The keys and lengths of every number in `text`, including "an hour" and numbers whose unit was named before.

    A raised figure behind a number may be a power or the mark of a note, so the number counts with and without it,
    except for powers of ten and those with a sign.
    """
    text = with_characters(text)
    found: set[str] = {_length(Fraction(1), match["unit"]) for match in _SINGLE.finditer(text)}
    without_notes = _NOTE.sub("", text)
    for amount in chain(amounts(text), amounts(without_notes) if without_notes != text else ()):
        found.add(amount.key)
        if amount.lasting is not None:
            found.add(amount.lasting)
        elif _FREE.match(text, amount.span.end) and (value := _fraction(amount.key)) is not None:
            before = _UNIT_BEFORE.search(text, max(0, amount.span.start - _LOOK_BACK), amount.span.start)
            if before is not None:
                found.add(_length(value, before["unit"]))
    return frozenset(found)


def amounts(text: str, languages: Sequence[Language] = LANGUAGES) -> Iterator[Amount]:
    """Yield every number in `text`, shares before whole numbers; "one" only if it counts time, "a hundred" never.

    Number words are read in each of `languages`; where two of them read the same words, the longer reading counts.
    """
    for match in _SHARE.finditer(text):
        part = caseless(match["part"])
        yield Amount(Span(*match.span()), f"{_COUNTS[caseless(match['count'])]}/{_PARTS.get(part, part)}", spelled=True)
    for match in _HALF.finditer(text):
        yield Amount(Span(*match.span()), "1/2", _length(Fraction(1, 2), match["unit"]), spelled=True)
    numbers = _numbers(text, languages)
    starts = [number.span.start for number in numbers]
    at = 0
    for number in numbers:
        if number.span.start < at:
            continue
        amount = _amount(text, number, numbers, starts)
        if amount is not None:
            at = max(at, amount.span.end)
            yield amount


@dataclass(frozen=True, slots=True)
class _Number:
    """A number in digits, as written, or in words; `value` is None if it is too long to be one."""

    span: Span
    key: str
    value: Fraction | None
    spelled: bool = False
    vague: bool = False


def _numbers(text: str, languages: Sequence[Language]) -> list[_Number]:
    """The numbers in order; of readings that overlap, the longest."""
    found = [
        _Number(Span(*match.span("number")), _key(written), _fraction(written))
        for match in _DIGITS.finditer(text)
        for written in (with_characters(match["number"]),)
    ]
    found += [
        _Number(each.span, str(each.value), Fraction(each.value), spelled=True, vague=each.vague)
        for each in number_words(text, languages)
    ]
    found.sort(key=lambda number: (number.span.start, -number.span.end))
    kept: list[_Number] = []
    for number in found:
        if not kept or number.span.start >= kept[-1].span.end:
            kept.append(number)
    return kept


def _amount(text: str, number: _Number, numbers: Sequence[_Number], starts: Sequence[int]) -> Amount | None:
    counted = _COUNTED.match(text, number.span.end)
    unit = counted["unit"] if counted else _unit_of_range(text, number.span.end, numbers, starts)
    lasting = _length(number.value, unit) if unit is not None and number.value is not None else None
    if number.spelled and lasting is None and (number.vague or (number.value or 0) < _LEAST_SPELLED):
        return None
    end = counted.end() if counted and lasting else number.span.end
    return Amount(Span(number.span.start, end), number.key, lasting, number.spelled)


def _unit_of_range(text: str, end: int, numbers: Sequence[_Number], starts: Sequence[int]) -> str | None:
    """The unit of "three" in "three to six months"."""
    joint = _RANGE.match(text, end)
    if joint is None:
        return None
    at = bisect(starts, joint.end()) - 1
    if at < 0 or starts[at] != joint.end():
        return None
    counted = _COUNTED.match(text, numbers[at].span.end)
    return counted["unit"] if counted else None


def _key(written: str) -> str:
    return written.replace(",", "") if _GROUPS.match(written) else written


def _fraction(written: str) -> Fraction | None:
    if len(written) > _MOST_DIGITS or not written[-1].isdecimal():
        return None
    try:
        return Fraction(_key(written).replace(",", "."))
    except ValueError:
        return None


def _length(value: Fraction, unit: str) -> str:
    unit = caseless(unit)
    dimension, factor = _UNITS.get(unit, (unit, 1))
    return f"{value * factor} {dimension}"
