"""Citemark's entry in a host's configuration: a command with its environment, or the address of an HTTP server.

A host starts the server in another folder and with little of today's environment, so the entry names the index.
"""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from citemark.cli.install.entry_shape import STANDARD, EntryShape
from citemark.cli.install.hosts import Host
from citemark.model.errors import ConfigurationError, InvalidArgument
from citemark.settings import Settings

_PREFIX = "CITEMARK_"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SENSITIVE = r"(?:DATABASE_(?:DIRECT_URL|READ_URLS|URL)|KEY|TOKEN|SECRET|PASSWORD|Authorization)"
_SENSITIVE_VALUE = re.compile(rf"""(\w*{_SENSITIVE}\w*["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'{{\[][^\n]*)""")
HIDDEN = "********"
SERVE = "serve"
BRIDGE = "bridge"
_PATHS = ("CITEMARK_CONFIG", "CITEMARK_DATA_DIR")
_PLACES = (*_PATHS, "CITEMARK_DATABASE_URL", "CITEMARK_DATABASE_DIRECT_URL", "CITEMARK_DATABASE_READ_URLS")
_OURS = frozenset({"citemark", "citemark.exe"})
_RUNNERS = frozenset({"uvx", "uvx.exe"})
_OF_A_CACHE = re.compile(r"[/\\](?:archive|environments|builds)-v\d+[/\\]")
"""Folders of uv's cache, from which `uvx` runs programs; `uv cache clean` and updates remove them."""
_ABOUT_UVX = "Type `uvx citemark` for `citemark`, or install it first: uv tool install citemark"


def checked_name(name: str) -> str:
    """The name, if every host accepts it.

    Raises:
        InvalidArgument: it has characters other than letters, digits, hyphens and underscores.
    """
    if not _NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name!r} is not a name that every host accepts; use letters, digits, hyphens and underscores."
        )
    return name


def own_command() -> list[str]:
    """The command that starts this citemark: its absolute path, or uvx with its name if uvx runs it from its cache.

    Symbolic links in the path are kept, because an update changes what they lead to.

    Raises:
        ConfigurationError: Citemark was not started as a command, and there is no such command beside its Python.
    """
    started = Path(sys.argv[0])
    command = str(started) if started.name in _OURS and started.is_file() else None
    command = command or shutil.which("citemark", path=str(Path(sys.executable).parent)) or shutil.which("citemark")
    if command is None:
        raise ConfigurationError("There is no command `citemark` beside this Python or on PATH; install the package.")
    if _is_of_a_cache(command):
        return [shutil.which("uvx") or "uvx", "citemark"]
    return [str(Path(command).absolute())]


def hint_about_uvx() -> str:
    """A line for people whom uvx gave a citemark that is not on their path afterwards; "" for all others."""
    return _ABOUT_UVX if _is_of_a_cache(sys.argv[0]) else ""


def _is_of_a_cache(command: str) -> bool:
    return _OF_A_CACHE.search(os.path.realpath(command)) is not None


CORE = MappingProxyType({"CITEMARK_TOOLS": "core"})
"""A host gives the list of tools to its model with every request, so the short one, unless it is told otherwise."""


def needed_environment(
    environ: Mapping[str, str], working_folder: Path, data_dir: Path | None, trusted: Path | None = None
) -> dict[str, str]:
    """The environment that a host has to set, because it starts the server in another folder with few variables.

    Args:
        environ: the environment of this process; only the settings of citemark are taken from it.
        working_folder: the folder that relative paths in the environment are based on.
        data_dir: the folder of the index, or None if it is in a database elsewhere.
        trusted: the trusted settings file of the working folder, which a server started elsewhere would not find.
    """
    known = {f"{_PREFIX}{name.upper()}" for name in Settings.model_fields}
    needed = {name: value for name, value in environ.items() if name in known and value}
    if "CITEMARK_CONFIG" not in needed and trusted is not None:
        needed["CITEMARK_CONFIG"] = str(trusted)
    if data_dir is not None:
        needed["CITEMARK_DATA_DIR"] = str(data_dir)
    for name in _PATHS:
        if name in needed:
            needed[name] = str(working_folder / Path(needed[name]).expanduser())
    return dict(sorted(needed.items()))


def merged(
    host: Host, name: str, before: object, command: Sequence[str], environment: Mapping[str, str], *, word: str = SERVE
) -> dict[str, Any]:
    """The entry to write: what a person added to an earlier one of ours stays, except what names another index.

    `word` follows the command: `serve` or `bridge`.

    Raises:
        InvalidArgument: the name belongs to another server, or the host takes addresses only.
    """
    if not host.commands:
        raise InvalidArgument(f"{host.title} does not start servers; give --http, and start `citemark serve --http`.")
    existing: dict[str, Any] = {}
    if before is not None:
        if not is_ours(before, host.shape):
            raise InvalidArgument("Another server has this name there; choose one with --name.")
        existing = dict(cast("dict[str, Any]", before))
    old = {key: value for key, value in host.shape.environment_of(existing).items() if key not in _PLACES}
    return host.shape.with_command(existing, name, [*command, word], {**CORE, **old, **environment})


def is_ours(entry: object, shape: EntryShape = STANDARD) -> bool:
    """Whether an entry starts a citemark."""
    if not isinstance(entry, dict):
        return False
    started = shape.command_of(cast("dict[str, Any]", entry))
    if started is None:
        return False
    command, args = started
    program = re.split(r"[/\\]", command)[-1]
    return (program in _OURS or (program in _RUNNERS and "citemark" in args)) and (SERVE in args or BRIDGE in args)


def without_secrets(text: str) -> str:
    """The text to show: values of variables whose names suggest a secret are masked."""
    return _SENSITIVE_VALUE.sub(rf'\1"{HIDDEN}"', text)


def hidden(environment: Mapping[str, Any]) -> dict[str, Any]:
    """The environment to show, masked as by `without_secrets`."""
    return {name: HIDDEN if re.search(_SENSITIVE, name) else value for name, value in environment.items()}


_ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost|\[::1\]):\d{1,5}/mcp")
_HEADER = "Authorization"


def address_entry(host: Host, name: str, before: object, port: int, token: str) -> dict[str, Any]:
    """The entry to write; what a person added to an earlier one of this kind stays.

    Raises:
        InvalidArgument: the host's configuration takes no addresses, or the name belongs to another server.
    """
    if host.shape.url is None:
        raise InvalidArgument(
            f"{host.title} does not accept an address in its configuration; leave --http out, and it starts its own "
            "server."
        )
    shape = host.shape
    if before is not None and not (is_ours(before, shape) or is_our_address(before, shape)):
        raise InvalidArgument("Another server has this name there; choose one with --name.")
    existing = dict(cast("dict[str, Any]", before)) if is_our_address(before, shape) else {}
    headers = {**shape.headers_of(existing), _HEADER: f"Bearer {token}"}
    return shape.with_address(existing, name, f"http://127.0.0.1:{port}/mcp", headers)


def is_our_address(entry: object, shape: EntryShape = STANDARD) -> bool:
    """Whether an entry points to a citemark on this machine."""
    if not isinstance(entry, dict) or shape.url is None:
        return False
    fields = cast("dict[str, Any]", entry)
    url = fields.get(shape.url)
    return isinstance(url, str) and _ADDRESS.fullmatch(url) is not None and _HEADER in shape.headers_of(fields)
