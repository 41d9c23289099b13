"""The clock of the machine jumps by hours while a server indexes and answers, and while a sync runs.

The Debian package `faketime` moves the wall clock of the processes alone; the steady clock runs on as it does when a
machine wakes up or its time is set. PostgreSQL keeps the true time: so the two disagree as two machines may.
"""

import asyncio
import os
import subprocess
import time
from pathlib import Path
from random import Random

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic import SecretStr
from tests.acceptance.served import CITEMARK, index
from tests.support.index_checks import check_folder, check_whole

from citemark.app.open_index import open_app
from citemark.model.sources import NewSource
from citemark.settings import Settings

LONG = bool(os.environ.get("CITEMARK_SOAK"))
JUMPS = 50 if LONG else 2
_HOURS = 30
_PATIENCE = 90.0
_LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)

pytestmark = pytest.mark.skipif(_LIBRARY is None, reason="libfaketime is not installed (apt-get install faketime)")


class Jumping:
    """A folder, a data folder, and processes whose clock is `hours` away from the true one."""

    def __init__(self, place: Path, dsn: str) -> None:
        self.place = place
        self.docs = place / "docs"
        self.docs.mkdir()
        self._clock = place / "clock"
        self.jump(0)
        faked = {
            "LD_PRELOAD": str(_LIBRARY),
            "FAKETIME_TIMESTAMP_FILE": str(self._clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "CITEMARK_DATABASE_URL": dsn,
            "CITEMARK_SCAN_INTERVAL": "5",
        }
        self.environment = {**index(place / "data").environment, **faked}

    def jump(self, hours: int) -> None:
        """Have every process see another time from now on; the file is there at each moment."""
        fresh = self._clock.with_suffix(".new")
        fresh.write_text(f"{hours:+d}h\n")
        fresh.rename(self._clock)

    def write(self, number: int) -> None:
        text = f"# Page {number}\n\nThe valve of mark-{number}-end opens at {number} bar.\n"
        (self.docs / f"page-{number % 20}.md").write_text(text)


@pytest.fixture
def jumping(tmp_path: Path, dsn: str) -> Jumping:
    return Jumping(tmp_path, dsn)


@pytest.mark.requirement("attacks-kept-in-the-soak")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_a_clock_that_jumps_stops_neither_a_server_nor_a_sync(jumping: Jumping, dsn: str) -> None:
    chance = Random(24)
    settings = Settings(data_dir=jumping.place / "data", database_url=SecretStr(dsn), scan_interval=5)
    async with open_app(settings) as app:
        new = NewSource(name="docs", kind="docs", config={"root": str(jumping.docs)}, keep_history=False)
        source = await app.stores.sources.add(new)
    parameters = StdioServerParameters(command=CITEMARK, args=["serve"], env=jumping.environment)
    log = jumping.place / "stderr"
    with log.open("w", encoding="utf-8") as errors:
        async with Client(stdio_client(parameters, errlog=errors)) as client:
            for number in range(JUMPS):
                jumping.write(number)
                jumping.jump(chance.randint(-_HOURS, _HOURS))
                await _found(client, number)
                jumping.jump(chance.randint(-_HOURS, _HOURS))
                assert not (await client.call_tool("kb_search", {"query": f"mark-{number}-end"})).is_error
    for number in range(JUMPS, 2 * JUMPS):
        jumping.write(number)
        _sync(jumping, chance)
    said = log.read_text("utf-8")
    assert "Traceback" not in said, said
    jumping.jump(0)
    async with open_app(settings) as app:
        await app.sync({source.source_id: source})
        await check_folder(app.stores.database, source.source_id, jumping.docs)
        await check_whole(app.stores.database, source.source_id, len(list(jumping.docs.iterdir())))
    print(f"{2 * JUMPS} jumps under a server, {JUMPS} under a sync")  # noqa: T201 - the figures of a soak


async def _found(client: Client, number: int) -> None:
    """The server follows the folder: what was written is found without being asked to look."""
    until = time.monotonic() + _PATIENCE
    while True:
        found = await client.call_tool("kb_search", {"query": f"valve of mark-{number}-end"})
        assert not found.is_error, found
        if f"mark-{number}-end" in str(found.structured_content):
            return
        assert time.monotonic() < until, f"page {number} is not found: {found.structured_content}"
        await asyncio.sleep(0.3)


def _sync(jumping: Jumping, chance: Random) -> None:
    """A sync in the middle of which the clock jumps."""
    command, pipe = [CITEMARK, "sync", "--quiet"], subprocess.PIPE
    with subprocess.Popen(command, env=jumping.environment, stdout=pipe, stderr=pipe, text=True) as sync:
        time.sleep(chance.uniform(0, 2))  # the moment of the jump is what is sampled
        jumping.jump(chance.randint(-_HOURS, _HOURS))
        _, said = sync.communicate(timeout=_PATIENCE)
    assert (sync.returncode, "Traceback" in said) == (0, False), said
