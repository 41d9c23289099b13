"""Reads the day from the name of a daily note, given the pattern by which an app names them (moment.js, Obsidian)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from types import MappingProxyType

from citemark.extraction.date_names import number_of_month

DEFAULT_PATTERN = "YYYY-MM-DD"
"""How Obsidian names daily notes unless told otherwise."""

_TOKEN = re.compile(
    r"\[(?P<text>[^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DDDD|DDD|Do|DD|D|dddd|ddd|dd|d|E|e|ww|w|WW|W|gggg|GGGG|Q"
)
_NAME = r"[^\W\d_]++\.?+"
_NUMBER = r"\d{1,4}+"
"""Possessive, like the others: a pattern is somebody's file, and no name may take long to compare with it."""

_PARTS: Mapping[str, str] = MappingProxyType(
    {
        "YYYY": r"(?P<year>\d{4})",
        "YY": r"(?P<short_year>\d{2})",
        "MM": r"(?P<month>\d{2})",
        "M": r"(?P<month>\d{1,2}+)",
        "MMMM": rf"(?P<named_month>{_NAME})",
        "MMM": rf"(?P<named_month>{_NAME})",
        "DD": r"(?P<day>\d{2})",
        "D": r"(?P<day>\d{1,2}+)",
        "Do": r"(?P<day>\d{1,2}+)(?:st|nd|rd|th|er|[.ºª]|e)?+",
    }
)
"""What the parts of a pattern that tell a day look like; each counts where it stands first."""

_SUFFIX = ".md"


@dataclass(frozen=True)
class DayName:
    """How daily notes are named: a pattern below a folder, which may name folders itself ("YYYY/MM/YYYY-MM-DD")."""

    pattern: str = DEFAULT_PATTERN
    folder: str = ""

    def day_of(self, path: str) -> date | None:
        """The day of the daily note at a path relative to the root; None for every other file."""
        below = f"{self.folder}/" if self.folder else ""
        if not path.endswith(_SUFFIX) or not path.startswith(below):
            return None
        found = self._regex.fullmatch(path[len(below) :].removesuffix(_SUFFIX))
        return None if found is None else _day(found.groupdict())

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        seen: set[str] = set()
        at, parts = 0, list[str]()
        for token in _TOKEN.finditer(self.pattern):
            parts += [re.escape(self.pattern[at : token.start()]), _part(token, seen)]
            at = token.end()
        return re.compile("".join([*parts, re.escape(self.pattern[at:])]))


def _part(token: re.Match[str], seen: set[str]) -> str:
    """The expression of a part of a pattern; a part that stands there again is looked at only the first time."""
    if token["text"] is not None:
        return re.escape(token["text"])
    part = _PARTS.get(token[0])
    if part is None:
        return _NAME if token[0] in {"dddd", "ddd", "dd"} else _NUMBER
    group = re.search(r"<(\w+)>", part)
    name = group[1] if group else ""
    if name in seen:
        return f"(?P={name})" if token[0] in {"YYYY", "MM", "DD"} else part.replace(f"?P<{name}>", "?:")
    seen.add(name)
    return part


def _day(found: Mapping[str, str | None]) -> date | None:
    year = found.get("year") or (f"20{short}" if (short := found.get("short_year")) else None)
    month = found.get("month") or (number_of_month(named) if (named := found.get("named_month")) else None)
    day = found.get("day")
    if year is None or month is None or day is None:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
