"""`citemark backup` and `citemark restore`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from citemark.cli.command_context import CommandContext, Launcher
from citemark.cli.counting import counted
from citemark.folders import data_dir

if TYPE_CHECKING:
    from citemark.model.backup import Manifest
    from citemark.settings import Settings

_KEY = "secret.key"


def back_up(run: CommandContext, entry: Launcher, folder: Path, keys: Path | None) -> int:
    """Copy the index to a folder, and say what the copy does not hold."""
    folder, keys = _absolute(folder), None if keys is None else _absolute(keys)

    async def work(settings: "Settings") -> int:
        manifest = await entry.back_up(settings, folder, keys)
        lines = [
            f"{_held(manifest)} in {folder}, {manifest.size / 1e6:,.1f} MB.",
            f"To restore it: CITEMARK_DATA_DIR=EMPTY_FOLDER citemark restore {folder}",
        ]
        if keys is not None:
            lines.append(f"The keys are in {keys}; keep them away from the backup, whose passwords they open.")
        elif manifest.counts.passwords and settings.secret_key is None:
            lines.append(
                f"The key of stored passwords, {_key_of(settings)}, is not in it; keep a copy elsewhere (--keys "
                "FOLDER), or accounts have to log in again after a restore."
            )
        run.show({"folder": str(folder), "keys": None if keys is None else str(keys), **asdict(manifest)}, _text(lines))
        return 0

    return run.attempt_without_index(work)


def restore(run: CommandContext, entry: Launcher, folder: Path, keys: Path | None) -> int:
    """Put a backup where the index is to be."""
    folder, keys = _absolute(folder), None if keys is None else _absolute(keys)

    async def work(settings: "Settings") -> int:
        manifest = await entry.restore(settings, folder, keys)
        place = "the database" if settings.database_url is not None else data_dir(settings.data_dir)
        lines = [f"{_held(manifest)} of {manifest.made_at} restored to {place}."]
        if manifest.counts.passwords and settings.secret_key is None and not _key_of(settings).exists():
            lines.append("The key of stored passwords is not here: accounts have to log in again (citemark login).")
        run.show({"folder": str(folder), **asdict(manifest)}, _text(lines))
        return 0

    return run.attempt_without_index(work)


def _key_of(settings: "Settings") -> Path:
    return data_dir(settings.data_dir) / _KEY


def _absolute(path: Path) -> Path:
    return path.expanduser().absolute()


def _held(manifest: "Manifest") -> str:
    counts = manifest.counts
    return f"{counted(counts.documents, 'document')} from {counted(counts.sources, 'source')}"


def _text(lines: list[str]) -> str:
    return "\n".join(lines)
