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

    @property
    def uid(self) -> str | None:
        return uid_of(self.text)


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
    changes: list[tuple[int, str, Change]] = field(default_factory=list[tuple[int, str, Change]])
    sharees: dict[str, bool] = field(default_factory=dict[str, bool])
    deleted: int = 0

    def note(self, name: str, change: Change) -> None:
        """Count a change; the token names the state after it."""
        self.changes.append((self.token, name, change))
        self.token += 1

    def since(self, token: int) -> dict[str, Change]:
        """The last change of each name that was made at a token or later."""
        return {name: change for when, name, change in self.changes if when >= token}


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
        return not (self.shared and self.collection.kind == "calendars" and class_of(item.text) == "PRIVATE")


def home(kind: Kind, user: str) -> str:
    """Where a user's collections are."""
    return (
        f"/remote.php/dav/calendars/{user}/" if kind == "calendars" else f"/remote.php/dav/addressbooks/users/{user}/"
    )


def stamp(text: str) -> str:
    """An etag: of the text, as the server makes it."""
    return digest(text)


def content_type(kind: Kind, item: Item) -> str:
    if kind == "addressbooks":
        return "text/vcard; charset=utf-8"
    return f"text/calendar; charset=utf-8; component={component_of(item.text).lower()}"
