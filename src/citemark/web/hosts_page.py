"""The page of the hosts: the configuration that each AI program needs, and writing it where the owner sits."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from citemark.cli.install.config_document import document_of
from citemark.cli.install.found_hosts import FoundHost, found_hosts
from citemark.cli.install.hosts import HOSTS, Host
from citemark.cli.install.install_plan import InstallRequest, carried_out, host_named, own_environment, planned
from citemark.cli.install.server_entry import HIDDEN, address_entry, hidden, merged, own_command, without_secrets
from citemark.model.errors import InvalidArgument
from citemark.web.asked import Asked
from citemark.web.begun_work import Work
from citemark.web.rendering import Page

_NAME = "citemark"
_PORT = 8765
"""That of `citemark serve --http` unless it is given."""


async def hosts(asked: Asked) -> Page:
    """Every host that `citemark install` knows, those of this machine first, each with what belongs into its file."""
    if not asked.is_owner:
        return Page("hosts", {"owner": False})
    listed = await asyncio.to_thread(_listed)
    written = next((each for each in listed if each["key"] == asked.text("written")), None)
    return Page("hosts", {"owner": True, "here": asked.is_here, "hosts": listed, "written": written})


async def install_host(asked: Asked, _: Work) -> str:
    """Write the entry into the configuration of a host of this machine; where to go next.

    Raises:
        InvalidArgument: the browser is elsewhere, there is no such host, or its configuration does not take it.
    """
    if not asked.is_here:
        raise InvalidArgument("A host is configured from the machine that it is on: open this page there.")
    host = host_named(asked.text("host"))

    def write() -> None:
        plan = planned(InstallRequest(host.key), host)
        if plan.changed:
            carried_out(plan)

    await asyncio.to_thread(write)
    return "/hosts?" + urlencode({"written": host.key})


def _listed() -> list[dict[str, Any]]:
    found = {each.host.key: each for each in found_hosts()}
    environment = hidden(own_environment())
    entries = [_entry(host, found.get(host.key), environment) for host in HOSTS]
    return sorted(entries, key=lambda each: not each["found"])


def _entry(host: Host, found: FoundHost | None, environment: Mapping[str, str]) -> dict[str, Any]:
    return {
        "key": host.key,
        "title": host.title,
        "found": found is not None,
        "config": "" if found is None else str(found.config),
        "names": [] if found is None else list(found.names),
        "wrong": "" if found is None else found.wrong,
        "text": _text(host, environment),
        "command": f"citemark install {host.key}" + ("" if host.commands or host.form == "none" else " --http"),
        "needs_server": not host.commands,
        "writes": host.commands and host.form != "none",
        "then": host.then,
        "docs": host.docs,
    }


def _text(host: Host, environment: Mapping[str, str]) -> str:
    """What the configuration of a host needs to hold, with secrets masked; its address if it has no file."""
    if host.form == "none":
        return f"http://127.0.0.1:{_PORT}/mcp"
    if host.commands:
        entry = merged(host, _NAME, None, own_command(), environment)
    else:
        entry = address_entry(host, _NAME, None, _PORT, HIDDEN)
    return without_secrets(document_of(host, "").with_entry(_NAME, entry))
