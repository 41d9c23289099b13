"""A folder that cannot be watched because the system allows no more watches."""

import subprocess
import sys
from pathlib import Path

import pytest

_LIMITED = """
import asyncio, sys
from pathlib import Path
from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.errors import UnwatchableSource
from citemark.sources.docs.connector import docs_connector

async def main():
    connector = docs_connector({"root": sys.argv[1]}, ParserPool())
    async for _ in connector.scanner.scan():
        pass
    try:
        async for _ in connector.watcher.changes():
            print("it listens")
            return
    except UnwatchableSource as error:
        print(error.message)

asyncio.run(main())
"""


@pytest.mark.requirement("index-recovers-from-lost-events")
@pytest.mark.parametrize("limit", ["max_inotify_watches", "max_inotify_instances"])
def test_a_limit_of_the_system_is_named_with_the_way_out(tmp_path: Path, limit: str) -> None:
    for number in range(20):
        (tmp_path / str(number)).mkdir()
    lowered = f'echo {5 if "watches" in limit else 0} > /proc/sys/user/{limit} && exec "$0" "$@"'
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", lowered]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no user namespace of its own can be had here, and the limit of all is not to be touched")
    done = subprocess.run(
        [*command, sys.executable, "-c", _LIMITED, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert f"fs.inotify.{limit.replace('inotify', 'user')}" in done.stdout
