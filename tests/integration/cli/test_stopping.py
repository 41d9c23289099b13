"""`citemark stop` and `citemark uninstall` with processes that hold an index as servers do."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from citemark.app.main import open_index
from citemark.cli.command_context import CommandContext
from citemark.cli.consent import Mode
from citemark.cli.service.stop_command import stop_command
from citemark.cli.uninstall_command import uninstall_command
from citemark.folders import users_lock

_HOLDER = """import sys, time
held = open(sys.argv.pop(1))
print("holding", flush=True)
time.sleep(600)
"""

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    lock = users_lock(folder)
    lock.parent.mkdir(parents=True)
    lock.write_bytes(b"")
    (folder / "http.token").write_text("x" * 1000)
    for name in [name for name in os.environ if name.startswith(("CITEMARK_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITEMARK_DATA_DIR", str(folder))
    return folder


@pytest.fixture
def start(data: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts a process that holds the index and is known by the words after `citemark`."""
    program = tmp_path / "citemark"
    program.write_text(_HOLDER)
    with ExitStack() as stack:

        def run(*words: str) -> "subprocess.Popen[str]":
            command = [sys.executable, str(program), str(users_lock(data)), *words]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            stack.callback(process.kill)
            assert process.stdout is not None
            assert process.stdout.readline() == "holding\n"
            return process

        yield run


@pytest.mark.requirement("stop")
def test_stop_ends_servers_that_stay_and_lets_those_of_hosts_be(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    stays, watching, host = start("serve", "--http"), start("sync", "--watch"), start("serve")
    assert stop_command(CommandContext(open_index), everything=False) == 0
    said = capsys.readouterr().out
    assert f"process {stays.pid}" in said
    assert "1 process of hosts" in said
    assert [psutil.pid_exists(process.pid) for process in (stays, watching, host)] == [False, False, True]
    assert stop_command(CommandContext(open_index, json=True), everything=True) == 0
    assert [each["pid"] for each in json.loads(capsys.readouterr().out)["stopped"]] == [host.pid]
    assert not psutil.pid_exists(host.pid)
    assert stop_command(CommandContext(open_index), everything=True) == 0
    assert "Nothing uses the index" in capsys.readouterr().out


@pytest.mark.requirement("uninstall")
def test_uninstall_shows_everything_with_sizes_and_removes_only_what_is_its_own(
    start: Start, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "home" / ".cursor" / "mcp.json"
    config.parent.mkdir(parents=True)
    entry = {"command": "/x/citemark", "args": ["serve"]}
    config.write_text(json.dumps({"mcpServers": {"citemark": entry, "other": {"command": "npx"}}}))
    unit = tmp_path / "home" / ".config" / "systemd" / "user" / "citemark.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\n")
    (data / "mine.txt").write_text("not citemark's")
    held = start("serve", "--http")
    assert uninstall_command(CommandContext(open_index, json=True), Mode()) == 0
    parts = json.loads(capsys.readouterr().out)["parts"]
    assert [part["bytes"] for part in parts] == [None, None, 1000]
    assert uninstall_command(CommandContext(open_index), Mode(dry_run=True, yes=True)) == 0
    assert uninstall_command(CommandContext(open_index), Mode()) == 1  # nobody can be asked
    assert psutil.pid_exists(held.pid)
    assert uninstall_command(CommandContext(open_index), Mode(yes=True)) == 0
    assert not psutil.pid_exists(held.pid)
    assert json.loads(config.read_text())["mcpServers"] == {"other": {"command": "npx"}}
    assert not unit.exists()
    assert [path.name for path in data.iterdir()] == ["mine.txt"]
    capsys.readouterr()
    assert uninstall_command(CommandContext(open_index), Mode(yes=True)) == 0
    assert "nothing here" in capsys.readouterr().out
