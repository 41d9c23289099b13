import os
from datetime import UTC, datetime

import pytest

from citemark.sources.file_system import modified_at


def status(mtime: int) -> os.stat_result:
    return os.stat_result([0, 0, 0, 0, 0, 0, 0, 0, mtime, 0])


@pytest.mark.parametrize("mtime", [300_000_000_000, -100_000_000_000, 2**62])
def test_a_file_from_a_year_that_no_calendar_has_was_changed_at_no_known_time(mtime: int) -> None:
    assert modified_at(status(mtime)) is None
    assert modified_at(status(0)) == datetime(1970, 1, 1, tzinfo=UTC)
