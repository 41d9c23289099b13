"""Calendars and address books: items, and a row for each change of them."""

from dataclasses import dataclass, field
from typing import Literal

from tests.nextcloud.files.content import digest
from tests.nextcloud.pim.lines import as_version_3, class_of, component_of, for_sharee, uid_of

Kind = Literal["calendars", "addressbooks"]
Change = Literal["added", "modified", "deleted"]
TOKEN = "http://sabre.io/ns/sync/"


@dataclass(slots=True)
class Item:
    """One object as it was stored."""

    id: int
    name: str
    text: str
    etag: str
    modified: int
    uid: str | None = None
    private: bool = False


def item_of(number: int, name: str, text: str, modified: int, etag: str | None = None) -> Item:
    """An object with what is looked at often read from its text once; the etag is of the text."""
    return Item(number, name, text, etag or digest(text), modified, uid_of(text), class_of(text) == "PRIVATE")


@dataclass(slots=True)
class Collection:
    """One calendar or address book of its owner."""

    id: int
    kind: Kind
    owner: str
    uri: str
    title: str
    components: tuple[str, ...] = ()
    token: int = 1
    items: dict[str, Item] = field(default_factory=dict[str, Item])
    uids: dict[str, str] = field(default_factory=dict[str, str])
    changes: list[tuple[int, str, Change]] = field(default_factory=list[tuple[int, str, Change]])
    sharees: dict[str, bool] = field(default_factory=dict[str, bool])
    deleted: int = 0

    def hold(self, item: Item) -> None:
        """Add or replace an object."""
        self.items[item.name] = item
        if item.uid is not None:
            self.uids[item.uid] = item.name

    def drop(self, name: str) -> Item | None:
        """Take an object out; None where there is none."""
        item = self.items.pop(name, None)
        if item is not None and item.uid is not None:
            self.uids.pop(item.uid, None)
        return item

    def note(self, name: str, change: Change) -> None:
        """Count a change; the token names the state after it."""
        self.changes.append((self.token, name, change))
        self.token += 1

    def since(self, token: int, until: int | None = None) -> dict[str, Change]:
        """The last change of each name that was made at a token or later, and before another one if that is given."""
        end = self.token if until is None else until
        return {name: change for when, name, change in self.changes if token <= when < end}


@dataclass(frozen=True, slots=True)
class Seen:
    """A collection as one user sees it: under their name, as theirs or as a share."""

    collection: Collection
    user: str
    uri: str
    title: str

    @property
    def shared(self) -> bool:
        return self.user != self.collection.owner

    @property
    def writable(self) -> bool:
        return not self.shared or self.collection.sharees[self.user]

    @property
    def path(self) -> str:
        return f"{home(self.collection.kind, self.user)}{self.uri}/"

    @property
    def sync_token(self) -> str | None:
        return f"{TOKEN}{self.collection.token}"

    def items(self) -> list[Item]:
        """What the user may know of: a sharee nothing private."""
        return [item for item in self.collection.items.values() if self._visible(item)]

    def item(self, name: str) -> Item | None:
        found = self.collection.items.get(name)
        return found if found is not None and self._visible(found) else None

    def text(self, item: Item) -> str:
        """The bytes this user gets, under an etag that does not tell."""
        if self.collection.kind == "addressbooks":
            return as_version_3(item.text)
        return for_sharee(item.text) if self.shared else item.text

    def _visible(self, item: Item) -> bool:
        return not (self.shared and self.collection.kind == "calendars" and item.private)


def home(kind: Kind, user: str) -> str:
    """Where a user's collections are."""
    return (
        f"/remote.php/dav/calendars/{user}/" if kind == "calendars" else f"/remote.php/dav/addressbooks/users/{user}/"
    )


def content_type(kind: Kind, item: Item) -> str:
    if kind == "addressbooks":
        return "text/vcard; charset=utf-8"
    return f"text/calendar; charset=utf-8; component={component_of(item.text).lower()}"
