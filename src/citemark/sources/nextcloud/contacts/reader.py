"""Contacts as texts."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from citemark.extraction.builder import Builder, TextRun, inline
from citemark.model.documents import StatedRelationship
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.text import Extracted, Span
from citemark.sources.nextcloud.contacts.cards import Contact, parse_contact
from citemark.sources.nextcloud.dav.capping import left_out_note
from citemark.sources.nextcloud.dav.hrefs import name_of
from citemark.sources.nextcloud.dav.kinds import ResourceLocation, ResourceText
from citemark.sources.nextcloud.dav.peeking import summarize
from citemark.sources.nextcloud.dav.texts import resource_text_to_json
from citemark.sources.nextcloud.links import links_in

CONTACT = "contact"
HAS_ADDRESS = "has_address"
COMPONENTS = {"VCARD": CONTACT}


class ContactReader:
    """Makes text of vCard data."""

    def __init__(self, server: str) -> None:
        self._server = server

    def __call__(self, data: str, native_id: NativeId, location: ResourceLocation) -> ResourceText:
        """The contact in `data`.

        Raises:
            SkippableSourceError: the data is broken, or says nothing; the message says how.
        """
        contact = parse_contact(data)
        if not contact.name:
            raise SkippableSourceError("The contact has neither a name, an organisation nor a mail address.")
        extracted = _text(contact, location.label)
        uid = summarize(data, COMPONENTS).uid or str(native_id)
        direct = quote(f"{uid}~{name_of(location.collection)}", safe="~")
        return ResourceText(
            extracted,
            f"{self._server}/apps/contacts/direct/contact/{direct}",
            (*_stated(extracted, contact), *links_in(self._server, extracted)),
            _metadata(contact, location.label),
        )


def read_contact(
    data: bytes, *, server: str, now: str, native_id: str, location: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """A contact as one part: what a parsing process is asked to do with address books."""
    _ = now  # nothing of a contact depends on the day
    readable = ContactReader(server)(data.decode("utf-8", "replace"), NativeId(native_id), ResourceLocation(**location))
    yield resource_text_to_json(readable)


def _text(contact: Contact, book: str) -> Extracted:
    builder = Builder()
    builder.heading(contact.name, 1)
    organization = ", ".join(contact.organization)
    for name, said in (
        ("Organization", organization if organization != contact.name else ""),
        ("Title", contact.title),
        ("Role", contact.role),
        ("Nickname", contact.nickname),
        *(("Mail", mail.words) for mail in contact.mails),
        *(("Phone", phone.words) for phone in contact.phones),
        *(("Address", address.words) for address in contact.addresses),
        *(("Web site", site.words) for site in contact.sites),
        *(("Chat", chat.words) for chat in contact.chats),
        *(("Related", person.words) for person in contact.related),
        ("Birthday", contact.birthday),
        ("Anniversary", contact.anniversary),
        ("Categories", ", ".join(contact.categories)),
        ("Address book", book),
    ):
        if said:
            builder.item([TextRun(f"{name}: {said}")])
    for part in contact.notes.split("\n\n"):
        builder.paragraph(part)
    if contact.left_out:
        builder.cut(left_out_note(contact.left_out))
    return builder.finish(title=inline(contact.name).text, nothing="The contact says nothing.", tags=contact.categories)


def _stated(extracted: Extracted, contact: Contact) -> Iterator[StatedRelationship]:
    """The mail addresses, by which events name the same person."""
    section = extracted.sections[0].slug if extracted.sections else None
    for mail in {each.value.lower(): each for each in contact.mails if "@" in each.value}.values():
        said = inline(mail.value).text
        start = max(0, extracted.body.find(said))
        span = Span(start, min(len(extracted.body), start + len(said)))
        yield StatedRelationship(
            HAS_ADDRESS, section, None, f"mailto:{mail.value.lower()}", span, metadata={"name": contact.name}
        )


def _metadata(contact: Contact, book: str) -> dict[str, str]:
    """What readers see beside a hit and filter by; several values stand in a line each."""
    known = {
        "Name": contact.name,
        "Organization": contact.organization[0] if contact.organization else "",
        "Title": contact.title,
        "Mail": "\n".join(mail.value for mail in contact.mails),
        "Phone": "\n".join(phone.value for phone in contact.phones),
        "Birthday": contact.birthday,
        "Labels": "\n".join(contact.categories),
        "AddressBook": book,
        "Kind": "organization" if contact.is_organization else "",
    }
    return {key: value for key, value in known.items() if value}
