"""What servers ask for with `Retry-After`, and times as HTTP writes them."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from citemark.remote.connections import http_date, retry_after

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "900", "retry-after": "7"}, 0.9),
        ({"retry-after-ms": "x", "retry-after": "7"}, 7.0),
    ],
)
def test_seconds_are_read_and_nonsense_is_not(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_is_compared_with_the_servers_own_clock() -> None:
    later = format_datetime(NOON + timedelta(seconds=90), usegmt=True)
    assert retry_after({"retry-after": later, "date": format_datetime(NOON, usegmt=True)}) == 90


def test_no_server_is_believed_beyond_the_bound() -> None:
    assert retry_after({"retry-after": "86400"}, longest=3600.0) == 3600.0
    assert retry_after({"retry-after": "inf"}, longest=3600.0) == 3600.0
    assert retry_after({"retry-after-ms": "86400000"}, longest=3600.0) == 3600.0
    assert retry_after({"retry-after": "inf"}) is None


def test_times_of_http_are_in_utc() -> None:
    assert http_date("Sun, 22 Nov 2026 12:00:00 GMT") == NOON
    assert http_date("Sun, 22 Nov 2026 13:00:00 +0100") == NOON
    assert http_date("Sun, 22 Nov 2026 12:00:00 -0000") == NOON
    assert (http_date(None), http_date("yesterday")) == (None, None)
