"""Told to end, every command ends within seconds and takes its database along, whatever one of its threads does."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, ROOT, index
from tests.nextcloud.faults import Drip
from tests.nextcloud.server import Nextcloud
from tests.support.parsers import parsers_of
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder
from tests.support.slow_tests import quick_first

from citemark.shutdown import SECONDS

_ENDED_SECONDS = 60.0
"""From the signal to the end on a machine that others keep busy; without an end by force it never comes."""

_SERVE, _HTTP, _SYNC = ["serve"], ["serve", "--http", "--port", "0"], ["sync", "-q"]
_WATCH = [*_SYNC, "--watch"]
_COMMANDS = pytest.mark.parametrize(
    "command", quick_first(_SERVE, _SYNC, _HTTP, quick=2), ids=["serve", "sync", "http"]
)

Process = subprocess.Popen[bytes]


@pytest.fixture(scope="module")
def home(commands: Commands) -> Generator[Path, None, None]:
    """An index that has one folder as its source."""
    place = reachable_folder()
    (place / "docs").mkdir()
    run(commands, place, "add", "docs", str(place / "docs"), "--no-sync")
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def folder(home: Path) -> Path:
    """The index, in whose source one text waits to be read."""
    for left in (home / "docs").iterdir():
        left.unlink()
    (home / "docs" / "a.txt").write_text(f"Some words, {uuid4()}.")
    return home


def run(commands: Commands, folder: Path, *arguments: str, **extra: str) -> None:
    commands.run(*arguments, env={**index(folder / "data").environment, **extra}, check=True)


def begin(folder: Path, command: list[str]) -> Process:
    """A running command, whose stderr is the file `said`."""
    environment = index(folder / "data").environment
    with (folder / "said").open("wb") as said:
        return subprocess.Popen(
            command, env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said
        )


def until(seen: Callable[[], bool]) -> None:
    end = time.monotonic() + HANG_SECONDS
    while not seen():
        assert time.monotonic() < end, "what the test waits for never came"
        time.sleep(0.05)


def until_stuck(process: Process, folder: Path) -> None:
    def stuck() -> bool:
        said = (folder / "said").read_text()
        assert "stuck" in said or process.poll() is None, f"it ended without reading a file:\n{said}"
        return "stuck" in said

    until(stuck)


def ended(process: Process, begun: float) -> int:
    """The exit code of a process that ends in time."""
    code = process.wait(HANG_SECONDS)
    assert time.monotonic() - begun < _ENDED_SECONDS
    assert process.stdin is not None
    process.stdin.close()
    return code


def database_runs(folder: Path) -> bool:
    return (folder / "data/postgres/cluster/postmaster.pid").exists()


@pytest.mark.requirement("sigterm-ends-within-seconds")
def test_the_end_by_force_comes_before_hosts_and_service_managers_kill() -> None:
    assert SECONDS < 5


@pytest.mark.requirement("sigterm-ends-within-seconds")
@pytest.mark.parametrize(
    ("how", "command"),
    [
        ("waits", _SERVE),
        ("spins", _HTTP),
        ("blocks", _SYNC),
        pytest.param("waits", _SYNC, marks=pytest.mark.slow),
        pytest.param("waits", _WATCH, marks=pytest.mark.slow),
        pytest.param("spins", _SYNC, marks=pytest.mark.slow),
        pytest.param("blocks", _SERVE, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_a_command_with_a_thread_that_never_returns(folder: Path, command: list[str], how: str) -> None:
    process = begin(folder, [sys.executable, "-m", "tests.acceptance.stuck", how, *command])
    until_stuck(process, folder)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert ended(process, began) == (130 if command == _SYNC else 0)
    until(lambda: not database_runs(folder))


@pytest.mark.requirement("sigterm-ends-within-seconds", "changes-followed-while-serving")
@pytest.mark.parametrize(("command", "code"), [(_WATCH, 0), (["work"], 0), (_SYNC, 130)], ids=["watch", "work", "sync"])
def test_a_server_that_gets_a_signal_while_opening_the_index_ends_with_code_0(
    folder: Path, command: list[str], code: int
) -> None:
    process = begin(folder, [sys.executable, "-m", "tests.acceptance.stuck", "opens", *command])
    until_stuck(process, folder)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert ended(process, began) == code
    until(lambda: not database_runs(folder))


@pytest.mark.requirement("sigterm-ends-within-seconds")
@pytest.mark.parametrize("command", [_SERVE, _HTTP], ids=["serve", "http"])
def test_a_slow_shutdown_of_the_interpreter_is_not_a_crash(folder: Path, command: list[str]) -> None:
    process = begin(folder, [sys.executable, "-m", "tests.acceptance.stuck", "lingers", *command])
    until_stuck(process, folder)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert ended(process, began) == 0
    until(lambda: not database_runs(folder))


@pytest.mark.requirement("sigterm-ends-within-seconds")
def test_the_end_of_its_input_ends_a_server_with_a_thread_that_never_returns(folder: Path) -> None:
    process = begin(folder, [sys.executable, "-m", "tests.acceptance.stuck", "spins", *_SERVE])
    until_stuck(process, folder)
    assert process.stdin is not None
    began = time.monotonic()
    process.stdin.close()
    assert ended(process, began) == 0
    until(lambda: not database_runs(folder))


@pytest.mark.requirement("sigterm-ends-within-seconds")
@_COMMANDS
def test_a_signal_ends_a_command_whose_parser_spins_and_the_parser_with_it(folder: Path, command: list[str]) -> None:
    (folder / "docs" / "a.html").write_bytes(b"<p>" + b"<div>" * 90_000 + b"x")
    process = begin(folder, [CITEMARK, *command])
    until(lambda: bool(parsers_of(process.pid)))
    parsers = parsers_of(process.pid)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    ended(process, began)
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in parsers))
    until(lambda: not database_runs(folder))


@pytest.mark.requirement("sigterm-ends-within-seconds")
@_COMMANDS
def test_a_signal_ends_a_command_that_waits_for_a_server_that_drips(
    commands: Commands, folder: Path, nextcloud: Nextcloud, command: list[str]
) -> None:
    nextcloud.world.notes.add("alice", "Heron", "The heron project.", "")
    password = nextcloud.password("alice")
    add = ("add", "nextcloud", nextcloud.url, "--user", "alice", "--apps", "notes", "--name", "cloud")
    run(commands, folder, *add, CITEMARK_APP_PASSWORD=password)
    nextcloud.log.clear()
    nextcloud.faults.add(Drip(0.5), on="/capabilities|/notes")
    process = begin(folder, [CITEMARK, *command])
    until(lambda: bool(nextcloud.log.seen))
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    ended(process, began)
    until(lambda: not database_runs(folder))
    run(commands, folder, "remove", "cloud", "--yes")


_INTERRUPTED_BY_LOADING = """import os, signal, sys
module, sys.argv[1:] = sys.argv[1], ["search", "some words"]
class Interruption:
    def find_spec(self, name, *_):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interruption())
from citemark.app.main import main
main()
"""


@pytest.mark.parametrize("module", ["structlog", "typer", "citemark.cli.running_server", "citemark.app.open_index"])
def test_a_command_that_is_interrupted_while_it_loads_says_at_most_that_it_stopped(folder: Path, module: str) -> None:
    began = time.monotonic()
    process = begin(folder, [sys.executable, "-c", _INTERRUPTED_BY_LOADING, module])
    assert ended(process, began) == 130
    assert (folder / "said").read_text() in {"", "stopped\n"}
    until(lambda: not database_runs(folder))


def test_a_question_that_is_stopped_promises_nothing_about_the_next_sync(folder: Path) -> None:
    process = begin(folder, [sys.executable, "-m", "tests.acceptance.stuck", "opens", "search", "some words"])
    until_stuck(process, folder)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert ended(process, began) == 130
    assert (folder / "said").read_text().splitlines()[-1] == "stopped"
    until(lambda: not database_runs(folder))
