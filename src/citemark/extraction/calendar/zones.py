"""Times as calendar programs write them, brought into the form of RFC 5545, with zones that can be looked up.

Programs write zones by the names of Windows and of Outlook's lists, with prefixes, or as offsets, and times with
fractions of seconds or offsets of their own. A calendar program reads all of them, and so does this.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from zoneinfo import ZoneInfo, available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

_TIMES = "DTSTART|DTEND|DUE|COMPLETED|RECURRENCE-ID|EXDATE|RDATE"
_VALUE = r"\d{4}-?\d\d-?\d\d(?:T\d\d:?\d\d(?::?\d\d)?(?:[.,]\d+)?[ ]?(?:Z|[+-]\d\d(?::?\d\d)?)?)?"
_LINE = re.compile(
    rf"^(?P<name>[ \t]*(?:{_TIMES}))(?P<parameters>;[^\r\n]*?)?:(?P<values>{_VALUE}(?:,{_VALUE})*)[ \t]*(?=\r?$)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of times: what is before the last colon that only times follow is its parameters, quoted or not."""

_ONE = re.compile(
    r"(?P<year>\d{4})-?(?P<month>\d\d)-?(?P<day>\d\d)"
    r"(?:T(?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d))?(?:[.,]\d+)?[ ]?(?P<offset>Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.IGNORECASE,
)
_TZID = re.compile(r";TZID=(?P<zone>\"[^\"]*\"|.*?)(?=;[\w-]+=|$)", re.IGNORECASE)
_DEFINED = re.compile(r"^[ \t]*TZID(?:;[^:\n]*)?:[ \t]*(?P<zone>[^\r\n]*?)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_OFFSET = re.compile(
    r"\(?(?:UTC|GMT)?[ ]?(?P<sign>[+\u2212-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?\)?", re.IGNORECASE
)
_LISTED = re.compile(r"\((?:UTC|GMT)(?P<offset>[+\u2212-]\d{1,2}:?\d\d)?\)[ ]*(?P<places>.*)", re.IGNORECASE)
_BEGIN = re.compile(r"^BEGIN:VCALENDAR[ \t]*\r?\n", re.IGNORECASE | re.MULTILINE)

_MOST_HOURS = 14
"""The largest offset of any zone."""

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "z": "UTC",
        "zulu": "UTC",
        "gmt": "UTC",
        "utc": "UTC",
        "coordinated universal time": "UTC",
        "greenwich mean time": "UTC",
        "western european time": "Europe/Lisbon",
        "central european time": "Europe/Berlin",
        "central european standard time": "Europe/Berlin",
        "eastern european time": "Europe/Athens",
        "pacific time": "America/Los_Angeles",
        "mountain time": "America/Denver",
        "central time": "America/Chicago",
        "eastern time": "America/New_York",
        "atlantic time": "America/Halifax",
        "arizona": "America/Phoenix",
        "india standard time": "Asia/Kolkata",
        "japan standard time": "Asia/Tokyo",
    }
)
"""Names in the lists of programs that neither name a city nor are those of Windows."""


class ZoneNames:
    """The zones that can be looked up, by lower case and by city; listed only if a name is not one of them."""

    @cached_property
    def by_lower_case(self) -> Mapping[str, str]:
        """All names, by their lower case."""
        return {name.lower(): name for name in available_timezones()}

    @cached_property
    def by_city(self) -> Mapping[str, str]:
        """The names that end in a place, by the lower case of the place."""
        names = sorted(name for name in self.by_lower_case.values() if "/" in name and not name.startswith("Etc/"))
        return {name.rpartition("/")[2].lower(): name for name in names}


def with_plain_times(data: str) -> str:
    """Rewrite the lines of times in unfolded iCalendar data so that each has a value and a zone that can be read.

    A zone that the data defines keeps its name. An offset, in a value or as the name of a zone, becomes a zone called
    "UTC+01:00", which is defined in the data.
    """
    defined = {match["zone"] for match in _DEFINED.finditer(data)}
    fixed: set[str] = set()
    names = ZoneNames()

    def plain(line: re.Match[str]) -> str:
        parameters = line["parameters"] or ""
        written = _TZID.search(parameters)
        zone = written["zone"].strip().strip('"') if written is not None else ""
        if zone and zone not in defined:
            zone = zone_named(zone, names) or zone
        times = [_ONE.fullmatch(value) for value in line["values"].split(",")]
        offsets = {_offset_name(time["offset"]) for time in times if time is not None and _is_offset(time["offset"])}
        zone = offsets.pop() if len(offsets) == 1 else zone
        if zone != "UTC" and zone == _offset_name(zone) and zone not in defined:
            fixed.add(zone)
        others = _TZID.sub("", parameters)
        return (
            f"{line['name']}{others}{_parameter(zone)}:{','.join(_basic(time) for time in times if time is not None)}"
        )

    text = _LINE.sub(plain, data)
    return _BEGIN.sub(lambda begin: begin[0] + "".join(map(_definition, sorted(fixed))), text) if fixed else text


