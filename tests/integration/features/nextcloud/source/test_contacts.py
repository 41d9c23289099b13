"""Contacts of an account against the double."""

import pytest
from tests.contract.source_contract import Listing, listing
from tests.nextcloud.pim.texts import contact
from tests.nextcloud.server import Nextcloud
from tests.support.markdown import assert_sound
from tests.support.nextcloud_account import AccountsFixture
from tests.support.verdicts import verdicts_of

from citemark.features.nextcloud.source.account import AccountApp
from citemark.model.documents import DocumentRef, Fetched, Verdict
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector


async def scan(app: AccountApp) -> Listing:
    return await listing(Connector(app.scanner, app.processor, app.verifier))


async def fetched(app: AccountApp, native_id: str) -> Fetched:
    found = await app.processor.fetch("contact", NativeId(native_id))
    assert found is not None
    assert_sound(found.extracted)
    return found


async def verdict(app: AccountApp, found: Listing, native_id: str) -> Verdict:
    ref = DocumentRef("contact", NativeId(native_id), found.listed[NativeId(native_id)].version)
    return (await verdicts_of(app.verifier, [ref]))[ref]


@pytest.mark.requirement("mirror-collections-are-skipped")
async def test_the_servers_own_address_books_are_left_out(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    nextcloud.world.contacts.create("alice", "contacts")
    nextcloud.world.contacts.put("alice", "contacts", contact("c1", "Tomasz Wilk"))
    found = await scan(accounts.contacts())
    assert set(found.listed) == {"c1"}
    assert found.end.complete


async def test_a_shared_book_is_read_while_it_is_shared(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    contacts = nextcloud.world.contacts
    contacts.create("alice", "suppliers")
    contacts.put("alice", "suppliers", contact("s1", "Palettenhandel", extra=["ORG:Palettenhandel Süd"]))
    contacts.share("alice", "suppliers", "bob")
    app = accounts.contacts("bob")
    before = await scan(app)
    read = await fetched(app, "s1")
    assert read.metadata["AddressBook"] == "Suppliers (Alice Berger)"
    assert read.url == f"{nextcloud.url}/index.php/apps/contacts/direct/contact/s1~suppliers_shared_by_alice"
    contacts.unshare("alice", "suppliers", "bob")
    assert await verdict(app, before, "s1") is Verdict.GONE
    assert not (await scan(app)).listed


async def test_an_edited_contact_alone_is_read_again(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    contacts = nextcloud.world.contacts
    contacts.create("alice", "contacts")
    for number in range(3):
        contacts.put("alice", "contacts", contact(f"c{number}", f"Name {number}"))
    app = accounts.contacts()
    before = await scan(app)
    contacts.put("alice", "contacts", contact("c1", "Another Name"))
    contacts.delete("alice", "contacts", "c2.vcf")
    assert [await verdict(app, before, f"c{number}") for number in range(3)] == [
        Verdict.OK,
        Verdict.CHANGED,
        Verdict.GONE,
    ]
    after = await scan(app)
    assert set(after.listed) == {"c0", "c1"}
    assert after.listed[NativeId("c0")] == before.listed[NativeId("c0")]
    assert (await fetched(app, "c1")).extracted.title == "Another Name"


async def test_a_contact_of_version_4_is_read_as_well(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    contacts = nextcloud.world.contacts
    contacts.create("alice", "contacts")
    contacts.put("alice", "contacts", contact("c4", "Ana Lima", version="4.0", extra=["TEL;VALUE=uri:tel:+351-21"]))
    app = accounts.contacts()
    found = await scan(app)
    read = await fetched(app, "c4")
    assert "+351-21" in read.extracted.body
    assert "tel:" not in read.extracted.body
    assert await verdict(app, found, "c4") is Verdict.OK


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
async def test_a_broken_contact_is_reported_with_its_reason_and_the_others_are_read(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    contacts = nextcloud.world.contacts
    contacts.create("alice", "contacts")
    contacts.put("alice", "contacts", contact("good", "Good Name"))
    contacts.put("alice", "contacts", "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:bad\r\nFN:Bad\r\n")
    contacts.put("alice", "contacts", "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:empty\r\nEND:VCARD\r\n")
    app = accounts.contacts()
    found = await scan(app)
    assert found.end.complete
    assert set(found.listed) == {"good", "bad", "empty"}
    assert (await fetched(app, "good")).extracted.title == "Good Name"
    mended = (await fetched(app, "bad")).extracted
    assert mended.title == "Bad"
    assert mended.left_out, "what is missing is told"
    with pytest.raises(SkippableSourceError, match="neither a name"):
        await app.processor.fetch("contact", NativeId("empty"))
