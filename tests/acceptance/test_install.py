"""`citemark install` as a person runs it, and the written command started as a host would."""

import json
import os
import pty
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, index
from tests.support.patience import HANG_SECONDS


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    for folder in (".config/Claude", ".codex", ".cursor"):
        (home / folder).mkdir(parents=True)
    return {**index(tmp_path / "data").environment, "HOME": str(home)}


def installed(commands: Commands, host: str, environment: dict[str, str]) -> dict[str, Any]:
    """The entry that `install` wrote."""
    commands.run("install", host, "--yes", env=environment, check=True)
    home = Path(environment["HOME"])
    if host == "codex":
        return tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["citemark"]
    return json.loads((home / ".config/Claude/claude_desktop_config.json").read_text())["mcpServers"]["citemark"]


@pytest.mark.requirement("install-asks-and-keeps-backup")
@pytest.mark.parametrize("host", ["claude-desktop", "codex"])
async def test_the_command_in_a_hosts_configuration_serves_the_tools(
    commands: Commands, host: str, indexed_folder: Path, environment: dict[str, str]
) -> None:
    entry = installed(commands, host, {**environment, "CITEMARK_DATA_DIR": str(indexed_folder)})
    assert Path(entry["command"]).is_absolute()
    # As a host does: from another folder, with little of the environment that `install` saw.
    bare = {name: environment[name] for name in ("PATH", "HOME", "PYTHONPATH")}
    server = StdioServerParameters(
        command=entry["command"], args=entry["args"], env={**bare, **entry["env"]}, cwd=environment["HOME"]
    )
    async with Client(stdio_client(server)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        found = await client.call_tool("kb_search", {"query": "Which descaler may be used?"})
    assert "kb_search" in names
    assert found.structured_content["results"]


@pytest.mark.requirement("install-asks-and-keeps-backup")
@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("\n", False)])
def test_a_person_is_asked_after_the_change_was_shown(answer: str, written: bool, environment: dict[str, str]) -> None:
    controller, terminal = pty.openpty()
    command = [CITEMARK, "install", "cursor"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=terminal, stdout=pipe, stderr=pipe, text=True) as process:
        os.close(terminal)
        os.write(controller, answer.encode())
        shown, _ = process.communicate(timeout=HANG_SECONDS)
    os.close(controller)
    assert shown.index("+++") < shown.index("[y/N]")
    assert (Path(environment["HOME"]) / ".cursor/mcp.json").exists() == written
    assert process.returncode == (0 if written else 1)
