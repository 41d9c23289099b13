"""What a test does to files."""

from dataclasses import dataclass
from threading import RLock

from tests.nextcloud.clock import Clock
from tests.nextcloud.files.content import Content
from tests.nextcloud.files.nodes import Node, Place, Share
from tests.nextcloud.files.tree import Denied, Missing, Tree, parts_of
from tests.nextcloud.locking import locked


@dataclass(frozen=True, slots=True)
class Trashed:
    """A deleted file in its owner's trash bin."""

    name: str
    node: Node
    path: str
    deleted: int


class Tags:
    """The names of the server's tags by id."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}

    def number(self, name: str) -> int:
        """The id of a tag, made where it is new."""
        for number, known in self.names.items():
            if known == name:
                return number
        number = len(self.names) + 1
        self.names[number] = name
        return number


class Files:
    """Put, move, copy, delete, restore, share, unshare; paths begin at the user's root."""

    def __init__(self, lock: RLock, clock: Clock, people: dict[str, str]) -> None:
        self.lock = lock
        self.clock = clock
        self.people = people
        self.tree = Tree(clock, tuple(people))
        self.trash: dict[str, list[Trashed]] = {user: [] for user in people}
        self.tags = Tags()
        self._share_ids = iter(range(1, 1 << 30))

    @locked
    def folder(self, user: str, path: str) -> Place:
        """The folder at a path, made with all above it where it is not there."""
        place = self.tree.locate(user, "/")
        for part in parts_of(path):
            try:
                place = self.tree.step(place, part)
            except Missing:
                self._hang(place.node, self.tree.make(part, place.node.owner, None))
                place = self.tree.step(place, part)
        return place

    def _hang(self, folder: Node, node: Node) -> None:
        folder.children[node.name] = node
        node.parent = folder
        self.tree.touch(folder)

    def _unhang(self, node: Node) -> None:
        if node.parent is not None:
            node.parent.children.pop(node.name)
            self.tree.touch(node.parent)
            node.parent = None

    @locked
    def put(self, user: str, path: str, content: Content | str, mtime: int | None = None) -> Node:
        """Write a file, with its folders; identical bytes are a change too."""
        data = content.encode() if isinstance(content, str) else content
        above, _, name = path.rpartition("/")
        around = self.folder(user, above)
        try:
            found = self.tree.step(around, name)
        except Missing:
            if not around.rights & 4:
                raise Denied(path) from None
            node = self.tree.make(name, around.node.owner, data, mtime)
            self._hang(around.node, node)
            return node
        if not found.may_write or found.node.is_folder:
            raise Denied(path)
        found.node.content = data
        found.node.mtime = self.clock.seconds() if mtime is None else mtime
        self.changed(found.node)
        return found.node

    def changed(self, node: Node) -> None:
        """A new etag for a node and for all around it."""
        self.tree.renew(node)
        self.tree.touch(node)

    @locked
    def move(self, user: str, path: str, to: str) -> Node:
        """Rename or move: id and etag stay, the folders on both sides change."""
        place = self.tree.locate(user, path)
        above, _, name = to.rpartition("/")
        around = self.tree.locate(user, above)
        if place.is_mount and place.share is not None:
            self._move_mount(place.share, around.node, name)
            return place.node
        if not place.rights & 8 or not around.rights & 4:
            raise Denied(path)
        self._unhang(place.node)
        place.node.name = name
        if around.node.owner != place.node.owner:
            self._give(place.node, around.node.owner)
        self._hang(around.node, place.node)
        return place.node

    def _move_mount(self, share: Share, parent: Node, name: str) -> None:
        self.tree.mounts_in(share.parent).pop(share.name)
        self.tree.touch(share.parent)
        share.parent, share.name = parent, name
        self.tree.mounts_in(parent)[name] = share
        self.tree.touch(parent)

    def _give(self, node: Node, owner: str) -> None:
        for one in node.downwards():
            one.owner = owner
            for share in self.tree.shares_of(one):
                self.unshare(share.id)

    @locked
    def copy(self, user: str, path: str, to: str) -> Node:
        """A copy: new ids all the way down."""
        place = self.tree.locate(user, path)
        above, _, name = to.rpartition("/")
        around = self.tree.locate(user, above)
        made = self._copied(place.node, name, around.node.owner)
        self._hang(around.node, made)
        return made

    def _copied(self, node: Node, name: str, owner: str) -> Node:
        made = self.tree.make(name, owner, node.content)
        for child in node.children.values():
            inner = self._copied(child, child.name, owner)
            made.children[inner.name] = inner
            inner.parent = made
        return made

    @locked
    def delete(self, user: str, path: str) -> None:
        """Into the trash bin; a share's own name only leaves the share."""
        place = self.tree.locate(user, path)
        if place.is_mount and place.share is not None:
            self.unshare(place.share.id)
            return
        if not place.rights & 8:
            raise Denied(path)
        for node in place.node.downwards():
            for share in self.tree.shares_of(node):
                self.unshare(share.id)
            self.tree.by_id.pop(node.id, None)
        self._unhang(place.node)
        now = self.clock.seconds()
        self.trash[user].append(Trashed(f"{place.name}.d{now}", place.node, place.path, now))

    @locked
    def restore(self, user: str, name: str) -> Node:
        """Back from the trash bin to where it was, with its id."""
        trashed = next(one for one in self.trash[user] if name in {one.name, one.path})
        self.trash[user].remove(trashed)
        around = self.folder(user, trashed.path.rpartition("/")[0])
        trashed.node.name = self.tree.free_name(around.node, trashed.node.name)
        for node in trashed.node.downwards():
            self.tree.by_id[node.id] = node
        self._hang(around.node, trashed.node)
        return trashed.node

    @locked
    def share(self, user: str, path: str, sharee: str, permissions: int = 15, target: str | None = None) -> Share:
        """Show a file or folder to another user: in their root, a note in their notes folder."""
        place = self.tree.locate(user, path)
        home = target or ("/Notes" if place.path.startswith("/Notes/") else "/")
        parent = self.folder(sharee, home).node
        name = self.tree.free_name(parent, place.name)
        rights = permissions & place.rights & (31 if place.node.is_folder else 27)
        number = next(self._share_ids)
        made = Share(number, place.node, user, sharee, parent, name, rights, self.clock.seconds())
        self.tree.shares[number] = made
        self.tree.mounts_in(parent)[name] = made
        self.tree.touch(parent)
        return made

    @locked
    def unshare(self, number: int) -> None:
        share = self.tree.shares.pop(number)
        self.tree.mounts_in(share.parent).pop(share.name, None)
        self.tree.touch(share.parent)

    @locked
    def unshare_with(self, user: str, path: str, sharee: str) -> None:
        """Take a node from a user."""
        node = self.tree.locate(user, path).node
        for share in self.tree.shares_of(node):
            if share.sharee == sharee:
                self.unshare(share.id)

    @locked
    def favourite(self, user: str, path: str, on: bool) -> None:
        """Mark for oneself; neither etag nor time change."""
        marks = self.tree.locate(user, path).node.favourites
        marks.add(user) if on else marks.discard(user)

    @locked
    def tag(self, user: str, path: str, name: str, on: bool = True) -> int:
        """Put a tag on a file or folder, or take it; no etag tells."""
        number = self.tags.number(name)
        tags = self.tree.locate(user, path).node.tags
        tags.add(number) if on else tags.discard(number)
        return number

    def read(self, user: str, path: str) -> Content:
        content = self.tree.locate(user, path).node.content
        if content is None:
            raise Denied(path)
        return content
