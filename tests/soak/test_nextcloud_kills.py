"""`citemark sync` is killed at random moments while people work: nothing is lost, doubled, stale or wrongly deleted.

The server stands in a process of its own. alice and bob work; carol does nothing, and what is hers must never go.
"""

import os
import signal
import subprocess
import time
from pathlib import Path
from random import Random

import pytest
from tests.acceptance.served import CITEMARK, index
from tests.integration.app.cloud import Accounts
from tests.integration.store.test_pages_statistics import check_statistics
from tests.nextcloud.actions.base import USERS
from tests.nextcloud.actions.people import People
from tests.nextcloud.bulk import Sizes, fill
from tests.nextcloud.expected_state import ExpectedState, Key, differences, expected_state
from tests.nextcloud.separate_server import SeparateServer
from tests.nextcloud.server import Nextcloud
from tests.support.index import Index
from tests.support.index_checks import check_whole

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.settings import Settings

pytestmark = pytest.mark.slow

LONG = bool(os.environ.get("CITEMARK_SOAK"))
KILLS, THINGS, SHARE, SCANS = (50, 20, 0.03, 26) if LONG else (1, 1, 0.001, 3)
"""After 26 scans every comparison was a full one; the short run forgets what was listed instead."""

_LATEST = 6.0 if LONG else 3.0
_INTERVAL = 5.0
_WORKING = ("alice", "bob")
_BYSTANDER = "carol"
_LOOK_EVERY = 5


@pytest.mark.requirement("soak-ends-with-nothing-wrong")
@pytest.mark.timeout(1800 if LONG else 600)
async def test_a_sync_that_is_killed_repeatedly_ends_with_a_correct_index(folder: Path) -> None:
    chance = Random(50)
    environment = {**index(folder / "data").environment, "CITEMARK_SCAN_INTERVAL": str(_INTERVAL)}
    settings = Settings(data_dir=folder / "data", scan_interval=_INTERVAL, verify_cache=0)
    with SeparateServer() as server:
        mark, lasting = server.do(_settle)
        async with open_app(settings) as app:
            accounts = Accounts(app, server.url)
            for user in USERS:
                await accounts.add(user, server.do(Nextcloud.password, user))
        killed, syncs, settled = 0, 0, set[Key]()
        while killed < KILLS:
            mark, ended = _kill(server, environment, folder / "output", chance, mark)
            killed += ended == -signal.SIGKILL
            syncs += 1
            assert ended in {0, -signal.SIGKILL}, (folder / "output").read_text("utf-8")
            if killed % _LOOK_EVERY == 0:
                async with open_app(settings) as app:
                    there = set(await _of(app, server.url, accounts).indexed(_BYSTANDER))
                assert settled <= there, f"wrongly deleted after {killed} kills: {sorted(settled - there)[:20]}"
                settled |= there & lasting
        async with open_app(settings) as app:
            accounts = _of(app, server.url, accounts)
            for _ in range(SCANS):
                accounts.later(_INTERVAL)
                await _try_again(app)
                await accounts.sync()
            for user in USERS:
                assert not differences(server.do(_truth, user), await accounts.indexed(user)), user
                await check_whole(app.stores.database, accounts.sources[user].source_id, len(server.do(_truth, user)))
                await check_statistics(Index(app.stores.database), accounts.sources[user])
        print(f"{killed} kills in {syncs} syncs; {len(settled)} lasting documents watched")  # noqa: T201 - figures


def _kill(
    server: SeparateServer, environment: dict[str, str], output: Path, chance: Random, mark: int
) -> tuple[int, int]:
    """Sync while people work, and kill it at a moment that nobody chose; the next mark, and how it ended."""
    mark = server.do(_work, chance.randrange(40), chance.random(), mark)
    until = time.monotonic() + chance.uniform(0.1, _LATEST)
    with (
        output.open("w", encoding="utf-8") as out,
        subprocess.Popen([CITEMARK, "sync"], env=environment, cwd=output.parent, stdout=out, stderr=out) as sync,
    ):
        while sync.poll() is None and time.monotonic() < until:
            mark = server.do(_work, 1, chance.random(), mark)
            time.sleep(chance.random() * 0.3)  # the moment of the kill is what is sampled
        sync.kill()
    return mark, sync.returncode


def _settle(server: Nextcloud) -> tuple[int, set[Key]]:
    """Fill the accounts; the next mark, and what is the bystander's own."""
    people = People(server.world)
    people.settle(THINGS)
    fill(server.world, Sizes().times(SHARE), _BYSTANDER)
    return people.marks.number(), set(expected_state(server.world, _BYSTANDER))


def _work(server: Nextcloud, deeds: int, seed: float, mark: int) -> int:
    people = People(server.world, _WORKING, mark)
    people.wander(deeds, Random(seed))
    return people.marks.number()


def _truth(server: Nextcloud, user: str) -> ExpectedState:
    return expected_state(server.world, user)


def _of(app: App, url: str, before: Accounts) -> Accounts:
    """The same accounts over an index that was opened again."""
    accounts = Accounts(app, url)
    accounts.sources = before.sources
    return accounts


async def _try_again(app: App) -> None:
    """What failed need not wait, and a short run compares everything."""
    async with app.stores.database.transaction() as connection:
        await connection.execute("UPDATE item SET retry_at = '2000-01-01 00:00:00+00'")
        if not LONG:
            await connection.execute("DELETE FROM scan_memory")
