"""`citemark install HOST`: show the change, ask, make it, say what to do next; without a host, those of this machine.

The host's own command makes the change if there is one for it (`host_program`); otherwise its file is edited.
"""

import difflib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.install.config_document import Document, document_of
from citemark.cli.install.config_file import ConfigFile
from citemark.cli.install.entry_shape import SECRET_KEYS
from citemark.cli.install.found_hosts import FoundHost, found_hosts, surroundings
from citemark.cli.install.host_link import link_of
from citemark.cli.install.host_program import run_quietly
from citemark.cli.install.hosts import HOSTS, Host
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
from citemark.folders import data_dir
from citemark.http_token import http_token
from citemark.model.clock import system_clock
from citemark.model.errors import CitemarkError, InvalidArgument
from citemark.settings import load_settings
from citemark.settings_files import settings_files

_PORT = 8765
"""That of `citemark serve --http` unless it is given."""


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
        if request.host is None:
            return _offer(run, request)
        host = _host(request.host)
        if host.form == "none":
            return _explain(run, request, host)
        if request.link:
            link = link_of(host, checked_name(request.name), _linked_entry(host, request))
            run.show({"host": host.key, "link": link}, link)
            return 0
        return _carry_out(run, request, _planned(request, host))
    except CitemarkError as error:
        return run.fail(error)


def _offer(run: CommandContext, request: InstallRequest) -> int:
    """List the hosts of this machine, and ask about each whose entry would change, if a person sits there.

    Raises:
        InvalidArgument: an option needs a host.
    """
    if request.config is not None or request.link:
        raise InvalidArgument("--config and --link need a host: `citemark install HOST`.")
    found = found_hosts()
    run.show({"hosts": [_found_data(each) for each in found]}, _found_text(found))
    if run.json or not (request.yes or sys.stdin.isatty()):
        return 0
    wanted = [each for each in found if not each.wrong and bool(each.names) == request.remove]
    codes = [install_command(run, replace(request, host=each.host.key)) for each in wanted if _can(each.host, request)]
    return max(codes, default=0)


def _can(host: Host, request: InstallRequest) -> bool:
    return request.remove or (host.commands if request.port is None else host.shape.url is not None)


def _found_data(found: FoundHost) -> dict[str, Any]:
    return {
        "host": found.host.key,
        "config": str(found.config),
        "names": list(found.names),
        **({"wrong": found.wrong} if found.wrong else {}),
    }


def _found_text(found: Sequence[FoundHost]) -> str:
    others = ", ".join(host.key for host in HOSTS if host.key not in {each.host.key for each in found})
    lines = [f"  {each.host.key:<16}{_state(each)}  ({each.config})" for each in found]
    heading = (
        "AI programs on this machine:" if found else "No AI program that Citemark knows was found on this machine."
    )
    return "\n".join([heading, *lines, f"`citemark install HOST` adds it to one; it knows too: {others}."])


def _state(found: FoundHost) -> str:
    if found.wrong:
        return f"cannot be read: {found.wrong}"
    return f"has it as {', '.join(found.names)}" if found.names else "does not have it"


def _explain(run: CommandContext, request: InstallRequest, host: Host) -> int:
    """Say what a person has to enter in a host that has no configuration file."""
    url = f"http://127.0.0.1:{request.port or _PORT}/mcp"
    if request.remove:
        text = f"Remove {url} where it was added: {host.then}"
    else:
        text = (
            f"{host.title} has no file that could be changed. Start `citemark serve --http`, which prints the token.\n"
            f"{host.then}\n  URL   {url}\n  Auth  Bearer, with the token\n({host.docs})"
        )
    run.show({"host": host.key, "url": url, "changed": False, "written": False, "next": host.then}, text)
    return 0


def _linked_entry(host: Host, request: InstallRequest) -> dict[str, Any]:
    """The entry of a link.

    Raises:
        InvalidArgument: it would hold a secret, which links are no place for.
    """
    if request.port is not None:
        raise InvalidArgument("A link for --http would hold the token; leave --link out.")
    environment = _environment()
    if hidden(environment) != environment:
        raise InvalidArgument("The link would hold a secret of this environment; leave --link out.")
    return merged(host, request.name, None, own_command(), environment)


def _planned(request: InstallRequest, host: Host) -> _Plan:
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
            return _Plan(host, name, file, text, None, None if request.config else _removing(host, path, name))
        before = document.entry(name)
        if request.port is not None:
            entry = address_entry(host, name, before, request.port, http_token(data_dir(load_settings().data_dir)))
        else:
            before = None if is_our_address(before, host.shape) else before
            entry = merged(host, name, before, own_command(), _environment())
        text = file.text if document.entry(name) == entry else document.with_entry(name, entry)
    except InvalidArgument as error:
        raise InvalidArgument(f"{path} was left as it is: {error.message}") from None
    # The host's own command would replace what a person added to an earlier entry.
    command = None if request.config or document.entry(name) is not None else _adding(host, path, name, entry)
    return _Plan(host, name, file, text, entry, command)


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
        after = document_of(plan.host, ConfigFile.read(plan.file.path).text).entry(plan.name)
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
        entry = {key: hidden(value) if key in SECRET_KEYS else value for key, value in plan.entry.items()}
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


def _host(key: str) -> Host:
    for host in HOSTS:
        if host.key == key:
            return host
    near = [host.key for host in HOSTS if key.lower() in host.key or key.lower() in host.title.lower()]
    known = ", ".join(near or [host.key for host in HOSTS])
    heading = "You may mean" if near else "Known"
    raise InvalidArgument(f"There is no host {key!r}. {heading}: {known}. Others take the command `citemark serve`.")
