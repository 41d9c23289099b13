"""`citemark install`: real files in a home of its own, and the written command started as a host would."""

import json
import os
import pty
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.served import CITEMARK, Served, index

PLACES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "vscode": ".config/Code/User/mcp.json",
    "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml",
}
SERVERS = {"vscode": "servers", "codex": "mcp_servers"}
EVERY_FORM = pytest.mark.parametrize("host", ["claude-code", "vscode", "codex"])

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    for path in PLACES.values():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
    return place


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return index(tmp_path / "data")


@pytest.fixture
def environment(home: Path, served: Served) -> dict[str, str]:
    return {**served.environment, "HOME": str(home)}


@pytest.fixture
def install(environment: dict[str, str]) -> Run:
    def run(*arguments: str, **extra: str) -> "subprocess.CompletedProcess[str]":
        command = [CITEMARK, "install", *arguments]
        return subprocess.run(
            command,
            env={**environment, **extra},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )

    return run


def entries(host: str, path: Path) -> dict[str, Any]:
    text = path.read_text()
    document = tomllib.loads(text) if host == "codex" else json.loads(text)
    return document[SERVERS.get(host, "mcpServers")]


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.*.bak"))


@pytest.mark.requirement("i3-6-install")
@pytest.mark.parametrize("host", ["claude-desktop", "codex"])
async def test_the_command_in_a_hosts_configuration_serves_the_tools(
    host: str, home: Path, install: Run, indexed_folder: Path, environment: dict[str, str]
) -> None:
    done = install(host, "--yes", CITEMARK_DATA_DIR=str(indexed_folder))
    assert done.returncode == 0, done.stderr
    entry = entries(host, home / PLACES[host])["citemark"]
    assert Path(entry["command"]).is_absolute()
    # As a host does: from another folder, with little of the environment that `install` saw.
    bare = {name: environment[name] for name in ("PATH", "HOME", "PYTHONPATH")}
    server = StdioServerParameters(
        command=entry["command"], args=entry["args"], env={**bare, **entry["env"]}, cwd=str(home)
    )
    async with Client(stdio_client(server)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        found = await client.call_tool("kb.search", {"query": "Which descaler may be used?"})
    assert "kb.search" in names
    assert found.structured_content["results"]


@pytest.mark.requirement("i3-6-install")
@EVERY_FORM
def test_install_shows_writes_and_keeps_a_backup_and_remove_takes_it_back(host: str, home: Path, install: Run) -> None:
    path = home / PLACES[host]
    key = SERVERS.get(host, "mcpServers")
    before = (
        f'[{key}.other]\ncommand = "npx" # mine\n'
        if host == "codex"
        else json.dumps({"theme": "dark", key: {"other": {"command": "npx"}}}, indent=4)
    )
    path.write_text(before)
    path.chmod(0o640)
    done = install(host, "--yes", "--name", "handbook")
    assert done.returncode == 0, done.stderr
    assert "handbook" in done.stdout
    assert "+++" in done.stdout
    assert entries(host, path)["other"] == {"command": "npx"}
    assert entries(host, path)["handbook"]["args"] == ["serve"]
    assert [kept.read_text() for kept in backups(path)] == [before]
    assert path.stat().st_mode & 0o777 == 0o640
    written = path.read_bytes()
    again = install(host, "--yes", "--name", "handbook")
    assert (again.returncode, "nothing to do" in again.stdout) == (0, True)
    assert path.read_bytes() == written
    assert len(backups(path)) == 1
    removed = install(host, "--yes", "--name", "handbook", "--remove")
    assert removed.returncode == 0, removed.stderr
    assert path.read_text() == before
    assert "nothing to do" in install(host, "--yes", "--name", "handbook", "--remove").stdout


@pytest.mark.requirement("i3-6-install")
@pytest.mark.parametrize(
    ("host", "text", "says"),
    [
        ("claude-desktop", '{\n  "mcpServers": {},\n}\n', "line 2"),
        ("claude-code", '{"mcpServers": []}', "no object"),
        ("vscode", '{"servers": {"citemark": {"url": "https://example.org"}}}', "--name"),
        ("cursor", '{"mcpServers": {', "line 1"),
        ("codex", "[mcp_servers.x\n", "line 1"),
    ],
)
def test_what_cannot_be_changed_safely_is_left_untouched(
    host: str, text: str, says: str, home: Path, install: Run
) -> None:
    path = home / PLACES[host]
    path.write_text(text)
    done = install(host, "--yes")
    assert (done.returncode, says in done.stderr, "left as it is" in done.stderr) == (2, True, True), done.stderr
    assert path.read_text() == text
    assert backups(path) == []


@pytest.mark.requirement("i3-6-install")
def test_nothing_is_written_unasked(home: Path, install: Run) -> None:
    path = home / PLACES["cursor"]
    done = install("cursor")
    assert (done.returncode, "--yes" in done.stderr) == (1, True)
    shown = install("cursor", "--json")
    report = json.loads(shown.stdout)
    assert (report["changed"], report["written"], report["config"]) == (True, False, str(path))
    assert not path.exists()
    report = json.loads(install("cursor", "--json", "--yes").stdout)
    assert (report["written"], report["backup"]) == (True, None)
    assert report["entry"] == entries("cursor", path)["citemark"]
    assert report["next"]


@pytest.mark.requirement("i3-6-install")
@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_a_person_is_asked_after_the_change_was_shown(
    answer: str, written: bool, home: Path, environment: dict[str, str]
) -> None:
    controller, terminal = pty.openpty()
    command = [CITEMARK, "install", "cursor"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=terminal, stdout=pipe, stderr=pipe, text=True) as process:
        os.close(terminal)
        os.write(controller, answer.encode())
        shown, _ = process.communicate(timeout=60)
    os.close(controller)
    assert shown.index("+++") < shown.index("[y/N]")
    assert (home / PLACES["cursor"]).exists() == written
    assert process.returncode == (0 if written else 1)


def test_a_host_that_is_not_there_is_named_and_a_file_can_be_given(home: Path, install: Run, tmp_path: Path) -> None:
    (home / ".cursor").rmdir()
    done = install("cursor", "--yes")
    assert (done.returncode, "--config" in done.stderr) == (2, True)
    elsewhere = tmp_path / "project" / ".cursor" / "mcp.json"
    assert install("cursor", "--yes", "--config", str(elsewhere)).returncode == 0
    assert "citemark" in entries("cursor", elsewhere)
    assert elsewhere.stat().st_mode & 0o777 == 0o600
    unknown = install("emacs", "--yes")
    assert (unknown.returncode, "claude-desktop" in unknown.stderr) == (2, True)


def test_a_link_to_the_file_stays_a_link_and_a_mark_at_its_beginning_stays_there(home: Path, install: Run) -> None:
    real = home / "dotfiles.json"
    real.write_bytes(b'\xef\xbb\xbf{\r\n  "mcpServers": {}\r\n}\r\n')
    path = home / PLACES["cursor"]
    path.symlink_to(real)
    assert install("cursor", "--yes").returncode == 0
    assert path.is_symlink()
    data = real.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf{\r\n")
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert "citemark" in json.loads(data.decode("utf-8-sig"))["mcpServers"]


def test_a_secret_is_written_and_not_shown(home: Path, install: Run) -> None:
    address = "postgresql://citemark:hunter2@db.example.org/citemark"
    for arguments in (("--yes",), ("--json",)):
        done = install("codex", *arguments, CITEMARK_DATABASE_URL=address)
        assert done.returncode == 0, done.stderr
        assert "hunter2" not in done.stdout + done.stderr
    entry = entries("codex", home / PLACES["codex"])["citemark"]
    assert entry["env"]["CITEMARK_DATABASE_URL"] == address
