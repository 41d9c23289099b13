"""What a server's answer means before any app looks at it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.remote.connections import retry_after
from citemark.sources.nextcloud.scan_limits import MIB

MOST_BYTES = 32 * MIB
"""Of the answer to a request that is about one thing."""

_MOST_VALUES = 2_000_000
"""Values in one JSON text, commas in its words counted as well: parsed they take some 150 MB at most."""

MOST_NUMBER = 2**63 - 1
LATEST = 253_402_300_799
"""The end of the year 9999, in seconds: the latest time that can be told."""


class ResponseTooLarge(SkippableSourceError):
    """An answer has more bytes than were asked for."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An answer that an app has to judge; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            RetriableSourceError: it is none, as when an answer broke off.
            SkippableSourceError: it holds more values than any listing does.
        """
        if sum(map(self.body.count, (b",", b":", b"[", b"{"))) > _MOST_VALUES:
            raise SkippableSourceError(f"The answer of {self.url} holds more than {_MOST_VALUES:,} values.")
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise RetriableSourceError(f"The answer of {self.url} is no JSON; it is asked again later.") from None

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")


def object_in(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def array_in(value: object) -> Sequence[Any]:
    """A JSON array; an empty one for anything else."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def text_in(value: object) -> str:
    """A JSON string without what no database keeps as text: NUL and halves of characters; "" for anything else."""
    if not isinstance(value, str):
        return ""
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def line_in(value: object) -> str:
    """A JSON string as one line."""
    return " ".join(text_in(value).split())


def number_in(value: object, *, most: int = MOST_NUMBER) -> int:
    """A JSON number as a whole one from 0 to `most`; 0 for anything else."""
    number = value if isinstance(value, int) and not isinstance(value, bool) else 0
    return number if 0 <= number <= most else 0


def id_in(value: object) -> str | None:
    """A JSON number that can be an id, in digits; None for anything else."""
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_NUMBER
    return str(value) if usable else None


_MAINTENANCE = 120.0
_LONGEST = 3600.0
_WAIT_STATUS = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.LOCKED, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)
_MAINTENANCE_HEADER = "x-nextcloud-maintenance-mode"
_MAINTENANCE_XML = b"ServerMaintenanceMode"


class MaintenanceMode(RetriableSourceError):
    """The administrators work on the server; asking again at once helps nobody."""


def check_response(reply: HttpResponse, method: str) -> HttpResponse:
    """The answer, if an app has to judge it.

    Raises:
        RetriableSourceError: the server is busy, broken or in maintenance, or something in between answered for it.
    """
    status = reply.status
    if status == HTTPStatus.SERVICE_UNAVAILABLE and _in_maintenance(reply):
        after = retry_after(reply.headers, longest=_LONGEST)
        raise MaintenanceMode(
            f"The Nextcloud at {reply.url} is in maintenance.", _MAINTENANCE if after is None else after
        )
    if status in _WAIT_STATUS or (
        status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.INSUFFICIENT_STORAGE
    ):
        raise RetriableSourceError(
            f"The server answered {status} to {method} {reply.url}.",
            retry_after(reply.headers, longest=_LONGEST),
            reason=f"HTTP {status}",
        )
    if _is_page_of_another(reply, method):
        raise RetriableSourceError(
            f"A web page came in place of an answer of {reply.url}: something between here and the server asks for a "
            "login, or the app is not there."
        )
    return reply


def _in_maintenance(reply: HttpResponse) -> bool:
    """OCS and apps say so in a header, DAV in its error; neither says it in both."""
    return _MAINTENANCE_HEADER in reply.headers or _MAINTENANCE_XML in reply.body


def _is_page_of_another(reply: HttpResponse, method: str) -> bool:
    """Nothing that apps ask for is HTML, but a file may be: then it has an ETag."""
    if not reply.headers.get("content-type", "").lower().startswith("text/html"):
        return False
    return not (method in {"GET", "HEAD"} and "/remote.php/" in reply.url and "etag" in reply.headers)
