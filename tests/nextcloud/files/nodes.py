"""Files and folders, the shares that show them elsewhere, and a place as one user sees it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.nextcloud.files.content import Content

ALL = 31
"""Read 1, update 2, create 4, delete 8, share 16."""
READ_ONLY = 1
UPDATE = 2


@dataclass(slots=True, eq=False)
class Node:
    """A file, or a folder where there is no content."""

    id: int
    name: str
    owner: str
    etag: str
    mtime: int
    parent: "Node | None" = None
    content: Content | None = None
    children: dict[str, "Node"] = field(default_factory=dict[str, "Node"])
    favourites: set[str] = field(default_factory=set[str])
    tags: set[int] = field(default_factory=set[int])
    encrypted: bool = False

    @property
    def is_folder(self) -> bool:
        return self.content is None

    def size(self) -> int:
        """Bytes of the file, or of all files below the folder."""
        if self.content is not None:
            return len(self.content)
        return sum(child.size() for child in self.children.values())

    def upwards(self) -> Iterator["Node"]:
        """The node and its folders up to its owner's root."""
        here: Node | None = self
        while here is not None:
            yield here
            here = here.parent

    def downwards(self) -> Iterator["Node"]:
        """The node and all that is in it."""
        yield self
        for child in list(self.children.values()):
            yield from child.downwards()


@dataclass(slots=True, eq=False)
class Share:
    """A node shown to another user, in a folder of theirs under a name of theirs."""

    id: int
    node: Node
    owner: str
    sharee: str
    parent: Node
    name: str
    permissions: int
    stime: int


@dataclass(frozen=True, slots=True)
class Place:
    """A node as a user sees it: by their path, through a share or not."""

    user: str
    path: str
    node: Node
    share: Share | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def is_mount(self) -> bool:
        """Whether the share begins here."""
        return self.share is not None and self.share.node is self.node

    @property
    def rights(self) -> int:
        """What the user may do here."""
        return ALL if self.share is None else self.share.permissions

    @property
    def may_write(self) -> bool:
        return bool(self.rights & UPDATE)

    def permissions(self) -> str:
        """Nextcloud's letters, such as RGDNVW for an own file and SGDNV for one that is only read."""
        rights, folder = self.rights, self.node.is_folder
        letters = "S" if self.share else ""
        letters += "R" if rights & 16 else ""
        letters += "G"
        letters += "D" if rights & 8 or self.is_mount else ""
        letters += "NV" if rights & UPDATE or self.is_mount else ""
        if folder:
            return letters + ("CK" if rights & 4 else "")
        return letters + ("W" if rights & UPDATE else "")
