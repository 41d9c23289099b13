"""Dates as people write them, in English, German, French and ISO 8601, as comparable keys."""

import re
from collections.abc import Iterator

from citemark.model.letter_case import caseless
from citemark.model.text import Span

_MONTHS = (
    ("january", "jan", "januar", "jänner", "janvier"),
    ("february", "feb", "februar", "février"),
    ("march", "mar", "märz", "mars"),
    ("april", "apr", "avril"),
    ("may", "mai"),
    ("june", "jun", "juni", "juin"),
    ("july", "jul", "juli", "juillet"),
    ("august", "aug", "août"),
    ("september", "sep", "sept", "septembre"),
    ("october", "oct", "oktober", "okt", "octobre"),
    ("november", "nov", "novembre"),
    ("december", "dec", "dezember", "dez", "décembre"),
)
_NUMBERS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}
_NAMED = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_DATE = re.compile(
    rf"\b(?P<iso>(?P<y>\d{{4}})-(?P<m>\d\d)(?:-(?P<d>\d\d))?)(?![\d-])"
    rf"|\b(?P<mdy>(?P<m2>{_NAMED})\.?[ \t]+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,?[ \t]+(?P<y2>\d{{4}}))?)\b"
    rf"|\b(?P<dmy>(?P<d3>\d{{1,2}})(?:st|nd|rd|th|er|\.)?[ \t]+(?:of[ \t]+)?(?P<m3>{_NAMED})\b\.?"
    r"(?:,?[ \t]+(?P<y3>\d{4})\b)?)"
    rf"|\b(?P<my>(?P<m4>{_NAMED})\.?,?[ \t]+(?:of[ \t]+)?(?P<y4>\d{{4}}))\b"
    r"|\b(?P<dots>(?P<d5>\d{1,2})\.(?P<m5>\d{1,2})\.(?P<y5>\d{4}))\b",
    re.IGNORECASE,
)
_AMBIGUOUS = frozenset(
    {"may", "march", "mar", "mars", "jan", "sep", "dec", "jun", "jul", "apr", "nov", "oct", "feb", "aug"}
)
"""Short forms, and names that are also words or planets: alone they say no month."""

_MONTH = re.compile(rf"\b(?:{'|'.join(name for name in _NUMBERS if name not in _AMBIGUOUS)})\b", re.IGNORECASE)
_PARTS = re.compile(r"[ymd]\d?")
_MOST_MONTHS = 12
_MOST_DAYS = 31


def dates(text: str) -> Iterator[tuple[Span, str]]:
    """Yield each date with its key: "2026-03-15", "2026-03" without a day, "-03-15" without a year, "-03" alone."""
    ends = 0
    for match in _DATE.finditer(text):
        yield from _months(text, ends, match.start())
        ends = match.end()
        given = {name[0]: value for name, value in match.groupdict().items() if value and _PARTS.fullmatch(name)}
        month, day = _month(given["m"]), int(given.get("d") or 0)
        if 1 <= month <= _MOST_MONTHS and day <= _MOST_DAYS:
            year = given.get("y", "")
            yield Span(*match.span()), f"{year}-{month:02}" + (f"-{day:02}" if day else "")
    yield from _months(text, ends, len(text))


def date_keys(text: str) -> frozenset[str]:
    """Every key that a date in `text` matches: the date itself, its month with and without a year, its day without."""
    found: set[str] = set()
    for _, key in dates(text):
        year, month, *day = key.rsplit("-", key.count("-"))
        found |= {key, f"{year}-{month}", f"-{month}", *(f"-{month}-{number}" for number in day)}
    return frozenset(found)


def _months(text: str, start: int, end: int) -> Iterator[tuple[Span, str]]:
    """Yield the months named by themselves."""
    for match in _MONTH.finditer(text, start, end):
        yield Span(*match.span()), f"-{_month(match[0]):02}"


def _month(written: str) -> int:
    """The number of a month in digits or words; 0 for other words."""
    return int(written) if written.isdigit() else _NUMBERS.get(caseless(written), 0)
