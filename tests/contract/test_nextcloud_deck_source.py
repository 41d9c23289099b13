"""Cards of a Nextcloud keep the contract."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from tests.contract.source_contract import SourceContract, World
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_account import AccountsFixture

from citemark.model.ids import NativeId
from citemark.sources.contract import Connector


@pytest.fixture
def world(nextcloud: Nextcloud, accounts: AccountsFixture) -> World:
    app, deck = accounts.deck(), nextcloud.world.deck
    stack = deck.stack(deck.board("alice", "Board").id, "To do")
    cards: dict[str, int] = {}

    def put(name: str, words: str) -> NativeId:
        if name in cards:
            deck.edit(cards[name], description=words)
        else:
            cards[name] = deck.card(stack.id, name, words).id
        return NativeId(str(cards[name]))

    @contextmanager
    def away() -> Generator[None, None, None]:
        nextcloud.world.maintenance = True
        yield
        nextcloud.world.maintenance = False

    made = Connector(app.scanner, app.processor, app.verifier)

    def rename(name: str, other: str) -> None:
        deck.edit(cards[name], title=other)

    return World(made, "deck_card", put, lambda name: deck.delete(cards[name]) and None, away, rename)


class TestNextcloudDeck(SourceContract):
    """The suite."""
