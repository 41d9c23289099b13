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
import tomlkit

from citemark.app.main import open_index
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
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # without the hosts that this machine may have
    monkeypatch.setattr(sys, "platform", "linux")
    return place


@pytest.fixture
def install(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(host: str, **asked: Any) -> Done:
        context = CommandContext(open_index, json=asked.pop("json", False))
        code = install_command(context, InstallRequest(host, **asked))
        shown = capsys.readouterr()
        return Done(code, shown.out, shown.err)

    return run


def entries(host: str, path: Path) -> dict[str, Any]:
    text = path.read_text()
    document = tomllib.loads(text) if host == "codex" else json.loads(text)
    return document[SERVERS.get(host, "mcpServers")]


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.*.bak"))


@pytest.mark.requirement("install-asks-and-keeps-backup")
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


@pytest.mark.requirement("install-asks-and-keeps-backup")
@pytest.mark.parametrize(
    ("host", "text", "says"),
    [
        ("claude-desktop", '{\n  "mcpServers": {},\n}\n', "line 2"),
        ("claude-code", '{"mcpServers": []}', "not an object"),
        ("vscode", '{"servers": {"citemark": {"url": "https://example.org"}}}', "--name"),
        ("cursor", '{"mcpServers": {', "line 1"),
        ("codex", "[mcp_servers.x\n", "line 1"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_untouched(
    host: str, text: str, says: str, home: Path, install: Run
) -> None:
    path = home / PLACES[host]
    path.write_text(text)
    done = install(host, yes=True)
    assert (done.returncode, says in done.stderr, "left as it is" in done.stderr) == (2, True, True), done.stderr
    assert path.read_text() == text
    assert backups(path) == []


@pytest.mark.requirement("install-asks-and-keeps-backup")
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


@pytest.mark.requirement("one-server-by-a-bridge")
@pytest.mark.parametrize("host", PLACES)
def test_a_host_can_be_led_to_the_server_that_runs_and_back(host: str, home: Path, install: Run) -> None:
    path = home / PLACES[host]
    for asked, word in (({}, "serve"), ({"bridge": True}, "bridge"), ({}, "serve"), ({"bridge": True}, "bridge")):
        assert install(host, yes=True, **asked).returncode == 0
        assert entries(host, path)["citemark"]["args"] == [word]
        assert "CITEMARK_DATA_DIR" in entries(host, path)["citemark"]["env"]
    assert install(host, yes=True, remove=True).returncode == 0
    assert "citemark" not in path.read_text()


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


def test_a_file_that_changed_before_the_person_confirmed_is_not_overwritten(
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
    assert (done.returncode, "changed in the meantime" in done.stderr) == (2, True)
    assert path.read_text() == '{"mcpServers": {"new": {}}}'
    assert backups(path) == []


_FAKE = """#!{python}
import json, pathlib, sys
here = pathlib.Path(__file__)
here.with_suffix(".called").write_text(json.dumps(sys.argv[1:]))
if here.with_suffix(".writes").exists():
    pathlib.Path({config!r}).write_text(here.with_suffix(".writes").read_text())
raise SystemExit({code})
"""


@pytest.fixture
def program(home: Path, tmp_path: Path) -> Callable[..., Path]:
    """Put a host's program on PATH that records its arguments, writes the configuration and exits with a code."""

    def make(name: str, host: str, text: str | None, code: int = 0) -> Path:
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(_FAKE.format(python=sys.executable, config=str(home / PLACES[host]), code=code))
        file.chmod(0o755)
        if text is not None:
            file.with_suffix(".writes").write_text(text)
        return file.with_suffix(".called")

    return make


def _entry(data_dir: Path, *, typed: bool) -> dict[str, Any]:
    citemark = str(Path(sys.executable).parent / "citemark")
    entry = {
        "command": citemark,
        "args": ["serve"],
        "env": {"CITEMARK_TOOLS": "core", "CITEMARK_DATA_DIR": str(data_dir)},
    }
    return {"type": "stdio", **entry} if typed else entry


@pytest.mark.requirement("install-asks-and-keeps-backup")
@pytest.mark.parametrize("host", ["claude-code", "codex", "vscode"])
def test_a_hosts_own_command_adds_a_new_server_and_takes_it_back(
    host: str, home: Path, install: Run, tmp_path: Path, program: Callable[..., Path]
) -> None:
    entry = _entry(tmp_path / "data", typed=host != "codex")
    env = ["--env", "CITEMARK_TOOLS=core", "--env", f"CITEMARK_DATA_DIR={tmp_path / 'data'}"]
    start = ["--", entry["command"], "serve"]
    name, added, taken = {
        "claude-code": (
            "claude",
            ["mcp", "add", *env, "--scope", "user", "--transport", "stdio", "handbook", *start],
            ["mcp", "remove", "--scope", "user", "handbook"],
        ),
        "codex": ("codex", ["mcp", "add", "handbook", *env, *start], ["mcp", "remove", "handbook"]),
        "vscode": ("code", ["--add-mcp", json.dumps({"name": "handbook", **entry})], None),
    }[host]
    (home / PLACES[host]).write_text("" if host == "codex" else "{}")
    with_entry = tomlkit.dumps if host == "codex" else json.dumps
    called = program(name, host, with_entry({SERVERS.get(host, "mcpServers"): {"handbook": entry}}))
    done = install(host, yes=True, name="handbook")
    assert done.returncode == 0, done.stderr
    assert json.loads(called.read_text()) == added
    assert "itself" in done.stdout
    assert len(backups(home / PLACES[host])) == 1
    called.with_suffix(".writes").write_text("" if host == "codex" else "{}")
    called.unlink()
    assert install(host, yes=True, name="handbook", remove=True).returncode == 0
    assert (json.loads(called.read_text()) if called.exists() else None) == taken


@pytest.mark.requirement("install-asks-and-keeps-backup")
@pytest.mark.parametrize(("text", "code"), [(None, 0), ("{}", 1), ('{"mcpServers": {"citemark": {}}}', 0)])
def test_the_file_is_edited_where_the_hosts_command_does_not_do_what_it_should(
    text: str | None, code: int, home: Path, install: Run, program: Callable[..., Path]
) -> None:
    path = home / PLACES["claude-code"]
    path.write_text("{}")
    called = program("claude", "claude-code", text, code)
    done = install("claude-code", yes=True)
    assert called.exists()
    if text is not None and text != "{}":
        assert (done.returncode, "changed in the meantime" in done.stderr) == (2, True)
        return
    assert done.returncode == 0, done.stderr
    assert entries("claude-code", path)["citemark"]["args"] == ["serve"]
    assert [kept.read_text() for kept in backups(path)] == ["{}"]


@pytest.mark.requirement("install-asks-and-keeps-backup")
def test_a_secret_is_never_an_argument_of_a_hosts_command(
    home: Path, install: Run, program: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    called = program("claude", "claude-code", None)
    monkeypatch.setenv("CITEMARK_DATABASE_URL", "postgresql://me:secret@db/x")
    assert install("claude-code", yes=True).returncode == 0
    assert install("claude-code", yes=True, name="web", port=8765).returncode == 0
    assert not called.exists()
    assert set(entries("claude-code", home / PLACES["claude-code"])) == {"citemark", "web"}
