"""Which iCalendar data a server has reduced to its times."""

import pytest
from tests.nextcloud.pim.lines import for_sharee
from tests.nextcloud.pim.texts import event

from citemark.features.nextcloud.source.calendar.confidential import shows_only_times

DETAILED = event("pay", "Salary round", location="Room 5", extra=["CLASS:CONFIDENTIAL"])


@pytest.mark.requirement("unopenable-never-shown-in-any-past")
def test_what_others_are_delivered_of_a_confidential_event_shows_only_times() -> None:
    delivered = for_sharee(DETAILED)
    assert "Room 5" not in delivered
    assert shows_only_times(delivered)
    assert shows_only_times(delivered.replace("CLASS:CONFIDENTIAL", "class;x-a=b:confidential"))
    assert shows_only_times(delivered.replace("CLASS:", "CLA\r\n SS:"))


@pytest.mark.parametrize(
    "data",
    [
        DETAILED,
        for_sharee(event("pay", "Salary round", location="Room 5")),
        event("pay", "Salary round", extra=["CLASS:CONFIDENTIAL"]).replace("SUMMARY:Salary round\r\n", ""),
        for_sharee(DETAILED).replace("CLASS:CONFIDENTIAL", "CLASS:PUBLIC"),
        for_sharee(DETAILED).replace("END:VEVENT", "BEGIN:VALARM\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\nEND:VEVENT"),
        "",
        "END:VEVENT\r\nCLASS:CONFIDENTIAL\r\n",
    ],
)
def test_all_other_data_is_whole(data: str) -> None:
    assert not shows_only_times(data)
