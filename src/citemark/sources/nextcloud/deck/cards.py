"""A card as the server shows it in listings and alone, and what of it makes a version."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, cast

from citemark.model.errors import RetriableSourceError
from citemark.sources.nextcloud.responses import LATEST, array_in, id_in, line_in, number_in, object_in, text_in

CARD = "deck_card"
_AROUND = 1_000
"""Characters for all of a card that is not its description."""

_TOLD = MappingProxyType({"description": str, "assignedUsers": list, "commentsCount": int, "attachmentCount": int})
"""What answers leave out that do not tell a card whole."""


@dataclass(frozen=True, slots=True)
class Person:
    """An account, or a group of them, by its id and the name that people see."""

    user: str
    name: str
    is_group: bool = False


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file that hangs on a card; `file_id` where it is one of the account's files."""

    name: str
    file_id: str | None


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says. Times are in UTC; `modified` has a resolution of one second.

    `whole` when the answer told all of it but comments and attachments, which it counts.
    """

    card_id: str
    stack_id: str
    title: str
    description: str
    labels: tuple[str, ...]
    assigned: tuple[Person, ...]
    owner: str
    due: datetime | None
    done: datetime | None
    archived: bool
    deleted: bool
    comments: int
    attachments: int
    attached: tuple[AttachedFile, ...]
    modified: int
    whole: bool

    @property
    def version(self) -> str:
        """Time of the last change, and a hash of what is shown: two edits of one second have the same time.

        A listing of archived cards tells neither assignees nor counts, so they are no part of such a card's version.
        """
        people = [] if self.archived else [(person.user, person.name) for person in self.assigned]
        counts = [0, 0] if self.archived else [self.comments, self.attachments]
        shown = (
            self.title, self.description, self.stack_id, self.labels, people, counts,
            _iso(self.due), _iso(self.done), self.archived,
        )  # fmt: skip
        return f"{self.modified:x}.{short_hash(*map(json.dumps, shown))}"


def characters_of(card: Card) -> int:
    """About how many characters a card keeps occupied."""
    return len(card.description) + _AROUND


def card_of(given: object) -> Card:
    """Read a card from a listing or from the answer for one card.

    Raises:
        RetriableSourceError: it is no card.
    """
    fields = fields_of(given)
    attached = tuple(_attached(fields_of(each)) for each in array_in(fields.get("attachments")))
    return Card(
        card_id=id_of(fields),
        stack_id=id_in(fields.get("stackId")) or "",
        title=line_in(fields.get("title")),
        description=text_in(fields.get("description")),
        labels=tuple(sorted({line_in(fields_of(each).get("title")) for each in array_in(fields.get("labels"))} - {""})),
        assigned=tuple(sorted(_people(fields.get("assignedUsers")), key=lambda person: person.user)),
        owner=_person(fields.get("owner")).name,
        due=time_of(fields.get("duedate")),
        done=time_of(fields.get("done")),
        archived=bool(fields.get("archived")),
        deleted=bool(fields.get("deletedAt")),
        comments=number_in(fields.get("commentsCount")),
        attachments=number_in(fields.get("attachmentCount")),
        attached=attached,
        modified=number_in(fields.get("lastModified"), most=LATEST),
        whole=not fields.get("archived") and all(isinstance(fields.get(name), kind) for name, kind in _TOLD.items()),
    )


def fields_of(given: object) -> Mapping[str, Any]:
    """A JSON object.

    Raises:
        RetriableSourceError: it is none.
    """
    if not isinstance(given, dict):
        raise RetriableSourceError("The server's answer about Deck is not what Deck answers; it is asked again later.")
    return object_in(cast("object", given))


def id_of(fields: Mapping[str, Any]) -> str:
    """The id of a board, stack or card.

    Raises:
        RetriableSourceError: there is none.
    """
    found = id_in(fields.get("id"))
    if found is None:
        raise RetriableSourceError("The server's answer about Deck lacks an id; it is asked again later.")
    return found


def time_of(given: object) -> datetime | None:
    """A time in ISO 8601, in UTC; None for none and for what cannot be read as one."""
    if not isinstance(given, str) or not given:
        return None
    try:
        time = datetime.fromisoformat(given)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def short_hash(*parts: str) -> str:
    """16 hexadecimal digits that differ where a part differs."""
    state = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()


def _iso(time: datetime | None) -> str:
    return time.isoformat() if time else ""


def _people(given: object) -> Iterator[Person]:
    for each in array_in(given):
        assigned = fields_of(each)
        person = _person(assigned.get("participant"))
        if person.user:
            yield replace(person, is_group=bool(assigned.get("type")))


def _person(given: object) -> Person:
    if isinstance(given, str):
        return Person(line_in(given), line_in(given))
    fields = object_in(given)
    user = line_in(fields.get("uid") or fields.get("primaryKey"))
    return Person(user, line_in(fields.get("displayname")) or user)


def _attached(fields: Mapping[str, Any]) -> AttachedFile:
    more = object_in(fields.get("extendedData"))
    return AttachedFile(line_in(fields.get("data") or more.get("path")), id_in(more.get("fileid")))
