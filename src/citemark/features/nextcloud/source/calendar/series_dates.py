"""The dates of stored series, for those who order documents by time."""

from collections.abc import Sequence
from datetime import datetime

from citemark.model.stated_dates import SeriesDate


class CalendarSeries:
    """Reads the series that the calendar reader keeps."""

    def between(self, series: str, first: datetime, last: datetime | None, most: int) -> Sequence[SeriesDate] | None:
        """The dates that overlap the time from `first` to before `last` (local), in order; cancelled ones are left out.

        None if they cannot be computed in a limited number of steps.
        """
        # The calendar library is large, and most questions do not speak of time.
        from citemark.extraction.calendar.occurrences import dates_within

        found = dates_within(series, first, last, most)
        if found is None:
            return None
        return [
            SeriesDate(each.start.stored, "" if each.end is None else each.end.stored)
            for each in found
            if not each.cancelled
        ]

    def misses(self, series: str, first: datetime, last: datetime) -> bool:
        """Whether no date, not even a cancelled one, overlaps the time; False if that cannot be computed."""
        from citemark.extraction.calendar.occurrences import dates_within

        return dates_within(series, first, last, 1) == []
