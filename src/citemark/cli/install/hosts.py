"""The hosts that `citemark install` knows: where each keeps its list of MCP servers, and in which format."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from citemark.cli.install.entry_shape import STANDARD, EntryShape
from citemark.cli.install.host_program import CLAUDE, CODEX, VSCODE, HostProgram

Form = Literal["json", "jsonc", "toml", "yaml", "yaml list", "none"]
LinkForm = Literal["vscode", "cursor", "lmstudio"]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The facts that decide where a host keeps its files: `sys.platform`, the folders and the environment."""

    platform: str
    home: Path
    environ: Mapping[str, str]
    working_folder: Path = Path()

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
    """One program that starts MCP servers, or connects to them.

    Attributes:
        key: its name for `citemark install`.
        title: its name.
        form: the language of its configuration; `none` if it has no file, and a person enters the address.
        servers: the member that holds the entries; `a/b` is the member b of the member a.
        config: its configuration.
        then: what to do after a change.
        docs: the page of its documentation that describes all of that.
        shape: the form of an entry.
        commands: whether it starts servers itself.
        signs: what is there if it is installed; the folder of its configuration by default.
        program: its own command, if it has one that can add servers.
        link: the form of a link that adds a server; None if there is none.
    """

    key: str
    title: str
    form: Form
    servers: str
    config: Callable[[Surroundings], Path]
    then: str
    docs: str
    shape: EntryShape = STANDARD
    commands: bool = True
    signs: Callable[[Surroundings], Sequence[Path]] | None = None
    program: HostProgram | None = None
    link: LinkForm | None = None

    def is_there(self, here: Surroundings) -> bool:
        """Whether this machine has it."""
        found = [self.config(here).parent] if self.signs is None else self.signs(here)
        return self.form != "none" and any(path.exists() for path in found)


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


def _vscode_folder(here: Surroundings) -> Path:
    return _vscode(here).parent


def _librechat(here: Surroundings) -> Path:
    """The file in the folder of a deployment, which is where its owner runs this."""
    return here.working_folder / "librechat.yaml"


def _opencode(here: Surroundings) -> Path:
    """The one of its two names that is there; a new file may have comments."""
    folder = here.folder("XDG_CONFIG_HOME", here.home / ".config") / "opencode"
    return next(
        (folder / name for name in ("opencode.json", "opencode.jsonc") if (folder / name).exists()),
        folder / "opencode.json",
    )


def _zed(here: Surroundings) -> Path:
    root = here.folder("XDG_CONFIG_HOME", here.home / ".config") if here.platform == "linux" else here.home / ".config"
    return root / "zed" / "settings.json"


def _goose(here: Surroundings) -> Path:
    if here.platform == "win32":
        return here.settings_root / "Block" / "goose" / "config" / "config.yaml"
    return here.folder("XDG_CONFIG_HOME", here.home / ".config") / "goose" / "config.yaml"


_ROO = "globalStorage/rooveterinaryinc.roo-cline"
_TYPED = EntryShape(type="stdio", address_type="http")
_OPENCODE = EntryShape(type="local", address_type="remote", joined=True, env="environment")
_OPENCODE_1 = replace(_OPENCODE, constants={"enabled": True})

