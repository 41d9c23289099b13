"""The address books as an app of an account."""

from types import MappingProxyType

from citemark.extraction.sandbox.ipc import ParseTask
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account, AccountApp
from citemark.features.nextcloud.source.client import Client
from citemark.features.nextcloud.source.contacts.reader import COMPONENTS
from citemark.features.nextcloud.source.dav.app import dav_app
from citemark.features.nextcloud.source.dav.kinds import CPU_SECONDS, MEMORY_MIB, CollectionKind
from citemark.features.nextcloud.source.webdav import WebDav
from citemark.model.clock import Clock, system_clock
from citemark.sources.contract import ScanState

ADDRESS_BOOKS = CollectionKind(
    name="contacts",
    what="address books",
    well_known="/.well-known/carddav",
    home=("r", "addressbook-home-set"),
    resource="r:addressbook",
    report="r:addressbook-multiget",
    data=("r", "address-data"),
    reading=ParseTask(
        "citemark.features.nextcloud.source.contacts.reader", "read_contact", "contacts", CPU_SECONDS, MEMORY_MIB
    ),
    components=MappingProxyType(COMPONENTS),
    # Generated: one lists every account of the server, the other recent correspondents.
    skipped=lambda name: name.startswith(("z-server-generated--", "z-app-generated--contactsinteraction--")),
)


def contacts_app(
    client: Client, account: Account, scan_state: ScanState, parsers: ParserPool, clock: Clock = system_clock
) -> AccountApp:
    """Build the app for the contacts that are visible to the account."""
    return dav_app(WebDav(client, parsers, account.limits), ADDRESS_BOOKS, scan_state, parsers, clock)
