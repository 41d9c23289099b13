"""Numbers and lengths of time, in digits and in words, as comparable keys."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from types import MappingProxyType

from citemark.model.letter_case import caseless
from citemark.model.raised import RAISED, with_characters
from citemark.model.text import Span

# fmt: off
_ENGLISH = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_ENGLISH_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_GERMAN = (
    "null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
    "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
)
_GERMAN_TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
# fmt: on
_TEN = 10
LARGE = MappingProxyType(
    {"dozen": 12, "dutzend": 12, "hundred": 100, "hundert": 100, "thousand": 1000, "tausend": 1000}
)
"""Words that multiply the number before them ("two hundred"), and mean about that many on their own."""

SECOND_WORD = "|".join((*_ENGLISH[1:_TEN], "dozen", "dutzend", "hundred", "thousand"))
"""What may follow a first number word as part of the same number."""


def _values() -> dict[str, int]:
    values = {word: value for value, word in enumerate(_ENGLISH)}
    values |= {word: value for value, word in enumerate(_GERMAN)} | {"eins": 1}
    for places, tens in enumerate(zip(_ENGLISH_TENS, _GERMAN_TENS, strict=True), start=2):
        values |= dict.fromkeys(tens, _TEN * places)
        for ones in range(1, _TEN):
            values[f"{tens[0]} {_ENGLISH[ones]}"] = values[f"{_GERMAN[ones]}und{tens[1]}"] = _TEN * places + ones
    for word, value in LARGE.items():
        values[word] = value
        for ones in range(1, len(_ENGLISH)):
            values[f"{_ENGLISH[ones]} {word}"] = values[f"{_GERMAN[ones]}{word}"] = ones * value
    values |= {"a dozen": 12, "ein dutzend": 12}
    del values["ein"]  # an article far more often than a number
    return values | {word.replace("ß", "ss"): value for word, value in values.items() if "ß" in word}


_VALUES = MappingProxyType(_values())


def number_of(words: str) -> int | None:
    """The value of one or two number words in any case, or None for other words."""
    return _VALUES.get(caseless(words).replace("-", " "))


_DAY = 86_400
_UNITS = {
    "second": ("s", 1), "sec": ("s", 1), "sekunde": ("s", 1), "minute": ("s", 60), "min": ("s", 60),
    "hour": ("s", 3600), "stunde": ("s", 3600), "day": ("s", _DAY), "tag": ("s", _DAY), "werktag": ("s", _DAY),
    "week": ("s", 7 * _DAY), "woche": ("s", 7 * _DAY),
    "month": ("m", 1), "monat": ("m", 1), "year": ("m", 12), "jahr": ("m", 12),
}  # fmt: skip
"""Units of time by name; months are not a fixed number of days."""

RAISED_FIGURES = "".join(RAISED)[:12]
"""The raised digits and signs."""

_UNIT = rf"(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})(?:s|e|en|n|es)?\b"
_BLANK = r"[ \t\u00a0-]+"
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>-(?=\d{4,}))?"
    rf"(?P<number>\d+(?:[.,]\d+)*(?:[{RAISED_FIGURES}]+|\^[+\u2212-]?\d+)?"
    rf"|(?:[^\W\d_]+[ -](?:{SECOND_WORD})|[^\W\d_]+)(?![\w]))",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(rf"\+?(?:{_BLANK}(?!{_UNIT.replace('?P<unit>', '?:')})[a-zäöü]+)?{_BLANK}{_UNIT}", re.IGNORECASE)
_RANGE = re.compile(r"[ \t]*(?:-|\u2013|\b(?:to|or|bis|oder)\b)[ \t]*", re.IGNORECASE)
_UNIT_BEFORE = re.compile(rf"\b{_UNIT}[^.!?\n]{{0,30}}\Z", re.IGNORECASE)
_FREE = re.compile(r"[ \t]*(?:$|[,.;)|\n]|(?:by|that|or|and|to|per|oder|und|bis|pro)\b)", re.IGNORECASE)
"""What follows a number that counts nothing there: its unit was named before it ("of months, at least twelve")."""

_LOOK_BACK = 50
"""How many characters before a number are searched for its unit: half a line."""

_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10,
    "hälfte": 2, "drittel": 3, "viertel": 4, "fünftel": 5, "zehntel": 10,
}  # fmt: skip
_SHARE = re.compile(
    rf"(?:(?<!\band )|(?!an?[ -]half))\b(?P<count>an?|one|two|three|four|ein|zwei|drei|vier)[ -]"
    rf"(?P<part>{'|'.join(_PARTS)})s?\b",
    re.IGNORECASE,
)
_HALF = re.compile(rf"\b(?:half[ ]an?|(?:ein\w*[ ])?halbe\w*)[ ]{_UNIT}", re.IGNORECASE)
_SINGLE = re.compile(rf"\b(?:an?|one|per|each|every|ein(?:e[nmrs]?)?|pro|jede[nmrs]?)[ ]{_UNIT}", re.IGNORECASE)
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


def amounts(text: str) -> Iterator[Amount]:
    """Yield every number in `text`, shares before whole numbers; "one" only if it counts time, "a hundred" never."""
    for match in _SHARE.finditer(text):
        count = 1 if caseless(match["count"]) in {"a", "an", "ein"} else number_of(match["count"])
        part = caseless(match["part"])
        yield Amount(Span(*match.span()), f"{count}/{_PARTS.get(part, part)}", spelled=True)
    for match in _HALF.finditer(text):
        yield Amount(Span(*match.span()), "1/2", _length(Fraction(1, 2), match["unit"]), spelled=True)
    at = 0
    while match := _NUMBER.search(text, at):
        at = match.end()
        amount = _amount(text, match)
        if amount is not None:
            at = max(at, amount.span.end)
            yield amount
        elif (first := _FIRST_WORD.match(text, match.start())) and first.end() < at:
            at = first.end()  # in "lasts two", the second word is the number


def _amount(text: str, match: re.Match[str]) -> Amount | None:
    written = caseless(with_characters(match["number"]))
    spelled = not written[0].isdigit()
    value = number_of(written) if spelled else _fraction(written)
    if spelled and value is None:
        return None
    counted = _COUNTED.match(text, match.end())
    unit = counted["unit"] if counted else _unit_of_range(text, match.end())
    lasting = _length(Fraction(value), unit) if unit is not None and value is not None else None
    if spelled and lasting is None and ((value or 0) < _LEAST_SPELLED or written in LARGE):
        return None
    end = counted.end() if counted and lasting else match.end()
    key = str(value) if spelled else _key(written)
    return Amount(Span(match.start(), end), key, lasting, spelled)


def _unit_of_range(text: str, end: int) -> str | None:
    """The unit of "three" in "three to six months"."""
    joint = _RANGE.match(text, end)
    other = _NUMBER.match(text, joint.end()) if joint else None
    if other is None or not (other["number"][0].isdigit() or number_of(other["number"])):
        return None
    counted = _COUNTED.match(text, other.end())
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
