"""What people do with boards and cards."""

from tests.nextcloud.actions.base import Actions, Turn
from tests.nextcloud.deck.model import Board, Card


def _boards(turn: Turn, right: int = 1) -> list[Board]:
    return [one for one in turn.world.deck.boards_of(turn.user) if not one.deleted and one.rights(turn.user)[right]]


def _own(turn: Turn) -> list[Board]:
    return [one for one in _boards(turn) if one.owner == turn.user]


def _cards(turn: Turn) -> list[Card]:
    return [card for board in _boards(turn) for card in board.cards()]


def add(turn: Turn) -> bool:
    board = turn.one([one for one in _boards(turn) if one.stacks])
    if board is not None:
        stack = turn.another(list(board.stacks))
        turn.world.deck.card(stack, turn.title(), turn.text(), duedate="2026-12-24T18:00:00+00:00", user=turn.user)
    return board is not None


def edit(turn: Turn) -> bool:
    card = turn.one(_cards(turn))
    if card is not None:
        turn.world.deck.edit(card.id, user=turn.user, title=turn.title(), description=turn.text())
    return card is not None


def comment(turn: Turn) -> bool:
    card = turn.one(_cards(turn))
    if card is not None:
        turn.world.deck.comment(card.id, turn.user, turn.text(1))
    return card is not None


def move(turn: Turn) -> bool:
    """Also to another board, where others may see it or no longer."""
    card = turn.one(_cards(turn))
    stacks = [stack for board in _boards(turn) for stack in board.stacks]
    if card is not None:
        turn.world.deck.move(card.id, turn.another(stacks))
    return card is not None


def archive(turn: Turn) -> bool:
    card = turn.one(_cards(turn))
    if card is not None:
        turn.world.deck.edit(card.id, user=turn.user, archived=not card.archived)
    return card is not None


def finish(turn: Turn) -> bool:
    card = turn.one(_cards(turn))
    if card is not None:
        turn.world.deck.edit(card.id, user=turn.user, done=None if card.done else "2026-11-20T10:00:00+00:00")
    return card is not None


def delete(turn: Turn) -> bool:
    card = turn.one(_cards(turn))
    if card is not None:
        turn.world.deck.delete(card.id)
    return card is not None


def undelete(turn: Turn) -> bool:
    gone = [one for one in turn.world.deck.cards.values() if one.deleted and one.stack.board in _boards(turn)]
    card = turn.one(gone)
    if card is not None:
        turn.world.deck.undelete(card.id)
    return card is not None


def board(turn: Turn) -> bool:
    made = turn.world.deck.board(turn.user, f"Board {turn.marks.number()}")
    for title in ("To do", "Done"):
        turn.world.deck.stack(made.id, title)
    return True


def share(turn: Turn) -> bool:
    found = turn.one(_own(turn))
    if found is None or found.rights(turn.friend)[0]:
        return False
    turn.world.deck.share(found.id, turn.friend, edit=turn.other % 2 == 0)
    return True


def unshare(turn: Turn) -> bool:
    found = turn.one(_own(turn))
    if found is not None:
        turn.world.deck.unshare(found.id, turn.friend)
    return found is not None


def delete_board(turn: Turn) -> bool:
    own = _own(turn)
    found = turn.one(own) if len(own) > 1 else None
    if found is not None:
        turn.world.deck.delete_board(found.id)
    return found is not None


DECK: Actions = {
    "card add": add,
    "card edit": edit,
    "card comment": comment,
    "card move": move,
    "card archive": archive,
    "card done": finish,
    "card delete": delete,
    "card undelete": undelete,
    "board add": board,
    "board share": share,
    "board unshare": unshare,
    "board delete": delete_board,
}
