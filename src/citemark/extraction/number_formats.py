"""What a cell of a spreadsheet shows: its value, written as its format code says.

Separators are those of the format code (1,234.50), since those that a program would show instead depend on the reader's
country, not on the file. The two date formats that depend on the reader's country are written as ISO 8601.
"""

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from math import isfinite

_GENERAL = frozenset({"", "general", "@"})

_BY_COUNTRY = frozenset({"mm-dd-yy", "m/d/yy h:mm", "m/d/yyyy", "m/d/yyyy h:mm"})

_LITERAL = re.compile(r"\"([^\"]*)\"|\\(.)|\[\$([^\]-]*)[^\]]*\]|_.|\*.|\[[^\]]*\]")

_DATE_PART = re.compile(r"y+|m+|d+|h+|s+|am/pm|a/p|\.0+", re.IGNORECASE)

_NUMBER = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?(?:E[+-]0+|,+)?|\.[#0?]+", re.IGNORECASE)

_MOST_DECIMALS = 15
"""The decimal places that a double has."""

_DIGITS = 15
"""The significant digits of a number in a spreadsheet; the others of a double are noise (0.28499999999999998)."""

_EXACT = Context(prec=1_000, rounding=ROUND_HALF_UP)
"""Enough digits to write out every double, even with all the percent signs that a code may have."""

_NOON = 12

_LONGEST_CODE = 255
"""Most characters of a format code; spreadsheet programs allow no more."""

_LONGEST_EXACT = 1e15
"""Every whole number below this one is exact in a double."""

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


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
            return _duration(value)
        case _:
            return str(value)


def general(value: float) -> str:
    """A number without a format of its own: all digits of a whole number, ten of any other."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < _LONGEST_EXACT):
        return str(int(value))
    return f"{value:.10g}".replace("e", "E")


def _number(value: float, code: str) -> str:
    part = _part_for(value, code)
    plain = _LITERAL.sub("", part)
    masks = _NUMBER.findall(plain)
    if code.strip().casefold() in _GENERAL or len(masks) > 1 or not isfinite(value):
        return general(value)
    if not masks:
        return _written_out(part).strip() or general(value)
    signed = value < 0 and ";" not in code
    percent = plain.count("%")
    digits = _figures(Decimal(f"{abs(value):.{_DIGITS}g}").scaleb(2 * percent, _EXACT), masks[0])
    before, after = _around(part)
    return f"{'-' if signed else ''}{before}{digits}{after}".strip()


def _part_for(value: float, code: str) -> str:
    """The part of a format code for numbers of this sign: positive, negative, zero."""
    parts = code.split(";")
    if value < 0 and len(parts) > 1:
        return parts[1]
    if value == 0 and len(parts) > 2 and parts[2]:  # noqa: PLR2004 - positive; negative; zero
        return parts[2]
    return parts[0]


def _around(part: str) -> tuple[str, str]:
    """The text that a format code adds before and after the number."""
    masked = _LITERAL.sub(lambda match: "\x00" * len(match[0]), part)
    found = _NUMBER.search(masked)
    if found is None:
        return _written_out(part), ""
    return _written_out(part[: found.start()]), _written_out(part[found.end() :])


def _written_out(text: str) -> str:
    return _LITERAL.sub(lambda match: match[1] or match[2] or match[3] or "", text).replace("?", " ")


def _figures(value: Decimal, mask: str) -> str:
    """The digits of a number, rounded as spreadsheet programs do: a half away from zero."""
    if re.search("e[+-]", mask, re.IGNORECASE):
        decimals = min(len(mask.casefold().partition("e")[0].partition(".")[2]), _MOST_DECIMALS)
        return f"{float(Context(decimals + 1, ROUND_HALF_UP).plus(value)):.{decimals}E}"
    scaled = mask.rstrip(",")
    whole, _, decimals = scaled.partition(".")
    value = value.scaleb(-3 * (len(mask) - len(scaled)), _EXACT)
    value = value.quantize(Decimal(1).scaleb(-min(len(decimals), _MOST_DECIMALS)), context=_EXACT)
    digits = f"{value:{',' if ',' in whole else ''}f}"
    optional = len(decimals) - len(decimals.rstrip("#?"))
    for _ in range(optional):
        digits = digits.removesuffix("0") if "." in digits else digits
    least = whole.count("0")
    head, dot, tail = digits.removesuffix(".").partition(".")
    if not least and head == "0":
        head = ""  # only a "0" of the mask shows a zero
    return f"{head.zfill(least) if ',' not in whole else head}{dot}{tail}"


def _moment(value: datetime | date | time, code: str) -> str:
    part = code.split(";", maxsplit=1)[0]
    plain = _LITERAL.sub("", part)
    if part.strip().casefold() in _BY_COUNTRY or not _DATE_PART.search(plain):
        return _iso(value)
    twelve_hour = re.search("am/pm|a/p", plain, re.IGNORECASE) is not None
    out: list[str] = []
    position = 0
    last_unit = ""
    for token in re.finditer(f"{_LITERAL.pattern}|{_DATE_PART.pattern}", part, re.IGNORECASE):
        out.append(part[position : token.start()])
        position = token.end()
        unit = token[0].casefold()
        if _LITERAL.fullmatch(token[0]):
            out.append(_written_out(token[0]))
            continue
        if unit[0] == "m" and (last_unit == "h" or re.match(r"[^ymdh]*s", part[position:], re.IGNORECASE)):
            unit = unit.replace("m", "n")
        last_unit = unit[0]
        out.append(_unit(value, unit, twelve_hour))
    out.append(part[position:])
    return "".join(out).strip() or _iso(value)


def _unit(value: datetime | date | time, unit: str, twelve_hour: bool) -> str:
    """One unit of a date or time; "n" stands for minutes, which format codes write as "m"."""
    day = value if isinstance(value, date) else date(1900, 1, 1)
    clock = value.time() if isinstance(value, datetime) else value if isinstance(value, time) else time()
    if unit[0] == "y":
        return f"{day.year:04d}" if len(unit) > 2 else f"{day.year % 100:02d}"  # noqa: PLR2004 - yy or yyyy
    if unit[0] in "md":
        number = day.month if unit[0] == "m" else day.day
        return _named(_MONTHS[day.month - 1] if unit[0] == "m" else _DAYS[day.weekday()], number, len(unit))
    if unit[0] == "a":
        return ("AM" if clock.hour < _NOON else "PM")[: 2 if "m" in unit else 1]
    if unit[0] == ".":
        return f".{clock.microsecond:06d}"[: len(unit)]
    hour = clock.hour % _NOON or _NOON if twelve_hour else clock.hour
    number = {"h": hour, "n": clock.minute, "s": clock.second}[unit[0]]
    return f"{number:02d}" if len(unit) > 1 else str(number)


def _named(name: str, number: int, width: int) -> str:
    match width:
        case 1:
            return str(number)
        case 2:
            return f"{number:02d}"
        case 3:
            return name[:3]
        case _:
            return name


def _iso(value: datetime | date | time) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    return value.isoformat("minutes") if isinstance(value, time) else value.isoformat()


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
