"""Dated things in time, seen from a moment."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from citemark.model.scope import Principal
from citemark.model.stated_dates import Occasion, SeriesDate, StatedDates
from citemark.retrieval.occasions import Occasions, Reader, SeriesReader, UnreadSeries, days_first, in_time, occasion_of
from citemark.retrieval.question import Question, RankedCandidate, Why
from citemark.retrieval.time_words import TimeWords

BERLIN = ZoneInfo("Europe/Berlin")
NOW = Reader(datetime(2026, 11, 25, 14, 30, tzinfo=BERLIN))


class Weekly:
    """A series with a date every Tuesday at six, in Berlin."""

    def between(self, series: str, first: datetime, last: datetime | None, most: int) -> Sequence[SeriesDate] | None:
        start = datetime(2026, 1, 6, 18)  # noqa: DTZ001 - local by intent
        days = (start + timedelta(weeks=number) for number in range(120))
        found = [day for day in days if day + timedelta(hours=1) > first and (last is None or day < last)]
        zoned = [day.replace(tzinfo=BERLIN) for day in found[:most]]
        return [SeriesDate(day.isoformat(), (day + timedelta(hours=1)).isoformat()) for day in zoned]

    def misses(self, series: str, first: datetime, last: datetime) -> bool:
        return not self.between(series, first, last, 1)


class Never:
    """A series all of whose dates were cancelled."""

    def between(self, series: str, first: datetime, last: datetime | None, most: int) -> Sequence[SeriesDate]:
        return ()

    def misses(self, series: str, first: datetime, last: datetime) -> bool:
        return False


def when(
    dates: StatedDates, words: TimeWords | None = None, series: SeriesReader | None = None
) -> tuple[str, str] | None:
    found = occasion_of(dates, NOW, series or Weekly(), words)
    return None if found is None else (found.when, found.stated[:16])


@pytest.mark.requirement("past-is-marked")
@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (StatedDates("2026-11-25T14:00:00+01:00[Europe/Berlin]", "2026-11-25T15:00:00+01:00[Europe/Berlin]"), "now"),
        (StatedDates("2026-11-25T13:00:00Z", "2026-11-25T13:29:00Z"), "past"),
        (StatedDates("2026-11-25T13:31:00Z", "2026-11-25T14:00:00Z"), "upcoming"),
        (StatedDates("2026-11-25", "2026-11-26"), "now"),
        (StatedDates("2026-11-25"), "now"),
        (StatedDates("2026-11-24", "2026-11-25"), "past"),
        (StatedDates("2026-11-25T14:31:00", "2026-11-25T15:00:00"), "upcoming"),
        (StatedDates(due="2026-11-25"), "upcoming"),
        (StatedDates(due="2026-11-24"), "past"),
        (StatedDates("2026-11-26T09:00:00+09:00[Asia/Tokyo]", "2026-11-26T10:00:00+09:00[Asia/Tokyo]"), "upcoming"),
    ],
)
def test_whole_days_zones_and_due_dates_are_seen_from_the_readers_moment(dates: StatedDates, expected: str) -> None:
    found = occasion_of(dates, NOW, Weekly())
    assert found is not None
    assert found.when == expected


@pytest.mark.parametrize("dates", [StatedDates(), StatedDates("soon"), StatedDates(due="")])
def test_what_states_no_date_has_no_occasion(dates: StatedDates) -> None:
    assert when(dates) is None


@pytest.mark.requirement("past-is-marked")
def test_a_series_is_dated_by_what_is_asked_for() -> None:
    yoga = StatedDates("2026-01-06T18:00:00+01:00", series="weekly")
    assert when(yoga) == ("upcoming", "2026-12-01T18:00")
    assert when(yoga, TimeWords("last")) == ("past", "2026-11-24T18:00")
    assert when(yoga, TimeWords(days=(date(2026, 12, 7), date(2026, 12, 13)))) == ("upcoming", "2026-12-08T18:00")
    assert when(yoga, TimeWords(days=(date(2026, 11, 25), date(2026, 11, 25)))) is None


def test_a_series_of_which_no_date_is_known_is_dated_by_its_first() -> None:
    yoga = StatedDates("2026-01-06T18:00:00+01:00", series="weekly")
    assert when(yoga, series=UnreadSeries()) == ("past", "2026-01-06T18:00")
    assert not UnreadSeries().misses("weekly", datetime(2026, 1, 1), datetime(2026, 1, 2))  # noqa: DTZ001 - local
    assert when(yoga, series=Never()) == ("past", "2026-01-06T18:00")
    assert when(yoga, TimeWords("last"), Never()) is None


@pytest.mark.parametrize(
    ("also", "left"),
    [("When is the next yoga class?", ("yoga", "When is the yoga class?")), ("yoga last week", None)],
)
def test_the_words_about_time_stay_in_a_question_whose_phrasings_differ_in_nothing_else(
    also: str, left: tuple[str, str] | None
) -> None:
    asked = Question(Principal.local(), "yoga next week", also=(also,))
    about = Occasions(Weekly(), lambda: NOW.now, BERLIN).about(asked)
    assert about.phrasings == (left or asked.phrasings)


def test_only_what_is_open_is_overdue() -> None:
    late, done = (occasion_of(StatedDates(due="2026-11-20", open=state), NOW, Weekly()) for state in (True, False))
    assert late is not None
    assert done is not None
    assert (late.overdue, done.overdue) == (True, False)


def candidate(number: int, relevance: float, *, score: float = 0.8, shares_words: bool = True) -> RankedCandidate:
    why = Why(1, 1, relevance, relevance, 1.0, relevance, 0.03, shares_words=shares_words)
    return RankedCandidate(number, 1, number, score, why)


def dated(days: Mapping[int, int]) -> dict[int, Occasion]:
    """Occasions some days from now, by page."""
    return {
        page: Occasion(begins := NOW.now + timedelta(days=shift), begins, "", "past" if shift < 0 else "upcoming")
        for page, shift in days.items()
    }


def numbers(found: Sequence[RankedCandidate]) -> list[int]:
    return [each.chunk_id for each in found]


@pytest.mark.requirement("time-words-order")
def test_next_and_last_order_what_is_about_as_relevant_as_the_best() -> None:
    found = [candidate(1, 0.9), candidate(2, 0.88), candidate(3, 0.86), candidate(4, 0.3)]
    occasions = dated({1: -2, 2: 30, 3: 5, 4: 1})
    assert numbers(in_time(found, occasions, TimeWords("next"))) == [3, 2, 4, 1]
    assert numbers(in_time(found, occasions, TimeWords("last"))) == [1, 4, 3, 2]
    assert numbers(in_time(found, occasions, TimeWords())) == [1, 2, 3, 4]


@pytest.mark.requirement("time-words-order")
def test_a_document_that_answers_better_stays_before_dated_things() -> None:
    page, event = candidate(1, 1.2), candidate(2, 0.4)
    assert numbers(in_time([page, event], dated({2: 1}), TimeWords("next"))) == [1, 2]
    assert numbers(days_first([page], [event], dated({2: 0}), 0.5, listing=False)) == [1]


@pytest.mark.requirement("time-words-order")
def test_a_question_of_nothing_but_days_lists_all_of_them_and_keeps_what_passes_anyway() -> None:
    noon, morning = candidate(1, 0.2, score=0.1, shares_words=False), candidate(2, 0.1, score=0.0, shares_words=False)
    found = days_first([candidate(3, 0.5)], [noon, morning], dated({1: 2, 2: 1}), 0.5, listing=True)
    assert numbers(found) == [2, 1, 3]
