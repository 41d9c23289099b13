"""The boards of an account: listed only where something changed, and cached with the position of each card."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from citemark.features.nextcloud.source.deck.api import Board, Boards, DeckApi, Stack
from citemark.features.nextcloud.source.deck.cards import Card, short_hash
from citemark.features.nextcloud.source.http_responses import array_in, object_in
from citemark.features.nextcloud.source.prefetch_cache import PrefetchCache
from citemark.sources.contract import ScanState

_LIST = "deck:boards"
_FORM = 1
"""Version of the format of a cached board; entries of other versions are ignored."""


_SETTLES = 2.0
"""Seconds by the server's clock after which a modification time in whole seconds covers no further change."""


@dataclass(frozen=True, slots=True)
class CardPosition:
    """Where a card is. Its text says so, so `version` is part of the card's version."""

    board_id: str
    board: str
    stack_id: str
    stack: str
    board_archived: bool

    @property
    def version(self) -> str:
        """A token that changes when board or stack is another one or is renamed."""
        return short_hash(self.board_id, self.board, self.stack_id, self.stack, str(self.board_archived))


@dataclass(frozen=True, slots=True)
class CachedCard:
    """A card as it was listed: its stack, its version without that of its position, and when it changed."""

    card_id: str
    stack_id: str
    version: str
    modified: int


@dataclass(frozen=True, slots=True)
class CachedBoard:
    """A board as it was listed. `settled` is its time, or None if more may have happened within that second."""

    board_id: str
    title: str
    archived: bool
    settled: int | None
    stacks: Mapping[str, str]
    cards: tuple[CachedCard, ...]

    @classmethod
    def listed(cls, board: Board, stacks: Iterable[Stack], *, settled: bool) -> "CachedBoard":
        """Make the cache entry of a listed board."""
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
        """Return the position of a card in a stack; the name of a stack that was added later is not known."""
        return CardPosition(self.board_id, self.title, stack_id, self.stacks.get(stack_id, ""), self.archived)


class BoardCache:
    """The boards listed last: in memory, and in the scan state for other processes and the next start."""

    def __init__(self, scan_state: ScanState) -> None:
        self._scan_state = scan_state
        self._boards: dict[str, CachedBoard] = {}
        self._place_of_card: dict[str, tuple[str, str]] = {}
        self._keeping = asyncio.Lock()

    async def listing(self) -> tuple[str | None, tuple[str, ...]]:
        """Return the ETag of the last list of boards, and their ids in order."""
        value = object_in(await self._scan_state.load(_LIST))
        return value.get("etag"), tuple(map(str, array_in(value.get("boards"))))

    async def keep_listing(self, etag: str | None, boards: Iterable[str]) -> None:
        """Store a list of boards, each of which has been stored; forget those that are no longer on it."""
        _, before = await self.listing()
        boards = tuple(boards)
        await self._scan_state.save(_LIST, {"etag": etag, "boards": list(boards)})
        for gone in set(before) - set(boards):
            self._boards.pop(gone, None)
            await self._scan_state.save(_key(gone), None)
            await self._scan_state.save(_attached_key(gone), None)

    async def board(self, board_id: str) -> CachedBoard | None:
        """Load a board as it was listed last."""
        value = object_in(await self._scan_state.load(_key(board_id)))
        if value.get("form") != _FORM:
            return None
        cards = tuple(CachedCard(*card) for card in value["cards"])
        board = CachedBoard(board_id, value["title"], value["archived"], value["settled"], value["stacks"], cards)
        self._add(board)
        return board

    async def keep(self, board: CachedBoard) -> None:
        """Store a listed board, before its cards are reported, so that the processor finds them."""
        self._add(board)
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
        """Return the position of a card; another process may have listed it."""
        if card_id not in self._place_of_card:
            await self._load()
        found = self._place_of_card.get(card_id)
        return self._boards[found[0]].position(found[1]) if found and found[0] in self._boards else None

    async def position_in_stack(self, position: CardPosition, stack_id: str) -> CardPosition:
        """Return the position of a card that was expected at `position` and is in another stack."""
        if stack_id == position.stack_id:
            return position
        for attempt in range(2):
            for board in self._boards.values():
                if stack_id in board.stacks:
                    return board.position(stack_id)
            if attempt == 0:
                await self._load()
        return replace(position, stack_id=stack_id, stack="")

    async def attached_on(self, board_id: str) -> Mapping[str, str]:
        """Return the versions of the attachments' names as they were read last, by card; listings do not have them."""
        known = object_in(await self._scan_state.load(_attached_key(board_id)))
        return {card_id: str(version) for card_id, version in known.items()}

    async def keep_attached(self, board_id: str, card_id: str, version: str) -> None:
        """Store the version of the attachments' names of a card; an empty one if it has none."""
        async with self._keeping:
            known = await self.attached_on(board_id)
            if known.get(card_id, "") == version:
                return
            here = {card: kept for card, kept in known.items() if self._place_of_card.get(card, ("",))[0] == board_id}
            kept = {card: each for card, each in {**here, card_id: version}.items() if each}
            await self._scan_state.save(_attached_key(board_id), kept or None)

    async def _load(self) -> None:
        _, boards = await self.listing()
        for board_id in boards:
            await self.board(board_id)

    def _add(self, board: CachedBoard) -> None:
        self._boards[board.board_id] = board
        self._place_of_card.update((card.card_id, (board.board_id, card.stack_id)) for card in board.cards)


