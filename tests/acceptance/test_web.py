"""`citemark web` as a person runs it: a server of its own, or the one that runs already."""

import re
import shutil
import signal
import subprocess
from collections.abc import Generator
from pathlib import Path

import httpx2
import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, index
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder


@pytest.fixture
def data() -> Generator[Path]:
    place = reachable_folder()
    yield place / "data"
    shutil.rmtree(place, ignore_errors=True)


def link_in(text: str) -> str:
    found = re.search(r"http://127\.0\.0\.1:\d+/enter/[\w-]+", text)
    assert found is not None, text
    return found[0]


@pytest.mark.requirement("link-works-once")
def test_web_starts_a_server_and_later_finds_it(data: Path, commands: Commands) -> None:
    environment = index(data).environment
    words = [CITEMARK, "web", "--no-browser", "--port", "0"]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        link = link_in("".join(process.stdout.readline() for _ in range(3)))
        port = link.split(":")[2].partition("/")[0]
        with httpx2.Client(timeout=HANG_SECONDS, follow_redirects=True, headers={"accept": "text/html"}) as browser:
            assert "Nothing is indexed yet" in browser.get(link).text
            assert browser.get(link).status_code == 403
        found = commands.run("web", "--no-browser", "--port", port, env=environment, timeout=HANG_SECONDS)
        again = link_in(found.stdout)
        assert (found.returncode, again.startswith(link.rpartition("/")[0])) == (0, True)
        assert again != link
        # The token of another index opens nothing here.
        other = index(data.parent / "other").environment
        refused = commands.run("web", "--no-browser", "--port", port, env=other, timeout=HANG_SECONDS)
        assert refused.returncode == 1
        assert "another index" in refused.stderr
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 0
