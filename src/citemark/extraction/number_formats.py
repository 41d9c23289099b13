"""What a cell of a spreadsheet shows: its value, written as its format code says.

Separators are those of the format code (1,234.50), since those that a program would show instead depend on the reader's
country, not on the file. The two date formats that depend on the reader's country are written as ISO 8601.
"""

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite

from citemark.extraction.date_names import DateNames, names_of
from citemark.extraction.number_masks import LITERAL, literal, masked, sections

_GENERAL = frozenset({"", "general", "@"})

_BY_COUNTRY = frozenset({"mm-dd-yy", "m/d/yy h:mm", "m/d/yyyy", "m/d/yyyy h:mm"})

_LITERAL = re.compile(LITERAL)

_DATE_PART = re.compile(r"\[h+\]|\[m+\]|\[s+\]|y+|m+|d+|h+|s+|am/pm|a/p|\.0+", re.IGNORECASE)

_LITERAL_BUT_UNITS = re.compile(r"\"[^\"]*\"?|\\.|\[\$[^\]]*\]|_.|\*.")

_NOON = 12

_LONGEST_CODE = 255
"""Most characters of a format code; spreadsheet programs allow no more."""

_LONGEST_EXACT = 1e15
"""Every whole number below this one is exact in a double."""


def displayed(value: object, code: str) -> str:
    """The text that a cell shows; `code` is its number format, in the notation of the file."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return general(value) if code == "General" else _number(value, code[:_LONGEST_CODE])
        case datetime() | date() | time():
            return _moment(value, code[:_LONGEST_CODE])
        case timedelta():
            return _duration(value, code[:_LONGEST_CODE])
        case _:
            return _text(str(value), code[:_LONGEST_CODE]) if "@" in code or ";" in code else str(value)


def general(value: float) -> str:
    """A number without a format of its own: all digits of a whole number, ten of any other."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < _LONGEST_EXACT):
        return str(int(value))
    return f"{value:.10g}".replace("e", "E")


def _number(value: float, code: str) -> str:
    if code.strip().casefold() in _GENERAL or not isfinite(value):
        return general(value)
    return masked(value, code, general).strip()


def _text(value: str, code: str) -> str:
    """A text as the section for texts shows it, the fourth or the only one with a mark for them."""
    parts = sections(code)
    part = parts[3] if len(parts) > 3 else next((part for part in parts if "@" in _LITERAL.sub("", part)), None)  # noqa: PLR2004 - positive; negative; zero; text
    if part is None:
        return value
    tokens = re.findall(rf"{LITERAL}|.", part, re.DOTALL)
    return "".join(value if mark == "@" else literal(mark) if len(mark) > 1 else mark for mark in tokens)


def _moment(value: datetime | date | time, code: str) -> str:
    part = code.split(";", maxsplit=1)[0]
    plain = _LITERAL.sub("", part)
    if part.strip().casefold() in _BY_COUNTRY or not _DATE_PART.search(plain):
        return _iso(value)
    twelve_hour = re.search("am/pm|a/p", plain, re.IGNORECASE) is not None
    names = names_of(code)
    out: list[str] = []
    position = 0
    last_unit = ""
    for token in re.finditer(f"{_DATE_PART.pattern}|{_LITERAL.pattern}", part, re.IGNORECASE):
        out.append(part[position : token.start()])
        position = token.end()
        unit = token[0].casefold().strip("[]")
        if token[0][0] in '"\\_*' or (token[0][0] == "[" and set(unit) - set("hms")):
            out.append(literal(token[0]))
            continue
        if unit[0] == "m" and (last_unit == "h" or re.match(r"[^ymdh]*s", part[position:], re.IGNORECASE)):
            unit = unit.replace("m", "n")
        last_unit = unit[0]
        out.append(_unit(value, unit, twelve_hour, names))
    out.append(part[position:])
    return "".join(out).strip() or _iso(value)


def _unit(value: datetime | date | time, unit: str, twelve_hour: bool, names: DateNames) -> str:
    """One unit of a date or time; "n" stands for minutes, which format codes write as "m"."""
    day = value if isinstance(value, date) else date(1900, 1, 1)
    clock = value.time() if isinstance(value, datetime) else value if isinstance(value, time) else time()
    if unit[0] == "y":
        return f"{day.year:04d}" if len(unit) > 2 else f"{day.year % 100:02d}"  # noqa: PLR2004 - yy or yyyy
    if unit[0] in "md":
        number = day.month if unit[0] == "m" else day.day
        full, short = (names.months, names.short_months) if unit[0] == "m" else (names.days, names.short_days)
        at = day.month - 1 if unit[0] == "m" else day.weekday()
        return _named(full[at], short[at], number, len(unit))
    if unit[0] == "a":
        return ("AM" if clock.hour < _NOON else "PM")[: 2 if "m" in unit else 1]
    if unit[0] == ".":
        return f".{clock.microsecond:06d}"[: len(unit)]
    hour = clock.hour % _NOON or _NOON if twelve_hour else clock.hour
    number = {"h": hour, "n": clock.minute, "s": clock.second}[unit[0]]
    return f"{number:02d}" if len(unit) > 1 else str(number)


def _named(name: str, short: str, number: int, width: int) -> str:
    match width:
        case 1:
            return str(number)
        case 2:
            return f"{number:02d}"
        case 3:
            return short
        case 5:
            return name[:1]
        case _:
            return name


def _iso(value: datetime | date | time) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    return value.isoformat("minutes") if isinstance(value, time) else value.isoformat()


def _duration(value: timedelta, code: str) -> str:
    """A length of time; the first unit of the code in square brackets takes all of it that larger units leave."""
    part = sections(code)[0]
    units = [token[0].casefold() for token in _DATE_PART.finditer(_LITERAL_BUT_UNITS.sub("", part))]
    decimals = next((len(unit) - 1 for unit in units if unit[0] == "."), 0)
    total = Decimal(str(abs(value).total_seconds())).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    sign = "-" if value < timedelta() else ""
    seconds, fraction = divmod(total, 1)
    if not any(unit.startswith("[") for unit in units):
        return f"{sign}{seconds // 3600}:{int(seconds // 60 % 60):02d}:{int(seconds % 60):02d}"
    counted = {"h": seconds // 3600, "m": seconds // 60 % 60, "s": seconds % 60}
    counted |= {"[h": seconds // 3600, "[m": seconds // 60, "[s": seconds}

    def shown(token: re.Match[str]) -> str:
        unit = token[0].casefold()
        if unit[0] == ".":
            return f"{fraction:.{decimals}f}"[1:]
        key = unit[:2] if unit[0] == "[" else unit[0]
        if key not in counted or (unit[0] != "[" and _LITERAL.fullmatch(token[0])):
            return literal(token[0])
        return f"{int(counted[key]):0{len(unit.strip('[]'))}d}"

    return sign + re.sub(f"{_DATE_PART.pattern}|{_LITERAL.pattern}", shown, part, flags=re.IGNORECASE).strip()
