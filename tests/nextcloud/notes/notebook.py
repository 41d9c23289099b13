"""Notes: the text files of a folder, with the app's own etags and times of change."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from threading import RLock
from typing import Any

from tests.nextcloud.files.content import digest, whole
from tests.nextcloud.files.controls import Files
from tests.nextcloud.files.nodes import Place
from tests.nextcloud.files.tree import Missing
from tests.nextcloud.locking import locked

FOLDER = "/Notes"
_ENDINGS = (".md", ".txt", ".org", ".markdown", ".note")
_ODD = re.compile(r'[*|/\\:"<>?\x00-\x1f]')


class NotWritable(Exception):
    """A note of a read-only share."""


@dataclass(slots=True)
class Meta:
    """What the app remembers of a note for one user: its etag and when the server saw it change."""

    etag: str
    last_update: int


class Notebook:
    """The notes of every user; a note is a file below /Notes, its category the folder."""

    def __init__(self, lock: RLock, files: Files) -> None:
        self.lock = lock
        self.files = files
        self._meta: dict[tuple[str, int], Meta] = {}

    @locked
    def add(self, user: str, title: str, content: str = "", category: str = "", modified: int | None = None) -> int:
        """Write a note and return its id."""
        folder = self.files.folder(user, f"{FOLDER}/{category}")
        name = self.files.tree.free_name(folder.node, f"{clean(title) or 'New note'}.md")
        return self.files.put(user, f"{folder.path}/{name}", content, modified).id

    @locked
    def edit(
        self,
        user: str,
        number: int,
        *,
        content: str | None = None,
        title: str | None = None,
        category: str | None = None,
        modified: int | None = None,
        favourite: bool | None = None,
    ) -> None:
        """Change a note as its user; a favourite keeps the file's time."""
        place = self.place(user, number)
        if not place.may_write and favourite is None:
            raise NotWritable
        if content is not None or modified is not None:
            kept = whole(place.node.content or b"") if content is None else content.encode()
            self.files.put(user, place.path, kept, modified)
        if title is not None or category is not None:
            self._rename(user, place, title, category)
        if favourite is not None:
            self.files.favourite(user, self.place(user, number).path, favourite)

    def _rename(self, user: str, place: Place, title: str | None, category: str | None) -> None:
        stem, dot, ending = place.name.rpartition(".")
        name = f"{clean(title) or 'New note'}{dot}{ending}" if title is not None and title != stem else place.name
        way = FOLDER + (f"/{category}" if category else "") if category is not None else place.path.rpartition("/")[0]
        folder = self.files.folder(user, way)
        if f"{folder.path}/{name}" != place.path:
            self.files.move(user, place.path, f"{folder.path}/{self.files.tree.free_name(folder.node, name)}")

    @locked
    def delete(self, user: str, number: int) -> None:
        self.files.delete(user, self.place(user, number).path)

    @locked
    def share(self, user: str, number: int, sharee: str, *, writable: bool = False) -> None:
        """Share the note as a file."""
        self.files.share(user, self.place(user, number).path, sharee, 3 if writable else 1)

    @locked
    def unshare(self, user: str, number: int, sharee: str) -> None:
        self.files.unshare_with(user, self.place(user, number).path, sharee)

    def place(self, user: str, number: int) -> Place:
        """Where a user has a note; Missing for what is none of theirs."""
        place = self.files.tree.place_of(user, number)
        if place is None or not is_note(place):
            raise Missing(str(number))
        return place

    def places(self, user: str) -> Iterator[Place]:
        """All notes of a user."""
        for place in self.files.tree.walk(self.files.folder(user, FOLDER)):
            if is_note(place):
                yield place

    @locked
    def data(self, place: Place, exclude: frozenset[str] = frozenset()) -> dict[str, Any]:
        """A note as the API shows it, without the excluded fields; its etag is this user's."""
        node = place.node
        shared = place.share is not None or bool(self.files.tree.shares_of(node))
        fields: dict[str, Any] = {
            "id": node.id,
            "title": place.name.rpartition(".")[0],
            "modified": node.mtime,
            "category": self.category(place),
            "favorite": place.user in node.favourites,
            "readonly": not place.may_write,
            "internalPath": place.path,
            "shareTypes": [0] if shared else [],
            "isShared": shared,
            "error": False,
            "errorType": "",
        }
        if "content" not in exclude:
            fields["content"] = whole(node.content or b"").decode("utf-8", "replace")
        fields["etag"] = self.meta(place, fields).etag
        return {name: value for name, value in fields.items() if name not in exclude - {"id"}}

    def category(self, place: Place) -> str:
        """The folder below the notes folder; empty for none."""
        return place.path.rpartition("/")[0].removeprefix(FOLDER).strip("/")

    def last_update(self, place: Place) -> int:
        """When the server saw a listed note change, which is not its file's time."""
        return self._meta[place.user, place.node.id].last_update

    def meta(self, place: Place, fields: dict[str, Any]) -> Meta:
        """The app's memory of a note, renewed where anything shown has changed since it last looked."""
        about = [value for name, value in fields.items() if name not in {"content", "etag"}]
        etag = digest(place.user, place.node.etag, *about)
        held = self._meta.get((place.user, place.node.id))
        if held is None or held.etag != etag:
            held = self._meta[place.user, place.node.id] = Meta(etag, self.files.clock.seconds())
        return held


def clean(title: str) -> str:
    """A title as a file name: the characters that some file system forbids are left out."""
    return _ODD.sub("", title).strip().strip(".").strip()


def is_note(place: Place) -> bool:
    """Whether a place is a text file in the notes folder."""
    inside = place.path.startswith(f"{FOLDER}/")
    return inside and not place.node.is_folder and place.name.lower().endswith(_ENDINGS)
