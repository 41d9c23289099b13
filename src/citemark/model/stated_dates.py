"""When something dated is, seen from a moment: the past, now, or still to come."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

When = Literal["past", "now", "upcoming"]


@dataclass(frozen=True, slots=True)
class StatedDates:
    """The dates of a document as its source states them: ISO 8601, with a zone's name in brackets where one is stored.

    A day without a time is a whole day; the stored end of whole days is the day after. `series` is what repeats, in the
    source's own notation. `open` is False for what is done, cancelled or archived.
    """

    begin: str = ""
    end: str = ""
    due: str = ""
    series: str = ""
    open: bool = True


@dataclass(frozen=True, slots=True)
class Occasion:
    """One date of a document that matters at a moment, as its source states it; `due`: something is due then."""

    begins: datetime
    ends: datetime
    stated: str
    when: When
    overdue: bool = False
    due: bool = False


@dataclass(frozen=True, slots=True)
class SeriesDate:
    """One date of a series: begin and end as stated; `end` may be ""."""

    begin: str
    end: str


def moment_of(dated: str) -> datetime:
    """A day or moment in ISO 8601 as one that can be compared; without a zone it counts as one in UTC.

    What is no date is older than any date.
    """
    try:
        moment = datetime.fromisoformat(dated)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
