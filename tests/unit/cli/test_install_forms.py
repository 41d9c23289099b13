"""What `citemark install` writes for each host, in the form that the host's own documentation states."""

import json
import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from citemark.app.main import open_index
from citemark.cli.command_context import CommandContext
from citemark.cli.install.found_hosts import found_hosts
from citemark.cli.install.hosts import HOSTS, Host
from citemark.cli.install.install_command import InstallRequest, install_command

HOST = {host.key: host for host in HOSTS}
PLACES = {
    "claude-desktop": (".config/Claude/claude_desktop_config.json", ("mcpServers",)),
    "claude-code": (".claude.json", ("mcpServers",)),
    "vscode": (".config/Code/User/mcp.json", ("servers",)),
    "cursor": (".cursor/mcp.json", ("mcpServers",)),
    "codex": (".codex/config.toml", ("mcp_servers",)),
    "gemini-cli": (".gemini/settings.json", ("mcpServers",)),
    "qwen-code": (".qwen/settings.json", ("mcpServers",)),
    "opencode": (".config/opencode/opencode.json", ("mcp", "servers")),
    "opencode-1": (".config/opencode/opencode.json", ("mcp",)),
    "copilot-cli": (".copilot/mcp-config.json", ("mcpServers",)),
    "cline": (".cline/data/settings/cline_mcp_settings.json", ("mcpServers",)),
    "roo": (
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        ("mcpServers",),
    ),
    "windsurf": (".codeium/windsurf/mcp_config.json", ("mcpServers",)),
    "zed": (".config/zed/settings.json", ("context_servers",)),
    "goose": (".config/goose/config.yaml", ("extensions",)),
    "lm-studio": (".lmstudio/mcp.json", ("mcpServers",)),
    "continue": (".continue/config.yaml", ("mcpServers",)),
    "junie": (".junie/mcp/mcp.json", ("mcpServers",)),
    "kiro": (".kiro/settings/mcp.json", ("mcpServers",)),
    "warp": (".warp/.mcp.json", ("mcpServers",)),
    "amp": (".config/amp/settings.json", ("amp.mcpServers",)),
    "librechat": ("work/librechat.yaml", ("mcpServers",)),
}
STARTED: dict[str, Callable[[str, dict[str, str]], dict[str, Any]]] = {
    **dict.fromkeys(
        ("claude-desktop", "cursor", "codex", "gemini-cli", "qwen-code"),
        lambda program, env: {"command": program, "args": ["serve"], "env": env},
    ),
    **dict.fromkeys(
        ("windsurf", "zed", "lm-studio", "junie", "warp", "amp"),
        lambda program, env: {"command": program, "args": ["serve"], "env": env},
    ),
    **dict.fromkeys(
        ("claude-code", "vscode", "librechat"),
        lambda program, env: {"type": "stdio", "command": program, "args": ["serve"], "env": env},
    ),
    **dict.fromkeys(
        ("cline", "roo", "kiro"),
        lambda program, env: {"disabled": False, "command": program, "args": ["serve"], "env": env},
    ),
    "opencode": lambda program, env: {"type": "local", "command": [program, "serve"], "environment": env},
    "opencode-1": lambda program, env: {
        "type": "local", "enabled": True, "command": [program, "serve"], "environment": env,
    },
    "copilot-cli": lambda program, env: {
        "type": "local", "tools": ["*"], "command": program, "args": ["serve"], "env": env,
    },
    "goose": lambda program, env: {
        "name": "handbook", "type": "stdio", "enabled": True, "timeout": 300,
        "cmd": program, "args": ["serve"], "envs": env,
    },
    "continue": lambda program, env: {"name": "handbook", "command": program, "args": ["serve"], "env": env},
}  # fmt: skip
URL = "http://127.0.0.1:8765/mcp"
ADDRESSED: dict[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    **dict.fromkeys(
        ("cursor", "zed", "lm-studio", "warp", "amp"), lambda headers: {"url": URL, "headers": headers}
    ),
    **dict.fromkeys(("claude-code", "vscode"), lambda headers: {"type": "http", "url": URL, "headers": headers}),
    **dict.fromkeys(("gemini-cli", "qwen-code"), lambda headers: {"httpUrl": URL, "headers": headers}),
    "codex": lambda headers: {"url": URL, "http_headers": headers},
    "opencode": lambda headers: {"type": "remote", "url": URL, "headers": headers},
    "opencode-1": lambda headers: {"type": "remote", "enabled": True, "url": URL, "headers": headers},
    "copilot-cli": lambda headers: {"type": "http", "tools": ["*"], "url": URL, "headers": headers},
    "cline": lambda headers: {"type": "streamableHttp", "disabled": False, "url": URL, "headers": headers},
    "roo": lambda headers: {"type": "streamable-http", "disabled": False, "url": URL, "headers": headers},
    "kiro": lambda headers: {"disabled": False, "url": URL, "headers": headers},
    "windsurf": lambda headers: {"serverUrl": URL, "headers": headers},
    "goose": lambda headers: {
        "name": "handbook", "type": "streamable_http", "enabled": True, "timeout": 300, "uri": URL, "headers": headers,
    },
    "librechat": lambda headers: {"type": "streamable-http", "url": URL, "headers": headers},
}  # fmt: skip
"""Of the hosts that take addresses."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    (place / "work").mkdir(parents=True)
    for name in [name for name in os.environ if name.startswith(("CITEMARK_", "XDG_", "CLAUDE_", "CODEX_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("CITEMARK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # without the hosts that this machine may have
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.chdir(place / "work")
    return place


def install(capsys: pytest.CaptureFixture[str], host: str | None, **asked: Any) -> tuple[int, str]:
    context = CommandContext(open_index, json=asked.pop("json", False))
    code = install_command(context, InstallRequest(host, **asked))
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def entry_in(host: Host, path: Path, keys: tuple[str, ...], name: str) -> Any:
    text = path.read_text()
    document: Any = {"toml": tomllib.loads, "json": json.loads, "jsonc": json.loads}.get(host.form, yaml.safe_load)(
        text
    )
    for key in keys:
        document = document.get(key, {})
    if host.form == "yaml list":
        return next((each for each in document if each["name"] == name), None)
    return document.get(name)


@pytest.mark.requirement("hosts-in-their-documented-form")
def test_every_host_with_a_file_is_tried_here_and_there_are_twenty() -> None:
    assert set(PLACES) == {host.key for host in HOSTS if host.form != "none"}
    assert len(HOSTS) >= 20
    assert set(STARTED) == set(PLACES)
    assert set(ADDRESSED) == {host.key for host in HOSTS if host.form != "none" and host.shape.url is not None}
    assert all(host.docs.startswith("https://") for host in HOSTS)


@pytest.mark.requirement("hosts-in-their-documented-form")
@pytest.mark.parametrize("key", PLACES)
def test_an_entry_has_the_form_that_the_hosts_documentation_states(
    key: str, home: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    host, (place, keys) = HOST[key], PLACES[key]
    path = home / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if key == "librechat":
        path.write_text("version: 1.2.1\n")
    code, said = install(capsys, key, name="handbook", yes=True)
    assert code == 0, said
    program = str(Path(sys.executable).parent / "citemark")
    expected = STARTED[key](program, {"CITEMARK_TOOLS": "core", "CITEMARK_DATA_DIR": str(tmp_path / "data")})
    assert entry_in(host, path, keys, "handbook") == expected
    assert key == "opencode-1" or key in {found.host.key for found in found_hosts() if "handbook" in found.names}
    if key in ADDRESSED:
        code, said = install(capsys, key, name="handbook", yes=True, port=8765)
        assert code == 0, said
        written = entry_in(host, path, keys, "handbook")
        token = written[host.shape.headers]["Authorization"]
        assert token.startswith("Bearer ")
        assert token.removeprefix("Bearer ") not in said
        assert written == ADDRESSED[key]({"Authorization": token})
    else:
        code, said = install(capsys, key, name="handbook", yes=True, port=8765)
        assert (code, "--http" in said) == (2, True)
    assert install(capsys, key, name="handbook", yes=True, remove=True)[0] == 0
    assert entry_in(host, path, keys, "handbook") is None


@pytest.mark.requirement("install-lists-hosts")
def test_install_alone_lists_the_hosts_of_this_machine_and_adds_to_them_when_asked(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No AI program" in install(capsys, None)[1]
    for folder in (".cursor", ".gemini", ".lmstudio"):
        (home / folder).mkdir()
    (home / ".gemini/settings.json").write_text("{")
    install(capsys, "cursor", yes=True)
    code, said = install(capsys, None)
    assert code == 0
    assert [
        state
        for line in said.splitlines()
        for state in ("has it as citemark", "cannot be read", "does not have it")
        if state in line
    ] == ["has it as citemark", "cannot be read", "does not have it"]
    assert not (home / ".lmstudio/mcp.json").exists()
    answers = iter("y")

    def answered(_question: str) -> str:
        return next(answers)

    monkeypatch.setattr("builtins.input", answered)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert install(capsys, None)[0] == 0
    assert "citemark" in json.loads((home / ".lmstudio/mcp.json").read_text())["mcpServers"]
    assert (home / ".gemini/settings.json").read_text() == "{"


@pytest.mark.requirement("hosts-in-their-documented-form")
def test_open_webui_is_told_what_to_enter(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = install(capsys, "open-webui", port=9000)
    assert code == 0
    assert "http://127.0.0.1:9000/mcp" in said
    assert "Bearer" in said
    assert list(home.rglob("*.json")) == []


@pytest.mark.requirement("install-links")
@pytest.mark.parametrize(
    ("host", "begins"),
    [
        ("vscode", "vscode:mcp/install?%7B%22name%22"),
        ("cursor", "cursor://anysphere.cursor-deeplink/mcp/install?name=citemark&config="),
        ("lm-studio", "lmstudio://add_mcp?name=citemark&config="),
    ],
)
def test_a_link_adds_a_server_and_holds_no_secret(
    host: str, begins: str, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = install(capsys, host, link=True)
    assert code == 0
    assert said.startswith(begins)
    assert list(home.rglob("*.json")) == []
    assert install(capsys, "zed", link=True)[0] == 2
    monkeypatch.setenv("CITEMARK_DATABASE_URL", "postgresql://me:hunter2@db/x")
    code, said = install(capsys, host, link=True)
    assert (code, "hunter2" in said) == (2, False)
