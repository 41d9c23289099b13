"""Listing, reading and verifying the files of an account of the double."""

from tests.contract.source_contract import Listing, listing
from tests.support.verdicts import verdicts_of

from citemark.features.nextcloud.source.account import AccountApp
from citemark.model.documents import DocumentRef, Fetched, Verdict
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector


def connector(app: AccountApp) -> Connector:
    return Connector(app.scanner, app.processor, app.verifier)


async def scan(app: AccountApp) -> Listing:
    return await listing(connector(app))


async def fetched(app: AccountApp, native_id: str) -> Fetched:
    found = await app.processor.fetch("file", NativeId(native_id))
    assert found is not None
    return found


async def verdicts(app: AccountApp, found: Listing) -> list[Verdict]:
    refs = [DocumentRef("file", entry.native_id, entry.version) for entry in found.listed.values()]
    answers = await verdicts_of(app.verifier, refs)
    return [answers[ref] for ref in refs]


async def paths(app: AccountApp) -> set[str]:
    return {(await fetched(app, native_id)).metadata["Path"] for native_id in (await scan(app)).listed}
