"""Dates as people write them, with months in the names of seven languages or in digits, as comparable keys."""

import re
from collections.abc import Iterable, Iterator
from string import ascii_letters

from citemark.model.text import Span
from citemark.text.letter_case import caseless

# fmt: off
_MONTHS = (
    ("january", "jan", "januar", "j\u00e4nner", "janvier", "enero", "gennaio", "januari", "janeiro"),
    ("february", "feb", "februar", "f\u00e9vrier", "febrero", "febbraio", "februari", "fevereiro"),
    ("march", "mar", "m\u00e4rz", "mars", "marzo", "maart", "mar\u00e7o"),
    ("april", "apr", "avril", "abril", "aprile"),
    ("may", "mai", "mayo", "maggio", "mei", "maio"),
    ("june", "jun", "juni", "juin", "junio", "giugno", "junho"),
    ("july", "jul", "juli", "juillet", "julio", "luglio", "julho"),
    ("august", "aug", "ao\u00fbt", "agosto", "augustus"),
    ("september", "sep", "sept", "septembre", "septiembre", "settembre", "setembro"),
    ("october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "outubro"),
    ("november", "nov", "novembre", "noviembre", "novembro"),
    ("december", "dec", "dezember", "dez", "d\u00e9cembre", "diciembre", "dicembre", "dezembro"),
)
# fmt: on
"""English, German, French, Spanish, Italian, Dutch and Portuguese."""

_AMBIGUOUS = frozenset(
    {"may", "mai", "mei", "march", "mar", "mars", "jan", "sep", "sept", "dec", "jun", "jul", "apr", "nov", "oct", "feb"}
    | {"aug", "okt", "dez", "augustus"}
)
"""Short forms, and names that are also other words: alone they say no month."""

_NUMBERS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}
MONTH_NAMES = frozenset(_NUMBERS)
_NAMES = "|".join(sorted(_NUMBERS, key=len, reverse=True))
WORD = re.compile(r"\w+")
HAS_DIGIT = re.compile(r"\d")
"""Every date has a digit in it, but for a month that is named by itself."""


def words_beginning(words: Iterable[str], *, or_digit: bool = False) -> re.Pattern[str]:
    """A pattern of whole words that finds, in a text, each of some words (in lower case, of two letters or more).

    It finds others too, but few: those that begin with the same two letters, or with a letter beyond ASCII among the
    first two; with `or_digit`, also all that begin with a digit. To look up each word takes many times as long.
    """
    seconds: dict[str, str] = {}
    for first, second in sorted({word[:2] for word in words}):
        seconds[first] = seconds.get(first, "") + second
    firsts = _beside_foreign("".join(seconds), digits=or_digit)
    pairs = [rf"(?<=[{first}{first.upper()}]){_beside_foreign(seconds[first])}" for first in seconds if first.isascii()]
    # The letters come first: a pattern that begins with a set of characters is tried nowhere else.
    return re.compile(rf"{firsts}(?<!\w.)(?:{'|'.join(pairs)}|(?<=[^a-zA-Z]))\w*", re.DOTALL)


def _beside_foreign(letters: str, *, digits: bool = False) -> str:
    """A set of some letters, in both cases, and all characters of words that are not of ASCII."""
    others = {*ascii_letters, *("" if digits else "0123456789")}.difference(letters, letters.upper())
    return rf"[^\W_{''.join(sorted(others))}]"


_NAMED_OR_NUMBER = words_beginning(_NUMBERS, or_digit=True)
_OF = r"(?:(?:of|de|du|di)[ \t]+)?"
_DATE = re.compile(
    rf"\b(?P<iso>(?P<y>\d{{4}})-(?P<m>\d\d)(?:-(?P<d>\d\d))?)(?![\d-])"
    rf"|\b(?P<mdy>(?P<m2>{_NAMES})\.?[ \t]+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,?[ \t]+(?P<y2>\d{{4}}))?)\b"
    rf"|\b(?P<dmy>(?P<d3>\d{{1,2}})(?:st|nd|rd|th|er|\.)?[ \t]+{_OF}(?P<m3>{_NAMES})\b\.?"
    rf"(?:,?[ \t]+{_OF}(?P<y3>\d{{4}})\b)?)"
    rf"|\b(?P<my>(?P<m4>{_NAMES})\.?,?[ \t]+{_OF}(?P<y4>\d{{4}}))\b"
    r"|\b(?P<dots>(?P<d5>\d{1,2})\.(?P<m5>\d{1,2})\.(?P<y5>\d{4}))\b",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[ymd]\d?")
_MOST_MONTHS = 12
_MOST_DAYS = 31


def dates(text: str) -> Iterator[tuple[Span, str]]:
    """Yield each date with its key: "2026-03-15", "2026-03" without a day, "-03-15" without a year."""
    for match in _matches(text):
        given = {name[0]: value for name, value in match.groupdict().items() if value and _PARTS.fullmatch(name)}
        month, day = _month(given["m"]), int(given.get("d") or 0)
        if 1 <= month <= _MOST_MONTHS and day <= _MOST_DAYS:
            year = given.get("y", "")
            yield Span(*match.span()), f"{year}-{month:02}" + (f"-{day:02}" if day else "")


def dates_and_months(text: str) -> Iterator[tuple[Span, str]]:
    """Yield each date, and each month named by itself ("-03") unless the word may mean something else."""
    taken: list[Span] = []
    for span, key in dates(text):
        taken.append(span)
        yield span, key
    at = 0
    for word in WORD.finditer(text):
        while at < len(taken) and taken[at].end <= word.start():
            at += 1
        inside = at < len(taken) and taken[at].start <= word.start()
        month = month_number(word.group())
        if month and not inside and caseless(word.group()) not in _AMBIGUOUS:
            yield Span(*word.span()), f"-{month:02}"


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Every match of `_DATE`, which is tried only where a number or the name of a month begins.

    A text without a digit has none.
    """
    end = 0
    for word in _NAMED_OR_NUMBER.finditer(text) if HAS_DIGIT.search(text) else ():
        if word.start() < end or not (text[word.start()].isdecimal() or month_number(word.group())):
            continue
        match = _DATE.match(text, word.start())
        if match is not None:
            end = match.end()
            yield match


def month_number(name: str) -> int:
    """The number of a month from 1, or 0 for other words."""
    return _NUMBERS.get(caseless(name), 0)


def date_keys(text: str) -> frozenset[str]:
    """Every key that a date in `text` matches: itself, its month, and both without the year."""
    found: set[str] = set()
    for _, key in dates_and_months(text):
        year, month, *day = key.rsplit("-", key.count("-"))
        found |= {key, f"{year}-{month}", f"-{month}", *(f"-{month}-{number}" for number in day)}
    return frozenset(found)


def _month(written: str) -> int:
    """The number of a month in digits or words; 0 for other words."""
    return int(written) if written.isdigit() else month_number(written)
