"""The hosts' own commands that add and remove a server: they know their files better than we do.

They are used for an entry that is new and holds no secrets: every account of the machine can read the arguments of
a process, and a host's own command would replace what a person added to an earlier entry.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECONDS = 60.0
"""The commands take one to three seconds; VS Code may unpack an update first."""

_EDITIONS = {"Code": "code", "Code - Insiders": "code-insiders", "VSCodium": "codium"}
"""The program of each edition of VS Code, by the name of its settings folder."""


@dataclass(frozen=True, slots=True)
class HostProgram:
    """How a host's program adds and removes a server.

    Attributes:
        program: its name on PATH, by the configuration file that it writes to.
        add: its arguments that add an entry, by name and entry.
        remove: its arguments that remove an entry, by name; None if it cannot.
    """

    program: Callable[[Path], str]
    add: Callable[[str, Mapping[str, Any]], Sequence[str]]
    remove: Callable[[str], Sequence[str]] | None = None

    def adding(self, config: Path, name: str, entry: Mapping[str, Any]) -> tuple[str, ...] | None:
        """The command line that adds an entry, or None if the program is not on PATH."""
        return self._command(config, self.add(name, entry))

    def removing(self, config: Path, name: str) -> tuple[str, ...] | None:
        """The command line that removes an entry, or None if the program cannot or is not on PATH."""
        return None if self.remove is None else self._command(config, self.remove(name))

    def _command(self, config: Path, arguments: Sequence[str]) -> tuple[str, ...] | None:
        program = shutil.which(self.program(config))
        return None if program is None else (program, *arguments)


def run_quietly(command: Sequence[str]) -> bool:
    """Run a host's program and wait for it; False if it fails. Its output is dropped, since only the file counts."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _variables(entry: Mapping[str, Any]) -> list[str]:
    return [word for name, value in entry["env"].items() for word in ("--env", f"{name}={value}")]


def _claude_add(name: str, entry: Mapping[str, Any]) -> list[str]:
    """The arguments; `--env` takes all words up to the next option, so another option comes before the name."""
    options = [*_variables(entry), "--scope", "user", "--transport", "stdio"]
    return ["mcp", "add", *options, name, "--", entry["command"], *entry["args"]]


def _codex_add(name: str, entry: Mapping[str, Any]) -> list[str]:
    return ["mcp", "add", name, *_variables(entry), "--", entry["command"], *entry["args"]]


CLAUDE = HostProgram(lambda _: "claude", _claude_add, lambda name: ["mcp", "remove", "--scope", "user", name])
CODEX = HostProgram(lambda _: "codex", _codex_add, lambda name: ["mcp", "remove", name])
VSCODE = HostProgram(
    lambda config: _EDITIONS.get(config.parent.parent.name, "code"),
    lambda name, entry: ["--add-mcp", json.dumps({"name": name, **entry})],
)
