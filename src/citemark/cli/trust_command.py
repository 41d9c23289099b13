"""`citemark trust`: which settings files that came with a folder are read."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from citemark.cli.command_context import CommandContext
from citemark.model.errors import CitemarkError, InvalidArgument
from citemark.settings import Settings
from citemark.settings_files import SETTINGS_FILE, TrustStore, digest, read_small

_HIDDEN = "********"


def trust_command(run: CommandContext, path: Path | None, *, remove: bool) -> int:
    """Trust a file, stop trusting it, or without a path list what is trusted; returns the exit code."""
    try:
        store = TrustStore.of_this_user()
        if path is None:
            return _list(run, store)
        file = path.expanduser().absolute()
        file = file / SETTINGS_FILE if file.is_dir() else file
        return _remove(run, store, file) if remove else _add(run, store, file)
    except CitemarkError as error:
        return run.fail(error)


def _add(run: CommandContext, store: TrustStore, file: Path) -> int:
    content = read_small(file)
    try:
        values = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"{file} cannot be read: {error}") from None
    store.add(file, content)
    shown = {name: _shown(name, value) for name, value in values.items()}
    lines = [f"Trusted until it changes: {file}", *(f"  {name} = {value}" for name, value in shown.items())]
    run.show({"trusted": str(file), "settings": shown}, "\n".join(lines))
    return 0


def _remove(run: CommandContext, store: TrustStore, file: Path) -> int:
    if not store.remove(file):
        raise InvalidArgument(f"{file} was not trusted.")
    run.show({"removed": str(file)}, f"No longer trusted: {file}")
    return 0


def _list(run: CommandContext, store: TrustStore) -> int:
    states = {path: _state(Path(path), trusted_digest) for path, trusted_digest in store.all().items()}
    data = {"trusted": [{"path": path, "state": state} for path, state in states.items()]}
    run.show(data, "\n".join(f"{path} ({state})" for path, state in states.items()) or "Nothing is trusted.")
    return 0


def _state(path: Path, trusted_digest: str) -> str:
    try:
        return "read" if digest(read_small(path)) == trusted_digest else "changed, not read"
    except CitemarkError:
        return "missing"


def _shown(name: str, value: Any) -> str:
    """A value as it may be shown, with secrets masked."""
    field = Settings.model_fields.get(name)
    secret = field is not None and SecretStr in getattr(field.annotation, "__args__", (field.annotation,))
    return _HIDDEN if secret else str(value)
