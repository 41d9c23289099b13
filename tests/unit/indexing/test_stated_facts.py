"""What filters by day and label compare of a page."""

from datetime import date

import pytest

from citemark.extraction.markdown.document import extract_markdown
from citemark.indexing.stated_facts import dates_of, labels_of
from citemark.model.documents import Fetched
from citemark.model.ids import NativeId, Version
from citemark.model.stated_dates import DayRange, StatedDates, days_of


def fetched(body: str, **stated: object) -> Fetched:
    extracted = extract_markdown(body, fallback_title="Page")
    return Fetched("file", NativeId("1"), Version("1"), None, None, extracted, **stated)  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("days-and-labels-are-columns")
def test_labels_are_tags_and_what_the_source_and_the_page_itself_name() -> None:
    page = fetched("---\ntags: [alpha, be\u0301ta]\ncategory: Work\n---\nText.\n", labels=("legal", "alpha", ""))
    assert labels_of(page) == ("alpha", "b\u00e9ta", "legal", "Work")
    assert labels_of(fetched("Text.\n")) == ()


@pytest.mark.requirement("days-and-labels-are-columns")
def test_the_dates_of_a_source_count_before_those_of_the_page() -> None:
    body = "---\nStart: 2026-12-20\nDue: 2026-12-24\nState: done\n---\nText.\n"
    own, days = dates_of(fetched(body))
    assert own == StatedDates(begin="2026-12-20", due="2026-12-24", open=False)
    assert days == (DayRange(date(2026, 12, 20), date(2026, 12, 24)),)
    stated, given = StatedDates(due="2027-01-01"), (DayRange(None, None),)
    assert dates_of(fetched(body, dates=stated, days=given)) == (stated, given)
    assert dates_of(fetched("Text.\n")) == (None, ())
    assert dates_of(fetched("---\nDue: soon\n---\nText.\n")) == (StatedDates(due="soon"), ())


@pytest.mark.parametrize(
    ("stated", "first", "last"),
    [
        (StatedDates("2026-12-01T23:00+01:00[Europe/Berlin]", "2026-12-02T01:00+01:00"), "2026-12-01", "2026-12-02"),
        (StatedDates("2026-12-10", "2026-12-12"), "2026-12-10", "2026-12-11"),
        (StatedDates("2026-12-10", "2026-12-10"), "2026-12-10", "2026-12-10"),
        (StatedDates("2026-12-10", "2026-12-08"), "2026-12-08", "2026-12-10"),
        (StatedDates("2026-12-10", due="2026-12-08"), "2026-12-08", "2026-12-10"),
        (StatedDates("2026-12-10", "later"), "2026-12-10", "2026-12-10"),
        (StatedDates(due="2028-02"), "2028-02-01", "2028-02-29"),
    ],
)
def test_what_does_not_repeat_lasts_from_its_first_day_to_its_last(stated: StatedDates, first: str, last: str) -> None:
    assert days_of(stated) == (DayRange(date.fromisoformat(first), date.fromisoformat(last)),)


def test_what_is_no_date_is_on_no_day() -> None:
    assert not any(days_of(StatedDates(begin=text)) for text in ("", "soon", "2026-02-30", "2026-13", "0000-01-01"))
