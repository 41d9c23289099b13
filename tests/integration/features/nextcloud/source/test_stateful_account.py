"""Random user actions, followed for three accounts: all end in the expected state, and nothing foreign is shown."""

import asyncio
import os
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack

import pytest
import stamina
from hypothesis import Phase, settings
from tests.nextcloud.actions.base import USERS
from tests.nextcloud.expected_state import Key
from tests.nextcloud.stateful_model import StatefulModel
from tests.support.naive_sync import NaiveSync
from tests.support.nextcloud_account import MemoryScanState
from tests.support.nextcloud_client import client_of

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import AccountSettings
from citemark.features.nextcloud.source.connector import nextcloud_connector
from citemark.features.nextcloud.source.dav.scanner import WHOLE_EVERY

pytestmark = [
    pytest.mark.requirement("random-histories-end-equal"),
    pytest.mark.requirement("nothing-shown-to-strangers"),
]

SOAK = bool(os.environ.get("CITEMARK_SOAK"))


class AccountHistories(StatefulModel):
    """The connectors of three accounts over one double, with what their scanners remember."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._open = AsyncExitStack()
        self._parsers = ParserPool()
        stamina.set_testing(True, attempts=2)  # no waits between tries
        self._following = self._runner.run(self._connected())

    async def _connected(self) -> dict[str, NaiveSync]:
        found: dict[str, NaiveSync] = {}
        for user in USERS:
            client = await self._open.enter_async_context(client_of(self.nextcloud, user))
            account = AccountSettings.from_config({"server": self.nextcloud.url, "login": user, "user": user})
            found[user] = NaiveSync(nextcloud_connector(account, client, MemoryScanState(), self._parsers))
        return found

    def synchronise(self, user: str) -> None:
        self._runner.run(self._following[user].scan())

    def converge(self, user: str) -> None:
        """Often enough for a comparison of everything."""
        for _ in range(WHOLE_EVERY + 1):
            self.synchronise(user)

    def indexed(self, user: str) -> Mapping[Key, frozenset[str]]:
        return self._following[user].marks()

    def answered(self, user: str, question: str) -> Iterable[str]:
        return self._runner.run(self._following[user].answer(question))

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            stamina.set_testing(False)
            self._runner.run(self._open.aclose())
            self._runner.run(self._parsers.close())
            self._runner.close()


AccountHistories.TestCase.settings = settings(
    max_examples=300 if SOAK else 3,
    stateful_step_count=20 if SOAK else 7,
    derandomize=not SOAK,
    deadline=None,
    phases=tuple(Phase) if SOAK else (Phase.generate,),  # a failure names its deeds; to shrink it takes minutes
)
TestAccountHistories = AccountHistories.TestCase
