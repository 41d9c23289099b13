"""The hosts that `citemark install` knows: where each keeps its list of MCP servers, and in which format."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citemark.cli.install.host_program import CLAUDE, CODEX, VSCODE, HostProgram

Form = Literal["json", "jsonc", "toml"]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The facts that decide where a host keeps its files: `sys.platform`, the home folder and the environment."""

    platform: str
    home: Path
    environ: Mapping[str, str]

    @property
    def settings_root(self) -> Path:
        """Where desktop programs keep settings: Application Support, %APPDATA% or ~/.config."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return self.folder("APPDATA", self.home / "AppData" / "Roaming")
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")

    def folder(self, variable: str, otherwise: Path) -> Path:
        """The folder that an environment variable names, if it is set."""
        named = self.environ.get(variable)
        return Path(named).expanduser().absolute() if named else otherwise


@dataclass(frozen=True, slots=True)
class Host:
    """One program that starts MCP servers.

    `typed`: an entry has a key for its type. `headers`: the key of the headers in an entry for an address, or None if
    the configuration takes no addresses. `program`: the host's own command, if it has one that can add servers.
    """

    key: str
    title: str
    form: Form
    servers: str
    typed: bool
    config: Callable[[Surroundings], Path]
    then: str
    headers: str | None = "headers"
    program: HostProgram | None = None


def _claude_desktop(here: Surroundings) -> Path:
    """The configuration; a packaged Windows app reads it from its container, whatever is at the usual path."""
    if here.platform == "win32":
        packages = here.folder("LOCALAPPDATA", here.home / "AppData" / "Local") / "Packages"
        for package in sorted(packages.glob("Claude_*")):
            return package / "LocalCache" / "Roaming" / "Claude" / "claude_desktop_config.json"
    return here.settings_root / "Claude" / "claude_desktop_config.json"


def _vscode(here: Surroundings) -> Path:
    editions = ("Code", "Code - Insiders", "VSCodium")
    found = next((name for name in editions if (here.settings_root / name).is_dir()), editions[0])
    return here.settings_root / found / "User" / "mcp.json"


HOSTS: tuple[Host, ...] = (
    Host(
        key="claude-desktop",
        title="Claude Desktop",
        form="json",
        servers="mcpServers",
        typed=False,
        config=_claude_desktop,
        then="Quit Claude Desktop from its menu (closing the window is not enough) and start it again.",
        headers=None,
    ),
    Host(
        key="claude-code",
        title="Claude Code",
        form="json",
        servers="mcpServers",
        typed=True,
        config=lambda here: here.folder("CLAUDE_CONFIG_DIR", here.home) / ".claude.json",
        then="Begin a new session of Claude Code; /mcp shows the server.",
        program=CLAUDE,
    ),
    Host(
        key="vscode",
        title="VS Code",
        form="jsonc",
        servers="servers",
        typed=True,
        config=_vscode,
        then="In VS Code run `MCP: List Servers`, start the server there and confirm that you trust it.",
        program=VSCODE,
    ),
    Host(
        key="cursor",
        title="Cursor",
        form="jsonc",
        servers="mcpServers",
        typed=True,
        config=lambda here: here.home / ".cursor" / "mcp.json",
        then="Restart Cursor, and see under MCP in its settings that the server is switched on.",
    ),
    Host(
        key="codex",
        title="Codex",
        form="toml",
        servers="mcp_servers",
        typed=False,
        config=lambda here: here.folder("CODEX_HOME", here.home / ".codex") / "config.toml",
        then="Restart Codex; /mcp shows the server.",
        headers="http_headers",
        program=CODEX,
    ),
)
