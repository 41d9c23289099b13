"""The requests of the Deck app. `If-Modified-Since` is never sent, because Deck answers it with a server error."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from citemark.features.nextcloud.source.client import Client, request_large
from citemark.features.nextcloud.source.deck.cards import (
    AttachedFile,
    Card,
    attached_of,
    card_of,
    fields_of,
    id_of,
    time_of,
)
from citemark.features.nextcloud.source.http_responses import (
    LATEST,
    array_in,
    json_in,
    line_in,
    list_in,
    number_in,
    object_in,
    text_in,
)
from citemark.features.nextcloud.source.scan_limits import ScanLimitReached, ScanLimits
from citemark.model.errors import RetriableSourceError
from citemark.remote.connections import HttpRequest, HttpResponse, http_date

_API = "/index.php/apps/deck/api/v1.0"
_OCS = "/ocs/v2.php/apps/deck/api/v1.0"
_HEADERS = {"OCS-APIRequest": "true", "Accept": "application/json"}
_COMMENTS = 200
"""Comments per request; few cards have more."""

_MOST_COMMENTS = 2_000
"""Comments of one card that are read; longer discussions keep their newest."""

_OK = 200
NOT_MODIFIED = 304
NO_MORE = frozenset({403, 404})
"""Deck's statuses for what was deleted, never existed, or is not visible to this account; it does not tell which."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board in the list; `modified` is the time of the last change to anything on it, in seconds."""

    board_id: str
    title: str
    archived: bool
    modified: int


@dataclass(frozen=True, slots=True)
class Boards:
    """The list, its ETag, and the server's time of the response; `boards` is None if nothing changed."""

    boards: tuple[Board, ...] | None
    etag: str | None
    now: float | None


