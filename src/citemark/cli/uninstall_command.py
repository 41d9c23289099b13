"""`citemark uninstall`: what Citemark has put on this machine, with sizes; each part goes after a question."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.consent import Mode
from citemark.cli.counting import counted
from citemark.cli.install.found_hosts import found_hosts
from citemark.cli.install.install_command import install_command
from citemark.cli.install.install_plan import InstallRequest
from citemark.cli.own_install import remove_command
from citemark.cli.service.running import running_on
from citemark.cli.service.service_command import remove_service, service_file
from citemark.cli.service.stop_command import stop
from citemark.folders import config_dir, data_dir
from citemark.model.errors import BackendUnavailable, CitemarkError
from citemark.settings import load_settings

_OWN = ("postgres", "http.token", "http.sock", "secret.key", "families*.json")
"""What Citemark writes into the folder of an index; anything else there belongs to somebody else."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something on this machine: what it is, its size in bytes if it has one, and what removes it (the exit code)."""

    what: str
    size: int | None
    remove: Callable[[], int]

    @property
    def text(self) -> str:
        """The part with its size."""
        return self.what if self.size is None else f"{self.what}, {self.size / 1e6:,.1f} MB"


def uninstall_command(run: CommandContext, mode: Mode) -> int:
    """Show the parts, and remove each one that the person agrees to; the exit code is 1 if nobody can be asked."""
    try:
        parts = _parts(run)
        program = _program_line()
        heading = (
            f"Citemark has {counted(len(parts), 'part')} on this machine:"
            if parts
            else "Citemark has left nothing here."
        )
        run.show(
            {"parts": [{"what": part.what, "bytes": part.size} for part in parts], "program": program},
            "\n".join([heading, *(f"  {part.text}" for part in parts), "", program]),
        )
        if mode.dry_run or not parts or (run.json and not mode.yes):
            return 0
        if not mode.yes and not sys.stdin.isatty():
            sys.stderr.write("Nothing was removed; --yes removes without asking.\n")
            return FAILED
        # One JSON object on stdout: what the removals say goes to stderr then.
        with redirect_stdout(sys.stderr) if run.json else nullcontext():
            codes = [part.remove() for part in parts if mode.yes or _agreed(part)]
    except CitemarkError as error:
        return run.fail(error)
    return max(codes, default=0)


def _agreed(part: Part) -> bool:
    return input(f"Remove {part.text}? [y/N] ").strip().lower() in {"y", "yes"}


def _parts(run: CommandContext) -> list[Part]:
    """Hosts first, so that none starts a server of an index that is gone; the documents themselves are no part."""
    quiet = CommandContext(run.open_index)
    parts = [
        Part(
            f"the entry {name!r} in {found.config}",
            None,
            lambda found=found, name=name: install_command(
                quiet, InstallRequest(found.host.key, name=name, remove=True, yes=True)
            ),
        )
        for found in found_hosts()
        for name in found.names
    ]
    for system in (False, True):
        if sys.platform == "darwin" and system:
            continue
        file = service_file(system=system)
        if file.exists():
            parts.append(Part(f"the service {file}", None, lambda system=system: remove_service(quiet, system=system)))
    settings = load_settings()
    folder = data_dir(settings.data_dir)
    if settings.database_url is not None:
        sys.stderr.write("The database is elsewhere and stays; drop it there.\n")
    elif _owned(folder):
        parts.append(Part(f"the index in {folder}", _bytes_of(_owned(folder)), lambda: _remove_index(run, folder)))
    own = config_dir()
    if own is not None and own.is_dir() and own != folder:
        parts.append(Part(f"the settings in {own}", _bytes_of([own]), lambda: _remove_tree(own)))
    return parts


def _owned(folder: Path) -> Sequence[Path]:
    return [path for pattern in _OWN for path in sorted(folder.glob(pattern))]


def _bytes_of(paths: Sequence[Path]) -> int:
    """The size of files and of folders with everything in them; what cannot be read counts nothing."""
    total = 0
    for path in paths:
        for folder, _, names in os.walk(path) if path.is_dir() else [(path.parent, [], [path.name])]:
            for name in names:
                file = Path(folder) / name
                total += file.lstat().st_size if file.exists() or file.is_symlink() else 0
    return total


def _remove_index(run: CommandContext, folder: Path) -> int:
    """Remove what belongs to Citemark, once no process uses it; the folder goes too if nothing else is in it."""
    stop(folder, everything=True)
    left = running_on(folder)
    if left:
        return run.fail(BackendUnavailable(f"{left[0].text} still uses the index; end it, and run this again."))
    for path in _owned(folder):
        _remove_tree(path)
    rest = list(folder.iterdir()) if folder.is_dir() else []
    if rest:
        sys.stderr.write(f"{folder} stays: {counted(len(rest), 'file')} in it are not Citemark's.\n")
    elif folder.is_dir():
        folder.rmdir()
    return 0


def _remove_tree(path: Path) -> int:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError as error:
        sys.stderr.write(f"{path} cannot be removed: {error.strerror}.\n")
        return FAILED
    return 0


def _program_line() -> str:
    """How the program itself is removed, which it cannot do while it runs."""
    return f"The program itself goes with `{remove_command()}`. Your documents are not touched."
