"""Where hosts keep their servers, and what is written there."""

from pathlib import Path
from typing import Any

import pytest

from citemark.cli.install.hosts import HOSTS, Surroundings
from citemark.cli.install.server_entry import (
    HIDDEN,
    checked_name,
    is_ours,
    merged,
    needed_environment,
    own_command,
    without_secrets,
)
from citemark.model.errors import InvalidArgument

HOST = {host.key: host for host in HOSTS}


@pytest.mark.requirement("install-asks-and-keeps-backup")
@pytest.mark.parametrize(
    ("platform", "host", "place"),
    [
        ("darwin", "claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", "claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("linux", "claude-desktop", ".config/Claude/claude_desktop_config.json"),
        ("linux", "claude-code", ".claude.json"),
        ("darwin", "vscode", "Library/Application Support/Code/User/mcp.json"),
        ("win32", "vscode", "AppData/Roaming/Code/User/mcp.json"),
        ("linux", "vscode", ".config/Code/User/mcp.json"),
        ("win32", "cursor", ".cursor/mcp.json"),
        ("linux", "codex", ".codex/config.toml"),
    ],
)
def test_each_host_has_its_place_on_each_system(tmp_path: Path, platform: str, host: str, place: str) -> None:
    assert HOST[host].config(Surroundings(platform, tmp_path, {})) == tmp_path / place


@pytest.mark.parametrize(
    ("platform", "host", "variable", "place"),
    [
        ("win32", "claude-desktop", "APPDATA", "Claude/claude_desktop_config.json"),
        ("linux", "vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
        ("linux", "claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("darwin", "codex", "CODEX_HOME", "config.toml"),
    ],
)
def test_a_variable_that_moves_the_configuration_is_respected(
    tmp_path: Path, platform: str, host: str, variable: str, place: str
) -> None:
    here = Surroundings(platform, tmp_path, {variable: str(tmp_path / "moved")})
    assert HOST[host].config(here) == tmp_path / "moved" / place


def test_a_packaged_claude_desktop_is_written_to_where_it_reads(tmp_path: Path) -> None:
    package = tmp_path / "Local" / "Packages" / "Claude_pzs8sxrjxfjjc"
    package.mkdir(parents=True)
    here = Surroundings("win32", tmp_path, {"LOCALAPPDATA": str(tmp_path / "Local")})
    expected = package / "LocalCache" / "Roaming" / "Claude" / "claude_desktop_config.json"
    assert HOST["claude-desktop"].config(here) == expected


def test_another_edition_of_vs_code_is_found_when_it_is_the_only_one(tmp_path: Path) -> None:
    (tmp_path / ".config" / "Code - Insiders").mkdir(parents=True)
    found = HOST["vscode"].config(Surroundings("linux", tmp_path, {}))
    assert found == tmp_path / ".config" / "Code - Insiders" / "User" / "mcp.json"


@pytest.mark.requirement("install-asks-and-keeps-backup")
def test_the_environment_leads_to_the_same_index_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "citemark.toml").write_text("min_score = 0.4\n")
    environ = {"CITEMARK_MIN_SCORE": "0.6", "CITEMARK_BENCH_DIR": "/b", "CITEMARK_LOG_LEVEL": "", "HOME": "/h"}
    assert "CITEMARK_CONFIG" not in needed_environment(environ, tmp_path, Path("/var/index"))
    trusted = tmp_path / "citemark.toml"
    assert needed_environment(environ, tmp_path, Path("/var/index"), trusted) == {
        "CITEMARK_CONFIG": str(tmp_path / "citemark.toml"),
        "CITEMARK_DATA_DIR": "/var/index",
        "CITEMARK_MIN_SCORE": "0.6",
    }
    named = needed_environment({"CITEMARK_CONFIG": "conf/c.toml"}, tmp_path, None)
    assert named == {"CITEMARK_CONFIG": str(tmp_path / "conf" / "c.toml")}


def test_additions_to_an_entry_stay_and_references_to_another_index_are_removed() -> None:
    before: dict[str, Any] = {
        "command": "/old/citemark",
        "args": ["serve"],
        "disabled": True,
        "env": {"CITEMARK_DATABASE_URL": "postgresql://old", "LANG": "C"},
    }
    after = merged(HOST["vscode"], "x", before, ["/new/citemark"], {"CITEMARK_DATA_DIR": "/d"})
    assert after == {
        "type": "stdio",
        "command": "/new/citemark",
        "args": ["serve"],
        "disabled": True,
        "env": {"CITEMARK_TOOLS": "core", "LANG": "C", "CITEMARK_DATA_DIR": "/d"},
    }
    assert merged(HOST["vscode"], "x", after, ["/new/citemark"], {"CITEMARK_DATA_DIR": "/d"}) == after


@pytest.mark.parametrize(
    "entry", [{"url": "https://x"}, {"command": "npx", "args": ["citemark", "serve"]}, {"command": "citemark"}, 3]
)
def test_another_server_of_that_name_is_not_taken_over(entry: object) -> None:
    assert not is_ours(entry)
    with pytest.raises(InvalidArgument, match="--name"):
        merged(HOST["cursor"], "x", entry, ["citemark"], {})


def test_our_own_windows_path_is_recognized() -> None:
    assert is_ours({"command": "C:\\tools\\citemark.exe", "args": ["serve"]})


@pytest.mark.parametrize("name", ["", "my server", "a.b", "x" * 65, "ä"])
def test_a_name_that_some_host_refuses_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgument, match="letters"):
        checked_name(name)


@pytest.mark.parametrize(
    "line",
    [
        '+    "CITEMARK_DATABASE_URL": "postgresql://u:hunter2@h/d"',
        '+    "CITEMARK_DATABASE_DIRECT_URL": "postgresql://u:hunter2@h/d"',
        '+    "CITEMARK_DATABASE_READ_URLS": "postgresql://u:hunter2@h/d postgresql://u:hunter2@i/d"',
        "-CITEMARK_EMBEDDING_API_KEY = 'hunter2'",
        '+"OPENAI_API_KEY":"hunter2\\"hunter2", "A": "b"',
        '+env = { "MY_PASSWORD_1" = "hunter2" }',
        "+      Authorization: Bearer hunter2",
    ],
)
def test_no_secret_is_shown(line: str) -> None:
    shown = without_secrets(line)
    assert "hunter2" not in shown
    assert HIDDEN in shown


@pytest.mark.requirement("install-from-uvx-writes-uvx")
def test_a_citemark_run_by_uvx_from_its_cache_is_started_by_uvx(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = tmp_path / "uv" / "archive-v0" / "c9XbT" / "bin" / "citemark"
    cached.parent.mkdir(parents=True)
    cached.write_text("")
    link = tmp_path / "uv" / "environments-v2" / "4711" / "bin"
    link.parent.mkdir(parents=True)
    link.symlink_to(cached.parent)
    runner = tmp_path / "bin" / "uvx"
    runner.parent.mkdir()
    runner.write_text("")
    runner.chmod(0o700)
    monkeypatch.setenv("PATH", str(runner.parent))
    for started in (cached, link / "citemark"):
        monkeypatch.setattr("sys.argv", [str(started), "install", "cursor"])
        assert own_command() == [str(runner), "citemark"]
    entry = merged(HOST["cursor"], "x", None, own_command(), {})
    assert (entry["command"], entry["args"]) == (str(runner), ["citemark", "serve"])
    assert is_ours(entry)
    assert not is_ours({"command": "uvx", "args": ["other", "serve"]})
    monkeypatch.setenv("PATH", "")
    assert own_command() == ["uvx", "citemark"]


def test_an_installed_citemark_is_started_by_its_own_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "citemark"
    installed.write_text("")
    monkeypatch.setattr("sys.argv", [str(installed), "install", "cursor"])
    assert own_command() == [str(installed)]
