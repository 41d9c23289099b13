"""Links that add a server to a host when they are opened."""

import base64
import json
from collections.abc import Mapping
from typing import Any, assert_never
from urllib.parse import quote, urlencode

from citemark.cli.install.hosts import Host
from citemark.model.errors import InvalidArgument


def link_of(host: Host, name: str, entry: Mapping[str, Any]) -> str:
    """The link that adds an entry.

    Raises:
        InvalidArgument: the host has no such links.
    """
    match host.link:
        case "vscode":
            return "vscode:mcp/install?" + quote(_compact({"name": name, **entry}), safe="")
        case "cursor":
            return "cursor://anysphere.cursor-deeplink/mcp/install?" + _query(name, entry)
        case "lmstudio":
            return "lmstudio://add_mcp?" + _query(name, entry)
        case None:
            raise InvalidArgument(f"{host.title} has no links that add a server; leave --link out.")
        case _:
            assert_never(host.link)


def _query(name: str, entry: Mapping[str, Any]) -> str:
    return urlencode({"name": name, "config": base64.b64encode(_compact(entry).encode()).decode()})


def _compact(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))
