"""The file that says what a backup holds: written last, so that a folder without it is no backup."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from citemark.model.backup import Counts, Manifest, Stored
from citemark.model.errors import ConfigurationError
from citemark.store.embedded.data_folder import write_whole

FILE = "manifest.json"
FORMAT = 1
"""Raised when a reader of the form before cannot restore a backup; unknown fields alone are no reason."""

_BLOCK = 2**20


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write it into the folder of the backup, whose other files are on disk."""
    write_whole(folder / FILE, json.dumps({"format": FORMAT, **asdict(manifest)}, indent=2) + "\n")


def described(folder: Path, names: tuple[str, ...]) -> dict[str, Stored]:
    """Files of a folder with their sizes and digests."""
    return {name: Stored((folder / name).stat().st_size, _digest(folder / name)) for name in names}


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup, every file of which is as it was written.

    Raises:
        ConfigurationError: the folder is not a backup, was interrupted or damaged, or is of a newer form.
    """
    try:
        written = json.loads((folder / FILE).read_text("utf-8"))
        manifest = _manifest(written)
    except FileNotFoundError:
        raise ConfigurationError(
            f"{folder} is not a complete backup: {FILE} is missing. One that was interrupted has to be made again."
            if folder.is_dir()
            else f"There is no backup at {folder}: the folder does not exist."
        ) from None
    except (OSError, ValueError, TypeError, KeyError):
        raise ConfigurationError(f"{folder / FILE} cannot be read, so that nothing can be restored from it.") from None
    wrong = [problem for name, stored in manifest.files.items() if (problem := _problem(folder / name, stored))]
    if wrong:
        raise ConfigurationError(f"The backup in {folder} is damaged: {'; '.join(wrong)}.", files=wrong)
    return manifest


def _manifest(written: Mapping[str, Any]) -> Manifest:
    if written["format"] > FORMAT:
        raise ConfigurationError(
            f"This backup was made by Citemark {written.get('citemark', 'of a newer version')}, which writes them in a "
            "form that this version does not know; restore it with that version."
        )
    if written["kind"] not in {"cluster", "dump"}:
        raise ValueError(written["kind"])
    files = {str(name): Stored(int(each["size"]), str(each["sha256"])) for name, each in written["files"].items()}
    if not files or any(Path(name).name != name for name in files):
        raise ValueError(files)
    return Manifest(
        kind=written["kind"],
        made_at=str(written["made_at"]),
        citemark=str(written["citemark"]),
        postgres=int(written["postgres"]),
        schema=int(written["schema"]),
        counts=Counts(**{each.name: int(written["counts"][each.name]) for each in fields(Counts)}),
        files=files,
    )


def _problem(path: Path, stored: Stored) -> str:
    """What is wrong with a file, in words; "" if nothing is."""
    try:
        size = path.stat().st_size
        if size != stored.size:
            return f"{path.name} has {size} of {stored.size} bytes"
        return "" if _digest(path) == stored.sha256 else f"{path.name} has been changed"
    except FileNotFoundError:
        return f"{path.name} is missing"
    except OSError as error:
        return f"{path.name} cannot be read ({error.strerror})"


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
