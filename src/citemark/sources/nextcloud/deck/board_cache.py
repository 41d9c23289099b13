"""On which board and stack each card stands, as the last listing showed it and for every process that needs it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from citemark.sources.contract import ScanState
from citemark.sources.nextcloud.deck.api import Board, Stack
from citemark.sources.nextcloud.deck.cards import short_hash
from citemark.sources.nextcloud.values import array_in, object_in

_LIST = "deck:boards"
_FORM = 1
"""Of what is remembered of a board; what another version of this code left is not read."""


@dataclass(frozen=True, slots=True)
class CardPosition:
    """Where a card stands. Its text says so, so `version` is part of the card's."""

    board_id: str
    board: str
    stack_id: str
    stack: str
    board_archived: bool

    @property
    def version(self) -> str:
        """Differs once board or stack are others, or are called otherwise."""
        return short_hash(self.board_id, self.board, self.stack_id, self.stack, str(self.board_archived))


@dataclass(frozen=True, slots=True)
class CachedCard:
    """A card as a listing showed it: where, its own version without that of its place, and when it changed."""

    card_id: str
    stack_id: str
    version: str
    modified: int


@dataclass(frozen=True, slots=True)
class CachedBoard:
    """A board as it was listed. `settled` is its time, or None when more may have happened within that second."""

    board_id: str
    title: str
    archived: bool
    settled: int | None
    stacks: Mapping[str, str]
    cards: tuple[CachedCard, ...]

    @classmethod
    def listed(cls, board: Board, stacks: Iterable[Stack], *, settled: bool) -> "CachedBoard":
        """What to remember of a listing."""
        stacks = tuple(stacks)
        cards = {
            card.card_id: CachedCard(card.card_id, stack.stack_id, card.version, card.modified)
            for stack in stacks
            for card in stack.cards
        }
        names = {stack.stack_id: stack.title for stack in stacks}
        time = board.modified if settled else None
        return cls(board.board_id, board.title, board.archived, time, names, tuple(cards.values()))

    def position(self, stack_id: str) -> CardPosition:
        """The place of a card in a stack; of one that came later, the name is not known."""
        return CardPosition(self.board_id, self.title, stack_id, self.stacks.get(stack_id, ""), self.archived)


class BoardCache:
    """The boards that were listed, kept in memory and, for the next start and other processes, in the index."""

    def __init__(self, scan_state: ScanState) -> None:
        self._scan_state = scan_state
        self._boards: dict[str, CachedBoard] = {}
        self._of_card: dict[str, tuple[str, str]] = {}

    async def listing(self) -> tuple[str | None, tuple[str, ...]]:
        """ETag of the last list of boards and their ids, in order."""
        value = object_in(await self._scan_state.load(_LIST))
        return value.get("etag"), tuple(map(str, array_in(value.get("boards"))))

    async def keep_listing(self, etag: str | None, boards: Iterable[str]) -> None:
        """Remember a list of boards, all of which have been kept; forget those that are on it no more."""
        _, before = await self.listing()
        boards = tuple(boards)
        await self._scan_state.save(_LIST, {"etag": etag, "boards": list(boards)})
        for gone in set(before) - set(boards):
            self._boards.pop(gone, None)
            await self._scan_state.save(_key(gone), None)

    async def board(self, board_id: str) -> CachedBoard | None:
        """A board as it was listed last."""
        value = object_in(await self._scan_state.load(_key(board_id)))
        if value.get("form") != _FORM:
            return None
        cards = tuple(CachedCard(*card) for card in value["cards"])
        board = CachedBoard(board_id, value["title"], value["archived"], value["settled"], value["stacks"], cards)
        self._take(board)
        return board

    async def keep(self, board: CachedBoard) -> None:
        """Remember a listed board; before its cards are told of, so that whoever reads them finds them."""
        self._take(board)
        value = {
            "form": _FORM,
            "title": board.title,
            "archived": board.archived,
            "settled": board.settled,
            "stacks": dict(board.stacks),
            "cards": [[card.card_id, card.stack_id, card.version, card.modified] for card in board.cards],
        }
        await self._scan_state.save(_key(board.board_id), value)

    async def position_of(self, card_id: str) -> CardPosition | None:
        """Where a card stands; what is not known here, another process may have listed."""
        if card_id not in self._of_card:
            await self._load()
        found = self._of_card.get(card_id)
        return self._boards[found[0]].position(found[1]) if found and found[0] in self._boards else None

    async def position_in_stack(self, position: CardPosition, stack_id: str) -> CardPosition:
        """The place of a card that was looked for at `position` and is found to stand in another stack."""
        if stack_id == position.stack_id:
            return position
        for attempt in range(2):
            for board in self._boards.values():
                if stack_id in board.stacks:
                    return board.position(stack_id)
            if attempt == 0:
                await self._load()
        return replace(position, stack_id=stack_id, stack="")

    async def _load(self) -> None:
        _, boards = await self.listing()
        for board_id in boards:
            await self.board(board_id)

    def _take(self, board: CachedBoard) -> None:
        self._boards[board.board_id] = board
        self._of_card.update((card.card_id, (board.board_id, card.stack_id)) for card in board.cards)


def _key(board_id: str) -> str:
    return f"deck:board:{board_id}"
