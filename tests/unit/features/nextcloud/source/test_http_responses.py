"""What the status and headers of a response mean before an app sees it."""

import pytest

from citemark.features.nextcloud.source.http_responses import MaintenanceMode, check_response, list_in
from citemark.model.errors import RetriableSourceError
from citemark.remote.connections import HttpResponse


def refused(status: int, **headers: str) -> RetriableSourceError:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    with pytest.raises(RetriableSourceError) as caught:
        check_response(HttpResponse(status, given, b"", "https://cloud.example/dav"), "PROPFIND")
    return caught.value


@pytest.mark.parametrize(("asked", "waited"), [("3600", 3600.0), ("3601", 3600.0), ("86400", 3600.0), ("59", 59.0)])
def test_a_server_is_asked_again_after_an_hour_whatever_it_said(asked: str, waited: float) -> None:
    assert refused(429, retry_after=asked).retry_after == waited


def test_a_server_in_maintenance_is_asked_again_after_an_hour_too() -> None:
    long = refused(503, retry_after="7200", x_nextcloud_maintenance_mode="1")
    assert isinstance(long, MaintenanceMode)
    assert long.retry_after == 3600.0


def test_a_server_in_maintenance_that_names_no_time_is_asked_again_after_two_minutes() -> None:
    assert refused(503, x_nextcloud_maintenance_mode="1").retry_after == 120.0


def test_a_list_is_an_array_or_what_php_makes_of_one_with_gaps() -> None:
    assert list_in([], "a list") == []
    assert list_in([1, 2], "a list") == [1, 2]
    assert list_in({"0": "a", "2": "c"}, "a list") == ("a", "c")
    for other in (None, {}, {"error": "busy"}, "text", 4):
        with pytest.raises(RetriableSourceError, match="something other than a list"):
            list_in(other, "a list")
