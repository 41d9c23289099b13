"""A day on a Nextcloud: after each event, what a question shows at once, five seconds and a minute later.

Nothing is stale (what a document said before is not shown once the server says otherwise), nothing is false, and a
minute later, after a scan, nothing is lost. The index's clock is set on; nothing waits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.faults import Reset, Status
from tests.nextcloud.pim.texts import contact, event
from tests.nextcloud.server import Nextcloud

from citemark.features.nextcloud.services.keys import ACCOUNT_SYNC

LATER = 100
"""Seconds by the server's clock between two events: Deck stores whole seconds."""


@dataclass(frozen=True)
class Event:
    """What happens, and to whom it shows.

    `stale` is shown no more from the event on, `new` once a scan has run, and `away` is not shown while it lasts.
    `after` ends it, a minute later.
    """

    name: str
    happens: Callable[[], object]
    stale: str = ""
    new: str = ""
    away: str = ""
    user: str = "alice"
    after: Callable[[], object] = lambda: None
    asks: bool = False


class Day:
    """A server with two people's documents, each of which contains the word heron."""

    def __init__(self, nextcloud: Nextcloud) -> None:
        world = self.world = nextcloud.world
        self.nextcloud = nextcloud
        self.note = world.notes.add("alice", "Old note", "The heron note of the morning.", "Secret")
        self.other = world.notes.add("alice", "Other note", "The heron note that nobody touches.")
        self.gone = world.notes.add("alice", "Gone note", "The heron note to be deleted.")
        world.files.put("alice", "/Papers/old.md", "# Paper\nThe heron paper, first version.\n")
        world.files.put("alice", "/shared.md", "# Shared\nThe heron paper that is shared.\n")
        self.share = world.files.share("alice", "/shared.md", "bob")
        deck = world.deck
        self.board, self.second = deck.board("alice", "Old board"), deck.board("alice", "Second board")
        self.stack = deck.stack(self.board.id, "Old stack")
        self.there = deck.stack(self.second.id, "There")
        self.card = deck.card(self.stack.id, "Heron card", description="The heron card.")
        self.label = deck.label(self.board.id, "Oldlabel")
        deck.put_label(self.card.id, self.label.id)
        deck.share(self.second.id, "bob")
        self.theirs = deck.card(self.there.id, "Shared heron card", description="The heron card for two.")
        calendars = world.calendars
        self.calendar = calendars.create("alice", "work", "Old calendar")
        calendars.put("alice", "work", event("meeting", "Heron meeting", description="The heron meeting of the board."))
        calendars.put("alice", "work", event("visit", "Heron visit", description="The heron visit in the wood."))
        calendars.share("alice", "work", "bob")
        self.book = world.contacts.create("alice", "people", "Old book")
        world.contacts.put("alice", "people", contact("warden", "Heron Warden"))
        world.clock.jump(LATER)

    def rename(self, title: str) -> None:
        self.board.title = title
        self.board.last_modified = self.world.clock.seconds()

    def archive(self) -> None:
        self.board.archived = True
        self.board.last_modified = self.world.clock.seconds()

    def unarchive(self) -> None:
        self.board.archived = False
        self.board.last_modified = self.world.clock.seconds()

    def rename_stack(self, title: str) -> None:
        self.stack.title = title
        self.stack.last_modified = self.board.last_modified = self.world.clock.seconds()

    def rename_label(self, title: str) -> None:
        self.label.title = title
        self.board.last_modified = self.world.clock.seconds()

    def hide(self) -> None:
        text = event(
            "meeting", "Heron meeting", description="The heron meeting of the board.", extra=["CLASS:CONFIDENTIAL"]
        )
        self.world.calendars.put("alice", "work", text)

    def restore(self) -> None:
        kept = self.world.calendars.backup()
        text = event("visit", "Heron visit", description="The heron visit that was lost.")
        self.world.calendars.put("alice", "work", text)
        self.world.calendars.roll_back(kept)

    def breaks(self, on: str = "", code: int = 0) -> Callable[[], object]:
        return lambda: self.nextcloud.faults.add(Status(code) if code else Reset(), on=on)

    def slow(self, seconds: float) -> None:
        self.nextcloud.latency = seconds

    def maintenance(self, *, on: bool) -> None:
        self.world.maintenance = on

    def events(self) -> list[Event]:
        world, faults = self.world, self.nextcloud.faults
        notes, files, deck, calendars, accounts = (
            world.notes, world.files, world.deck, world.calendars, world.accounts,
        )  # fmt: skip
        papers, second = "/Papers/old.md", "# Paper\nThe heron paper, second version.\n"
        meeting, visit = "meeting of the board", "visit in the wood"
        return [
            Event(
                "note edited",
                lambda: notes.edit("alice", self.note, content="The heron note of the evening."),
                stale="of the morning",
                new="of the evening",
            ),
            Event("note renamed", lambda: notes.edit("alice", self.note, title="New note"), "Old note", "New note"),
            Event("note moved", lambda: notes.edit("alice", self.note, category="Public"), "Secret", "Public"),
            Event("note deleted", lambda: notes.delete("alice", self.gone), "to be deleted"),
            Event("file edited", lambda: files.put("alice", papers, second), "first version", "second version"),
            Event("file moved", lambda: files.move("alice", papers, "/new.md"), "Papers/old.md", "new.md"),
            Event("share revoked", lambda: files.unshare(self.share.id), "that is shared", user="bob"),
            Event("board renamed", lambda: self.rename("New board"), "Old board", "New board"),
            Event("stack renamed", lambda: self.rename_stack("New stack"), "Old stack", "New stack"),
            Event("label renamed", lambda: self.rename_label("Newlabel"), "Oldlabel", "Newlabel"),
            Event(
                "board archived",
                self.archive,
                stale="'State': 'open', 'Board': 'New board'",
                new="'State': 'open\\narchived', 'Board': 'New board'",
            ),
            Event(
                "board out of the archive",
                self.unarchive,
                stale="'State': 'open\\narchived', 'Board': 'New board'",
                new="'State': 'open', 'Board': 'New board'",
            ),
            Event("board shared", lambda: deck.share(self.board.id, "bob"), new="The heron card."),
            Event("card moved", lambda: deck.move(self.card.id, self.there.id), "New board", "Second board"),
            Event("board unshared", lambda: deck.unshare(self.second.id, "bob"), "card for two", user="bob"),
            Event(
                "calendar renamed",
                lambda: setattr(self.calendar, "title", "New calendar"),
                stale="Old calendar",
                new="New calendar",
            ),
            Event("address book renamed", lambda: setattr(self.book, "title", "New book"), "Old book", "New book"),
            Event("event confidential", self.hide, meeting, user="bob"),
            Event("event deleted", lambda: calendars.delete("alice", "work", "meeting.ics"), meeting),
            Event("backup restored", self.restore, "that was lost", visit),
            Event(
                "account disabled",
                lambda: accounts.disable("alice"),
                away="heron",
                after=lambda: accounts.enable("alice"),
                asks=True,
            ),
            Event("server restarts", self.breaks(), away="heron", after=faults.clear),
            Event("proxy fails", self.breaks(code=502), away="heron", after=faults.clear),
            Event(
                "maintenance",
                lambda: self.maintenance(on=True),
                away="heron",
                after=lambda: self.maintenance(on=False),
            ),
            Event("notes locked", self.breaks("/apps/notes/", 423), away="heron note", after=faults.clear),
            Event("slow", lambda: self.slow(0.4), after=lambda: self.slow(0)),
        ]