def zone_named(written: str, names: ZoneNames) -> str:
    """The name of a zone that can be looked up, for a zone as programs write it; "" if none fits.

    Names of Windows are left to the library, which knows them. "UTC+01:00" stands for an offset without a place.
    """
    if written in WINDOWS_TO_OLSON or _is_known(written):
        return written
    known = names.by_lower_case
    name = written.strip().removeprefix("tzone://Microsoft/").replace(" ", "_").lower()
    for start in range(name.count("/") + 1):
        found = known.get(name.split("/", start)[-1])
        if found is not None and ("/" in found or not start or "/" not in name):
            return found
    listed = _LISTED.fullmatch(written.strip())
    places = listed["places"] if listed is not None else written
    found = _NAMES.get(re.sub(r"\s*\(.*\)", "", places).strip().lower()) or _city(places, listed, names)
    if found:
        return found
    offset = _OFFSET.fullmatch(written.strip()) or (
        _OFFSET.fullmatch(listed["offset"]) if listed is not None and listed["offset"] else None
    )
    return _offset_name(offset[0]) if offset is not None else ("UTC" if listed is not None else "")


def _is_known(zone: str) -> bool:
    try:
        return ZoneInfo(zone).key == zone
    except (KeyError, ValueError, OSError):  # no such zone, or a name that no file can have
        return False


def _city(places: str, listed: re.Match[str] | None, names: ZoneNames) -> str:
    """The zone of the first place in a list such as "Amsterdam, Berlin, Bern" that has one, if it has the offset."""
    offset = listed["offset"] if listed is not None else None
    for place in places.split(","):
        found = names.by_city.get(place.strip().replace(" ", "_").lower(), "")
        if found and (not offset or _offset_name(offset) == _winter_offset(found)):
            return found
    return ""


def _winter_offset(zone: str) -> str:
    """The offset of a zone without daylight saving time: the smaller one of January and July."""
    moments = (datetime(2026, month, 1, tzinfo=ZoneInfo(zone)) for month in (1, 7))
    least = min(moments, key=lambda moment: moment.utcoffset() or moment.resolution)
    return _offset_name(f"{least:%z}")


def _is_offset(written: str | None) -> bool:
    return bool(written) and written not in {"Z", "z"}


def _offset_name(written: str) -> str:
    """An offset as the name of a zone: "+0100", "GMT+1" and "(UTC+01:00)" are all "UTC+01:00"; "" if it is none."""
    match = _OFFSET.fullmatch(written.strip())
    hours, minutes = (int(match["hours"]), int(match["minutes"] or 0)) if match is not None else (99, 0)
    if match is None or hours > _MOST_HOURS or minutes > 59:  # noqa: PLR2004 - minutes of an hour
        return ""
    if not hours and not minutes:
        return "UTC"
    return f"UTC{'+' if match['sign'] == '+' else '-'}{hours:02}:{minutes:02}"


def _parameter(zone: str) -> str:
    quoted = f'"{zone}"' if re.search(r"[:;,]", zone) else zone
    return f";TZID={quoted}" if zone else ""


def _basic(time: re.Match[str]) -> str:
    day = f"{time['year']}{time['month']}{time['day']}"
    if time["hour"] is None:
        return day
    zulu = "Z" if time["offset"] in {"Z", "z"} else ""
    return f"{day}T{time['hour']}{time['minute']}{time['second'] or '00'}{zulu}"


def _definition(zone: str) -> str:
    offset = zone[3:].replace(":", "")
    return (
        f"BEGIN:VTIMEZONE\r\nTZID:{zone}\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n"
        f"TZOFFSETFROM:{offset}\r\nTZOFFSETTO:{offset}\r\nTZNAME:{zone}\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
