"""The entry of a citemark that serves over HTTP: its address, and the token that it wants."""

import re
from collections.abc import Mapping
from typing import Any, cast

from citemark.cli.install.entry import is_ours
from citemark.cli.install.hosts import Host
from citemark.model.errors import InvalidArgument

_ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost|\[::1\]):\d{1,5}/mcp")
_HEADER = "Authorization"
_HEADERS = ("headers", "http_headers")


def address_entry(host: Host, before: object, port: int, token: str) -> dict[str, Any]:
    """The entry to write; what a person added to an earlier one of this kind stays.

    Raises:
        InvalidArgument: the host's configuration takes no addresses, or the name belongs to another server.
    """
    if host.headers is None:
        raise InvalidArgument(
            f"{host.title} takes no address in its configuration; leave --http out, and it starts a server of its own."
        )
    if before is not None and not (is_ours(before) or is_our_address(before)):
        raise InvalidArgument("Another server has this name there; choose one with --name.")
    kept = dict(cast("dict[str, Any]", before)) if is_our_address(before) else {}
    typed: dict[str, Any] = {"type": "http"} if host.typed else {}
    headers = {**_headers_of(kept), _HEADER: f"Bearer {token}"}
    return {**kept, **typed, "url": f"http://127.0.0.1:{port}/mcp", host.headers: headers}


def is_our_address(entry: object) -> bool:
    """Whether an entry leads to a citemark of this machine."""
    if not isinstance(entry, dict):
        return False
    fields = cast("dict[str, Any]", entry)
    url = fields.get("url")
    return isinstance(url, str) and _ADDRESS.fullmatch(url) is not None and _HEADER in _headers_of(fields)


def _headers_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    found: object = next((entry[name] for name in _HEADERS if name in entry), None)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
