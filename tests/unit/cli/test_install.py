"""`citemark install` on real files in a home of its own."""

import json
import os
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from citemark.app.main import data_dir, open_index
from citemark.cli.command_context import CommandContext
from citemark.cli.install.install_command import InstallRequest, install_command

PLACES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "vscode": ".config/Code/User/mcp.json",
    "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml",
}
SERVERS = {"vscode": "servers", "codex": "mcp_servers"}


@dataclass(frozen=True, slots=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    for path in PLACES.values():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
    for name in [name for name in os.environ if name.startswith(("CITEMARK_", "XDG_", "CLAUDE_", "CODEX_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("CITEMARK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(sys, "platform", "linux")
    return place


@pytest.fixture
def install(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(host: str, **asked: Any) -> Done:
        context = CommandContext(open_index, json=asked.pop("json", False))
        code = install_command(context, InstallRequest(host, **asked), data_dir)
        shown = capsys.readouterr()
        return Done(code, shown.out, shown.err)

    return run


def entries(host: str, path: Path) -> dict[str, Any]:
    text = path.read_text()
    document = tomllib.loads(text) if host == "codex" else json.loads(text)
    return document[SERVERS.get(host, "mcpServers")]


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.*.bak"))


@pytest.mark.requirement("i3-6-install")
@pytest.mark.parametrize("host", PLACES)
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
    done = install(host, yes=True, name="handbook")
    assert done.returncode == 0, done.stderr
    assert "handbook" in done.stdout
    assert "+++" in done.stdout
    assert entries(host, path)["other"] == {"command": "npx"}
    assert entries(host, path)["handbook"]["args"] == ["serve"]
    assert [kept.read_text() for kept in backups(path)] == [before]
    assert path.stat().st_mode & 0o777 == 0o640
    written = path.read_bytes()
    again = install(host, yes=True, name="handbook")
    assert (again.returncode, "nothing to do" in again.stdout) == (0, True)
    assert path.read_bytes() == written
    assert len(backups(path)) == 1
    removed = install(host, yes=True, name="handbook", remove=True)
    assert removed.returncode == 0, removed.stderr
    assert path.read_text() == before
    assert "nothing to do" in install(host, yes=True, name="handbook", remove=True).stdout


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
    done = install(host, yes=True)
    assert (done.returncode, says in done.stderr, "left as it is" in done.stderr) == (2, True, True), done.stderr
    assert path.read_text() == text
    assert backups(path) == []


@pytest.mark.requirement("i3-6-install")
def test_nothing_is_written_unasked(home: Path, install: Run) -> None:
    path = home / PLACES["cursor"]
    done = install("cursor")
    assert (done.returncode, "--yes" in done.stderr) == (1, True)
    shown = install("cursor", json=True)
    report = json.loads(shown.stdout)
    assert (report["changed"], report["written"], report["config"]) == (True, False, str(path))
    assert not path.exists()
    report = json.loads(install("cursor", json=True, yes=True).stdout)
    assert (report["written"], report["backup"]) == (True, None)
    assert report["entry"] == entries("cursor", path)["citemark"]
    assert report["next"]


def test_a_host_that_is_not_there_is_named_and_a_file_can_be_given(home: Path, install: Run, tmp_path: Path) -> None:
    (home / ".cursor").rmdir()
    done = install("cursor", yes=True)
    assert (done.returncode, "--config" in done.stderr) == (2, True)
    elsewhere = tmp_path / "project" / ".cursor" / "mcp.json"
    assert install("cursor", yes=True, config=elsewhere).returncode == 0
    assert "citemark" in entries("cursor", elsewhere)
    assert elsewhere.stat().st_mode & 0o777 == 0o600
    unknown = install("emacs", yes=True)
    assert (unknown.returncode, "claude-desktop" in unknown.stderr) == (2, True)


def test_a_link_to_the_file_stays_a_link_and_a_mark_at_its_beginning_stays_there(home: Path, install: Run) -> None:
    real = home / "dotfiles.json"
    real.write_bytes(b'\xef\xbb\xbf{\r\n  "mcpServers": {}\r\n}\r\n')
    path = home / PLACES["cursor"]
    path.symlink_to(real)
    assert install("cursor", yes=True).returncode == 0
    assert path.is_symlink()
    data = real.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf{\r\n")
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert "citemark" in json.loads(data.decode("utf-8-sig"))["mcpServers"]


def test_a_secret_is_written_and_not_shown(home: Path, install: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    address = "postgresql://citemark:hunter2@db.example.org/citemark"
    monkeypatch.setenv("CITEMARK_DATABASE_URL", address)
    for asked in ({"yes": True}, {"json": True}):
        done = install("codex", **asked)
        assert done.returncode == 0, done.stderr
        assert "hunter2" not in done.stdout + done.stderr
    entry = entries("codex", home / PLACES["codex"])["citemark"]
    assert entry["env"]["CITEMARK_DATABASE_URL"] == address


def test_a_file_that_was_changed_while_a_person_thought_is_not_overwritten(
    home: Path, install: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / PLACES["cursor"]
    path.write_text("{}")

    def changed_meanwhile(question: str) -> str:
        path.write_text('{"mcpServers": {"new": {}}}')
        return "y"

    monkeypatch.setattr("builtins.input", changed_meanwhile)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    done = install("cursor")
    assert (done.returncode, "changed meanwhile" in done.stderr) == (2, True)
    assert path.read_text() == '{"mcpServers": {"new": {}}}'
    assert backups(path) == []