@dataclass(frozen=True, slots=True)
class Stack:
    """A column of a board with its cards, including archived ones."""

    stack_id: str
    title: str
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a card."""

    author: str
    at: str
    message: str


class DeckApi:
    """Deck as one account sees it."""

    def __init__(self, client: Client, limits: ScanLimits) -> None:
        self._client = client
        self._limits = limits

    async def boards(self, etag: str | None) -> Boards | None:
        """Request the boards that are not deleted; None if the server has no Deck for this account."""
        conditions = {"If-None-Match": etag} if etag else {}
        reply = await self._get(f"{_API}/boards", conditions)
        if reply.status in NO_MORE:
            return None
        now = _date_of(reply)
        if reply.status == NOT_MODIFIED:
            return Boards(None, etag, now)
        listed = [fields_of(each) for each in list_in(_content(reply), "a list of boards")]
        if len(listed) > self._limits.folders:
            raise ScanLimitReached(f"There are more than {self._limits.folders:,} boards", "MAX_FOLDERS")
        boards = tuple(
            Board(
                id_of(board),
                line_in(board.get("title")),
                bool(board.get("archived")),
                number_in(board.get("lastModified"), most=LATEST),
            )
            for board in listed
            if not board.get("deletedAt")
        )
        return Boards(boards, reply.headers.get("etag"), now)

    async def stacks(self, board_id: str) -> tuple[Stack, ...] | None:
        """Request the stacks of a board with all their cards; None if the board is gone."""
        path = f"{_API}/boards/{board_id}/stacks"
        listings = await asyncio.gather(self._stacks(path), self._stacks(f"{path}/archived"))
        return None if None in listings else _merged(each for each in listings if each is not None)

    async def _stacks(self, path: str) -> tuple[Stack, ...] | None:
        async def read(reply: HttpResponse) -> tuple[Stack, ...] | None:
            if _check_status(reply, path).status in NO_MORE:
                return None
            # Thousands of cards take a while to parse, and the same event loop answers queries.
            return await asyncio.to_thread(_stacks_of, reply, self._limits.documents)

        request = HttpRequest("GET", path, _HEADERS, most_bytes=self._limits.answer_bytes)
        return await request_large(self._client, request, read)

    async def card(self, board_id: str, stack_id: str, card_id: str) -> Card | None:
        """Request one card, whatever stack it is in now; None if it is gone."""
        reply = await self._get(f"{_API}/boards/{board_id}/stacks/{stack_id}/cards/{card_id}")
        if reply.status in NO_MORE:
            return None
        card = card_of(_content(reply))
        return None if card.deleted else card

    async def comments(self, card_id: str) -> tuple[Comment, ...]:
        """Request the comments on a card, oldest first; only the newest 2,000 if there are more."""
        comments: list[Comment] = []
        while len(comments) < _MOST_COMMENTS:
            params = {"format": "json", "limit": str(_COMMENTS), "offset": str(len(comments))}
            reply = await self._get(f"{_OCS}/cards/{card_id}/comments", params=params)
            if reply.status in NO_MORE:
                break
            data = array_in(object_in(object_in(_content(reply)).get("ocs")).get("data"))
            comments.extend(_comment_of(each) for each in data)
            if len(data) < _COMMENTS:
                break
        return tuple(reversed(comments))

    async def attached(self, board_id: str, stack_id: str, card_id: str) -> tuple[AttachedFile, ...]:
        """Request the files on a card. Only version 1.1 of the interface includes those of the account's own files.

        The response for one card lists deleted ones too, and of the account's files none.
        """
        path = f"{_API.removesuffix('0')}1/boards/{board_id}/stacks/{stack_id}/cards/{card_id}"
        reply = await self._get(f"{path}/attachments")
        if reply.status in NO_MORE:
            return ()
        return attached_of(_content(reply))

    async def _get(
        self, path: str, conditions: Mapping[str, str] | None = None, params: Mapping[str, str] | None = None
    ) -> HttpResponse:
        headers = {**_HEADERS, **(conditions or {})}
        return _check_status(await self._client.send(HttpRequest("GET", path, headers=headers, params=params)), path)


def _check_status(reply: HttpResponse, path: str) -> HttpResponse:
    """Return a response whose status has a meaning.

    Raises:
        RetriableSourceError: it has another status.
    """
    if reply.status not in {_OK, NOT_MODIFIED, *NO_MORE}:
        raise RetriableSourceError(f"Deck answered {reply.status} to {path}; it is requested again later.")
    return reply


def _content(reply: HttpResponse) -> object:
    return json_in(reply)


def _stacks_of(reply: HttpResponse, most: int) -> tuple[Stack, ...]:
    stacks: list[Stack] = []
    left = most
    for given in list_in(_content(reply), "the stacks of a board"):
        stack = fields_of(given)
        if stack.get("deletedAt"):
            continue
        given_cards = stack.get("cards")
        cards = () if given_cards is None else list_in(given_cards, "the cards of a stack")
        left -= len(cards)
        if left < 0:
            raise ScanLimitReached(f"There are more than {most:,} cards on a board", "MAX_DOCUMENTS")
        visible = tuple(card for card in map(card_of, cards) if not card.deleted)
        stacks.append(Stack(id_of(stack), line_in(stack.get("title")), visible))
    return tuple(stacks)


def _merged(listings: Iterable[tuple[Stack, ...]]) -> tuple[Stack, ...]:
    """Combine the lists of a board's stacks: each with its cards on the board and in the archive."""
    titles: dict[str, str] = {}
    cards: dict[str, dict[str, Card]] = {}
    for stack in (stack for listing in listings for stack in listing):
        titles[stack.stack_id] = stack.title
        cards.setdefault(stack.stack_id, {}).update((card.card_id, card) for card in stack.cards)
    return tuple(Stack(stack_id, title, tuple(cards[stack_id].values())) for stack_id, title in titles.items())


def _comment_of(given: object) -> Comment:
    fields = fields_of(given)
    at = time_of(fields.get("creationDateTime"))
    author = line_in(fields.get("actorDisplayName") or fields.get("actorId"))
    return Comment(author, f"{at:%Y-%m-%d %H:%M} UTC" if at else "", text_in(fields.get("message")).strip())


def _date_of(reply: HttpResponse) -> float | None:
    found = http_date(reply.headers.get("date"))
    return None if found is None else found.timestamp()
