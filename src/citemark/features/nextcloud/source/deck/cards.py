"""Cards as the server returns them, in listings and singly, and their versions."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, cast

from citemark.features.nextcloud.source.http_responses import (
    LATEST,
    array_in,
    id_in,
    line_in,
    number_in,
    object_in,
    text_in,
)
from citemark.model.errors import RetriableSourceError

CARD = "deck_card"
_AROUND = 1_000
"""Characters for everything in a card except its description."""

_LISTS = ("labels", "assignedUsers", "attachments")
_TIMES = MappingProxyType({"duedate": "Due", "done": "Done"})
_LONGEST_ODD = 200
"""Characters of a time that cannot be read and is shown as it is written."""

_COMPLETE_FIELDS = MappingProxyType(
    {"description": str, "assignedUsers": list, "commentsCount": int, "attachmentCount": int}
)
"""Fields that are missing in responses that do not return a card completely."""


@dataclass(frozen=True, slots=True)
class Assignee:
    """An account, or a group, by its id and display name."""

    user: str
    name: str
    is_group: bool = False


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file attached to a card; `file_id` is set if it is one of the account's files."""

    name: str
    file_id: str | None


@dataclass(frozen=True, slots=True)
class Card:
    """The content of a card. Times are in UTC; `modified` is in seconds.

    `odd` are the times that cannot be read, as written, by what they are of; `unread` counts these and entries of lists
    that are no entries. `whole` is True if the response had everything but comments and attachments, which it only
    counts.
    """

    card_id: str
    stack_id: str
    title: str
    description: str
    labels: tuple[str, ...]
    assigned: tuple[Assignee, ...]
    owner: str
    due: datetime | None
    done: datetime | None
    archived: bool
    deleted: bool
    comments: int
    attachments: int
    modified: int
    whole: bool
    odd: Mapping[str, str] = field(default_factory=dict[str, str])
    unread: int = 0

    @property
    def version(self) -> str:
        """A token of the time of the last change and a hash of what is shown: two edits in a second have the same time.

        Lists of archived cards have neither assignees nor counts, so these are not part of an archived card's version.
        """
        people = [] if self.archived else [(person.user, person.name) for person in self.assigned]
        counts = [0, 0] if self.archived else [self.comments, self.attachments]
        shown = (
            self.title, self.description, self.stack_id, self.labels, people, counts,
            _iso(self.due), _iso(self.done), self.archived, *sorted(self.odd.items()),
        )  # fmt: skip
        return f"{self.modified:x}.{short_hash(*map(json.dumps, shown))}"


def characters_of(card: Card) -> int:
    """Return about how many characters a card occupies."""
    return len(card.description) + _AROUND


def card_of(given: object) -> Card:
    """Read a card from a listing or from the response for one card.

    Raises:
        RetriableSourceError: it is not a card.
    """
    fields = fields_of(given)
    lists = {key: [object_in(each) for each in array_in(fields.get(key)) if _is_object(each)] for key in _LISTS}
    odd = {name: line_in(str(fields[key]))[:_LONGEST_ODD] for key, name in _TIMES.items() if _is_odd(fields.get(key))}
    return Card(
        card_id=id_of(fields),
        stack_id=id_in(fields.get("stackId")) or "",
        title=line_in(fields.get("title")),
        description=text_in(fields.get("description")),
        labels=tuple(sorted({line_in(each.get("title")) for each in lists["labels"]} - {""})),
        assigned=tuple(sorted(_people(lists["assignedUsers"]), key=lambda person: person.user)),
        owner=_person(fields.get("owner")).name,
        due=time_of(fields.get("duedate")),
        done=time_of(fields.get("done")),
        archived=bool(fields.get("archived")),
        deleted=bool(fields.get("deletedAt")),
        comments=number_in(fields.get("commentsCount")),
        attachments=number_in(fields.get("attachmentCount")),
        modified=number_in(fields.get("lastModified"), most=LATEST),
        whole=not fields.get("archived")
        and all(isinstance(fields.get(name), kind) for name, kind in _COMPLETE_FIELDS.items()),
        odd=odd,
        unread=len(odd) + sum(len(array_in(fields.get(key))) - len(found) for key, found in lists.items()),
    )


def _is_object(given: object) -> bool:
    return isinstance(given, dict)


def _is_odd(given: object) -> bool:
    """Whether a time is given that cannot be read."""
    return given not in (None, "", False) and time_of(given) is None


def fields_of(given: object) -> Mapping[str, Any]:
    """Return a JSON object.

    Raises:
        RetriableSourceError: it is something else.
    """
    if not isinstance(given, dict):
        raise RetriableSourceError(
            "The server's answer about Deck is not what Deck answers; it is requested again later."
        )
    return object_in(cast("object", given))


def id_of(fields: Mapping[str, Any]) -> str:
    """Return the id of a board, stack or card.

    Raises:
        RetriableSourceError: it is missing.
    """
    found = id_in(fields.get("id"))
    if found is None:
        raise RetriableSourceError("The server's answer about Deck lacks an id; it is requested again later.")
    return found


def time_of(given: object) -> datetime | None:
    """Read a time in ISO 8601, in UTC; None where it is missing or malformed."""
    if not isinstance(given, str) or not given:
        return None
    try:
        time = datetime.fromisoformat(given)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def short_hash(*parts: str) -> str:
    """Return 16 hexadecimal digits that differ when a part differs."""
    state = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()


def _iso(time: datetime | None) -> str:
    return time.isoformat() if time else ""


def _people(given: Sequence[Mapping[str, Any]]) -> Iterator[Assignee]:
    for assigned in given:
        person = _person(assigned.get("participant"))
        if person.user:
            yield replace(person, is_group=bool(assigned.get("type")))


def _person(given: object) -> Assignee:
    if isinstance(given, str):
        return Assignee(line_in(given), line_in(given))
    fields = object_in(given)
    user = line_in(fields.get("uid") or fields.get("primaryKey"))
    return Assignee(user, line_in(fields.get("displayname")) or user)


def attached_of(given: object) -> tuple[AttachedFile, ...]:
    """Read the list of a card's attachments, without those that were deleted, which Deck lists too."""
    entries = (object_in(each) for each in array_in(given) if _is_object(each))
    return tuple(_attached(entry) for entry in entries if not entry.get("deletedAt"))


def version_of_names(attached: Iterable[AttachedFile]) -> str:
    """A token of the names that a card's text shows of its attachments; empty if there are none.

    A file that is renamed in Files changes neither its card nor its board.
    """
    names = sorted((file.file_id or "", file.name) for file in attached)
    return short_hash(*(part for name in names for part in name)) if names else ""


def _attached(fields: Mapping[str, Any]) -> AttachedFile:
    more = object_in(fields.get("extendedData"))
    return AttachedFile(line_in(fields.get("data") or more.get("path")), id_in(more.get("fileid")))
