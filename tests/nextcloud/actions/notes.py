"""What people do with notes."""

from tests.nextcloud.actions.base import Actions, Turn

_CATEGORIES = ("", "Work", "Work/Heron", "Rezepte & Küche")


def _mine(turn: Turn) -> list[int]:
    return [place.node.id for place in turn.world.notes.places(turn.user) if place.share is None]


def _editable(turn: Turn) -> list[int]:
    return [place.node.id for place in turn.world.notes.places(turn.user) if place.may_write]


def add(turn: Turn) -> bool:
    turn.world.notes.add(turn.user, turn.title(), turn.text(), turn.another(_CATEGORIES))
    return True


def edit(turn: Turn) -> bool:
    number = turn.one(_editable(turn))
    if number is not None:
        turn.world.notes.edit(
            turn.user, number, content=turn.text(), modified=1700000000 if turn.other % 3 == 0 else None
        )
    return number is not None


def rename(turn: Turn) -> bool:
    number = turn.one(_mine(turn))
    if number is not None:
        turn.world.notes.edit(turn.user, number, title=turn.title(), category=turn.another(_CATEGORIES))
    return number is not None


def delete(turn: Turn) -> bool:
    number = turn.one(_mine(turn))
    if number is not None:
        turn.world.notes.delete(turn.user, number)
    return number is not None


def share(turn: Turn) -> bool:
    number = turn.one(_mine(turn))
    if number is None:
        return False
    node = turn.world.files.tree.by_id[number]
    if any(one.sharee == turn.friend for one in turn.world.files.tree.shares_of(node)):
        return False
    turn.world.notes.share(turn.user, number, turn.friend, writable=turn.other % 2 == 0)
    return True


def unshare(turn: Turn) -> bool:
    number = turn.one(_mine(turn))
    if number is not None:
        turn.world.notes.unshare(turn.user, number, turn.friend)
    return number is not None


NOTES: Actions = {
    "note add": add,
    "note edit": edit,
    "note rename": rename,
    "note delete": delete,
    "note share": share,
    "note unshare": unshare,
}
