"""Deck's REST API, versions 1.0 and 1.1, and its part of OCS."""

import hashlib
from collections.abc import Callable
from typing import Any

from tests.nextcloud.deck.controls import Deck
from tests.nextcloud.deck.model import Board, Card, Stack
from tests.nextcloud.deck.rendering import Shown, etag_of
from tests.nextcloud.deck.write_routes import write
from tests.nextcloud.files.properties import mime_type
from tests.nextcloud.files.reading import disposition
from tests.nextcloud.messages import ServerRequest, ServerResponse, html_answer, json_answer, not_modified, same_etag
from tests.nextcloud.ocs.envelope import bad, good

_BROKEN = "Internal server error: Please contact the server administrator if this error reappears multiple times"
DENIED = "Permission denied"


class Refused(Exception):
    """403 with its message."""


class DeckServer:
    """Answers for one world's Deck."""

    def __init__(self, deck: Deck, people: dict[str, str]) -> None:
        self.deck = deck
        self.shown = Shown(people)

    def serve(self, ask: ServerRequest) -> ServerResponse:
        """Answer below `/apps/deck/api/v1.x`."""
        words = ask.words[4:]
        if any(not word.isdecimal() for word in words[1::2] if word not in _NAMED):
            return json_answer({"status": 400, "message": "board id must be a number"}, 400)
        try:
            if ask.method == "GET":
                return self._read(ask, words)
            return write(self, ask, words) or html_answer(405, "Method not allowed")
        except Refused as refused:
            return json_answer({"status": 403, "message": str(refused)}, 403)

    def _read(self, ask: ServerRequest, words: list[str]) -> ServerResponse:  # noqa: PLR0911 - one line per route
        if ask.header("if-modified-since") is not None and words[-1] in {"boards", "stacks"}:
            return json_answer({"status": 500, "message": _BROKEN, "requestId": "double"}, 500)
        match words:
            case ["boards"]:
                return self._boards(ask)
            case ["boards", board]:
                found = self.board(ask.user, int(board))
                return _tagged(ask, self.shown.board(found, ask.user, listed=False), found.last_modified)
            case ["boards", board, "stacks"]:
                return json_answer(self._stacks(ask.user, int(board), archived=False))
            case ["boards", board, "stacks", "archived"]:
                return json_answer(self._stacks(ask.user, int(board), archived=True))
            case ["boards", board, "stacks", stack]:
                one = self.stack(ask.user, int(board), int(stack))
                return _tagged(ask, self.shown.stack(one, _cards(one, archived=False)), one.last_modified)
            case ["boards", _, "stacks", _, "cards", card, *rest]:
                return self._card(ask, int(card), rest)
            case _:
                return html_answer(404, "Not found")

    def _boards(self, ask: ServerRequest) -> ServerResponse:
        details = ask.query.get("details") == "true"
        found = self.deck.boards_of(ask.user)
        rows = [self.shown.board(board, ask.user, listed=True, details=details) for board in found]
        joined = "".join(f"{ask.words[3]}{row['id']}{row['ETag']}" for row in rows)
        etag = hashlib.md5(joined.encode(), usedforsecurity=False).hexdigest()
        answer = json_answer(rows, headers={"etag": f'"{etag}"'})
        return not_modified(answer) if same_etag(ask, etag) else answer

    def _stacks(self, user: str, number: int, *, archived: bool) -> list[dict[str, Any]]:
        stacks = sorted(self.board(user, number).stacks.values(), key=lambda one: one.order)
        return [
            self.shown.stack(one, _cards(one, archived=archived), archived=archived)
            for one in stacks
            if not one.deleted
        ]

    def _card(self, ask: ServerRequest, number: int, rest: list[str]) -> ServerResponse:
        card = self.card(ask.user, number)
        match rest:
            case []:
                return _tagged(ask, self.shown.card(card, alone=True), card.last_modified)
            case ["attachments"]:
                kept = [one for one in card.attachments if ask.words[3] != "v1.0" or one.file_id is None]
                return json_answer([self.shown.attachment(card, one) for one in kept])
            case ["attachments", *_, attachment]:
                found = next((one for one in card.attachments if str(one.id) == attachment), None)
                if found is None:
                    raise Refused(DENIED)
                kind = {"content-type": mime_type(found.name), "content-disposition": disposition(found.name)}
                return ServerResponse(200, kind, found.content)
            case _:
                return html_answer(404, "Not found")

    def board(self, user: str, number: int, right: int = 0) -> Board:
        """A board on which the user has a right: 0 read, 1 edit, 2 manage, 3 share. Raises Refused."""
        board = self.deck.boards.get(number)
        if board is None or board.deleted or not board.rights(user)[right]:
            raise Refused(DENIED)
        return board

    def stack(self, user: str, board: int, number: int) -> Stack:
        stack = self.board(user, board).stacks.get(number)
        if stack is None or stack.deleted:
            raise Refused(DENIED)
        return stack

    def card(self, user: str, number: int, right: int = 0) -> Card:
        """A card by its id alone: board and stack of the path are not looked at."""
        card = self.deck.cards.get(number)
        if card is None:
            raise Refused(DENIED)
        self.board(user, card.stack.board.id, right)
        if card.deleted:
            raise Refused("Card is deleted")
        return card

    def ocs(self, ask: ServerRequest) -> ServerResponse | None:
        """Answer below `/ocs/…/apps/deck/api/v1.0`: comments and the search."""
        if ask.words[2:5] != ["apps", "deck", "api"]:
            return None
        try:
            return self._ocs(ask)
        except Refused as refused:
            return bad(ask, 403, str(refused))

    def _ocs(self, ask: ServerRequest) -> ServerResponse | None:
        match (ask.method, *ask.words[6:]):
            case ("GET", "cards", number, "comments"):
                card = self.card(ask.user, int(number))
                start, most = int(ask.query.get("offset", "0")), int(ask.query.get("limit", "20"))
                rows = [self.shown.comment(card, one) for one in reversed(card.comments)]
                return good(ask, rows[start : start + most])
            case ("POST", "cards", number, "comments"):
                card = self.card(ask.user, int(number))
                made = self.deck.comment(card.id, ask.user, str(ask.fields().get("message", "")))
                return good(ask, self.shown.comment(card, made))
            case ("GET", "search"):
                term = ask.query.get("term", "").casefold()
                return good(ask, [self.shown.card(card) for card in self._all(ask.user) if _has(card, term)])
            case _:
                return None

    def _all(self, user: str) -> list[Card]:
        return [card for board in self.deck.boards_of(user) if not board.deleted for card in board.cards()]


_NAMED = {"archived", "attachments", "reorder"}
Step = Callable[[ServerRequest], ServerResponse]


def _has(card: Card, term: str) -> bool:
    return term in f"{card.title}\n{card.description}".casefold()


def _cards(stack: Stack, *, archived: bool) -> list[Card]:
    return [card for card in stack.cards.values() if card.archived == archived and not card.deleted]


def _tagged(ask: ServerRequest, value: dict[str, Any], last_modified: int) -> ServerResponse:
    etag = etag_of(last_modified)
    answer = json_answer(value, headers={"etag": f'"{etag}"'})
    return not_modified(answer) if same_etag(ask, etag) else answer
