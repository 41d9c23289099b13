"""Notes of a Nextcloud keep the contract."""

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
    app, notes = accounts.notes(), nextcloud.world.notes
    made: dict[str, int] = {}

    def put(name: str, words: str) -> NativeId:
        if name in made:
            notes.edit("alice", made[name], content=words)
        else:
            made[name] = notes.add("alice", name, words)
        return NativeId(str(made[name]))

    @contextmanager
    def away() -> Generator[None, None, None]:
        nextcloud.world.maintenance = True
        yield
        nextcloud.world.maintenance = False

    connector = Connector(app.scanner, app.processor, app.verifier)

    def rename(name: str, other: str) -> None:
        notes.edit("alice", made[name], title=other)

    return World(connector, "note", put, lambda name: notes.delete("alice", made[name]), away, rename)


class TestNextcloudNotes(SourceContract):
    """The suite."""
