"""Dated things in time: which of their dates matters now, and their order for questions that speak of time.

What a calendar's rules mean is the source's knowledge; here they are only asked for dates (`SeriesReader`).
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Protocol, TypeVar

from citemark.model.clock import Clock
from citemark.model.sources import AllowedSources
from citemark.model.stated_dates import Occasion, SeriesDate, StatedDates, When
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.question import Question, RankedCandidate
from citemark.retrieval.time_words import TimeWords, time_words, without_time_words

_ABOUT_EQUAL = 0.85
"""Share of the best relevance from which dated hits are about the same thing: chosen on tests/data/calendar."""

_ANSWERS = 0.7
"""The score that 90 % of the best hits of answerable questions reach (ADR 6)."""

_ZONE = re.compile(r"\[([^\]]*)\]\Z")
_DAY = timedelta(days=1)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_WINDOWS = (timedelta(days=31), timedelta(days=366), timedelta(days=9 * 366))
"""How far back the last date of a series is looked for, the nearest window first."""


class SeriesReader(Protocol):
    """Reads what repeats."""

    def between(self, series: str, first: datetime, last: datetime | None, most: int) -> Sequence[SeriesDate] | None:
        """The dates that overlap the time from `first` to before `last` (local, without a zone), in order.

        None if they cannot be computed in a limited number of steps. Cancelled dates are left out.
        """
        ...

    def misses(self, series: str, first: datetime, last: datetime) -> bool:
        """Whether no date, not even a cancelled one, overlaps the time from `first` to before `last` (local)."""
        ...


class UnreadSeries:
    """The reader of a program without a feature that knows such rules: it says of no series when it is."""

    def between(self, series: str, first: datetime, last: datetime | None, most: int) -> None:
        """No dates, since they cannot be computed."""
        _ = series, first, last, most

    def misses(self, series: str, first: datetime, last: datetime) -> bool:
        """Never: a date could overlap any time."""
        _ = series, first, last
        return False


@dataclass(frozen=True, slots=True)
class Reader:
    """The moment at which somebody asks, in their zone."""

    now: datetime

    @property
    def today(self) -> date:
        """The day that it is for them."""
        return self.now.date()

    @property
    def day(self) -> str:
        """That day in words, with the name of the zone: "Wednesday 25 November 2026 (Europe/Berlin)"."""
        at = self.now
        zone = getattr(at.tzinfo, "key", None) or at.tzname() or "local time"
        return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]} {at.year} ({zone})"


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
    when = _when(begins, ends, reader.now, due=bool(dates.due))
    return Occasion(begins, ends, stated, when, overdue=overdue, due=bool(dates.due))


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


class Occasions:
    """Tells when the dated documents of a question are, seen from the moment and zone of its reader."""

    def __init__(self, series: SeriesReader, clock: Clock, zone: tzinfo) -> None:
        self._series = series
        self._clock = clock
        self._zone = zone

    def reader(self) -> Reader:
        """The moment at which a question is asked."""
        return Reader(self._clock().astimezone(self._zone))

    def words(self, phrasings: Sequence[str]) -> TimeWords:
        """What a question says about time now."""
        return time_words(phrasings, self.reader().today)

    def about(self, question: Question) -> Question:
        """The question without its words about time, as far as its phrasings stay different."""
        today = self.reader().today
        phrasings = [without_time_words(phrasing, today) for phrasing in question.phrasings]
        if len(set(phrasings)) < len(phrasings):
            return question
        return replace(question, query=phrasings[0], also=tuple(phrasings[1:]))

    async def of(
        self, search: SearchIndex, allowed: AllowedSources, page_ids: Sequence[int], words: TimeWords
    ) -> dict[int, Occasion]:
        """The occasion of each dated page, by page id; series are worked out in a thread."""
        stated = await search.dated(allowed, page_ids) if page_ids else {}
        return await asyncio.to_thread(self._worked_out, stated, words) if stated else {}

    async def outside(
        self, search: SearchIndex, allowed: AllowedSources, page_ids: Sequence[int], days: tuple[date, date]
    ) -> frozenset[int]:
        """The pages among these that repeat, but not in these days, by the clock of their own zone."""
        stated = await search.dated(allowed, page_ids) if page_ids else {}
        repeated = {page_id: dates.series for page_id, dates in stated.items() if dates.series}
        first, last = (datetime.combine(day, time.min) for day in days)

        def missing() -> frozenset[int]:
            return frozenset(
                page_id for page_id, series in repeated.items() if self._series.misses(series, first, last + _DAY)
            )

        return await asyncio.to_thread(missing) if repeated else frozenset()

    def _worked_out(self, stated: Mapping[int, StatedDates], words: TimeWords) -> dict[int, Occasion]:
        reader = self.reader()
        found = ((page_id, occasion_of(dates, reader, self._series, words)) for page_id, dates in stated.items())
        return {page_id: occasion for page_id, occasion in found if occasion is not None}


Entry = TypeVar("Entry", bound=RankedCandidate)


def in_time(candidates: Sequence[Entry], occasions: Mapping[int, Occasion], words: TimeWords) -> list[Entry]:
    """The candidates in the order that "next", "last" and "overdue" ask for; without such words, as they are.

    Only dated hits that are about as relevant as the best of all change places: first those in the wanted direction
    of time, nearest first; then everything else in its order; last those on the other side of now. Scores stay with
    their passages.

    Args:
        candidates: best first.
        occasions: by page id, made with the same words.
        words: those of the question.
    """
    dated = [each for each in candidates if each.page_id in occasions]
    if not dated or (words.order is None and not words.overdue):
        return list(candidates)
    if words.overdue:
        dated = [each for each in dated if occasions[each.page_id].overdue] or dated
    # What is overdue is a condition on the hits, not only an order: it is compared with its like.
    best = 0.0 if words.overdue else max(each.why.relevance for each in candidates)
    group = _about_equal(dated, best)
    if words.due and any(occasions[each.page_id].due for each in group):
        group = _about_equal([each for each in dated if occasions[each.page_id].due], 0.0)
    ahead = words.order != "last" and not words.overdue

    def wanted(entry: Entry) -> bool:
        occasion = occasions[entry.page_id]
        if words.overdue:
            return occasion.overdue
        return (occasion.when != "past") if ahead else (occasion.when != "upcoming")

    def begins(entry: Entry) -> datetime:
        return occasions[entry.page_id].begins

    first = sorted(filter(wanted, group), key=begins, reverse=words.order == "last")
    other_side = sorted((each for each in group if not wanted(each)), key=begins, reverse=ahead)
    return [*first, *_without(candidates, [*first, *other_side]), *other_side]


def days_first(
    candidates: Sequence[Entry],
    in_days: Sequence[Entry],
    occasions: Mapping[int, Occasion],
    min_score: float,
    *,
    listing: bool,
) -> list[Entry]:
    """The candidates of a question that names days, those in the days first, in the order of time.

    What is in the days must be about as relevant as the best of all, and share a word with the question or reach
    `min_score`. If the question has no other words ("What do I have tomorrow?"), or none of them is in it or in
    anything that answers well, all of the days is meant.

    Args:
        candidates: of the question without its words about time, best first.
        in_days: those of the same question among what is dated in the days, whatever their scores.
        occasions: of the latter, by page id; a series without a date in the days has none.
        min_score: the least score of other hits.
        listing: whether all other words of the question are grammar.
    """
    dated = [each for each in in_days if each.page_id in occasions]
    answering = [each for each in candidates if each.score >= _ANSWERS]
    if not listing and any(each.why.shares_words for each in (*answering, *dated)):
        least = _ABOUT_EQUAL * max(each.why.relevance for each in (*candidates, *dated))
        dated = [
            each for each in dated if each.why.relevance >= least and (each.why.shares_words or each.score >= min_score)
        ]
    first = sorted(dated, key=lambda each: occasions[each.page_id].begins)
    return [*first, *_without(candidates, first)]


def _about_equal(dated: Sequence[Entry], best: float) -> list[Entry]:
    """Those about as relevant as the best of all and of themselves, among what has words of the question if any has."""
    named = [each for each in dated if each.why.shares_words] or list(dated)
    least = _ABOUT_EQUAL * max((best, *(each.why.relevance for each in named)))
    return [each for each in named if each.why.relevance >= least]


def _without(candidates: Sequence[Entry], others: Sequence[Entry]) -> list[Entry]:
    left_out = {each.chunk_id for each in others}
    return [each for each in candidates if each.chunk_id not in left_out]
