"""Dated things in time: which of their dates matters now, and their order for questions that speak of time.

What a calendar's rules mean is the source's knowledge; here they are only asked for dates (`SeriesReader`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Protocol, TypeVar
from zoneinfo import ZoneInfo

from citemark.model.occasions import Occasion, SeriesDate, StatedDates, When
from citemark.retrieval.question import RankedCandidate
from citemark.retrieval.time_words import TimeWords

_ABOUT_EQUAL = 0.8
"""Share of the best relevance from which dated hits are about the same thing: chosen on tests/data/calendar."""

_ZONE = re.compile(r"\[([^\]]*)\]\Z")
_DAY = timedelta(days=1)
_WINDOWS = (timedelta(days=31), timedelta(days=366), timedelta(days=9 * 366))
"""How far back the last date of a series is looked for, the nearest window first."""


class SeriesReader(Protocol):
    """Reads what repeats."""

    def between(self, series: str, first: datetime, last: datetime | None, most: int) -> Sequence[SeriesDate] | None:
        """The dates that overlap the time from `first` to before `last` (local, without a zone), in order.

        None if they cannot be computed in a limited number of steps. Cancelled dates are left out.
        """
        ...


@dataclass(frozen=True, slots=True)
class Reader:
    """The moment at which somebody asks, in their zone; `stated_zone` is False if the zone is only the server's."""

    now: datetime
    stated_zone: bool = False

    @property
    def today(self) -> date:
        """The day that it is for them."""
        return self.now.date()


def occasion_of(
    dates: StatedDates, reader: Reader, series: SeriesReader, words: TimeWords | None = None
) -> Occasion | None:
    """The date of a document that matters: the one that `words` ask for, else the next, else the last one.

    None for a document without dates, and for a series without a date in the days that are asked for.
    """
    words = words or TimeWords()
    found = _of_series(dates, reader, series, words) if dates.series else _of_entry(dates, reader)
    if found is not None and words.days is not None and not _overlaps(found, words.days, reader):
        return None
    return found


def _of_entry(dates: StatedDates, reader: Reader) -> Occasion | None:
    stated = dates.begin or dates.due
    begins = _moment(stated, reader)
    if begins is None:
        return None
    # A task lasts until it is due; what is due on a day may be done until its end.
    end = dates.end or dates.due or stated
    ends = _moment(end, reader) or begins
    if _is_day(end) and (not dates.end or ends <= begins):
        ends += _DAY
    if dates.due and not dates.end:
        stated = dates.due
        begins = _moment(dates.due, reader) or begins
    overdue = bool(dates.due) and dates.open and ends <= reader.now
    return Occasion(begins, ends, stated, _when(begins, ends, reader.now, due=bool(dates.due)), overdue)


def _of_series(dates: StatedDates, reader: Reader, series: SeriesReader, words: TimeWords) -> Occasion | None:
    local = reader.now.replace(tzinfo=None)
    if words.days is not None:
        first, last = (datetime.combine(day, time.min) for day in words.days)
        found = series.between(dates.series, first, last + _DAY, 1)
        return _of_entry(dates, reader) if found is None else _of_date(found[:1], reader)
    if words.order != "last":
        # A series is read by its own clock, which is up to a day from the reader's: the first date that has not ended.
        found = series.between(dates.series, local - _DAY, None, _MOST_TRIED)
        if found is None:
            return _of_entry(dates, reader)
        coming = [each for each in (_of_date([one], reader) for one in found) if each and each.when != "past"]
        if coming:
            return coming[0]
    for window in _WINDOWS:
        found = series.between(dates.series, local - window, local + _DAY, _MOST_BEHIND) or ()
        behind = [each for each in (_of_date([one], reader) for one in found) if each and each.when != "upcoming"]
        if behind:
            return behind[-1]
    return None if words.order == "last" else _of_entry(dates, reader)


_MOST_TRIED = 8
"""Dates looked at for the next one: those of today and yesterday may be over."""

_MOST_BEHIND = 800
"""Dates looked at for the last one: two a day in a year."""


def _of_date(found: Sequence[SeriesDate], reader: Reader) -> Occasion | None:
    return _of_entry(StatedDates(found[0].begin, found[0].end), reader) if found else None


def _when(begins: datetime, ends: datetime, now: datetime, *, due: bool) -> When:
    if due:
        return "past" if ends <= now else "upcoming"
    return "upcoming" if begins > now else "now" if ends > now else "past"


def _is_day(stated: str) -> bool:
    return len(stated) == len("2026-01-01")


def _moment(stated: str, reader: Reader) -> datetime | None:
    """The moment of a stated date or time; a day begins, and a time without a zone is, where the reader is."""
    try:
        found = datetime.fromisoformat(_ZONE.sub("", stated))
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=reader.now.tzinfo)


def _overlaps(found: Occasion, days: tuple[date, date], reader: Reader) -> bool:
    zone = reader.now.tzinfo
    first = datetime.combine(days[0], time.min, zone)
    last = datetime.combine(days[1], time.min, zone) + _DAY
    return found.begins < last and (found.ends > first or found.begins >= first)


def zone_named(name: str) -> ZoneInfo | None:
    """The zone of that name, or None."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError):
        return None


Entry = TypeVar("Entry", bound=RankedCandidate)


def in_time(candidates: Sequence[Entry], occasions: Mapping[int, Occasion], words: TimeWords) -> list[Entry]:
    """The candidates in the order that the words about time ask for; without such words, as they are.

    Only dated hits that are about as relevant as the best of them change places: first those in the wanted direction
    of time, nearest first; then everything else in its order; last those on the other side of now. Scores stay with
    their passages.

    Args:
        candidates: best first.
        occasions: by page id, made with the same words.
        words: those of the question.
    """
    dated = [each for each in candidates if each.page_id in occasions]
    if not dated or not words:
        return list(candidates)
    if words.days is not None:
        return _chronological(candidates, dated, occasions)
    least = _ABOUT_EQUAL * max(each.why.relevance for each in dated)
    group = [each for each in dated if each.why.relevance >= least]
    ahead = words.order != "last" and not words.overdue

    def wanted(entry: Entry) -> bool:
        occasion = occasions[entry.page_id]
        if words.overdue:
            return occasion.overdue
        return (occasion.when != "past") if ahead else (occasion.when != "upcoming")

    first = sorted(
        filter(wanted, group), key=lambda each: occasions[each.page_id].begins, reverse=words.order == "last"
    )
    chosen = {each.chunk_id for each in first}
    other_side = [each for each in group if each.chunk_id not in chosen]
    other_side.sort(key=lambda each: occasions[each.page_id].begins, reverse=ahead)
    passed = {each.chunk_id for each in other_side}
    rest = [each for each in candidates if each.chunk_id not in chosen and each.chunk_id not in passed]
    return [*first, *rest, *other_side]


def _chronological(
    candidates: Sequence[Entry], dated: Sequence[Entry], occasions: Mapping[int, Occasion]
) -> list[Entry]:
    chosen = {each.chunk_id for each in dated}
    first = sorted(dated, key=lambda each: occasions[each.page_id].begins)
    return [*first, *(each for each in candidates if each.chunk_id not in chosen)]
