"""What people do with events, tasks and contacts."""

from collections.abc import Sequence
from functools import partial

from tests.nextcloud.actions.base import Action, Actions, Turn
from tests.nextcloud.pim.controls import Collections
from tests.nextcloud.pim.lines import component_of, uid_of
from tests.nextcloud.pim.model import Seen
from tests.nextcloud.pim.texts import contact, event, todo

_CLASSES = ((), ("CLASS:PUBLIC",), ("CLASS:PRIVATE",), ("CLASS:CONFIDENTIAL",))
_RULES = ((), ("RRULE:FREQ=WEEKLY",), ("RRULE:FREQ=DAILY;COUNT=3",))
_ALARM = ("BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:alarm", "TRIGGER:-PT30M", "END:VALARM")

Item = tuple[Seen, str]
"""A collection and the name of one object in it."""


def collections_of(turn: Turn, kind: str) -> Collections:
    return turn.world.contacts if kind == "contact" else turn.world.calendars


def _writable(turn: Turn, kind: str) -> list[Seen]:
    return [seen for seen in collections_of(turn, kind).visible(turn.user) if seen.writable]


def _items(turn: Turn, kind: str) -> list[Item]:
    return [(seen, item.name) for seen in _writable(turn, kind) for item in seen.items()]


def _own(turn: Turn, kind: str) -> list[Seen]:
    return [seen for seen in collections_of(turn, kind).visible(turn.user) if not seen.shared]


def _written(turn: Turn, uid: str, component: str) -> str:
    """A text with marks in all that is read of it."""
    if component == "VCARD":
        return contact(uid, turn.title(), email=f"{uid}@example.org", extra=(f"NOTE:{turn.marks.new()}",))
    extra: Sequence[str] = turn.another(_CLASSES)
    if component == "VTODO":
        return todo(uid, turn.title(), due="20261231T120000Z", extra=(*extra, f"DESCRIPTION:{turn.marks.new()}"))
    rules: Sequence[str] = _RULES[turn.pick % len(_RULES)]
    lines = [*rules, *extra, *(_ALARM if turn.other % 2 else ())]
    return event(uid, turn.title(), description=turn.text(1), location=turn.marks.new(), extra=lines)


def add(kind: str, turn: Turn) -> bool:
    seen = turn.one(_writable(turn, kind))
    if seen is None:
        return False
    component = "VCARD" if kind == "contact" else turn.another(("VEVENT", "VEVENT", "VTODO"))
    collections_of(turn, kind).put(turn.user, seen.uri, _written(turn, f"uid-{turn.marks.number()}", component))
    return True


def edit(kind: str, turn: Turn) -> bool:
    found = turn.one(_items(turn, kind))
    if found is None:
        return False
    seen, name = found
    held = seen.collection.items[name].text
    component = "VCARD" if kind == "contact" else component_of(held)
    collections_of(turn, kind).put(turn.user, seen.uri, _written(turn, uid_of(held) or name, component), name)
    return True


def move(kind: str, turn: Turn) -> bool:
    found = turn.one(_items(turn, kind))
    if found is None:
        return False
    seen, name = found
    target = turn.another(_writable(turn, kind))
    if target.collection is seen.collection or name in target.collection.items:
        return False
    collections_of(turn, kind).move(turn.user, seen.uri, name, target.uri)
    return True


def delete(kind: str, turn: Turn) -> bool:
    found = turn.one(_items(turn, kind))
    if found is not None:
        collections_of(turn, kind).delete(turn.user, found[0].uri, found[1])
    return found is not None


def share(kind: str, turn: Turn) -> bool:
    seen = turn.one(_own(turn, kind))
    if seen is not None:
        collections_of(turn, kind).share(turn.user, seen.uri, turn.friend, writable=turn.other % 3 == 0)
    return seen is not None


def unshare(kind: str, turn: Turn) -> bool:
    seen = turn.one(_own(turn, kind))
    if seen is not None:
        collections_of(turn, kind).unshare(turn.user, seen.uri, turn.friend)
    return seen is not None


def create(kind: str, turn: Turn) -> bool:
    collections_of(turn, kind).create(turn.user, f"more-{turn.marks.number()}", "More", ("VEVENT", "VTODO"))
    return True


def remove(kind: str, turn: Turn) -> bool:
    """Delete a collection with all that is in it, but not the last one."""
    own = _own(turn, kind)
    seen = turn.one(own) if len(own) > 1 else None
    if seen is not None:
        collections_of(turn, kind).remove(turn.user, seen.uri)
    return seen is not None


def back_up(kind: str, turn: Turn) -> bool:
    """Keep a backup of the whole server's collections; only the latest one stays."""
    collections_of(turn, kind).kept = collections_of(turn, kind).backup()
    return True


def roll_back(kind: str, turn: Turn) -> bool:
    """A restore of the server: tokens that were given out since then name states that never were."""
    collections = collections_of(turn, kind)
    if collections.kept is None:
        return False
    collections.roll_back(collections.kept)
    return True


def _named(kind: str, container: str) -> dict[str, Action]:
    return {
        f"{kind} add": partial(add, kind),
        f"{kind} edit": partial(edit, kind),
        f"{kind} move": partial(move, kind),
        f"{kind} delete": partial(delete, kind),
        f"{container} share": partial(share, kind),
        f"{container} unshare": partial(unshare, kind),
        f"{container} create": partial(create, kind),
        f"{container} remove": partial(remove, kind),
        f"{container} backed up": partial(back_up, kind),
        f"{container} rolled back": partial(roll_back, kind),
    }


PIM: Actions = {**_named("event", "calendar"), **_named("contact", "address book")}