HOSTS: tuple[Host, ...] = (
    Host(
        key="claude-desktop",
        title="Claude Desktop",
        form="json",
        servers="mcpServers",
        config=_claude_desktop,
        then="Quit Claude Desktop from its menu (closing the window is not enough) and start it again.",
        docs="https://modelcontextprotocol.io/docs/develop/connect-local-servers",
        shape=EntryShape(url=None),
    ),
    Host(
        key="claude-code",
        title="Claude Code",
        form="json",
        servers="mcpServers",
        config=lambda here: here.folder("CLAUDE_CONFIG_DIR", here.home) / ".claude.json",
        then="Begin a new session of Claude Code; /mcp shows the server.",
        docs="https://code.claude.com/docs/en/mcp",
        shape=_TYPED,
        signs=lambda here: (here.folder("CLAUDE_CONFIG_DIR", here.home) / ".claude.json", here.home / ".claude"),
        program=CLAUDE,
    ),
    Host(
        key="vscode",
        title="VS Code",
        form="jsonc",
        servers="servers",
        config=_vscode,
        then="In VS Code run `MCP: List Servers`, start the server there and confirm that you trust it.",
        docs="https://code.visualstudio.com/docs/copilot/customization/mcp-servers",
        shape=_TYPED,
        program=VSCODE,
        link="vscode",
    ),
    Host(
        key="cursor",
        title="Cursor",
        form="jsonc",
        servers="mcpServers",
        config=lambda here: here.home / ".cursor" / "mcp.json",
        then="Restart Cursor, and see under MCP in its settings that the server is switched on.",
        docs="https://cursor.com/docs/context/mcp",
        link="cursor",
    ),
    Host(
        key="codex",
        title="Codex",
        form="toml",
        servers="mcp_servers",
        config=lambda here: here.folder("CODEX_HOME", here.home / ".codex") / "config.toml",
        then="Restart Codex; /mcp shows the server.",
        docs="https://developers.openai.com/codex/mcp",
        shape=EntryShape(headers="http_headers"),
        program=CODEX,
    ),
    Host(
        key="gemini-cli",
        title="Gemini CLI",
        form="jsonc",
        servers="mcpServers",
        config=lambda here: here.home / ".gemini" / "settings.json",
        then="Restart Gemini CLI; /mcp shows the server.",
        docs="https://geminicli.com/docs/tools/mcp-server/",
        shape=EntryShape(url="httpUrl"),
    ),
    Host(
        key="qwen-code",
        title="Qwen Code",
        form="jsonc",
        servers="mcpServers",
        config=lambda here: here.home / ".qwen" / "settings.json",
        then="Restart Qwen Code; /mcp shows the server.",
        docs="https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/",
        shape=EntryShape(url="httpUrl"),
    ),
    Host(
        key="opencode",
        title="opencode",
        form="jsonc",
        servers="mcp/servers",
        config=_opencode,
        then="Restart opencode; `opencode mcp list` shows the server.",
        docs="https://opencode.ai/docs/mcp-servers/",
        shape=_OPENCODE,
    ),
    Host(
        key="opencode-1",
        title="opencode 1",
        form="jsonc",
        servers="mcp",
        config=_opencode,
        then="Restart opencode; `opencode mcp list` shows the server.",
        docs="https://opencode.ai/v1/docs/mcp-servers/",
        shape=_OPENCODE_1,
        signs=lambda _: (),
    ),
    Host(
        key="copilot-cli",
        title="Copilot CLI",
        form="json",
        servers="mcpServers",
        config=lambda here: here.home / ".copilot" / "mcp-config.json",
        then="Restart Copilot CLI; `/mcp show` lists the server.",
        docs="https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
        shape=EntryShape(type="local", address_type="http", constants={"tools": ["*"]}),
    ),
    Host(
        key="cline",
        title="Cline",
        form="json",
        servers="mcpServers",
        config=lambda here: here.home / ".cline" / "data" / "settings" / "cline_mcp_settings.json",
        then="In Cline open MCP Servers > Configure; the server is listed there.",
        docs="https://docs.cline.bot/mcp/mcp-overview",
        shape=EntryShape(address_type="streamableHttp", constants={"disabled": False}),
        signs=lambda here: (here.home / ".cline",),
    ),
    Host(
        key="roo",
        title="Roo Code",
        form="json",
        servers="mcpServers",
        config=lambda here: _vscode_folder(here) / _ROO / "settings" / "mcp_settings.json",
        then="In Roo Code open the MCP settings; the server is listed there.",
        docs="https://docs.roocode.com/features/mcp/using-mcp-in-roo",
        shape=EntryShape(address_type="streamable-http", constants={"disabled": False}),
        signs=lambda here: (_vscode_folder(here) / _ROO,),
    ),
    Host(
        key="windsurf",
        title="Windsurf",
        form="json",
        servers="mcpServers",
        config=lambda here: here.home / ".codeium" / "windsurf" / "mcp_config.json",
        then="In Windsurf refresh the list of MCP servers in Cascade.",
        docs="https://docs.windsurf.com/windsurf/cascade/mcp",
        shape=EntryShape(url="serverUrl"),
    ),
    Host(
        key="zed",
        title="Zed",
        form="jsonc",
        servers="context_servers",
        config=_zed,
        then="In Zed open the settings of the agent panel; the server has a green dot there.",
        docs="https://zed.dev/docs/ai/mcp",
    ),
    Host(
        key="goose",
        title="Goose",
        form="yaml",
        servers="extensions",
        config=_goose,
        then="Begin a new session of Goose.",
        docs="https://block.github.io/goose/docs/guides/config-files",
        shape=EntryShape(
            type="stdio",
            address_type="streamable_http",
            command="cmd",
            env="envs",
            url="uri",
            constants={"enabled": True, "timeout": 300},
            named=True,
        ),
    ),
    Host(
        key="lm-studio",
        title="LM Studio",
        form="json",
        servers="mcpServers",
        config=lambda here: here.home / ".lmstudio" / "mcp.json",
        then="In LM Studio open the Program tab, where the server can be switched on.",
        docs="https://lmstudio.ai/docs/app/mcp",
        link="lmstudio",
    ),
    Host(
        key="continue",
        title="Continue",
        form="yaml list",
        servers="mcpServers",
        config=lambda here: here.home / ".continue" / "config.yaml",
        then="Reload the window of the editor; Continue uses MCP servers in agent mode.",
        docs="https://docs.continue.dev/customize/deep-dives/mcp",
        shape=EntryShape(url=None, named=True),
    ),
    Host(
        key="junie",
        title="Junie (JetBrains)",
        form="json",
        servers="mcpServers",
        config=lambda here: here.home / ".junie" / "mcp" / "mcp.json",
        then="In the IDE open Settings > Tools > Junie > MCP Settings; the server is listed there.",
        docs="https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html",
        shape=EntryShape(url=None),
        signs=lambda here: (here.home / ".junie",),
    ),
    Host(
        key="kiro",
        title="Kiro",
        form="json",
        servers="mcpServers",
        config=lambda here: here.home / ".kiro" / "settings" / "mcp.json",
        then="In Kiro open the MCP panel; the server connects by itself.",
        docs="https://kiro.dev/docs/mcp/configuration/",
        shape=EntryShape(constants={"disabled": False}),
        signs=lambda here: (here.home / ".kiro",),
    ),
    Host(
        key="warp",
        title="Warp",
        form="json",
        servers="mcpServers",
        config=lambda here: here.home / ".warp" / ".mcp.json",
        then="In Warp open Settings > Agents > MCP servers, and start the server there.",
        docs="https://docs.warp.dev/agents/capabilities/mcp",
    ),
    Host(
        key="amp",
        title="Amp",
        form="jsonc",
        servers="amp.mcpServers",
        config=lambda here: here.home / ".config" / "amp" / "settings.json",
        then="Restart Amp; `amp mcp list` shows the server.",
        docs="https://ampcode.com/manual",
    ),
    Host(
        key="librechat",
        title="LibreChat",
        form="yaml",
        servers="mcpServers",
        config=_librechat,
        then="Restart LibreChat.",
        docs="https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/mcp_servers",
        shape=EntryShape(type="stdio", address_type="streamable-http"),
        signs=lambda here: (_librechat(here),),
    ),
    Host(
        key="open-webui",
        title="Open WebUI",
        form="none",
        servers="",
        config=lambda here: here.home,
        then="In Open WebUI open Admin Settings > External Tools and add a server of the type MCP (Streamable HTTP).",
        docs="https://docs.openwebui.com/features/mcp",
        commands=False,
    ),
)
