"""A vCard (3.0, 4.0, and what older programs left) as a person or an organisation."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

import vobject
from vobject.base import VObjectError

from citemark.model.errors import SkippableSourceError
from citemark.sources.nextcloud.dav.capping import cap_properties
from citemark.sources.nextcloud.words import MONTHS

_LONGEST_REASON = 200
_READ = cast("Callable[..., Any]", vobject.readOne)  # pyright: ignore[reportUnknownMemberType]
_MOST_CHARACTERS = 20_000_000
_PHOTO = re.compile(
    r"^(?:[\w-]+\.)?(?:PHOTO|LOGO|SOUND|KEY)[;:].*(?:\r?\n[ \t].*)*\r?\n?", re.IGNORECASE | re.MULTILINE
)
_PLAIN_LABEL = re.compile(r"_\$!<(.*)>!\$_")
_BIRTHDAY = re.compile(r"(\d{4}|--)-?(\d\d)-?(\d\d)(?:[T ].*)?")
_NO_YEAR = "1604"
"""What Apple's programs write where no year is known."""

_WORDS = MappingProxyType({"CELL": "mobile", "INTERNET": "", "PREF": "", "VOICE": "", "X-VOICE": ""})


@dataclass(frozen=True, slots=True)
class Labelled:
    """A value with what it is for, such as "work"."""

    value: str
    label: str = ""

    @property
    def words(self) -> str:
        """Both."""
        return f"{self.value} ({self.label})" if self.label else self.value


@dataclass(frozen=True, slots=True)
class Contact:
    """What a contact says. `birthday` is in words, for its year may be unknown.

    `left_out` counts the properties that were too many.
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
    left_out: int = 0


def parse_contact(data: str) -> Contact:
    """The contact in `data`. Pictures, sounds and keys are not text and are left out before it is parsed.

    Raises:
        SkippableSourceError: the data is no vCard; the message says what is wrong.
    """
    if len(data) > _MOST_CHARACTERS:
        raise SkippableSourceError(
            f"The contact has {len(data):,} characters, more than the {_MOST_CHARACTERS:,} that are read."
        )
    few = cap_properties(_PHOTO.sub("", data.encode("utf-8", "replace").decode()))
    try:
        contact = _READ(few.data, allowQP=True)
    except (VObjectError, ValueError, TypeError, KeyError, IndexError, AttributeError, StopIteration) as error:
        # The library meets broken data with whatever its parsing runs into.
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
        left_out=few.left_out,
    )


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
    """One line of an address, in the order in which it is written on letters of most countries."""
    street = [getattr(value, key, "") for key in ("box", "extended", "street")]
    city = [getattr(value, key, "") for key in ("code", "city")]
    rest = [getattr(value, key, "") for key in ("region", "country")]
    flat = [" ".join(_strings(each if isinstance(each, list) else [each])) for each in (*street, city, *rest)]
    return ", ".join(part for part in flat if part) or (str(value).strip() if isinstance(value, str) else "")


def _day(written: str) -> str:
    """A date in words; as written where it is none."""
    found = _BIRTHDAY.fullmatch(written)
    if found is None or not 1 <= int(found[2]) <= len(MONTHS):
        return written
    day = f"{int(found[3])} {MONTHS[int(found[2]) - 1]}"
    return day if found[1] in {"--", _NO_YEAR} else f"{day} {found[1]}"
