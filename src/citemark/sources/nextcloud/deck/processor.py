"""Fetches one card with its comments and makes text of it."""

from datetime import UTC, datetime

from citemark.model.documents import Fetched, StatedRelationship
from citemark.model.ids import NativeId, Version
from citemark.model.text import Span
from citemark.sources.nextcloud.deck.api import DeckApi
from citemark.sources.nextcloud.deck.cards import Attached, Card
from citemark.sources.nextcloud.deck.listing import BoardListing
from citemark.sources.nextcloud.deck.places import Places
from citemark.sources.nextcloud.deck.text import card_metadata, card_text
from citemark.sources.nextcloud.handover import Handover
from citemark.sources.nextcloud.links import links_in, url_of_card, url_of_user
from citemark.sources.waiting import awaited


class DeckProcessor:
    """Gives what the scan has just read, else one request, and one each for comments and attachments if there are any.

    A person who waits is answered by the server itself.
    """

    def __init__(
        self, server: str, api: DeckApi, places: Places, boards: BoardListing, handover: Handover[Card]
    ) -> None:
        self._server = server
        self._api = api
        self._places = places
        self._boards = boards
        self._handover = handover

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """The card as it is now; None when it was deleted or is not for this account any more.

        Raises:
            RetriableSourceError: Deck does not answer now.
            FatalSourceError: the account cannot be used any more.
        """
        place = await self._boards.place_of(native_id)
        if place is None:
            return None
        listed = None if awaited() else self._handover.take(native_id)
        card = listed or await self._api.card(place.board_id, place.stack_id, native_id)
        if card is None:
            return None
        place = await self._places.moved(place, card.stack_id)
        comments = await self._api.comments(native_id) if card.comments else ()
        attached = card.attached
        if card.attachments > len(attached):
            attached = await self._api.attached(place.board_id, place.stack_id, native_id)
        extracted = card_text(card, place, comments, attached)
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=Version(f"{card.version}.{place.version}"),
            modified_at=datetime.fromtimestamp(card.modified, UTC),
            url=url_of_card(self._server, place.board_id, native_id),
            extracted=extracted,
            relationships=(*links_in(self._server, extracted), *self._stated(card, attached)),
            metadata=card_metadata(card, place),
        )

    def _stated(self, card: Card, attached: tuple[Attached, ...]) -> list[StatedRelationship]:
        """Who the card is assigned to, by profile, and which of the account's files hang on it."""
        whole = Span(0, 0)
        people = [
            StatedRelationship(
                "assigned_to", None, None, url_of_user(self._server, person.user), whole, metadata={"name": person.name}
            )
            for person in card.assigned
            if not person.is_group
        ]
        files = [
            StatedRelationship(
                "attaches", None, NativeId(file.file_id), None, whole, metadata={"doc_type": "file", "name": file.name}
            )
            for file in attached
            if file.file_id is not None
        ]
        return people + files
