"""Fetches one card with its comments and makes text of it."""

from datetime import UTC, datetime

from citemark.model.documents import Fetched, StatedRelationship
from citemark.model.ids import NativeId, Version
from citemark.model.text import Span
from citemark.sources.foreground import foreground_waiting
from citemark.sources.nextcloud.deck.api import DeckApi
from citemark.sources.nextcloud.deck.board_cache import BoardCache
from citemark.sources.nextcloud.deck.cards import AttachedFile, Card
from citemark.sources.nextcloud.deck.listing import BoardListing
from citemark.sources.nextcloud.deck.text import card_metadata, card_text
from citemark.sources.nextcloud.links import links_in, url_of_card, url_of_user
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache


class DeckProcessor:
    """Gives what the scan has just read, else one request, and one each for comments and attachments if there are any.

    A person who waits is answered by the server itself.
    """

    def __init__(
        self, server: str, api: DeckApi, board_cache: BoardCache, boards: BoardListing, prefetched: PrefetchCache[Card]
    ) -> None:
        self._server = server
        self._api = api
        self._board_cache = board_cache
        self._boards = boards
        self._prefetched = prefetched

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """The card as it is now; None when it was deleted or is not for this account any more.

        Raises:
            RetriableSourceError: Deck does not answer now.
            FatalSourceError: the account cannot be used any more.
        """
        position = await self._boards.position_of(native_id)
        if position is None:
            return None
        listed = None if foreground_waiting() else self._prefetched.take(native_id)
        card = listed or await self._api.card(position.board_id, position.stack_id, native_id)
        if card is None:
            return None
        position = await self._board_cache.position_in_stack(position, card.stack_id)
        comments = await self._api.comments(native_id) if card.comments else ()
        attached = card.attached
        if card.attachments > len(attached):
            attached = await self._api.attached(position.board_id, position.stack_id, native_id)
        extracted = card_text(card, position, comments, attached)
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=Version(f"{card.version}.{position.version}"),
            modified_at=datetime.fromtimestamp(card.modified, UTC),
            url=url_of_card(self._server, position.board_id, native_id),
            extracted=extracted,
            relationships=(*links_in(self._server, extracted), *self._stated(card, attached)),
            metadata=card_metadata(card, position),
        )

    def _stated(self, card: Card, attached: tuple[AttachedFile, ...]) -> list[StatedRelationship]:
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
