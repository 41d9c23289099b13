"""A calendar entry as the product reads it, on a fixed day and from a fixed place."""

from datetime import UTC, datetime

from tests.support.markdown import assert_sound

from citemark.features.nextcloud.source.calendar.reader import CalendarReader
from citemark.features.nextcloud.source.dav.kinds import ResourceLocation, ResourceText
from citemark.model.ids import NativeId

SERVER = "https://cloud.example"
PLACE = ResourceLocation(
    "/remote.php/dav/calendars/alice/work/a%20b.ics", "/remote.php/dav/calendars/alice/work/", "Work"
)
_NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


def read(data: str) -> ResourceText:
    """The page of an event or to-do, well-formed or not."""
    found = CalendarReader(SERVER, lambda: _NOW)(data, NativeId("x"), PLACE)
    assert_sound(found.extracted)
    return found


def lines(data: str) -> list[str]:
    """The lines of its page."""
    return read(data).extracted.body.splitlines()
