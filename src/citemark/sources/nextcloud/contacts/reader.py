"""Contacts as texts."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from citemark.extraction.builder import Builder, TextRun, inline
from citemark.model.documents import StatedRelationship
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.text import Extracted, Span
from citemark.sources.nextcloud.contacts.cards import Card, read_card
from citemark.sources.nextcloud.dav.capping import left_out_words
from citemark.sources.nextcloud.dav.hrefs import name_of
from citemark.sources.nextcloud.dav.kinds import Place, Readable
from citemark.sources.nextcloud.dav.peeking import peek
from citemark.sources.nextcloud.dav.texts import readable_to_json
from citemark.sources.nextcloud.links import links_in

CONTACT = "contact"
HAS_ADDRESS = "has_address"
COMPONENTS = {"VCARD": CONTACT}


class ContactReader:
    """Makes text of vCard data."""

    def __init__(self, server: str) -> None:
        self._server = server

    def __call__(self, data: str, native_id: NativeId, place: Place) -> Readable:
        """The contact in `data`.

        Raises:
            SkippableSourceError: the data is broken, or says nothing; the message says how.
        """
        card = read_card(data)
        if not card.name:
            raise SkippableSourceError("The contact has neither a name, an organisation nor a mail address.")
        extracted = _text(card, place.label)
        uid = peek(data, COMPONENTS).uid or str(native_id)
        direct = quote(f"{uid}~{name_of(place.collection)}", safe="~")
        return Readable(
            extracted,
            f"{self._server}/apps/contacts/direct/contact/{direct}",
            (*_stated(extracted, card), *links_in(self._server, extracted)),
            _metadata(card, place.label),
        )


def read_contact(
    data: bytes, *, server: str, now: str, native_id: str, place: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """A contact as one part: what a parsing process is asked to do with address books."""
    _ = now  # nothing of a contact depends on the day
    readable = ContactReader(server)(data.decode("utf-8", "replace"), NativeId(native_id), Place(**place))
    yield readable_to_json(readable)


def _text(card: Card, book: str) -> Extracted:
    builder = Builder()
    builder.heading(card.name, 1)
    organization = ", ".join(card.organization)
    for name, said in (
        ("Organization", organization if organization != card.name else ""),
        ("Title", card.title),
        ("Role", card.role),
        ("Nickname", card.nickname),
        *(("Mail", mail.words) for mail in card.mails),
        *(("Phone", phone.words) for phone in card.phones),
        *(("Address", address.words) for address in card.addresses),
        *(("Web site", site.words) for site in card.sites),
        *(("Chat", chat.words) for chat in card.chats),
        *(("Related", person.words) for person in card.related),
        ("Birthday", card.birthday),
        ("Anniversary", card.anniversary),
        ("Categories", ", ".join(card.categories)),
        ("Address book", book),
    ):
        if said:
            builder.item([TextRun(f"{name}: {said}")])
    for part in card.notes.split("\n\n"):
        builder.paragraph(part)
    if card.left_out:
        builder.cut(left_out_words(card.left_out))
    return builder.finish(title=inline(card.name).text, nothing="The contact says nothing.", tags=card.categories)


def _stated(extracted: Extracted, card: Card) -> Iterator[StatedRelationship]:
    """The mail addresses, by which events name the same person."""
    section = extracted.sections[0].slug if extracted.sections else None
    for mail in {each.value.lower(): each for each in card.mails if "@" in each.value}.values():
        said = inline(mail.value).text
        start = max(0, extracted.body.find(said))
        span = Span(start, min(len(extracted.body), start + len(said)))
        yield StatedRelationship(
            HAS_ADDRESS, section, None, f"mailto:{mail.value.lower()}", span, metadata={"name": card.name}
        )


def _metadata(card: Card, book: str) -> dict[str, str]:
    """What readers see beside a hit and filter by; several values stand in a line each."""
    known = {
        "Name": card.name,
        "Organization": card.organization[0] if card.organization else "",
        "Title": card.title,
        "Mail": "\n".join(mail.value for mail in card.mails),
        "Phone": "\n".join(phone.value for phone in card.phones),
        "Birthday": card.birthday,
        "Labels": "\n".join(card.categories),
        "AddressBook": book,
        "Kind": "organization" if card.is_organization else "",
    }
    return {key: value for key, value in known.items() if value}
