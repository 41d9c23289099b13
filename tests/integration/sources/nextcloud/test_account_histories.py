"""Random histories, followed by the apps of three accounts: all end with the truth, and nothing foreign is shown."""

import asyncio
import os
from collections.abc import Iterable, Mapping

import pytest
from hypothesis import settings
from tests.nextcloud.deeds.base import USERS
from tests.nextcloud.histories import Histories
from tests.nextcloud.truth import Key, Truth, truth
from tests.support.following import Following
from tests.support.nextcloud_account import Office, Remembered

from citemark.sources.nextcloud.apps import App
from citemark.sources.nextcloud.dav.scanner import WHOLE_EVERY

pytestmark = pytest.mark.requirement("i4-9-state-machine")

EXAMPLES = 500 if os.environ.get("CITEMARK_SOAK") else 4
_TOKENS = frozenset({"calendar", "contacts"})


class AppHistories(Histories):
    """Every app of every user over one double, with what its scanners remember."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._office = Office(self.nextcloud)
        self._following = {user: Following(self._apps(user)) for user in USERS}

    def _apps(self, user: str) -> list[App]:
        office, memory = self._office, Remembered()
        makers = (office.calendars, office.contacts, office.deck, office.files)
        return [make(user, memory=memory) for make in makers]

    def expected(self, user: str) -> Truth:
        return {key: marks for key, marks in truth(self.world, user).items() if key.doc_type != "note"}

    def synchronise(self, user: str) -> None:
        self._runner.run(self._following[user].scan())

    def converge(self, user: str) -> None:
        """Twice, and calendars and contacts often enough for a comparison of everything."""
        following = self._following[user]
        for _ in range(2):
            self._runner.run(following.scan())
        for _ in range(WHOLE_EVERY - 1):
            self._runner.run(following.scan(_TOKENS))

    def indexed(self, user: str) -> Mapping[Key, frozenset[str]]:
        return self._following[user].marks()

    def answered(self, user: str, question: str) -> Iterable[str]:
        return self._runner.run(self._following[user].answer(question))

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self._runner.run(self._office.close())
            self._runner.close()


AppHistories.TestCase.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=8, derandomize=EXAMPLES == 4, deadline=None
)


TestAppHistories = AppHistories.TestCase
