"""The boards of an account and what is on them, asked for only where something changed."""

from collections.abc import AsyncIterator, Iterable

from citemark.sources.nextcloud.deck.api import Board, Boards, DeckApi
from citemark.sources.nextcloud.deck.board_cache import BoardCache, CachedBoard, CardPosition
from citemark.sources.nextcloud.deck.cards import Card
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache

_SETTLES = 2.0
"""Seconds by the server's clock after which a time of whole seconds can stand for no further change."""


class DeckUnavailable(Exception):
    """The server has no Deck, or not for this account."""


class BoardListing:
    """Boards by ETag, then each board whose time is another than the remembered one: its stacks and its archive."""

    def __init__(self, api: DeckApi, positions: BoardCache, prefetched: PrefetchCache[Card]) -> None:
        self._api = api
        self._board_cache = positions
        self._prefetched = prefetched

    async def boards(self) -> AsyncIterator[CachedBoard]:
        """Every board that is not deleted, from memory where nothing changed.

        Raises:
            NoDeck: see there.
            RetriableSourceError: Deck cannot be listed now.
            FatalSourceError: the account cannot be used any more.
        """
        etag, known = await self._board_cache.listing()
        answer = await self._list(etag)
        if answer.boards is None:
            remembered = [board for board_id in known if (board := await self._board_cache.board(board_id)) is not None]
            if len(remembered) == len(known):
                self._prefetched.discard_all_stale(_versions_on(remembered))
                for board in remembered:
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

    async def position_of(self, card_id: str) -> CardPosition | None:
        """Where a card stands; one that no listing has shown yet is looked for on the boards that changed.

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
        """One board; None when it has gone since it was listed."""
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
    """The versions of all cards, and of their places."""
    if board is None:
        return {}
    positions = {stack_id: board.position(stack_id).version for stack_id in board.stacks}
    return {card.card_id: (card.version, positions[card.stack_id]) for card in board.cards}
