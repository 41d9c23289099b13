"""The dates, days and labels of a page for filters: those that its source states, and those of its own properties."""

from collections.abc import Mapping
from unicodedata import normalize

from citemark.model.documents import Fetched
from citemark.model.stated_dates import CLOSED_STATES, DayRange, StatedDates, days_of

_LABELS = ("Labels", "Tags", "category")
"""The properties in which pages name labels, one per line."""


def labels_of(fetched: Fetched) -> tuple[str, ...]:
    """Tags and labels, each once, with composed letters."""
    own = fetched.extracted.metadata
    named = (*fetched.labels, *(label for key in _LABELS for label in own.get(key, "").split("\n")))
    return tuple(dict.fromkeys(normalize("NFC", label) for label in (*fetched.extracted.tags, *named) if label))


def dates_of(fetched: Fetched) -> tuple[StatedDates | None, tuple[DayRange, ...]]:
    """The dates and days that the source states; if it states none, those of the page's properties."""
    if fetched.dates is not None or fetched.days:
        return fetched.dates, fetched.days
    stated = _of_properties(fetched.extracted.metadata)
    return (None, ()) if stated is None else (stated, days_of(stated))


def _of_properties(own: Mapping[str, str]) -> StatedDates | None:
    begin, due = own.get("Start", ""), own.get("Due", "")
    if not (begin or due):
        return None
    done = not CLOSED_STATES.isdisjoint(own.get("State", "").splitlines())
    return StatedDates(begin, own.get("End", ""), due, open=not done)
