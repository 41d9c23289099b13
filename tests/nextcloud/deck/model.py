"""Boards, stacks, cards and what hangs on them."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Label:
    """A coloured word of one board."""

    id: int
    title: str
    color: str
    board: int


@dataclass(slots=True)
class Acl:
    """Another user's rights on a board."""

    id: int
    user: str
    edit: bool
    share: bool = False
    manage: bool = False


@dataclass(slots=True)
class Comment:
    """A remark on a card."""

    id: int
    author: str
    message: str
    created: int
    reply_to: int | None = None


@dataclass(slots=True)
class Attachment:
    """A file of the card's own (`content`), or one of the owner's files (`file_id`)."""

    id: int
    name: str
    content: bytes
    created: int
    by: str
    file_id: int | None = None
    deleted: int = 0


@dataclass(slots=True)
class Card:
    """One card; its time of change is also its etag."""

    id: int
    title: str
    description: str
    owner: str
    created: int
    last_modified: int
    stack: "Stack"
    order: int = 0
    duedate: str | None = None
    done: str | None = None
    archived: bool = False
    deleted: int = 0
    editor: str | None = None
    labels: list[int] = field(default_factory=list[int])
    assigned: dict[str, int] = field(default_factory=dict[str, int])
    comments: list[Comment] = field(default_factory=list[Comment])
    attachments: list[Attachment] = field(default_factory=list[Attachment])


@dataclass(slots=True)
class Stack:
    """A column of a board."""

    id: int
    title: str
    board: "Board"
    last_modified: int
    order: int
    deleted: int = 0
    cards: dict[int, Card] = field(default_factory=dict[int, Card])


@dataclass(slots=True)
class Board:
    """A board of one owner, shown to the users in its `acl`."""

    id: int
    title: str
    owner: str
    color: str
    last_modified: int
    archived: bool = False
    deleted: int = 0
    stacks: dict[int, Stack] = field(default_factory=dict[int, Stack])
    labels: dict[int, Label] = field(default_factory=dict[int, Label])
    acl: dict[int, Acl] = field(default_factory=dict[int, Acl])

    def rights(self, user: str) -> tuple[bool, bool, bool, bool]:
        """Read, edit, manage, share."""
        if user == self.owner:
            return True, True, True, True
        entry = next((one for one in self.acl.values() if one.user == user), None)
        return (True, entry.edit, entry.manage, entry.share) if entry else (False, False, False, False)

    def cards(self) -> list[Card]:
        """The cards that are not deleted, archived ones too."""
        return [
            card
            for stack in self.stacks.values()
            for card in stack.cards.values()
            if not card.deleted and not stack.deleted
        ]
