"""Says of indexed cards whether the account may open them and whether they are as they were."""

import asyncio
from collections.abc import Mapping, Sequence

from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import SourceError
from citemark.model.ids import NativeId
from citemark.sources.nextcloud.deck.api import DeckApi
from citemark.sources.nextcloud.deck.cards import Card
from citemark.sources.nextcloud.deck.places import Place, Places
from citemark.sources.nextcloud.handover import Handover


class DeckVerifier:
    """A request per distinct card, all at once."""

    def __init__(self, api: DeckApi, places: Places, handover: Handover[Card]) -> None:
        self._api = api
        self._places = places
        self._handover = handover

    async def verify(self, refs: Sequence[DocumentRef]) -> Mapping[DocumentRef, Verdict]:
        """A verdict for each ref; a board that is called otherwise makes no card another."""
        cards = list(dict.fromkeys(ref.native_id for ref in refs))
        try:
            places = [await self._places.place_of(card) for card in cards]
        except SourceError:
            return dict.fromkeys(refs, Verdict.UNKNOWN)
        now = dict(zip(cards, await asyncio.gather(*map(self._now, cards, places)), strict=True))
        return {ref: _verdict(ref, now[ref.native_id]) for ref in refs}

    async def _now(self, card_id: NativeId, place: Place | None) -> Card | Verdict:
        if place is None:
            return Verdict.UNKNOWN
        try:
            card = await self._api.card(place.board_id, place.stack_id, card_id)
        except SourceError:
            return Verdict.UNKNOWN
        self._handover.agree(card_id, card.version if card else None)
        return card or Verdict.GONE


def _verdict(ref: DocumentRef, now: Card | Verdict) -> Verdict:
    if isinstance(now, Verdict):
        return now
    return Verdict.OK if ref.version.rpartition(".")[0] == now.version else Verdict.CHANGED
