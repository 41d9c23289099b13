"""Converts spreadsheets to text with spans: a section per sheet, tables as rows, values as the sheet shows them.

Separators are those of the format code (1,234.50), since those that a program would show instead depend on the reader's
country, not on the file. The two date formats that depend on the reader's country are written as ISO 8601.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

import openpyxl

from citemark.extraction.builder import Builder, sensible_title, tags_of
from citemark.extraction.office import nothing_in, reading
from citemark.extraction.sheets import MOST_COLUMNS, CellBudget, Row, write_sheet
from citemark.extraction.zips import open_zip
from citemark.model.text import Extracted

_GENERAL = frozenset({"", "general", "@"})

_BY_COUNTRY = frozenset({"mm-dd-yy", "m/d/yy h:mm", "m/d/yyyy", "m/d/yyyy h:mm"})

_LITERAL = re.compile(r"\"([^\"]*)\"|\\(.)|\[\$([^\]-]*)[^\]]*\]|_.|\*.|\[[^\]]*\]")

_DATE_PART = re.compile(r"y+|m+|d+|h+|s+|am/pm|a/p|\.0+", re.IGNORECASE)

_NUMBER = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?(?:E[+-]0+|,+)?|\.[#0?]+", re.IGNORECASE)

_MOST_DECIMALS = 15
"""The decimal places that a double has."""


_NOON = 12

_LONGEST_CODE = 255
"""Most characters of a format code; spreadsheet programs allow no more."""


_LONGEST_EXACT = 1e15
"""Every whole number below this one is exact in a double."""


_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_WHAT = "spreadsheet"


def extract_xlsx(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the visible sheets of a workbook, each as a section with the sheet's name.

    Values are those that the program computed last, with dates and numbers as shown. Hidden sheets are left out and
    named in the metadata: people who open the file to check a citation do not see them. A sheet's rows beyond the first
    20,000 are left out, and the text and the metadata say so.

    Raises:
        SkippableSourceError: the file has a password, an old format or no text, is broken, or is a zip bomb.
    """
    open_zip(data).close()
    with reading(_WHAT):
        book: Any = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        try:
            return _extract(book, fallback_title)
        finally:
            book.close()


def _extract(book: Any, fallback_title: str) -> Extracted:
    builder = Builder()
    hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
    allowance = CellBudget()
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible" and not builder.full:
            write_sheet(builder, sheet.title, _rows(sheet, allowance), allowance)
    properties = book.properties
    return builder.finish(
        title=sensible_title(properties.title or "") or fallback_title,
        nothing=nothing_in(_WHAT),
        tags=tags_of(properties.keywords or ""),
        metadata={
            "author": properties.creator if properties.creator != "openpyxl" else "",
            "subject": properties.subject or "",
            "created": properties.created.date().isoformat() if properties.created else "",
            "modified": properties.modified.date().isoformat() if properties.modified else "",
            "hidden_sheets": ", ".join(hidden),
        },
    )


def _rows(sheet: Any, allowance: CellBudget) -> Iterator[Row]:
    """The rows of a sheet as text, up to the first 256 columns; consecutive empty rows become one."""
    # The size that a file declares is often wrong, and rows would be padded to it with empty cells.
    sheet.reset_dimensions()
    blank = False
    for cells in sheet.iter_rows():
        allowance.looked_at -= 1 + len(cells)
        if allowance.is_spent:
            return
        row = [" ".join(displayed(cell.value, _code(cell)).split()) for cell in cells[:MOST_COLUMNS]]
        if any(row) or not blank:
            yield row
        blank = not any(row)


def _code(cell: Any) -> str:
    return "" if cell.value is None or isinstance(cell.value, str) else str(cell.number_format)


def displayed(value: object, code: str) -> str:
    """The text that a cell shows; `code` is its number format, in the notation of the file."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return _general(value) if code == "General" else _number(value, code[:_LONGEST_CODE])
        case datetime() | date() | time():
            return _moment(value, code[:_LONGEST_CODE])
        case timedelta():
            return _duration(value)
        case _:
            return str(value)


def _number(value: float, code: str) -> str:
    part = _part_for(value, code)
    plain = _LITERAL.sub("", part)
    masks = _NUMBER.findall(plain)
    if code.strip().casefold() in _GENERAL or len(masks) > 1:
        return _general(value)
    if not masks:
        return _written_out(part).strip() or _general(value)
    signed = value < 0 and ";" not in code
    percent = plain.count("%")
    digits = _figures(abs(value) * 100**percent, masks[0])
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


def _figures(value: float, mask: str) -> str:
    if re.search("e[+-]", mask, re.IGNORECASE):
        decimals = mask.casefold().partition("e")[0].partition(".")[2]
        return f"{value:.{min(len(decimals), _MOST_DECIMALS)}E}"
    scaled = mask.rstrip(",")
    value /= 1000 ** (len(mask) - len(scaled))
    whole, _, decimals = scaled.partition(".")
    digits = f"{value:{',' if ',' in whole else ''}.{min(len(decimals), _MOST_DECIMALS)}f}"
    optional = len(decimals) - len(decimals.rstrip("#?"))
    for _ in range(optional):
        digits = digits.removesuffix("0") if "." in digits else digits
    least = whole.count("0")
    head, dot, tail = digits.removesuffix(".").partition(".")
    return f"{head.zfill(least) if ',' not in whole else head}{dot}{tail}"


def _general(value: float) -> str:
    if isinstance(value, int) or (value.is_integer() and abs(value) < _LONGEST_EXACT):
        return str(int(value))
    return f"{value:.10g}".replace("e", "E")


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
