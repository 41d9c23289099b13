"""Numbers and lengths of time, in digits and in words, as comparable keys."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from citemark.model.text import Span

# fmt: off
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_GERMAN = (
    "null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
)
# fmt: on
_LARGE = {"hundred": 100, "thousand": 1000, "hundert": 100, "tausend": 1000}
_VALUES = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
    **{
        f"{tens}-{ones}": 10 * ten + one
        for ten, tens in enumerate(_TENS, 2)
        for one, ones in enumerate(_ONES[:10])
        if one
    },
    **{word: value for value, word in enumerate(_GERMAN)},
    **_LARGE,
}
_UNITS = {
    "second": ("s", 1), "sec": ("s", 1), "sekunde": ("s", 1), "minute": ("s", 60), "min": ("s", 60),
    "hour": ("s", 3600), "stunde": ("s", 3600), "day": ("d", 1), "tag": ("d", 1), "week": ("d", 7), "woche": ("d", 7),
    "month": ("m", 1), "monat": ("m", 1), "year": ("m", 12), "jahr": ("m", 12),
}  # fmt: skip
_SPELLED = "|".join(sorted(map(re.escape, _VALUES), key=len, reverse=True))
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_AMOUNT = re.compile(
    rf"(?<![\w.])(?P<sign>-(?=\d{{4,}}))?(?P<number>\d+(?:[.,]\d+)*|\b(?:{_SPELLED})\b)"
    rf"(?P<unit>(?:[ \t\u00a0-]+(?!{_UNIT})[a-zäöü]+)?[ \t\u00a0-]+(?:{_UNIT})(?:s|e|en|n)?\b)?",
    re.IGNORECASE,
)
_THIRDS = re.compile(
    r"\b(?:a|one|two|three|ein|zwei)[ -](?:half|third|quarter|fifth|tenth|drittel|viertel|fünftel)s?\b", re.IGNORECASE
)
_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+\Z")
_LEAST_SPELLED = 2


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as written; `key` is its value ("4", "7.0"), `lasting` a length of time ("14 d"), if it is one.

    `spelled` is true for numbers in words.
    """

    span: Span
    key: str
    lasting: str | None
    spelled: bool


def amounts(text: str) -> Iterator[Amount]:
    """Every number of `text`; "one" only where it counts time, "a hundred" never."""
    for match in _AMOUNT.finditer(text):
        written = match["number"].casefold()
        in_words = not written[0].isdigit()
        value = _VALUES[written] if in_words else None
        lasting = _lasting(Fraction(value) if value is not None else _fraction(written), match["unit"])
        if lasting is None and value is not None and (value < _LEAST_SPELLED or written in _LARGE):
            continue
        span = Span(match.start(), match.end() if lasting else match.end("number"))
        yield Amount(span, _key(written) if value is None else str(value), lasting, in_words)
    for match in _THIRDS.finditer(text):
        yield Amount(Span(*match.span()), re.sub(r"[\s-]+", " ", match[0].casefold()), None, spelled=True)


def amount_keys(text: str) -> frozenset[str]:
    """The keys and lengths of every number of `text`."""
    return frozenset(key for amount in amounts(text) for key in (amount.key, amount.lasting) if key)


def _key(written: str) -> str:
    return written.replace(",", "") if _GROUPS.match(written) else written


def _fraction(written: str) -> Fraction | None:
    try:
        return Fraction(_key(written).replace(",", "."))
    except ValueError:
        return None


def _lasting(value: Fraction | None, unit: str | None) -> str | None:
    if unit is None or value is None:
        return None
    word = re.split(r"[\s-]+", unit.strip())[-1].casefold()
    stem = next(name for name in sorted(_UNITS, key=len, reverse=True) if word.startswith(name))
    name, factor = _UNITS[stem]
    return f"{value * factor} {name}"
