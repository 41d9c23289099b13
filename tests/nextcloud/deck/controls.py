"""What a test does to boards and cards."""

import itertools
from datetime import UTC, datetime
from threading import RLock

from tests.nextcloud.clock import Clock
from tests.nextcloud.deck.model import Acl, Attachment, Board, Card, Comment, Label, Stack
from tests.nextcloud.locking import locked

DEFAULT_LABELS = (("Finished", "31CC7C"), ("To review", "317CCC"), ("Action needed", "FF7A66"), ("Later", "F1DB50"))


class Deck:
    """All boards; a change of a card is a change of its stack and board."""

    def __init__(self, lock: RLock, clock: Clock) -> None:
        self.lock = lock
        self.clock = clock
        self.boards: dict[int, Board] = {}
        self.cards: dict[int, Card] = {}
        self._ids: dict[str, itertools.count[int]] = {}

    def number(self, kind: str, following: int) -> None:
        """Let the next new thing of a kind (board, stack, card, label) have this id."""
        self._ids[kind] = itertools.count(following)

    def _next(self, kind: str) -> int:
        return next(self._ids.setdefault(kind, itertools.count(1)))

    @locked
    def board(self, user: str, title: str, color: str = "0082c9", *, labels: bool = True) -> Board:
        """A new board, with the labels that each new board has."""
        made = Board(self._next("board"), title, user, color, self.clock.seconds())
        self.boards[made.id] = made
        for name, shade in DEFAULT_LABELS if labels else ():
            self.label(made.id, name, shade)
        return made

    @locked
    def label(self, board: int, title: str, color: str = "FF0000") -> Label:
        made = Label(self._next("label"), title, color, board)
        self.boards[board].labels[made.id] = made
        return made

    @locked
    def stack(self, board: int, title: str) -> Stack:
        around = self.boards[board]
        made = Stack(self._next("stack"), title, around, self.clock.seconds(), len(around.stacks))
        around.stacks[made.id] = made
        self._touch_board(around)
        return made

    @locked
    def card(
        self,
        stack: int,
        title: str,
        description: str = "",
        *,
        duedate: str | None = None,
        user: str | None = None,
    ) -> Card:
        """A new card at the end of a stack; `duedate` in ISO 8601."""
        around = self.stack_of(stack)
        owner, now = user or around.board.owner, self.clock.seconds()
        made = Card(self._next("card"), title, description, owner, now, now, around, len(around.cards), duedate)
        made.editor = owner
        around.cards[made.id] = self.cards[made.id] = made
        self._touch(made)
        return made

    def stack_of(self, number: int) -> Stack:
        return next(board.stacks[number] for board in self.boards.values() if number in board.stacks)

    def _touch(self, card: Card) -> None:
        card.last_modified = card.stack.last_modified = self.clock.seconds()
        self._touch_board(card.stack.board)

    def _touch_board(self, board: Board) -> None:
        board.last_modified = self.clock.seconds()

    @locked
    def edit(self, number: int, *, user: str | None = None, **fields: str | int | bool | None) -> Card:
        """Set title, description, duedate, done, archived or order of a card."""
        card = self.cards[number]
        for name, value in fields.items():
            setattr(card, name, value)
        card.editor = user or card.stack.board.owner
        self._touch(card)
        return card

    @locked
    def move(self, number: int, stack: int, order: int | None = None) -> Card:
        """To another stack, also of another board; as in Deck, only the board that the card is then on is marked."""
        card, target = self.cards[number], self.stack_of(stack)
        card.stack.cards.pop(number)
        card.stack = target
        card.order = len(target.cards) if order is None else order
        target.cards[number] = card
        self._touch(card)
        return card

    @locked
    def delete(self, number: int) -> Card:
        """Mark a card as deleted; its board lists it no more."""
        card = self.cards[number]
        card.deleted = self.clock.seconds()
        self._touch(card)
        return card

    @locked
    def undelete(self, number: int) -> None:
        self.cards[number].deleted = 0
        self._touch(self.cards[number])

    @locked
    def comment(self, number: int, author: str, message: str, reply_to: int | None = None) -> Comment:
        made = Comment(self._next("comment"), author, message, self.clock.seconds(), reply_to)
        self.cards[number].comments.append(made)
        self.cards[number].editor = author
        self._touch(self.cards[number])
        return made

    @locked
    def put_label(self, number: int, label: int, on: bool = True) -> None:
        card = self.cards[number]
        card.labels = [*(one for one in card.labels if one != label), *([label] if on else [])]
        self._touch(card)

    @locked
    def assign(self, number: int, user: str, on: bool = True) -> None:
        card = self.cards[number]
        card.assigned.pop(user, None)
        if on:
            card.assigned[user] = self._next("assignment")
        self._touch(card)

    @locked
    def attach(self, number: int, name: str, content: bytes = b"", file_id: int | None = None) -> Attachment:
        """Upload to the card, or point at a file by its id."""
        card = self.cards[number]
        owner = card.stack.board.owner
        made = Attachment(self._next("attachment"), name, content, self.clock.seconds(), owner, file_id)
        card.attachments.append(made)
        self._touch(card)
        return made

    @locked
    def share(self, board: int, user: str, *, edit: bool = False, manage: bool = False) -> Acl:
        """Let another user see a board."""
        made = Acl(self._next("acl"), user, edit, manage=manage)
        self.boards[board].acl[made.id] = made
        self._touch_board(self.boards[board])
        return made

    @locked
    def unshare(self, board: int, user: str) -> None:
        around = self.boards[board]
        around.acl = {number: one for number, one in around.acl.items() if one.user != user}
        self._touch_board(around)

    @locked
    def delete_board(self, board: int) -> Board:
        """Mark a board as deleted; it stays in its owner's list."""
        gone = self.boards[board]
        gone.deleted = self.clock.seconds()
        self._touch_board(gone)
        return gone

    @locked
    def welcome(self, user: str) -> Board:
        """What the first visit to the app makes: a board with three stacks."""
        made = self.board(user, "Personal", "0087C5", labels=False)
        for title in ("To do", "Doing", "Done"):
            self.stack(made.id, title)
        return made

    def boards_of(self, user: str) -> list[Board]:
        """Own boards first, deleted ones too, then those of others."""
        mine = [board for board in self.boards.values() if board.owner == user]
        others = [board for board in self.boards.values() if board.owner != user and board.rights(user)[0]]
        return mine + [board for board in others if not board.deleted]


def iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
