"""Whatever people do and however the server breaks: in the end the index is the truth, and on the way nobody is shown
what is not theirs."""

import asyncio
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import ClassVar, LiteralString

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.actions.base import USERS
from tests.nextcloud.expected_state import Key
from tests.nextcloud.stateful_model import StatefulModel
from tests.support.postgres import fresh_database, template_database

from citemark.store.migrate import migrate

LONG = bool(os.environ.get("CITEMARK_SOAK"))
EXAMPLES, STEPS, SCANS = (60, 60, 26) if LONG else (1, 12, 3)
"""After 26 scans every comparison was a full one; the short run forgets what was listed instead."""


class SyncedHistories(StatefulModel):
    """The product's own sync and search, each user's account a source of one index."""

    server_dsn: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._folder = tempfile.TemporaryDirectory()
        self._opened: AbstractAsyncContextManager[Cloud] = cloud_over(
            fresh_database(self.server_dsn, template_database(self.server_dsn, "citemark_template", migrate)),
            self.nextcloud,
            Path(self._folder.name),
            verify_timeout=2.0,
        )
        self._cloud = self._runner.run(self._opened.__aenter__())
        for user in USERS:
            self._runner.run(self._cloud.join(user))

    def synchronise(self, user: str) -> None:
        self._runner.run(self._cloud.sync(user))

    def converge(self, user: str) -> None:
        if not LONG:
            self._runner.run(self._change("DELETE FROM scan_memory"))
        for _ in range(SCANS):
            self._cloud.later(self._cloud.app.settings.scan_interval)
            self._runner.run(self._change("UPDATE item SET retry_at = '2000-01-01 00:00:00+00'"))
            self._runner.run(self._cloud.sync(user))

    def indexed(self, user: str) -> Mapping[Key, frozenset[str]]:
        return self._runner.run(self._cloud.indexed(user))

    def answered(self, user: str, question: str) -> Iterable[str]:
        found = self._runner.run(self._cloud.found(user, question))
        return [f"{item['title']}\n{item['excerpt']}\n{item['metadata']}" for item in found]

    async def _change(self, statement: LiteralString) -> None:
        async with self._cloud.app.stores.database.transaction() as connection:
            await connection.execute(statement)

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self._runner.run(self._opened.__aexit__(None, None, None))
            self._runner.close()
            self._folder.cleanup()


@pytest.mark.requirement("random-histories-end-equal", "nothing-shown-to-strangers")
def test_random_histories_end_with_index_and_server_equal_and_show_no_one_foreign_documents(server_dsn: str) -> None:
    SyncedHistories.server_dsn = server_dsn
    run_state_machine_as_test(
        SyncedHistories, settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None)
    )
