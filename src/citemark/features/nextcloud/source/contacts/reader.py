"""The texts of contacts, from vCards (3.0, 4.0, and what older programs left); runs in the parsing process."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import quote

import vobject
from vobject.base import VObjectError

from citemark.extraction.builder import Builder, TextRun, inline
from citemark.extraction.content_lines import cap_properties, left_out_note, summarize, unify_line_breaks
from citemark.extraction.docx.runs import IMAGE
from citemark.extraction.english_names import MONTHS
from citemark.features.nextcloud.source.dav.kinds import ResourceLocation, ResourceText, resource_text_to_json
from citemark.features.nextcloud.source.links import links_in, name_of, url_of_contact
from citemark.model.documents import StatedRelationship
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.text import Extracted, Span
from citemark.model.unread_parts import UnreadPart, added_up

_LONGEST_REASON = 200
"""Characters of a library's error that a message repeats."""

_READ = cast("Callable[..., Any]", vobject.readOne)  # pyright: ignore[reportUnknownMemberType]
_LOGICAL_LINES = cast("Callable[..., Iterator[tuple[str, int]]]", vobject.base.getLogicalLines)  # pyright: ignore[reportUnknownMemberType]
_BROKEN = (VObjectError, ValueError, TypeError, LookupError, AttributeError, StopIteration)
"""On broken data, the library raises whatever error its parsing and decoding happen to hit."""

_FRAME = ("BEGIN:VCARD", "END:VCARD")
_MOST_CHARACTERS = 20_000_000
"""Of one vCard: pictures inside it, which are removed first, have some megabytes."""

_PHOTO = re.compile(r"^(?:[\w-]+\.)?(PHOTO|LOGO|SOUND|KEY)[;:].*(?:\r?\n[ \t].*)*\r?\n?", re.IGNORECASE | re.MULTILINE)
_STORED = MappingProxyType({"PHOTO": IMAGE, "LOGO": IMAGE, "SOUND": "sound", "KEY": "key"})
_PLAIN_LABEL = re.compile(r"_\$!<(.*)>!\$_")
_BIRTHDAY = re.compile(r"(\d{4}|--)-?(\d\d)-?(\d\d)(?:[T ].*)?")
_NO_YEAR = "1604"
"""The year that Apple's programs write if none is known."""

_NOTE = re.compile(r"(?:[\w-]+\.)?NOTE(?:;(?!.*QUOTED-PRINTABLE)[^:]*)?:", re.IGNORECASE)
_PROPERTY = re.compile(r"(?:[\w-]+\.)?[A-Za-z][A-Za-z0-9-]*[;:]")

_SHOWN = MappingProxyType(
    {
        "lang": "Language",
        "gender": "Gender",
        "pronouns": "Pronouns",
        "hobby": "Hobby",
        "interest": "Interest",
        "expertise": "Expertise",
        "tz": "Time zone",
        "birthplace": "Born in",
        "deathdate": "Died on",
        "deathplace": "Died in",
        "caluri": "Calendar",
        "org-directory": "Directory",
        "x-abrelatednames": "Related",
        "x-abdate": "Date",
        "x-anniversary": "Anniversary",
        "x-evolution-anniversary": "Anniversary",
        "x-spouse": "Spouse",
        "x-evolution-spouse": "Spouse",
        "x-manager": "Manager",
        "x-ms-manager": "Manager",
        "x-evolution-manager": "Manager",
        "x-assistant": "Assistant",
        "x-ms-assistant": "Assistant",
        "x-evolution-assistant": "Assistant",
        "x-aim": "AIM",
        "x-icq": "ICQ",
        "x-jabber": "Jabber",
        "x-matrix": "Matrix",
        "x-skype": "Skype",
        "x-skype-username": "Skype",
        "x-telegram": "Telegram",
        "x-twitter": "Twitter",
    }
)
"""Properties that are shown under a name of their own, by the names that the standard and programs give them."""

_DATES = frozenset({"deathdate", "x-abdate", "x-anniversary", "x-evolution-anniversary"})

_READ_ELSEWHERE = frozenset(
    {"fn", "n", "nickname", "org", "title", "role", "email", "tel", "adr", "label", "url", "impp", "x-socialprofile"}
    | {"related", "bday", "anniversary", "note", "categories", "kind", "version", "uid", "rev", "prodid", "source"}
    | {"sort-string", "class", "mailer", "clientpidmap", "geo", "member", "agent", "profile", "name", "sort-as"}
    | {"x-addressbookserver-kind", "x-phonetic-first-name", "x-phonetic-last-name", "x-imagetype", "x-imagehash"}
)
"""Properties that are read, and those that programs write for themselves."""

