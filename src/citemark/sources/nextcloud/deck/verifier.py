"""Says of indexed cards whether the account may open them and whether they are as they were."""

from collections import defaultdict
from collections.abc import Sequence

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import SourceError
from citemark.model.ids import NativeId
from citemark.sources.contract import Verdicts
from citemark.sources.nextcloud.deck.api import DeckApi
from citemark.sources.nextcloud.deck.board_cache import BoardCache
from citemark.sources.nextcloud.deck.cards import Card
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache
from citemark.sources.streams import completed


class DeckVerifier:
    """A request per distinct card, all at once."""

    def __init__(self, api: DeckApi, board_cache: BoardCache, prefetched: PrefetchCache[Card]) -> None:
        self._api = api
        self._board_cache = board_cache
        self._prefetched = prefetched

    def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """A verdict for each ref; a board that is called otherwise makes no card another."""
        cards: dict[NativeId, list[DocumentRef]] = defaultdict(list)
        for ref in refs:
            cards[ref.native_id].append(ref)
        return completed(self._judged(card_id, asked) for card_id, asked in cards.items())

    async def _judged(self, card_id: NativeId, refs: Sequence[DocumentRef]) -> list[tuple[DocumentRef, Verdict]]:
        now = await self._now(card_id)
        return [(ref, _verdict(ref, now)) for ref in refs]

    async def _now(self, card_id: NativeId) -> Card | Verdict:
        try:
            position = await self._board_cache.position_of(card_id)
            if position is None:
                return Verdict.UNKNOWN
            card = await self._api.card(position.board_id, position.stack_id, card_id)
        except SourceError:
            return Verdict.UNKNOWN
        self._prefetched.discard_stale(card_id, card.version if card else None)
        return card or Verdict.GONE


def _verdict(ref: DocumentRef, now: Card | Verdict) -> Verdict:
    if isinstance(now, Verdict):
        return now
    return Verdict.OK if ref.version.rpartition(".")[0] == now.version else Verdict.CHANGED
