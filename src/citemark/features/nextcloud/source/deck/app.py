"""Deck as an app of an account: scanner, processor and verifier of cards."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account, AccountApp
from citemark.features.nextcloud.source.client import Client
from citemark.features.nextcloud.source.deck.api import DeckApi
from citemark.features.nextcloud.source.deck.boards import (
    BoardCache,
    BoardListing,
    CachedBoard,
    CardPosition,
    DeckUnavailable,
)
from citemark.features.nextcloud.source.deck.card_text import card_dates, card_metadata, card_text
from citemark.features.nextcloud.source.deck.cards import CARD, AttachedFile, Card, characters_of, version_of_names
from citemark.features.nextcloud.source.links import links_in, url_of_card, url_of_user
from citemark.features.nextcloud.source.prefetch_cache import PrefetchCache
from citemark.model.documents import DocumentRef, Fetched, Listed, Problem, ScanEnd, StatedRelationship, Verdict
from citemark.model.errors import SourceError
from citemark.model.ids import NativeId, Version
from citemark.model.stated_dates import days_of
from citemark.model.text import Span
from citemark.sources.contract import ScanState, Verdicts, foreground_waiting
from citemark.sources.streams import completed

_READERS = ("deck", "markdown")


class DeckScanner:
    """Lists the cards of all boards, each with its own version and that of its position."""

    def __init__(self, boards: BoardListing, board_cache: BoardCache) -> None:
        self._boards = boards
        self._board_cache = board_cache

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield every card that is visible to the account, including archived ones.

        Raises:
            RetriableSourceError: Deck cannot be listed now.
            FatalSourceError: the account cannot be used any more.
        """
        boards: list[CachedBoard] = []
        failure: SourceError | None = None
        try:
            async for board in self._boards.boards():
                boards.append(board)  # noqa: PERF401 - kept if a later one fails
        except DeckUnavailable:
            yield ScanEnd(complete=False, reason="this server has no Deck, or not for this account")
            return
        except SourceError as error:  # the boards before it are listed all the same
            failure = error
        # Deck marks the board to which a card was moved, but not the one it was on, whose cached cards still have it.
        boards.sort(key=lambda board: (board.settled is None, board.settled))
        listings = [_cards_on(board, await self._board_cache.attached_on(board.board_id)) for board in boards]
        for listed in {listed.native_id: listed for listing in listings for listed in listing}.values():
            yield listed
        if failure is not None:
            raise failure
        yield ScanEnd(complete=True)


def _cards_on(board: CachedBoard, attached: Mapping[str, str]) -> list[Listed]:
    positions = {stack_id: board.position(stack_id).version for stack_id in board.stacks}
    return [
        Listed(
            CARD,
            NativeId(card.card_id),
            _version(card.version, positions[card.stack_id], attached.get(card.card_id, "")),
            datetime.fromtimestamp(card.modified, UTC),
            _READERS,
        )
        for card in board.cards
    ]


class DeckProcessor:
    """Fetches cards: prefetched or with one request, plus one each for comments and attachments if there are any.

    For a person waiting, always asks the server.
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
        """Fetch a card; None when it was deleted or is not visible to this account any more.

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
        attached = await _attached(self._api, position, card)
        names = version_of_names(attached)
        await self._board_cache.keep_attached(position.board_id, native_id, names)
        extracted = card_text(card, position, comments, attached)
        dates = card_dates(card, position)
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=_version(card.version, position.version, names),
            modified_at=datetime.fromtimestamp(card.modified, UTC),
            url=url_of_card(self._server, position.board_id, native_id),
            extracted=extracted,
            relationships=(*links_in(self._server, extracted), *self._stated(card, attached)),
            metadata=card_metadata(card, position),
            dates=dates,
            days=() if dates is None else days_of(dates),
            labels=card.labels,
        )

    def _stated(self, card: Card, attached: tuple[AttachedFile, ...]) -> list[StatedRelationship]:
        """Return the card's assignees, by profile, and the account's files that are attached to it."""
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


class DeckVerifier:
    """Checks cards with one request per distinct card, concurrently, beside one for the list of boards.

    A card with attachments takes one more, because a file that is renamed in Files changes nothing else.
    The names of board and stack, and whether a board is archived, are part of a card's text.
    """

    def __init__(
        self, api: DeckApi, board_cache: BoardCache, boards: BoardListing, prefetched: PrefetchCache[Card]
    ) -> None:
        self._api = api
        self._board_cache = board_cache
        self._boards = boards
        self._prefetched = prefetched

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict for each ref."""
        cards: dict[NativeId, list[DocumentRef]] = defaultdict(list)
        for ref in refs:
            cards[ref.native_id].append(ref)
        listed = asyncio.create_task(self._boards.refresh())
        try:
            rounds = completed(self._verdicts(card_id, card_refs, listed) for card_id, card_refs in cards.items())
            async with aclosing(rounds) as verdicts:
                async for ref, verdict in verdicts:
                    yield ref, verdict
        finally:
            listed.cancel()
            await asyncio.gather(listed, return_exceptions=True)

    async def _verdicts(
        self, card_id: NativeId, refs: Sequence[DocumentRef], listed: "asyncio.Task[None]"
    ) -> list[tuple[DocumentRef, Verdict]]:
        now = await self._now(card_id, listed)
        return [(ref, now if isinstance(now, Verdict) else _compared(ref, now)) for ref in refs]

    async def _now(self, card_id: NativeId, listed: "asyncio.Task[None]") -> Version | Verdict:
        """The card's version now, which is also that of its place."""
        try:
            before = await self._board_cache.position_of(card_id)
            if before is None:
                return Verdict.UNKNOWN
            card = await self._api.card(before.board_id, before.stack_id, card_id)
            attached = () if card is None else await _attached(self._api, before, card)
            await asyncio.shield(listed)
        except SourceError:
            return Verdict.UNKNOWN
        self._prefetched.discard_stale(card_id, card.version if card else None)
        if card is None:
            return Verdict.GONE
        place = await self._board_cache.position_of(card_id) or before
        place = await self._board_cache.position_in_stack(place, card.stack_id)
        return _version(card.version, place.version, version_of_names(attached))


async def _attached(api: DeckApi, position: CardPosition, card: Card) -> tuple[AttachedFile, ...]:
    """The card's attachments, with a request if it has any."""
    return await api.attached(position.board_id, position.stack_id, card.card_id) if card.attachments else ()


def _version(card: str, position: str, names: str) -> Version:
    """The version of a card: of itself, of its place, and of the names of its attachments if it has any."""
    return Version(".".join(part for part in (card, position, names) if part))


def _compared(ref: DocumentRef, now: Version) -> Verdict:
    return Verdict.OK if ref.version == now else Verdict.CHANGED


def deck_app(client: Client, account: Account, scan_state: ScanState, _parsers: ParserPool) -> AccountApp:
    """Build the app for the cards that are visible to the account."""
    api, board_cache, prefetched = DeckApi(client, account.limits), BoardCache(scan_state), PrefetchCache(characters_of)
    boards = BoardListing(api, board_cache, prefetched)
    return AccountApp(
        name="deck",
        doc_types=frozenset({CARD}),
        scanner=DeckScanner(boards, board_cache),
        processor=DeckProcessor(account.server, api, board_cache, boards, prefetched),
        verifier=DeckVerifier(api, board_cache, boards, prefetched),
    )
