"""Commands whose words matter only when they fail."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class CommandFailed(Exception):
    """A command, its exit code, and the end of what it said."""


def quietly(command: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None) -> None:
    """Run a command.

    Raises:
        CommandFailed: its exit code is not 0.
    """
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join(f"{done.stdout}{done.stderr}".strip().splitlines()[-30:])
        raise CommandFailed(f"{' '.join(command)}\nended with {done.returncode}:\n{said}")
