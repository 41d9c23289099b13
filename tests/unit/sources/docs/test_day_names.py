"""The day of a daily note, from its name and the pattern of the app."""

from datetime import date

import pytest

from citemark.sources.docs.day_names import DayName

pytestmark = pytest.mark.requirement("daily-notes-have-their-day")

NAMES = [
    ("YYYY-MM-DD", "", "2026-11-26.md", date(2026, 11, 26)),
    ("YYYY-MM-DD", "journal", "journal/2026-11-26.md", date(2026, 11, 26)),
    ("YYYY-MM-DD", "journal", "2026-11-26.md", None),
    ("YYYY-MM-DD", "", "journal/2026-11-26.md", None),
    ("YYYY-MM-DD", "", "2026-11-26 Meeting.md", None),
    ("YYYY-MM-DD", "", "2026-02-30.md", None),
    ("YYYY-MM-DD", "", "2026-11-26.pdf", None),
    ("YYYY/MM/YYYY-MM-DD", "", "2026/11/2026-11-26.md", date(2026, 11, 26)),
    ("YYYY/MM/YYYY-MM-DD", "", "2025/11/2026-11-26.md", None),
    ("YYYY/MM-MMMM/YYYY-MM-DD-dddd", "d", "d/2026/11-November/2026-11-26-Thursday.md", date(2026, 11, 26)),
    ("D. MMMM YYYY", "", "3. März 2026.md", date(2026, 3, 3)),
    ("MMMM Do, YYYY", "", "March 3rd, 2026.md", date(2026, 3, 3)),
    ("MMM D YY", "", "Dec. 5 26.md", date(2026, 12, 5)),
    ("[daily] YYYYMMDD", "", "daily 20261126.md", date(2026, 11, 26)),
    ("gggg-[W]ww", "", "2026-W48.md", None),
    ("YYYY-MM", "", "2026-11.md", None),
    ("MMMM D YYYY", "", "Foo 5 2026.md", None),
]


def test_a_name_tells_the_day_that_its_pattern_says_and_no_other_name_does() -> None:
    for pattern, folder, path, day in NAMES:
        assert DayName(pattern, folder).day_of(path) == day, (pattern, path)


def test_a_pattern_that_repeats_itself_for_ever_is_compared_at_once() -> None:
    for pattern in ("d" * 4000, "D" * 4000, "YYYY" * 1000, "[x" * 2000, "MMMM" * 1000, "(a+)+" * 500):
        assert DayName(pattern).day_of("a" * 250 + "1" * 250 + ".md") is None
