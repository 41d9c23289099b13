"""Deck's API where it changes something."""

from typing import TYPE_CHECKING, Any

from tests.nextcloud.messages import ServerRequest, ServerResponse, json_answer

if TYPE_CHECKING:
    from tests.nextcloud.deck.routes import DeckServer

_EDIT, _MANAGE = 1, 2


def write(server: "DeckServer", ask: ServerRequest, words: list[str]) -> ServerResponse | None:  # noqa: PLR0911 - one line per route
    """Answer a POST, PUT or DELETE; None for what the API does not have."""
    match (ask.method, *words):
        case ("POST", "boards"):
            made = server.deck.board(ask.user, ask.fields()["title"], ask.fields().get("color", "0082c9"))
            return json_answer(server.shown.board(made, ask.user, listed=False))
        case ("DELETE", "boards", board):
            gone = server.deck.delete_board(server.board(ask.user, int(board), _MANAGE).id)
            return json_answer(server.shown.board(gone, ask.user, listed=False))
        case ("DELETE", "boards", board, "acl", entry):
            return _drop_acl(server, ask, int(board), int(entry))
        case ("POST", "boards", board, "stacks"):
            stack = server.deck.stack(server.board(ask.user, int(board), _MANAGE).id, ask.fields()["title"])
            return json_answer(server.shown.stack(stack, []))
        case ("POST", "boards", board, "stacks", stack, "cards"):
            return _create(server, ask, int(board), int(stack))
        case (_, "boards", _, "stacks", _, "cards", card, *rest):
            return _card(server, ask, int(card), rest)
        case _:
            return None


def _drop_acl(server: "DeckServer", ask: ServerRequest, number: int, entry: int) -> ServerResponse:
    board = server.board(ask.user, number, _MANAGE)
    shown = server.shown.acl(board, board.acl[entry])
    server.deck.unshare(number, board.acl[entry].user)
    return json_answer(shown)


def _create(server: "DeckServer", ask: ServerRequest, board: int, stack: int) -> ServerResponse:
    server.board(ask.user, board, _EDIT)
    fields = ask.fields()
    made = server.deck.card(
        stack, fields["title"], fields.get("description", ""), duedate=fields.get("duedate"), user=ask.user
    )
    return json_answer(_changed(server.shown.card(made), None))


def _card(server: "DeckServer", ask: ServerRequest, number: int, rest: list[str]) -> ServerResponse | None:
    if (ask.method, *rest) not in {("PUT",), ("DELETE",), ("PUT", "reorder")}:
        return None
    card = server.card(ask.user, number, _EDIT)
    if rest:
        fields = ask.fields()
        moved = server.deck.move(number, fields["stackId"], fields["order"])
        return json_answer([_changed(server.shown.card(one), None) for one in moved.stack.cards.values()])
    if ask.method == "DELETE":
        return json_answer(_changed(server.shown.card(server.deck.delete(number)), None))
    return json_answer(_replace(server, ask, number, card.description))


def _replace(server: "DeckServer", ask: ServerRequest, number: int, before: str) -> dict[str, Any]:
    """A PUT replaces: what it leaves out is emptied."""
    fields = ask.fields()
    card = server.deck.edit(
        number,
        user=ask.user,
        title=fields["title"],
        description=fields.get("description", ""),
        duedate=fields.get("duedate"),
        order=fields.get("order", 0),
        archived=fields.get("archived", False),
    )
    return _changed(server.shown.card(card), before)


def _changed(shown: dict[str, Any], before: str | None) -> dict[str, Any]:
    """What a change is answered: less than a read, and the description it had."""
    unread = {"assignedUsers": None, "attachments": None, "attachmentCount": None}
    return shown | unread | {"descriptionPrev": before, "notified": False}