async def seen(cloud: Cloud, user: str) -> str:
    """All that a question about herons shows a person."""
    hits = await cloud.found(user, "heron")
    return "\n".join(str({key: value for key, value in hit.items() if key != "citation"}) for hit in hits)


@pytest.mark.slow
@pytest.mark.requirement("day-of-events-shows-nothing-stale", "old-container-names-not-shown")
async def test_a_day_of_events_shows_nothing_stale_or_false_and_loses_nothing(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    # Which hits are withheld because a check takes too long is not looked at here.
    async with cloud_over(dsn, nextcloud, tmp_path, verify_timeout=60) as cloud:
        day = Day(nextcloud)
        for user in ("alice", "bob"):
            await cloud.join(user)
        await cloud.sync()
        wrong: list[str] = []
        for happening in day.events():
            wrong += [f"{happening.name}: {each}" for each in await watched(cloud, happening)]
        assert not wrong, "\n".join(wrong)


async def watched(cloud: Cloud, happening: Event) -> list[str]:
    """What was wrong after an event."""
    wrong: list[str] = []
    if happening.stale not in await seen(cloud, happening.user) and happening.name != "backup restored":
        wrong.append(f"{happening.stale!r} was not there before")
    cloud.server.world.clock.jump(LATER)
    happening.happens()
    for moment, passed in ((0, 0), (5, 5), (60, 55)):
        cloud.later(passed)
        if moment == 60:
            happening.after()
            if happening.asks:
                await cloud.app.services.get(ACCOUNT_SYNC).progress(cloud.caller(happening.user).principal)
            await cloud.sync()
        shown = await seen(cloud, happening.user)
        hidden = [happening.stale, happening.away if moment < 60 else ""]
        wrong += [f"{text!r} is shown after {moment} s" for text in hidden if text and text in shown]
    kept = [happening.new, happening.away] if happening.user == "alice" else []
    lost = [text for text in kept if text not in shown]
    untouched = shown if happening.user == "alice" else await seen(cloud, "alice")
    lost += [] if "nobody touches" in untouched else ["nobody touches"]
    return wrong + [f"{text!r} is lost in {shown}" for text in lost]
