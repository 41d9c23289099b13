"""What a test does to calendars and address books."""

import copy
import itertools
from dataclasses import dataclass, replace
from threading import RLock

from tests.nextcloud.clock import Clock
from tests.nextcloud.locking import locked
from tests.nextcloud.pim.lines import uid_of
from tests.nextcloud.pim.model import Collection, Item, Kind, Seen, item_of

_ENDING = {"calendars": ".ics", "addressbooks": ".vcf"}


class NoSuch(Exception):
    """No such collection or item for this user."""


class ReadOnly(Exception):
    """A share that is only read."""


class Twice(Exception):
    """The UID is there under another name."""


@dataclass(frozen=True, slots=True)
class Trashed:
    """A deleted item and where it was."""

    item: Item
    collection: str
    owner: str
    deleted: int


@dataclass(frozen=True, slots=True)
class Backup:
    """What a restore of the server brings back."""

    collections: list[Collection]
    trash: list[Trashed]


class Collections:
    """All calendars, or all address books, of the server; names are those that the acting user sees."""

    def __init__(self, lock: RLock, clock: Clock, kind: Kind, people: dict[str, str]) -> None:
        self.lock = lock
        self.clock = clock
        self.kind: Kind = kind
        self.people = people
        self.trash: list[Trashed] = []
        self.kept: Backup | None = None
        self._all: list[Collection] = []
        self._ids = itertools.count(1)

    @locked
    def create(self, user: str, uri: str, title: str = "", components: tuple[str, ...] = ("VEVENT",)) -> Collection:
        """A new calendar or address book; there is none by default."""
        made = Collection(next(self._ids), self.kind, user, uri, title or uri.capitalize(), components)
        self._all.append(made)
        return made

    @locked
    def put(self, user: str, uri: str, text: str, name: str | None = None) -> Item:
        """Write an object under a name (its UID's, where none is given). Raises NoSuch, ReadOnly, Twice."""
        seen = self.writable(user, uri)
        uid = uid_of(text)
        name = name or f"{uid or next(self._ids)}{_ENDING[self.kind]}"
        if uid is not None and seen.collection.uids.get(uid, name) != name:
            raise Twice(name)
        known = seen.collection.drop(name)
        made = item_of(known.id if known else next(self._ids), name, text, self.clock.seconds())
        seen.collection.hold(made)
        seen.collection.note(name, "modified" if known else "added")
        return made

    @locked
    def delete(self, user: str, uri: str, name: str) -> None:
        """Into the trash bin."""
        seen = self.writable(user, uri)
        item = seen.collection.drop(name)
        if item is None:
            raise NoSuch(name)
        seen.collection.note(name, "deleted")
        self.trash.append(Trashed(item, seen.collection.uri, seen.collection.owner, self.clock.seconds()))

    @locked
    def restore(self, user: str, name: str) -> None:
        """Back from the trash bin, by the object's name."""
        trashed = next(one for one in self.trash if one.owner == user and one.item.name == name)
        self.trash.remove(trashed)
        self.put(user, trashed.collection, trashed.item.text, trashed.item.name)

    @locked
    def move(self, user: str, uri: str, name: str, to: str, new_name: str | None = None) -> Item:
        """To another collection: gone from one, new in the other."""
        source, target = self.writable(user, uri), self.writable(user, to)
        item = source.collection.drop(name)
        if item is None:
            raise NoSuch(name)
        source.collection.note(name, "deleted")
        moved = replace(item, name=new_name or name)
        target.collection.hold(moved)
        target.collection.note(moved.name, "added")
        return moved

    @locked
    def share(self, user: str, uri: str, sharee: str, *, writable: bool = False) -> str:
        """Show a collection to another user; the name under which they see it."""
        collection = self.owned(user, uri)
        collection.sharees[sharee] = writable
        return shared_name(collection)

    @locked
    def unshare(self, user: str, uri: str, sharee: str) -> None:
        self.owned(user, uri).sharees.pop(sharee, None)

    @locked
    def remove(self, user: str, uri: str) -> None:
        """Delete a collection; a sharee only leaves it."""
        seen = self.seen(user, uri)
        if seen is None:
            raise NoSuch(uri)
        if seen.shared:
            seen.collection.sharees.pop(user)
        else:
            self._all.remove(seen.collection)

    @locked
    def backup(self) -> Backup:
        """All collections as they are, to restore from."""
        return Backup(copy.deepcopy(self._all), list(self.trash))

    @locked
    def roll_back(self, kept: Backup) -> None:
        """Restore a backup: the tokens given out since then name states that never were."""
        self._all = copy.deepcopy(kept.collections)
        self.trash = list(kept.trash)

    def owned(self, user: str, uri: str) -> Collection:
        for one in self._all:
            if (one.owner, one.uri) == (user, uri):
                return one
        raise NoSuch(uri)

    def writable(self, user: str, uri: str) -> Seen:
        seen = self.seen(user, uri)
        if seen is None:
            raise NoSuch(uri)
        if not seen.writable:
            raise ReadOnly(uri)
        return seen

    def seen(self, user: str, uri: str) -> Seen | None:
        """What a user calls by this name."""
        return next((one for one in self.visible(user) if one.uri == uri), None)

    def visible(self, user: str) -> list[Seen]:
        """A user's own collections, then those shared with them."""
        own = [Seen(one, user, one.uri, one.title) for one in self._all if one.owner == user]
        shared = [
            Seen(one, user, shared_name(one), f"{one.title} ({self.people[one.owner]})")
            for one in self._all
            if user in one.sharees
        ]
        return own + shared


def shared_name(collection: Collection) -> str:
    """`work_shared_by_alice`."""
    return f"{collection.uri}_shared_by_{collection.owner}"
