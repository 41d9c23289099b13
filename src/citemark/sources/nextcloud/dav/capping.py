"""iCalendar and vCard data within bounds before any library sees it: properties are counted, and cut where they end."""

import re
from collections import Counter
from dataclasses import dataclass

from citemark.sources.nextcloud.dav.peeking import unfold

MOST_OF_A_NAME = 5_000
"""Properties of one name in one component: no meeting has more guests, no daily series more exceptions in ten years."""

MOST_PROPERTIES = 20_000
"""In all: a series with two hundred changed occurrences of a hundred guests each; parsing them takes about a second."""

_NAME = re.compile(r"(?:[\w-]+\.)?([\w-]+)[;:]")
"""A vCard may name a group before the property."""

_BEGIN = re.compile(r"BEGIN:\s*([\w-]+)", re.IGNORECASE)
_END = re.compile(r"END:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CappedData:
    """Data that is safe to parse, and how many properties were left out of it."""

    data: str
    left_out: int = 0


def cap_properties(data: str) -> CappedData:
    """The data as it is, or without the properties that are too many; components that were open are closed."""
    if data.count("\n") + data.count("\r") <= MOST_OF_A_NAME:
        return CappedData(data)
    lines = [line for line in unfold(data).split("\n") if line]
    kept: list[str] = []
    inside: list[tuple[str, Counter[str]]] = []
    for number, line in enumerate(lines):
        if len(kept) >= MOST_PROPERTIES:
            kept += [f"END:{name}" for name, _ in reversed(inside)]
            return CappedData("\r\n".join([*kept, ""]), len(lines) - number)
        if (begun := _BEGIN.match(line)) is not None:
            inside.append((begun[1], Counter()))
        elif _END.match(line):
            if inside:
                inside.pop()
        elif inside and (assign_native_ids := _NAME.match(line)) is not None:
            seen = inside[-1][1]
            seen[assign_native_ids[1].upper()] += 1
            if seen[assign_native_ids[1].upper()] > MOST_OF_A_NAME:
                continue
        kept.append(line)
    return CappedData("\r\n".join([*kept, ""]), len(lines) - len(kept))


def left_out_note(left_out: int) -> str:
    """What a text says of properties that were left out."""
    return f"{left_out:,} more lines of the data are left out."