_WORDS = MappingProxyType({"CELL": "mobile", "INTERNET": "", "PREF": "", "VOICE": "", "X-VOICE": ""})


CONTACT = "contact"
HAS_ADDRESS = "has_address"
COMPONENTS = {"VCARD": CONTACT}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A value with its label, such as "work"."""

    value: str
    label: str = ""

    @property
    def words(self) -> str:
        """The value, followed by its label in parentheses."""
        return f"{self.value} ({self.label})" if self.label else self.value


@dataclass(frozen=True, slots=True)
class Contact:
    """The content of a contact. `birthday` is in words, because its year may be unknown.

    `left_out` counts the properties left out because there were too many, `unreadable` the lines that cannot be read,
    `unread` these and what else of the data is not in the text.
    """

    name: str
    nickname: str = ""
    organization: tuple[str, ...] = ()
    title: str = ""
    role: str = ""
    mails: tuple[Labelled, ...] = ()
    phones: tuple[Labelled, ...] = ()
    addresses: tuple[Labelled, ...] = ()
    sites: tuple[Labelled, ...] = ()
    chats: tuple[Labelled, ...] = ()
    related: tuple[Labelled, ...] = ()
    birthday: str = ""
    anniversary: str = ""
    notes: str = ""
    categories: tuple[str, ...] = ()
    is_organization: bool = False
    others: tuple[Labelled, ...] = ()
    left_out: int = 0
    unreadable: int = 0
    unread: tuple[UnreadPart, ...] = ()


def parse_contact(data: str) -> Contact:
    """Parse a vCard. Pictures, sounds and keys are removed first.

    Raises:
        SkippableSourceError: the data is not a vCard; the message says what is wrong.
    """
    if len(data) > _MOST_CHARACTERS:
        raise SkippableSourceError(
            f"The contact has {len(data):,} characters, more than the {_MOST_CHARACTERS:,} that are read."
        )
    clean = data.encode("utf-8", "replace").decode()
    stored = [_STORED[found[1].upper()] for found in _PHOTO.finditer(clean)]
    plain = _PHOTO.sub("", clean)
    cards = _cards(plain)
    capped = cap_properties(cards[0] if cards else plain)
    try:
        contact, unreadable = _read(capped.data)
    except _BROKEN as error:
        raise SkippableSourceError(f"The contact's data is broken: {str(error)[:_LONGEST_REASON]}") from error
    if contact is None or str(contact.name).upper() != "VCARD":
        raise SkippableSourceError("The contact's data holds no VCARD.")
    contents = cast("dict[str, list[Any]]", contact.contents)
    labels = {
        part.group: _PLAIN_LABEL.sub(r"\1", str(part.value)) for part in contents.get("x-ablabel", ()) if part.group
    }
    organization = _strings(next((part.value for part in contents.get("org", ())), ()))
    kind = (_text(contents, "kind") or _text(contents, "x-addressbookserver-kind")).lower()
    mails = tuple(_labelled(contents, "email", labels))
    name = _text(contents, "fn") or _name(contents) or " ".join(organization) or _text(contents, "nickname")
    return Contact(
        name=name or next((mail.value for mail in mails), ""),
        nickname=_text(contents, "nickname"),
        organization=organization,
        title=_text(contents, "title"),
        role=_text(contents, "role"),
        mails=mails,
        phones=tuple(_labelled(contents, "tel", labels)),
        addresses=tuple(_labelled(contents, "adr", labels)),
        sites=tuple(_labelled(contents, "url", labels)),
        chats=tuple(each for key in ("impp", "x-socialprofile") for each in _labelled(contents, key, labels)),
        related=tuple(_labelled(contents, "related", labels)),
        birthday=_day(_text(contents, "bday")),
        anniversary=_day(_text(contents, "anniversary")),
        notes="\n\n".join(str(part.value).strip() for part in contents.get("note", ()) if str(part.value).strip()),
        categories=tuple(
            dict.fromkeys(each for part in contents.get("categories", ()) for each in _strings(part.value))
        ),
        is_organization=kind == "org" or _text(contents, "x-abshowas").upper() == "COMPANY",
        others=tuple(_others(contents, labels)),
        left_out=capped.left_out,
        unreadable=unreadable,
        unread=added_up(
            [
                *map(UnreadPart, stored),
                UnreadPart("further contact", max(0, len(cards) - 1)),
                UnreadPart("line that cannot be read", unreadable),
                UnreadPart("missing end of a contact", _unended(plain)),
                UnreadPart("property of another kind", _unknown(contents)),
            ]
        ),
    )


def _cards(data: str) -> list[str]:
    """The contacts in some data, each begun, ended, and with its notes in one line; [] for what is no contact.

    A contact inside another one is a further contact, too.
    """
    lines = unify_line_breaks(data).split("\n")
    if not any(line.strip().upper() in _FRAME for line in lines):
        return []
    cards: list[list[str]] = []
    open_cards: list[list[str]] = []
    for line in lines:
        match line.strip().upper():
            case "BEGIN:VCARD":
                open_cards.append([])
                cards.append(open_cards[-1])
            case "END:VCARD":
                del open_cards[-1:]
            case _:
                if not cards and line.strip():
                    open_cards.append([])
                    cards.append(open_cards[-1])
                if open_cards:
                    _add_line(open_cards[-1], line)
    return ["\r\n".join([_FRAME[0], *card, _FRAME[1], ""]) for card in cards]


def _unended(data: str) -> int:
    """How many contacts in some data have no end: what followed may be lost."""
    lines = [line.strip().upper() for line in unify_line_breaks(data).split("\n")]
    return max(0, lines.count(_FRAME[0]) - lines.count(_FRAME[1]))


def _add_line(card: list[str], line: str) -> None:
    """Add a line to a contact; a line of a note that was not folded continues the note."""
    note = card and _NOTE.match(card[-1]) is not None
    if note and line.strip() and not line.startswith((" ", "\t")) and not _PROPERTY.match(line):
        card[-1] += f"\\n{line}"
    else:
        card.append(line)


def _others(contents: dict[str, list[Any]], labels: dict[str, str]) -> Iterator[Labelled]:
    """What else a contact says, each with the name under which it is shown."""
    for key, name in _SHOWN.items():
        for part in contents.get(key, ()):
            value = ", ".join(_strings(part.value))
            label = labels.get(part.group or "", "")
            if value:
                yield Labelled(_day(value) if key in _DATES else value, f"{name} ({label})" if label else name)


def _unknown(contents: dict[str, list[Any]]) -> int:
    """How many properties with a value are neither shown nor of no use to a reader."""
    return sum(
        bool(str(part.value).strip())
        for key, parts in contents.items()
        if key not in _SHOWN and key not in _READ_ELSEWHERE and not key.startswith("x-ab")
        for part in parts
    )


def _read(data: str) -> tuple[Any, int]:
    """Return a vCard and the number of unreadable lines, such as the rest of a note with a line break in it."""
    try:
        return _READ(data, allowQP=True), 0
    except _BROKEN:
        # The library can skip such lines by itself, but then it logs their content.
        lines = [line for line, _ in _LOGICAL_LINES(StringIO(data), allowQP=True)]
        readable = [line for line in lines if line.strip().upper() in _FRAME or _is_property(line)]
        # An empty line ends a quoted-printable value, which would otherwise go on where it ends with "=".
        return _READ("\r\n\r\n".join([*readable, ""]), allowQP=True), len(lines) - len(readable)


def _is_property(line: str) -> bool:
    """Whether a vCard with only this line can be read."""
    try:
        _READ(f"BEGIN:VCARD\r\n{line}\r\n\r\nEND:VCARD\r\n", allowQP=True)
    except _BROKEN:
        return False
    return True


def _text(contents: dict[str, list[Any]], key: str) -> str:
    return next((str(part.value).strip() for part in contents.get(key, ()) if str(part.value).strip()), "")


def _strings(value: Any) -> tuple[str, ...]:
    parts = cast("Sequence[Any]", value) if isinstance(value, list | tuple) else str(value).split(",")
    return tuple(text for each in parts if (text := str(each).strip()))


def _name(contents: dict[str, list[Any]]) -> str:
    for part in contents.get("n", ()):
        fields = [getattr(part.value, key, "") for key in ("prefix", "given", "additional", "family", "suffix")]
        return " ".join(text for each in fields for text in _strings(each if isinstance(each, list) else [each]))
    return ""


def _labelled(contents: dict[str, list[Any]], key: str, labels: dict[str, str]) -> Iterator[Labelled]:
    for part in contents.get(key, ()):
        value = _address(part.value) if key == "adr" else str(part.value).strip()
        value = value.removeprefix("tel:") if key == "tel" else value.removeprefix("mailto:")
        types = [kind for each in part.params.get("TYPE", ()) for kind in str(each).upper().strip('"').split(",")]
        words = [_WORDS.get(kind, kind.lower()) for kind in types]
        label = labels.get(part.group or "", "") or ", ".join(dict.fromkeys(word for word in words if word))
        if value:
            yield Labelled(value, label)


def _address(value: Any) -> str:
    """Return an address as one line, in the order used on letters in most countries."""
    street = [getattr(value, key, "") for key in ("box", "extended", "street")]
    city = [getattr(value, key, "") for key in ("code", "city")]
    rest = [getattr(value, key, "") for key in ("region", "country")]
    flat = [" ".join(_strings(each if isinstance(each, list) else [each])) for each in (*street, city, *rest)]
    return ", ".join(part for part in flat if part) or (str(value).strip() if isinstance(value, str) else "")


def _day(written: str) -> str:
    """Return a date in words; as written if it is not a date."""
    found = _BIRTHDAY.fullmatch(written)
    if found is None or not 1 <= int(found[2]) <= len(MONTHS):
        return written
    day = f"{int(found[3])} {MONTHS[int(found[2]) - 1]}"
    return day if found[1] in {"--", _NO_YEAR} else f"{day} {found[1]}"


class ContactReader:
    """Turns vCard data into text."""

    def __init__(self, server: str) -> None:
        self._server = server

    def __call__(self, data: str, native_id: NativeId, location: ResourceLocation) -> ResourceText:
        """Turn a contact into text.

        Raises:
            SkippableSourceError: the data is damaged, or says nothing; the message says how.
        """
        contact = parse_contact(data)
        if not contact.name:
            raise SkippableSourceError("The contact has neither a name, an organisation nor a mail address.")
        extracted = _contact_text(contact, location.label)
        uid = summarize(data, COMPONENTS).uid or str(native_id)
        direct = quote(f"{uid}~{name_of(location.collection)}", safe="~")
        return ResourceText(
            extracted,
            url_of_contact(self._server, direct),
            (*_stated(extracted, contact), *links_in(self._server, extracted)),
            _metadata(contact, location.label),
            labels=tuple(contact.categories),
        )


def read_contact(
    data: bytes, *, server: str, now: str, native_id: str, location: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the text of a contact as one part; the function that a parsing process runs for address books."""
    _ = now  # nothing of a contact depends on the day
    readable = ContactReader(server)(data.decode("utf-8", "replace"), NativeId(native_id), ResourceLocation(**location))
    yield resource_text_to_json(readable)


