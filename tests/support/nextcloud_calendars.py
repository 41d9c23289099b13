"""Listing, reading and verifying the calendars of an account of the double."""

from tests.contract.source_contract import Listing, listing
from tests.nextcloud.server import Nextcloud
from tests.support.markdown import assert_sound
from tests.support.verdicts import verdicts_of

from citemark.features.nextcloud.source.account import AccountApp
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector

HOME = "/remote.php/dav/calendars"


async def scan(app: AccountApp) -> Listing:
    return await listing(Connector(app.scanner, app.processor, app.verifier))


async def body_of(app: AccountApp, native_id: str, doc_type: str = "calendar_event") -> str | None:
    fetched = await app.processor.fetch(doc_type, NativeId(native_id))
    if fetched is not None:
        assert_sound(fetched.extracted)
    return None if fetched is None else fetched.extracted.body


async def verdict(app: AccountApp, found: Listing, native_id: str) -> Verdict:
    entry = found.listed[NativeId(native_id)]
    ref = DocumentRef(entry.doc_type, entry.native_id, entry.version)
    return (await verdicts_of(app.verifier, [ref]))[ref]


def asked(nextcloud: Nextcloud) -> list[tuple[str, str]]:
    return [(seen.method, seen.path) for seen in nextcloud.log.seen]
