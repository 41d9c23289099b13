"""The double's Deck against the recorded one, request by request."""

from collections.abc import Callable

import pytest
from tests.contract.nextcloud.recording import Exchange
from tests.contract.nextcloud.replay import Replay
from tests.nextcloud.server import Nextcloud

pytestmark = pytest.mark.requirement("double-tested-against-recordings")


def seeded(nextcloud: Nextcloud) -> None:
    """The recorded boards where their ids appear: Personal (1, 3), Heron delivery (2), Flat (4), Bob private (5)."""
    deck = nextcloud.world.deck
    deck.welcome("alice")
    deck.number("label", 5)
    heron = deck.board("alice", "Heron delivery")
    blocked, legal = deck.label(heron.id, "blocked"), deck.label(heron.id, "legal", "795548")
    deck.share(heron.id, "bob", edit=True)
    for title in ("To do", "In progress", "Done"):
        deck.stack(heron.id, title)
    deck.number("card", 4)
    vendor = deck.card(
        4,
        "Ask vendor for a stable record id",
        "Gregory Hale promised an answer before Thanksgiving. If not: build our own from (source, file, line).",
        duedate="2026-11-26T16:00:00+00:00",
    )
    deck.put_label(vendor.id, blocked.id)
    deck.assign(vendor.id, "alice")
    load = deck.card(
        4,
        "Load test with 2,000 events per second",
        "Use the recorded week before Christmas.",
        duedate="2026-11-24T15:00:00+00:00",
    )
    deck.assign(load.id, "bob")
    retention = "Raw location data 90 days, aggregates one year. Legal has to read it."
    deck.put_label(deck.card(4, "Write the retention policy", retention).id, legal.id)
    deck.card(4, "Spare label printer for hall 2", "USB, not network.")
    deck.comment(4, "alice", "I called him again, no answer. Bob, can you try the US number?")
    deck.comment(4, "bob", "Reached his assistant, we get the field list on Wednesday.")
    deck.welcome("bob")
    deck.number("label", 15)
    flat = deck.board("alice", "Flat", "e9322d")
    private = deck.board("bob", "Bob private")
    deck.number("card", 27)
    deck.card(deck.stack(flat.id, "Ideas").id, "Paint the kitchen")
    deck.stack(private.id, "Ideas")


@pytest.fixture
def replay(nextcloud: Nextcloud) -> Replay:
    """A conversation in which an etag may stand for several things, as Deck's do."""
    seeded(nextcloud)
    found = Replay(nextcloud, steady_etags=False)
    board, deck = nextcloud.world.deck.boards[2], nextcloud.world.deck
    assert (board.title, deck.cards[4].title) == ("Heron delivery", "Ask vendor for a stable record id")
    return found


def test_deck_responds_as_recorded_from_the_real_server(recorded: dict[str, list[Exchange]], replay: Replay) -> None:
    deck = replay.nextcloud.world.deck
    before: dict[str, Callable[[], object]] = {"comments are OCS": lambda: deck.comment(4, "bob", "ping")}
    found: list[str] = []
    for exchange in recorded["deck"]:
        before.get(exchange.title, lambda: None)()
        found += replay.differences(exchange)
    assert not found, "\n".join(found)


def test_deck_archives_and_replaces_as_recorded_from_the_real_server(
    recorded: dict[str, list[Exchange]], replay: Replay
) -> None:
    later = [one for one in recorded["extra"] if "/apps/deck/" in one.url]
    found = [line for exchange in later for line in replay.differences(exchange)]
    assert not found, "\n".join(found)
    assert len(later) >= 4
