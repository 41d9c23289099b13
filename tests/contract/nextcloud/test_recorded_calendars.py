"""The double's calendars and address books against the recorded ones, request by request."""

from collections.abc import Callable

import pytest
from tests.contract.nextcloud.recording import Exchange
from tests.contract.nextcloud.replay import Replay
from tests.nextcloud.pim.texts import contact, event
from tests.nextcloud.server import Nextcloud

pytestmark = pytest.mark.requirement("double-tested-against-recordings")

_WORK = (
    "auditor",
    "bob-talk",
    "cfp",
    "heron-weekly",
    "load-test",
    "ny-call",
    "priya-1on1",
    "release-rc",
    "utc-webinar",
)
_ALARM = ("BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:Load test", "TRIGGER:-PT30M", "END:VALARM")


def seeded(nextcloud: Nextcloud) -> None:
    """Twelve events in Alice's calendar `work`, shared with Bob; one is private, one confidential; a Deck board."""
    world = nextcloud.world
    for uri in ("personal", "work", "family", "tasks"):
        world.calendars.create("alice", uri)
    world.calendars.create("bob", "personal")
    for uid in (*_WORK, "xmas-party"):
        start = "20261208T140000Z" if uid == "heron-weekly" else "20261124T140000Z"
        world.calendars.put("alice", "work", event(uid, uid, start=start, extra=_ALARM))
    hidden = event("board-talk", "Talk with the board", start="20261208T140000Z", extra=("CLASS:PRIVATE",))
    world.calendars.put("alice", "work", hidden)
    busy = event("confidential-salary", "Salaries", start="20261210T110000Z", extra=("CLASS:CONFIDENTIAL",))
    world.calendars.put("alice", "work", busy)
    world.calendars.share("alice", "work", "bob")
    for _ in range(3):
        board = world.deck.board("alice", "Board")
        world.deck.share(board.id, "bob")
    world.deck.number("card", 7)
    world.deck.card(world.deck.stack(2, "To do").id, "Spare label printer")
    world.contacts.create("alice", "contacts")
    world.contacts.create("alice", "suppliers")
    world.contacts.create("bob", "contacts")
    for number in range(1, 26):
        extra = ("NOTE:Knows the archive tapes",) if number in {3, 13} else ()
        photo = ("PHOTO;ENCODING=b;TYPE=PNG:iVBORw0KGgo=",) if number == 1 else ()
        born = ("BDAY:1980-02-03",) if number == 5 else ()
        uid = f"contact-{number:02d}"
        world.contacts.put("alice", "contacts", contact(uid, f"Person {number}", extra=(*extra, *photo, *born)))
    supplier = contact("supplier-1", "Palettenhandel Süd", version="4.0", extra=("KIND:org",))
    world.contacts.put("alice", "suppliers", supplier)
    world.contacts.share("alice", "suppliers", "bob")


def test_calendars_respond_as_recorded_from_the_real_server(
    recorded: dict[str, list[Exchange]], nextcloud: Nextcloud
) -> None:
    seeded(nextcloud)
    replay = Replay(nextcloud)
    work = nextcloud.world.calendars.owned("alice", "work")
    replay.learnt |= {"c5ebc77d7567b10d8da3f051fea50443": work.items["load-test.ics"].etag}
    found: list[str] = []
    for exchange in recorded["caldav"]:
        found += replay.differences(exchange)
    assert not found, "\n".join(found)


def test_private_events_and_moves_respond_as_recorded_from_the_real_server(
    recorded: dict[str, list[Exchange]], nextcloud: Nextcloud
) -> None:
    seeded(nextcloud)
    calendars = nextcloud.world.calendars
    replay = Replay(nextcloud)
    token = calendars.owned("alice", "work").token
    replay.learnt["http://sabre.io/ns/sync/13"] = f"http://sabre.io/ns/sync/{token}"
    calendars.put("alice", "family", event("probe-1", "Probe"))
    calendars.delete("alice", "family", "probe-1.ics")
    calendars.trash[0].item.id = 13
    secret = event("load-test", "Load test", extra=("CLASS:PRIVATE",))
    before: dict[str, Callable[[], object]] = {
        "alice turns a shared event PRIVATE; bob's next sync": lambda: calendars.put("alice", "work", secret)
    }
    found: list[str] = []
    for exchange in recorded["caldav2"]:
        before.get(exchange.title, lambda: None)()
        found += replay.differences(exchange)
    assert not found, "\n".join(found)


def test_contacts_respond_as_recorded_from_the_real_server(
    recorded: dict[str, list[Exchange]], nextcloud: Nextcloud
) -> None:
    seeded(nextcloud)
    replay = Replay(nextcloud)
    cards = nextcloud.world.contacts.owned("alice", "contacts").items
    replay.learnt |= {
        "04791c135fda443c49b485a95d6ab794": cards["contact-03.vcf"].etag,
        "403d998c175e770bf07f4de856ce30d1": cards["contact-01.vcf"].etag,
    }
    found: list[str] = []
    for exchange in recorded["carddav"]:
        found += replay.differences(exchange)
    assert not found, "\n".join(found)
