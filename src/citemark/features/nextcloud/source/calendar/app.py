"""The calendars as an app of an account."""

from types import MappingProxyType

from citemark.extraction.sandbox.ipc import ParseTask
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account, AccountApp
from citemark.features.nextcloud.source.calendar.confidential import shows_only_times
from citemark.features.nextcloud.source.calendar.reader import EVENT, TODO
from citemark.features.nextcloud.source.client import Client
from citemark.features.nextcloud.source.dav.app import dav_app
from citemark.features.nextcloud.source.dav.kinds import CPU_SECONDS, MEMORY_MIB, CollectionKind
from citemark.features.nextcloud.source.webdav import WebDav
from citemark.model.clock import Clock, system_clock
from citemark.sources.contract import ScanState

_NOT_CALENDARS = frozenset({"inbox", "outbox", "trashbin", "contact_birthdays"})
_DECK = "app-generated--deck--"

CALENDARS = CollectionKind(
    name="calendar",
    what="calendars",
    well_known="/.well-known/caldav",
    home=("c", "calendar-home-set"),
    resource="c:calendar",
    report="c:calendar-multiget",
    data=("c", "calendar-data"),
    reading=ParseTask(
        "citemark.features.nextcloud.source.calendar.reader", "read_entry", "calendar entries", CPU_SECONDS, MEMORY_MIB
    ),
    components=MappingProxyType({"VEVENT": EVENT, "VTODO": TODO}),
    # Birthdays are part of the contacts, and the cards of Deck's boards are documents themselves.
    skipped=lambda name: name in _NOT_CALENDARS or name.startswith(_DECK),
    reduced=shows_only_times,
)


def calendar_app(
    client: Client, account: Account, scan_state: ScanState, parsers: ParserPool, clock: Clock = system_clock
) -> AccountApp:
    """Build the app for the events and to-dos that are visible to the account."""
    return dav_app(WebDav(client, parsers, account.limits), CALENDARS, scan_state, parsers, clock)
