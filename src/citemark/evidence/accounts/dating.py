"""Entries that repeat, found by days: the dates that lie within them, in place of the rule alone."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, TypeVar

from citemark.evidence.accounts.requests import AccountSearch

if TYPE_CHECKING:
    from citemark.sources.nextcloud.calendar.occurrences import Occurrence

Key = TypeVar("Key")

_MOST = 3
"""Dates that a hit shows; whether there are others stands in its rule."""

_ORDER = ("Occurrence", "Start", "End", "Due", "Zone", "Recurrence", "State", "Progress", "Priority", "Location")
"""How what is known of a document is told: when, how far, where, and then the rest by name."""


async def dates_of(series: Mapping[Key, str], request: AccountSearch) -> dict[Key, Sequence[str]]:
    """The first dates of each series within the days that were asked for; none for one whose dates are not worked out.

    A series without a date in these days has an empty list.
    """
    found: dict[Key, Sequence[str]] = {}
    for key, written in series.items():
        dates = await asyncio.to_thread(_within, written, request.date_from, request.date_to)
        if dates is not None:
            found[key] = [_told(each) for each in dates]
    return found


def in_order(metadata: Mapping[str, str], dates: Sequence[str] = ()) -> dict[str, str]:
    """What is known of a document in the order of reading, with the dates of a series, one a line."""
    known = {**metadata, "Occurrence": "\n".join(dates)} if dates else dict(metadata)
    places = {name: place for place, name in enumerate(_ORDER)}
    return {name: known[name] for name in sorted(known, key=lambda name: (places.get(name, len(places)), name))}


def _within(series: str, first: date | None, last: date | None) -> "list[Occurrence] | None":
    # The reader of calendars is large, and most questions name no days.
    from citemark.sources.nextcloud.calendar.occurrences import dates_within  # noqa: PLC0415

    start = None if first is None else datetime.combine(first, time.min)
    end = None if last is None else datetime.combine(last, time.min) + timedelta(days=1)
    return dates_within(series, start, end, _MOST)


def _told(each: "Occurrence") -> str:
    """One date as dates are stored, with what was set by hand."""
    end = "" if each.end is None else f" to {each.end.stored}"
    notes = (each.summary, "changed" if each.changed else "", "cancelled" if each.cancelled else "")
    said = ", ".join(note for note in notes if note)
    return f"{each.start.stored}{end}{f': {said}' if said else ''}"