def _key(board_id: str) -> str:
    return f"deck:board:{board_id}"


def _attached_key(board_id: str) -> str:
    return f"deck:attached:{board_id}"


class DeckUnavailable(Exception):
    """The server has no Deck, or not for this account."""


class BoardListing:
    """Lists boards by ETag, and then stacks and archive of each board whose time differs from the cached one."""

    def __init__(self, api: DeckApi, board_cache: BoardCache, prefetched: PrefetchCache[Card]) -> None:
        self._api = api
        self._board_cache = board_cache
        self._prefetched = prefetched
        self._refreshing = asyncio.Lock()

    async def boards(self) -> AsyncIterator[CachedBoard]:
        """Yield every board that is not deleted, from the cache where nothing changed.

        Raises:
            DeckUnavailable: the server has no Deck, or not for this account.
            RetriableSourceError: Deck cannot be listed now.
            FatalSourceError: the account cannot be used any more.
        """
        etag, known = await self._board_cache.listing()
        answer = await self._list(etag)
        if answer.boards is None:
            cached = [board for board_id in known if (board := await self._board_cache.board(board_id)) is not None]
            if len(cached) == len(known):
                self._prefetched.discard_all_stale(_versions_on(cached))
                for board in cached:
                    yield board
                return
            answer = await self._list(None)
        listed = answer.boards or ()
        settled = True
        versions: dict[str, str] = {}
        for board in listed:
            found = await self._board(board, answer)
            settled = settled and found is not None and found.settled is not None
            if found is not None:
                versions |= _versions_on([found])
                yield found
        self._prefetched.discard_all_stale(versions)
        await self._board_cache.keep_listing(answer.etag if settled else None, [board.board_id for board in listed])

    async def refresh(self) -> None:
        """List the boards that changed, which tells of new names, archives and moves before the next scan does.

        Raises:
            RetriableSourceError, FatalSourceError: as of `boards`.
        """
        async with self._refreshing:
            with suppress(DeckUnavailable):  # what each card says then counts
                async for _ in self.boards():
                    pass

    async def position_of(self, card_id: str) -> CardPosition | None:
        """Return the position of a card; one that no listing has shown yet is looked for on the boards that changed.

        Raises:
            RetriableSourceError, FatalSourceError: as of `boards`.
        """
        position = await self._board_cache.position_of(card_id)
        if position is not None:
            return position
        try:
            async for _ in self.boards():
                pass
        except DeckUnavailable:
            return None
        return await self._board_cache.position_of(card_id)

    async def _list(self, etag: str | None) -> Boards:
        answer = await self._api.boards(etag)
        if answer is None:
            raise DeckUnavailable
        return answer

    async def _board(self, board: Board, answer: Boards) -> CachedBoard | None:
        """List one board; None if it has gone since the list was made."""
        known = await self._board_cache.board(board.board_id)
        same = known is not None and known.settled == board.modified
        if known is not None and same and (known.title, known.archived) == (board.title, board.archived):
            return known
        stacks = await self._api.stacks(board.board_id)
        if stacks is None:
            return None
        settled = answer.now is not None and board.modified + _SETTLES <= answer.now
        listed = CachedBoard.listed(board, stacks, settled=settled)
        await self._board_cache.keep(listed)
        was, now = _positions_on(known), _positions_on(listed)
        for card in (card for stack in stacks for card in stack.cards):
            if not card.whole:
                self._prefetched.discard_stale(card.card_id, card.version)
            elif was.get(card.card_id) != now[card.card_id]:
                self._prefetched.put(card.card_id, card.version, card)
        return listed


def _versions_on(boards: Iterable[CachedBoard]) -> dict[str, str]:
    return {card.card_id: card.version for board in boards for card in board.cards}


def _positions_on(board: CachedBoard | None) -> dict[str, tuple[str, str]]:
    """Map each card to its version and that of its position."""
    if board is None:
        return {}
    positions = {stack_id: board.position(stack_id).version for stack_id in board.stacks}
    return {card.card_id: (card.version, positions[card.stack_id]) for card in board.cards}
