"""Accounts and failures that the acceptance bars name: large content, odd content, a server that fails during edits."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from threading import Event, Thread

from tests.nextcloud.actions.people import People
from tests.nextcloud.files.content import Repeated
from tests.nextcloud.log import Log
from tests.nextcloud.pim.texts import contact, event
from tests.nextcloud.prose import Prose
from tests.nextcloud.server import Nextcloud
from tests.nextcloud.world import World

BIG_FILE = 200 * 1024 * 1024
MANY_EVENTS = 20_000
LONG_NOTE = 50_000
LARGE_BOARD = 10_000

ODD_NAMES = (
    "100% sure? #1.md",
    "a+b=c & d;e@f.md",
    "Der Nebel \u2013 Entwurf.md",
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd.md",
    "\u202eleft to right.md",
    "emoji \U0001f986 duck.md",
    "cafe\u0301 (decomposed).md",
    "caf\u00e9 (composed).md",
    "quote ' and \" mark.md",
    "percent %41 %2f in name.md",
    " leading and trailing .md",
    "line\u2028separator.md",
    "..dots...md",
    "UPPER lower.MD",
    "x" * 240 + ".md",
)
"""Names that Nextcloud takes: all but slash, backslash and nothing."""

BROKEN_CALENDARS = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:cut-off\r\nSUMMARY:Cut off",
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:no-start\r\nSUMMARY:Without a start\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:bad-date\r\nDTSTART:2026-13-45\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    "this is no calendar",
    "",
)
BROKEN_CONTACTS = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:cut-off\r\nFN:Cut off",
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:no-name\r\nEND:VCARD\r\n",
    "\x00\x01\x02",
    "",
)
_BERLIN_OVERLAP = "20261025T023000"
"""Half past two happens twice in this night."""


def large(world: World, user: str = "alice") -> None:
    """What memory and time must bear: a file, a calendar, a note and a board of the sizes above."""
    heavy(world, user)
    lines = _lines()
    world.notes.add(user, "Long", "\n".join(f"{number} {lines[number % 200]}" for number in range(LONG_NOTE)))
    stack = world.deck.stack(world.deck.board(user, "Large").id, "Everything").id
    for number in range(LARGE_BOARD):
        world.deck.card(stack, f"Card {number}", lines[number % 200])


def heavy(world: World, user: str = "alice") -> None:
    """The file and the calendar alone."""
    world.files.put(user, "/Large/big.txt", paragraphs(BIG_FILE))
    lines = _lines()
    world.calendars.create(user, "full", components=("VEVENT", "VTODO"))
    for number in range(MANY_EVENTS):
        world.calendars.put(user, "full", event(f"full-{number}", f"Event {number}", description=lines[number % 200]))


def paragraphs(size: int) -> Repeated:
    """So many bytes of text."""
    return Repeated(Prose(3).page("big-file", 40).encode() + b"\n\n", size)


def _lines() -> list[str]:
    prose = Prose(4)
    return [prose.sentence() for _ in range(200)]


def odd(world: World, user: str = "alice") -> None:
    """What readers must bear: every legal name, broken calendars and cards, endless rules, hours that happen twice."""
    for place, name in enumerate(ODD_NAMES):
        world.files.put(user, f"/Odd/{name}", f"The text of odd name {place}.\n")
    world.calendars.create(user, "odd", components=("VEVENT", "VTODO"))
    for place, text in enumerate(BROKEN_CALENDARS):
        world.calendars.put(user, "odd", text, f"broken-{place}.ics")
    endless = ("RRULE:FREQ=SECONDLY",)
    world.calendars.put(user, "odd", event("endless", "Every second for ever", extra=endless))
    overlap = event("overlap", "In the hour that happens twice", start=_BERLIN_OVERLAP, zone="Europe/Berlin")
    world.calendars.put(user, "odd", overlap)
    world.calendars.put(
        user, "odd", event("nowhere", "In a zone that is not there", start="20261201T100000", zone="No/Where")
    )
    world.contacts.create(user, "odd")
    for place, text in enumerate(BROKEN_CONTACTS):
        world.contacts.put(user, "odd", text, f"broken-{place}.vcf")
    world.contacts.put(user, "odd", contact("rtl", "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"))


@dataclass(slots=True)
class Storm:
    """People working on a failing server; `over` is set after the last action."""

    over: Event
    actions: int = 0


@contextmanager
def storm(
    nextcloud: Nextcloud, people: People, *, actions: int, share: float = 0.2, seed: int = 0, rate: float = 100.0
) -> Generator[Storm, None, None]:
    """Let people do so many things, at so many a second, while a share of all answers is broken.

    When the block is left the deeds are done and the server is whole.
    """
    found, stop, random = Storm(Event()), Event(), Random(seed)
    nextcloud.faults.chaos(share, seed)

    def work() -> None:
        began = time.monotonic()
        for number in range(actions):
            found.actions += people.wander(1, random)
            if not stop.is_set():
                stop.wait(max(0.0, began + number / rate - time.monotonic()))
        found.over.set()

    worker = Thread(target=work, daemon=True)
    worker.start()
    try:
        yield found
    finally:
        stop.set()
        worker.join()
        nextcloud.faults.clear()


def requests_per(log: Log, documents: int) -> dict[str, float]:
    """How many requests each part of the server got for each document."""
    parts = (
        "/apps/notes",
        "/apps/deck",
        "/remote.php/dav/files",
        "/remote.php/dav/calendars",
        "/remote.php/dav/addressbooks",
    )
    counts = {part: len(log.matching(part)) / max(1, documents) for part in parts}
    return counts | {"all": len(log) / max(1, documents)}
