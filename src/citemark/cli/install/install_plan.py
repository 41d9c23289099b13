"""The change to a host's configuration: what it would be, and making it."""

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from citemark.cli.install.config_document import Document, document_of
from citemark.cli.install.config_file import ConfigFile
from citemark.cli.install.entry_shape import SECRET_KEYS
from citemark.cli.install.found_hosts import surroundings
from citemark.cli.install.host_program import run_quietly
from citemark.cli.install.hosts import HOSTS, Host
from citemark.cli.install.server_entry import (
    BRIDGE,
    SERVE,
    address_entry,
    checked_name,
    hidden,
    is_our_address,
    is_ours,
    merged,
    needed_environment,
    own_command,
    without_secrets,
)
from citemark.folders import data_dir
from citemark.http_token import http_token
from citemark.model.clock import system_clock
from citemark.model.errors import InvalidArgument
from citemark.settings import load_settings
from citemark.settings_files import settings_files


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """The arguments of `citemark install`; without a `host`, those of this machine are listed and offered."""

    host: str | None
    name: str = "citemark"
    config: Path | None = None
    remove: bool = False
    yes: bool = False
    port: int | None = None
    """The port of a citemark that serves over HTTP; None for one that the host starts."""
    link: bool = False
    """Only print a link that adds the server."""
    bridge: bool = False
    """Let the host start a bridge to the server that runs, rather than a server."""

    @property
    def word(self) -> str:
        """The command of citemark that the host starts."""
        return BRIDGE if self.bridge else SERVE


@dataclass(frozen=True, slots=True)
class Plan:
    """The change: the new text of the file, and the host's own command that makes it, if there is one."""

    host: Host
    name: str
    file: ConfigFile
    text: str
    entry: Mapping[str, Any] | None
    command: tuple[str, ...] | None = None

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        return self.text != self.file.text

    def diff(self) -> str:
        """The lines that change and no others, because the entry of another server may contain keys."""
        path = str(self.file.path)
        old, new = self.file.text.splitlines(), self.text.splitlines()
        lines = "\n".join(difflib.unified_diff(old, new, path, path, lineterm="", n=0))
        return without_secrets(lines)


def planned(request: InstallRequest, host: Host) -> Plan:
    """What a request changes in a host's configuration.

    Raises:
        InvalidArgument: the host is not on this machine, its configuration cannot be read, or it does not take this.
    """
    name = checked_name(request.name)
    here = surroundings()
    path = (request.config or host.config(here)).expanduser().absolute()
    if request.config is None and not (host.is_there(here) or path.parent.is_dir()):
        raise InvalidArgument(
            f"{host.title} keeps its servers in {path}, and that folder does not exist. Install {host.title} and start "
            "it once, or name the file with --config."
        )
    file = ConfigFile.read(path)
    try:
        document = document_of(host, file.text)
        if request.remove:
            text = _removed(host, document, name, file.text)
            return Plan(host, name, file, text, None, None if request.config else _removing(host, path, name))
        before = document.entry(name)
        if request.port is not None:
            entry = address_entry(host, name, before, request.port, http_token(data_dir(load_settings().data_dir)))
        else:
            before = None if is_our_address(before, host.shape) else before
            entry = merged(host, name, before, own_command(), own_environment(), word=request.word)
        text = file.text if document.entry(name) == entry else document.with_entry(name, entry)
    except InvalidArgument as error:
        raise InvalidArgument(f"{path} was left as it is: {error.message}") from None
    # The host's own command would replace what a person added to an earlier entry.
    command = None if request.config or document.entry(name) is not None else _adding(host, path, name, entry)
    return Plan(host, name, file, text, entry, command)


def _adding(host: Host, path: Path, name: str, entry: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The host's command that adds the entry; None for an entry with secrets, which other accounts could read."""
    if host.program is None or SECRET_KEYS & entry.keys() - {"env"} or hidden(entry["env"]) != entry["env"]:
        return None
    return host.program.adding(path, name, entry)


def _removing(host: Host, path: Path, name: str) -> tuple[str, ...] | None:
    return None if host.program is None else host.program.removing(path, name)


def _removed(host: Host, document: Document, name: str, text: str) -> str:
    before = document.entry(name)
    if before is None:
        return text
    if not (is_ours(before, host.shape) or is_our_address(before, host.shape)):
        raise InvalidArgument(f"its entry {name!r} is not one of citemark's.")
    return document.without(name)


def own_environment() -> dict[str, str]:
    """The environment that a host has to set for the index of this process."""
    settings = load_settings()
    folder = None if settings.database_url is not None else data_dir(settings.data_dir)
    trusted = next((file.path for file in settings_files(os.environ, lambda _: None) if not file.own), None)
    return needed_environment(os.environ, Path.cwd(), folder, trusted)


def carried_out(plan: Plan) -> tuple[Path | None, bool]:
    """Make the change; returns the copy of the previous version, and whether the host's own command made the change."""
    if plan.command is not None:
        backup = plan.file.keep(system_clock())
        if _applied_by_host(plan, plan.command):
            return backup, True
        if backup is not None:
            backup.unlink()
    return plan.file.replace(plan.text, system_clock()), False


def _applied_by_host(plan: Plan, command: tuple[str, ...]) -> bool:
    """Run the host's own command; False if the file does not have the change afterwards."""
    if not run_quietly(command):
        return False
    try:
        after = document_of(plan.host, ConfigFile.read(plan.file.path).text).entry(plan.name)
    except InvalidArgument:
        return False
    if plan.entry is None or not isinstance(after, dict):
        return plan.entry is None and after is None
    written = cast("dict[str, Any]", after)
    return all(written.get(key, {}) == plan.entry[key] for key in ("command", "args", "env"))


def host_named(key: str) -> Host:
    """The host with this key.

    Raises:
        InvalidArgument: there is none; the message lists the nearest.
    """
    for host in HOSTS:
        if host.key == key:
            return host
    near = [host.key for host in HOSTS if key.lower() in host.key or key.lower() in host.title.lower()]
    known = ", ".join(near or [host.key for host in HOSTS])
    heading = "You may mean" if near else "Known"
    raise InvalidArgument(f"There is no host {key!r}. {heading}: {known}. Others take the command `citemark serve`.")