def _lines(count: int) -> str:
    return f"{count:,} lines" if count > 1 else "a line" if count else ""


def _contact_text(contact: Contact, book: str) -> Extracted:
    builder = Builder()
    builder.heading(contact.name, 1)
    organization = ", ".join(contact.organization)
    for name, value in (
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
        *((each.label, each.value) for each in contact.others),
        ("Categories", ", ".join(contact.categories)),
        ("Address book", book),
        ("Not readable", _lines(contact.unreadable)),
    ):
        if value:
            builder.item([TextRun(f"{name}: {value}")])
    for part in contact.notes.split("\n\n"):
        builder.paragraph(part)
    for part in contact.unread:
        builder.leave_out(part.kind, part.count)
    if contact.left_out:
        builder.cut(left_out_note(contact.left_out))
    return builder.finish(title=inline(contact.name).text, nothing="The contact says nothing.", tags=contact.categories)


def _stated(extracted: Extracted, contact: Contact) -> Iterator[StatedRelationship]:
    """Return the mail addresses, by which events name the same person."""
    section = extracted.sections[0].slug if extracted.sections else None
    for mail in {each.value.lower(): each for each in contact.mails if "@" in each.value}.values():
        text = inline(mail.value).text
        start = max(0, extracted.body.find(text))
        span = Span(start, min(len(extracted.body), start + len(text)))
        yield StatedRelationship(
            HAS_ADDRESS, section, None, f"mailto:{mail.value.lower()}", span, metadata={"name": contact.name}
        )


def _metadata(contact: Contact, book: str) -> dict[str, str]:
    """Return the metadata shown beside a hit and used by filters; several values are separated by line breaks."""
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
