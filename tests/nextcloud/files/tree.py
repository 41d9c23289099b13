"""Every user's files: found by path, changed with the etags of all that hold them."""

import itertools
from collections.abc import Iterator

from tests.nextcloud.clock import Clock
from tests.nextcloud.files.content import Content, digest
from tests.nextcloud.files.nodes import Node, Place, Share


class Missing(Exception):
    """No such file; `path` is the first part of the way that is not there."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Denied(Exception):
    """A read-only share, or a name that is taken."""


def parts_of(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


class Tree:
    """The roots of all users and the shares between them."""

    def __init__(self, clock: Clock, users: tuple[str, ...]) -> None:
        self.clock = clock
        self._ids = itertools.count(2)
        self._changes = itertools.count(1)
        self.by_id: dict[int, Node] = {}
        self.shares: dict[int, Share] = {}
        self._mounts: dict[int, dict[str, Share]] = {}
        self.roots = {user: self.make("", user, None) for user in users}

    def number(self, following: int) -> None:
        """Let the next new node have this id."""
        self._ids = itertools.count(following)

    def make(self, name: str, owner: str, content: Content | None, mtime: int | None = None) -> Node:
        """A new node with a new id, in no folder yet."""
        number = next(self._ids)
        stamp = self.clock.seconds() if mtime is None else mtime
        node = Node(number, name, owner, "", stamp, content=content)
        self.renew(node)
        self.by_id[number] = node
        return node

    def renew(self, node: Node) -> None:
        """A new etag: 32 digits for a file, the short form of the time for a folder."""
        node.etag = self.clock.unique() if node.is_folder else digest(node.id, next(self._changes))

    def touch(self, node: Node, seen: set[int] | None = None) -> None:
        """Renew all folders around a node, in each tree that shows it."""
        done: set[int] = set() if seen is None else seen
        for here in node.upwards():
            if here.id in done:
                return
            done.add(here.id)
            if here.is_folder:
                self.renew(here)
                here.mtime = self.clock.seconds()
            for share in self.shares_of(here):
                self.touch(share.parent, done)

    def shares_of(self, node: Node) -> list[Share]:
        return [share for share in self.shares.values() if share.node is node]

    def mounts_in(self, folder: Node) -> dict[str, Share]:
        """The shares that a folder of a sharee shows, by name."""
        return self._mounts.setdefault(folder.id, {})

    def locate(self, user: str, path: str) -> Place:
        """What a user has at a path; Missing where the way ends."""
        place = Place(user, "/", self.roots[user])
        for part in parts_of(path):
            place = self.step(place, part)
        return place

    def step(self, place: Place, name: str) -> Place:
        """One part further."""
        path = f"{place.path.rstrip('/')}/{name}"
        share = self.mounts_in(place.node).get(name)
        if share is not None and share.sharee == place.user:
            return Place(place.user, path, share.node, share)
        child = place.node.children.get(name)
        if child is None:
            raise Missing(path)
        return Place(place.user, path, child, place.share)

    def listing(self, place: Place) -> list[Place]:
        """What a user sees in a folder: its own first, then what others share there."""
        way = place.path.rstrip("/")
        own = [Place(place.user, f"{way}/{name}", node, place.share) for name, node in place.node.children.items()]
        shared = [
            Place(place.user, f"{way}/{name}", share.node, share)
            for name, share in self._mounts.get(place.node.id, {}).items()
            if share.sharee == place.user
        ]
        return own + shared

    def walk(self, place: Place) -> Iterator[Place]:
        """A place and everything below it."""
        yield place
        if place.node.is_folder:
            for inside in self.listing(place):
                yield from self.walk(inside)

    def place_of(self, user: str, number: int) -> Place | None:
        """Where a user sees a file id, if anywhere."""
        node = self.by_id.get(number)
        if node is None:
            return None
        below: list[str] = []
        for here in node.upwards():
            if here is self.roots[user]:
                return self.locate(user, "/".join(reversed(below)))
            for share in self.shares_of(here):
                if share.sharee == user:
                    around = self.place_of(user, share.parent.id)
                    if around is not None:
                        return self.locate(user, "/".join([around.path, share.name, *reversed(below)]))
            below.append(here.name)
        return None

    def free_name(self, folder: Node, name: str) -> str:
        """The name, or the name with a number where it is taken."""
        stem, dot, ending = name.rpartition(".")
        stem, ending = (stem, dot + ending) if dot and stem else (name, "")
        shared = self.mounts_in(folder)
        names = itertools.chain([name], (f"{stem} ({number}){ending}" for number in itertools.count(2)))
        return next(one for one in names if one not in folder.children and one not in shared)
