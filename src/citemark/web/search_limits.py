"""What a search is limited to: the fields of the address, and how many documents each value of them leaves."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any

from citemark.model.document_counts import DocumentCounts, Facet
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Filters, ReadContext, RequestScope
from citemark.services.asked_states import state_asked
from citemark.text.escaping import one_line
from citemark.text.languages import UNKNOWN
from citemark.web.asked import Asked

_LABELS: Mapping[Facet, str] = MappingProxyType(
    {
        "source": "Source",
        "tag": "Tag of the source",
        "kind": "Kind",
        "language": "Language",
        "label": "Tag of the document",
        "year": "Changed in",
    }
)
LIMITS: tuple[Facet, ...] = tuple(_LABELS)
"""The limits that are chosen among counted values; a path, days and a moment are typed."""

_DIGITS = 4

_SHORT_OF_MIDNIGHT = timedelta(microseconds=1)
"""The filter leaves out the moment itself, and a day begins with its midnight."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search reads: which sources, which of their documents, and in which state."""

    scope: RequestScope
    filters: Filters
    read_context: ReadContext


def limits_asked(asked: Asked) -> Limits:
    """The limits in an address.

    Raises:
        InvalidArgument: a day, a year or a moment is none.
    """
    after, before = _day(asked.text("after")), _day(asked.text("before"))
    year = _year(asked.text("year"))
    begins = max((each for each in (after, year and date(year, 1, 1)) if each), default=None)
    ends = min((each for each in (before, year and date(year, 12, 31)) if each), default=None)
    return Limits(
        RequestScope(doc_tags=_given(asked, "tag"), source=asked.text("source") or None),
        Filters(
            path_prefixes=_given(asked, "path"),
            updated_after=None if begins is None else _midnight(begins) - _SHORT_OF_MIDNIGHT,
            updated_before=None if ends is None else _midnight(ends) + timedelta(days=1),
            doc_types=_given(asked, "kind"),
            labels=_given(asked, "label"),
            languages=_given(asked, "language"),
        ),
        state_asked(asked.text("as_of") or None, None),
    )


def counted(counts: DocumentCounts, asked: Asked) -> list[dict[str, Any]]:
    """Each limit with the values that it can be set to, and how many documents each of them leaves."""
    limits: list[dict[str, Any]] = []
    for name, label in _LABELS.items():
        chosen, values = asked.text(name), dict(counts.of(name))
        if chosen:
            values.setdefault(chosen, 0)
        shown = [
            {"value": value, "shown": _shown(name, value), "documents": documents}
            for value, documents in values.items()
        ]
        if shown:
            limits.append({"name": name, "label": label, "chosen": chosen, "values": shown})
    return limits


def _given(asked: Asked, name: str) -> tuple[str, ...]:
    return (text,) if (text := asked.text(name)) else ()


def _shown(name: Facet, value: str) -> str:
    """A value as a person calls it."""
    match name:
        case "language":
            return "Not known" if value == UNKNOWN else value.capitalize()
        case "kind":
            return value.replace("_", " ").capitalize()
        case _:
            return one_line(value)


def _day(text: str) -> date | None:
    """A day as typed; None if none is given.

    Raises:
        InvalidArgument: it is not a day.
    """
    if not text:
        return None
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = date.min
    if not date.min < found < date.max:  # the days around it must exist too
        raise InvalidArgument(f"{text[:40]!r} is not a day, such as 2026-01-31.")
    return found


def _year(text: str) -> int | None:
    """A year as typed; None if none is given.

    Raises:
        InvalidArgument: it is not a year.
    """
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS and date.min.year < int(text) < date.max.year):
        raise InvalidArgument(f"{text[:40]!r} is not a year, such as 2026.")
    return int(text)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, datetime.min.time(), UTC)
