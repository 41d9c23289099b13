"""Lists the cards of all boards."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

from citemark.model.documents import Listed, Problem, ScanEnd
from citemark.model.ids import NativeId, Version
from citemark.sources.nextcloud.deck.board_cache import CachedBoard
from citemark.sources.nextcloud.deck.cards import CARD
from citemark.sources.nextcloud.deck.listing import BoardListing, DeckUnavailable


class DeckScanner:
    """What is on the boards, each card with the version of itself and that of its place."""

    def __init__(self, boards: BoardListing) -> None:
        self._boards = boards

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Every card that the account may see, those in archives too.

        Raises:
            RetriableSourceError: Deck cannot be listed now.
            FatalSourceError: the account cannot be used any more.
        """
        try:
            async for board in self._boards.boards():
                for listed in _cards_on(board):
                    yield listed
        except DeckUnavailable:
            yield ScanEnd(complete=False, reason="this server has no Deck, or not for this account")
            return
        yield ScanEnd(complete=True)


def _cards_on(board: CachedBoard) -> list[Listed]:
    positions = {stack_id: board.position(stack_id).version for stack_id in board.stacks}
    return [
        Listed(
            CARD,
            NativeId(card.card_id),
            Version(f"{card.version}.{positions[card.stack_id]}"),
            datetime.fromtimestamp(card.modified, UTC),
        )
        for card in board.cards
    ]
