"""Which server the MCP clients speak to, and how to reach it."""

import os
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
CITEMARK = str(Path(sys.executable).with_name("citemark"))


@dataclass(frozen=True, slots=True)
class Served:
    """A server over stdio whose documents answer `question`. `env` is added to an otherwise bare environment."""

    command: list[str]
    question: str
    env: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def environment(self) -> dict[str, str]:
        """All that the server process sees."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return {**kept, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **self.env}

    @property
    def line(self) -> str:
        """The command as a shell writes it."""
        return shlex.join(self.command)


def double() -> Served:
    """The server with use cases in memory behind it."""
    return Served([sys.executable, "-m", "tests.acceptance.serve_double"], "Which port does the server listen on?")


def index(data_dir: Path) -> Served:
    """The installed command over an index of the sample files."""
    return Served([CITEMARK, "serve"], "Which descaler may be used?", {"CITEMARK_DATA_DIR": str(data_dir)})
