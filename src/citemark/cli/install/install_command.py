"""`citemark install HOST`: show the change, ask, make it, say what to do next; without a host, those of this machine.

The host's own command makes the change if there is one for it (`host_program`); otherwise its file is edited.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.install.entry_shape import SECRET_KEYS
from citemark.cli.install.found_hosts import FoundHost, found_hosts
from citemark.cli.install.host_link import link_of
from citemark.cli.install.hosts import HOSTS, Host
from citemark.cli.install.install_plan import (
    InstallRequest,
    Plan,
    carried_out,
    host_named,
    own_environment,
    planned,
)
from citemark.cli.install.server_entry import checked_name, hidden, merged, own_command
from citemark.model.errors import CitemarkError, InvalidArgument

_PORT = 8765
"""That of `citemark serve --http` unless it is given."""


def install_command(run: CommandContext, request: InstallRequest) -> int:
    """Add this citemark to a host's configuration, or remove it; the exit code is 1 if that was declined."""
    try:
        if request.host is None:
            return _offer(run, request)
        host = host_named(request.host)
        if host.form == "none":
            return _explain(run, request, host)
        if request.link:
            link = link_of(host, checked_name(request.name), _linked_entry(host, request))
            run.show({"host": host.key, "link": link}, link)
            return 0
        return _carry_out(run, request, planned(request, host))
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
    environment = own_environment()
    if hidden(environment) != environment:
        raise InvalidArgument("The link would hold a secret of this environment; leave --link out.")
    return merged(host, request.name, None, own_command(), environment, word=request.word)


def _carry_out(run: CommandContext, request: InstallRequest, plan: Plan) -> int:
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
    backup, by_host = carried_out(plan)
    backup_note = f" The previous version is kept in {backup}." if backup is not None else ""
    data = {**_as_dict(request, plan, diff), "written": True, "backup": None if backup is None else str(backup)}
    done = f"{plan.host.title} itself has changed {plan.file.path}." if by_host else f"Written to {plan.file.path}."
    run.show(data | {"by_host": by_host}, f"{done}{backup_note}\n{_next_step(request, plan.host)}")
    return 0


def _next_step(request: InstallRequest, host: Host) -> str:
    return f"{host.title} forgets it at the next start." if request.remove else host.then


def _agreed(plan: Plan) -> bool:
    if not sys.stdin.isatty():
        return False
    return input(f"Write this to {plan.file.path}? [y/N] ").strip().lower() in {"y", "yes"}


def _as_dict(request: InstallRequest, plan: Plan, diff: str) -> dict[str, Any]:
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
