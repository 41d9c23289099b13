"""Starts the person's own programs for a file or an address: the editor at a line, and the desktop's opener."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from citemark.model.errors import InvalidArgument

_PLUS_LINE = frozenset(
    {"vi", "vim", "nvim", "view", "gvim", "vimx", "nano", "pico", "emacs", "emacsclient", "gedit", "micro", "kak"}
)
_COLON_LINE = frozenset({"subl", "sublime_text", "zed", "zeditor", "hx", "helix"})
_GOTO = frozenset({"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})
_LINE_OPTION = frozenset({"kate"})


def editor_command(environment: Mapping[str, str], file: Path, line: int | None) -> list[str]:
    """The command that opens a file in the person's editor, at the line if the editor is known to take one.

    Raises:
        InvalidArgument: no editor is named, or the one that is named cannot be found.
    """
    named = next((name for name in ("VISUAL", "EDITOR") if environment.get(name, "").strip()), None)
    if named is None:
        raise InvalidArgument(
            '--editor starts what VISUAL or EDITOR names; set one, as in EDITOR=nano or "code --wait".'
        )
    try:
        words = shlex.split(environment[named])
    except ValueError:
        raise InvalidArgument(f"{named} has a quotation mark that nothing closes; set it to a command.") from None
    if not words or shutil.which(words[0], path=environment.get("PATH")) is None:
        raise InvalidArgument(
            f"{named} names {environment[named]!r}, which is no program on PATH; set it to one that is."
        )
    return [*words, *_at_line(Path(words[0]).name, str(file), line)]


def _at_line(program: str, file: str, line: int | None) -> Sequence[str]:
    if line is None:
        return [file]
    if program in _PLUS_LINE:
        return [f"+{line}", file]
    if program in _COLON_LINE:
        return [f"{file}:{line}"]
    if program in _GOTO:
        return ["--goto", f"{file}:{line}"]
    if program in _LINE_OPTION:
        return ["--line", str(line), file]
    return [file]


def desktop_command(environment: Mapping[str, str], what: str, platform: str = sys.platform) -> list[str]:
    """The command that has the desktop open a file or an address.

    Raises:
        InvalidArgument: this machine has no such command.
    """
    opener = "open" if platform == "darwin" else "xdg-open"
    if shutil.which(opener, path=environment.get("PATH")) is None:
        raise InvalidArgument(f"There is no {opener} on PATH; open it yourself: {what}", opens=what)
    return [opener, what]


def run_program(command: Sequence[str]) -> int:
    """Run a command in this terminal, wait for it, and return its exit code."""
    try:
        return subprocess.run(command, check=False, env=os.environ.copy()).returncode
    except OSError as error:
        raise InvalidArgument(f"{command[0]} cannot be started: {error.strerror}.") from None
