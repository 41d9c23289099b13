"""`citemark install HOST`: show the change, ask, make it, say what to do next.

The host's own command makes the change if there is one for it (`host_program`); otherwise its file is edited.
"""

import difflib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never, cast

from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.install.config_file import ConfigFile
from citemark.cli.install.host_program import run_quietly
from citemark.cli.install.hosts import HOSTS, Host, Surroundings
from citemark.cli.install.json_editor import JsonText
from citemark.cli.install.server_entry import (
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
from citemark.cli.install.toml_editor import TomlText
from citemark.folders import data_dir
from citemark.http_token import http_token
from citemark.model.clock import system_clock
from citemark.model.errors import CitemarkError, InvalidArgument
from citemark.settings import load_settings
from citemark.settings_files import settings_files

_WITH_SECRETS = frozenset({"env", "headers", "http_headers"})


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """The arguments of `citemark install`."""

    host: str
    name: str = "citemark"
    config: Path | None = None
    remove: bool = False
    yes: bool = False
    port: int | None = None
    """The port of a citemark that serves over HTTP; None for one that the host starts."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The change: the new text of the file, and the host's own command that makes it, if there is one."""

    host: Host
    name: str
    file: ConfigFile
    text: str
    entry: Mapping[str, Any] | None
    command: tuple[str, ...] | None = None

    @property
    def changed(self) -> bool:
        return self.text != self.file.text

    def diff(self) -> str:
        """The lines that change and no others, because the entry of another server may contain keys."""
        path = str(self.file.path)
        old, new = self.file.text.splitlines(), self.text.splitlines()
        lines = "\n".join(difflib.unified_diff(old, new, path, path, lineterm="", n=0))
        return without_secrets(lines)


def install_command(run: CommandContext, request: InstallRequest) -> int:
    """Add this citemark to a host's configuration, or remove it; the exit code is 1 if that was declined."""
    try:
        plan = _planned(request)
        return _carry_out(run, request, plan)
    except CitemarkError as error:
        return run.fail(error)


def _planned(request: InstallRequest) -> _Plan:
    host = _host(request.host)
    name = checked_name(request.name)
    here = Surroundings(sys.platform, Path.home(), os.environ)
    path = (request.config or host.config(here)).expanduser().absolute()
    if request.config is None and not path.parent.is_dir():
        raise InvalidArgument(
            f"{host.title} keeps its servers in {path}, and that folder does not exist. Install {host.title} and start "
            "it once, or name the file with --config."
        )
    file = ConfigFile.read(path)
    try:
        document = _document(host, file.text)
        if request.remove:
            text = _removed(document, name, file.text)
            return _Plan(host, name, file, text, None, None if request.config else _removing(host, path, name))
        before = document.entry(name)
        if request.port is not None:
            entry = address_entry(host, before, request.port, http_token(data_dir(load_settings().data_dir)))
        else:
            before = None if is_our_address(before) else before
            entry = merged(before, own_command(), _environment(), typed=host.typed)
        text = file.text if document.entry(name) == entry else document.with_entry(name, entry)
    except InvalidArgument as error:
        raise InvalidArgument(f"{path} was left as it is: {error.message}") from None
    # The host's own command would replace what a person added to an earlier entry.
    command = None if request.config or document.entry(name) is not None else _adding(host, path, name, entry)
    return _Plan(host, name, file, text, entry, command)


def _adding(host: Host, path: Path, name: str, entry: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The host's command that adds the entry; None for an entry with secrets, which other accounts could read."""
    if host.program is None or _WITH_SECRETS & entry.keys() - {"env"} or hidden(entry["env"]) != entry["env"]:
        return None
    return host.program.adding(path, name, entry)


def _removing(host: Host, path: Path, name: str) -> tuple[str, ...] | None:
    return None if host.program is None else host.program.removing(path, name)


def _removed(document: JsonText | TomlText, name: str, text: str) -> str:
    before = document.entry(name)
    if before is None:
        return text
    if not (is_ours(before) or is_our_address(before)):
        raise InvalidArgument(f"its entry {name!r} is not one of citemark's.")
    return document.without(name)


def _environment() -> dict[str, str]:
    settings = load_settings()
    folder = None if settings.database_url is not None else data_dir(settings.data_dir)
    trusted = next((file.path for file in settings_files(os.environ, lambda _: None) if not file.own), None)
    return needed_environment(os.environ, Path.cwd(), folder, trusted)


def _carry_out(run: CommandContext, request: InstallRequest, plan: _Plan) -> int:
    diff = plan.diff()
    if not plan.changed:
        what = "has no such server" if request.remove else "already has this server"
        run.show(_as_dict(request, plan, diff), f"{plan.file.path} {what}; nothing to do.")
        return 0
    if not run.json:
        run.show({}, diff)
    if not request.yes and (run.json or not _agreed(plan)):
        if run.json:
            run.show(_as_dict(request, plan, diff), "")
            return 0
        sys.stderr.write("Nothing was written; --yes writes without asking.\n")
        return FAILED
    backup, by_host = _apply(plan)
    backup_note = f" The previous version is kept in {backup}." if backup is not None else ""
    data = {**_as_dict(request, plan, diff), "written": True, "backup": None if backup is None else str(backup)}
    done = f"{plan.host.title} itself has changed {plan.file.path}." if by_host else f"Written to {plan.file.path}."
    run.show(data | {"by_host": by_host}, f"{done}{backup_note}\n{_next_step(request, plan.host)}")
    return 0


def _next_step(request: InstallRequest, host: Host) -> str:
    return f"{host.title} forgets it at the next start." if request.remove else host.then


def _apply(plan: _Plan) -> tuple[Path | None, bool]:
    """Make the change; returns the copy of the previous version, and whether the host's own command made the change."""
    if plan.command is not None:
        backup = plan.file.keep(system_clock())
        if _applied_by_host(plan, plan.command):
            return backup, True
        if backup is not None:
            backup.unlink()
    return plan.file.replace(plan.text, system_clock()), False


def _applied_by_host(plan: _Plan, command: tuple[str, ...]) -> bool:
    """Run the host's own command; False if the file does not have the change afterwards."""
    if not run_quietly(command):
        return False
    try:
        after = _document(plan.host, ConfigFile.read(plan.file.path).text).entry(plan.name)
    except InvalidArgument:
        return False
    if plan.entry is None or not isinstance(after, dict):
        return plan.entry is None and after is None
    written = cast("dict[str, Any]", after)
    return all(written.get(key, {}) == plan.entry[key] for key in ("command", "args", "env"))


def _agreed(plan: _Plan) -> bool:
    if not sys.stdin.isatty():
        return False
    return input(f"Write this to {plan.file.path}? [y/N] ").strip().lower() in {"y", "yes"}


def _as_dict(request: InstallRequest, plan: _Plan, diff: str) -> dict[str, Any]:
    entry = None
    if plan.entry is not None:
        entry = {key: hidden(value) if key in _WITH_SECRETS else value for key, value in plan.entry.items()}
    return {
        "host": plan.host.key,
        "name": request.name,
        "config": str(plan.file.path),
        "changed": plan.changed,
        "written": False,
        "backup": None,
        "by_host": False,
        "entry": entry,
        "diff": diff,
        "next": _next_step(request, plan.host),
    }


def _document(host: Host, text: str) -> JsonText | TomlText:
    match host.form:
        case "toml":
            return TomlText(text, host.servers)
        case "json" | "jsonc":
            return JsonText(text, host.servers, comments=host.form == "jsonc")
        case _:
            assert_never(host.form)


def _host(key: str) -> Host:
    for host in HOSTS:
        if host.key == key:
            return host
    known = ", ".join(host.key for host in HOSTS)
    raise InvalidArgument(f"There is no host {key!r}. Known: {known}. Others take the command `citemark serve`.")
