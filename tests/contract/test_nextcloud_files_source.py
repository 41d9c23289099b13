"""Files of a Nextcloud keep the contract."""

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
    app = accounts.files()

    @contextmanager
    def away() -> Generator[None, None, None]:
        nextcloud.world.maintenance = True
        yield
        nextcloud.world.maintenance = False

    return World(
        Connector(app.scanner, app.processor, app.verifier),
        "file",
        lambda name, words: NativeId(str(nextcloud.world.files.put("alice", f"/Texts/{name}.md", words).id)),
        lambda name: nextcloud.world.files.delete("alice", f"/Texts/{name}.md"),
        away,
        lambda name, other: nextcloud.world.files.move("alice", f"/Texts/{name}.md", f"/Texts/{other}.md") and None,
    )


class TestNextcloudFiles(SourceContract):
    """The suite."""
