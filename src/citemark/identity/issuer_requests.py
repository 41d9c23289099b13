"""What an authorization server is sent by one of its clients: forms, with the client's credentials."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode

from citemark.remote.connections import BodyTooLarge, Connections, DeadlineExceeded, HttpRequest, Timeouts, Unreachable

TIMEOUTS = Timeouts(connect=3, silence=5, total=8)
"""Somebody waits for the answer, so it must end well before `tool_timeout`."""

_MOST_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class IssuerClient:
    """A client that is registered at an authorization server; without a secret, it is a public one."""

    client_id: str
    secret: str | None = None

    @property
    def credentials(self) -> str:
        """The value of the Authorization header (RFC 6749, 2.3.1: both are form-encoded first)."""
        pair = f"{quote(self.client_id, safe='')}:{quote(self.secret or '', safe='')}"
        return f"Basic {base64.b64encode(pair.encode()).decode()}"


async def post_form(
    connections: Connections, url: str, fields: Mapping[str, str], client: IssuerClient
) -> tuple[int, Mapping[str, Any]] | None:
    """The status of an answer and the JSON object in it; None if no such answer came.

    A public client has no credentials to send; it names itself among the fields.
    """
    headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
    if client.secret is None:
        fields = {**fields, "client_id": client.client_id}
    else:
        headers["authorization"] = client.credentials
    request = HttpRequest("POST", url, headers, content=urlencode(fields).encode(), most_bytes=_MOST_BYTES)
    try:
        response = await connections.send(request, TIMEOUTS)
        said: Any = json.loads(response.body)
    except (Unreachable, DeadlineExceeded, BodyTooLarge, ValueError, RecursionError):
        return None
    return (response.status, cast("dict[str, Any]", said)) if isinstance(said, dict) else None
