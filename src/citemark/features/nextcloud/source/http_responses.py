"""HTTP responses of a Nextcloud: what a status means before an app sees it, and JSON read as values of known types."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, cast

from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.remote.connections import HttpResponse, retry_after

_MOST_VALUES = 2_000_000
"""Values in one JSON text (commas in strings are counted too); parsed, they take about 150 MB."""

MOST_NUMBER = 2**63 - 1
"""The largest bigint of the database."""

LATEST = 253_402_300_799
"""The end of the year 9999 in seconds, the latest time that Python represents."""


MAINTENANCE_SECONDS = 120.0
"""Seconds to wait for a server in maintenance that names no time: upgrades take minutes."""

_LONGEST = 3600.0
"""Seconds of `Retry-After` that are believed: after an hour a server is asked again whatever it said."""

_WAIT_STATUS = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.LOCKED, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)

_MAINTENANCE_HEADER = "x-nextcloud-maintenance-mode"
_MAINTENANCE_XML = b"ServerMaintenanceMode"


class ResponseTooLarge(SkippableSourceError):
    """A response has more bytes than allowed."""


def json_in(reply: HttpResponse) -> Any:
    """Parse the body of a response as JSON.

    Raises:
        RetriableSourceError: it is not JSON, for instance because the response was cut off.
        SkippableSourceError: it contains more values than any listing does.
    """
    if sum(map(reply.body.count, (b",", b":", b"[", b"{"))) > _MOST_VALUES:
        raise SkippableSourceError(f"The answer of {reply.url} holds more than {_MOST_VALUES:,} values.")
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError):
        raise RetriableSourceError(f"The answer of {reply.url} is not JSON; it is requested again later.") from None


def object_in(value: object) -> Mapping[str, Any]:
    """Return a JSON object; an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def array_in(value: object) -> Sequence[Any]:
    """Return a JSON array; an empty one for anything else."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def list_in(value: object, what: str) -> Sequence[Any]:
    """Return a JSON array that says what exists, so that anything else must not be taken for an empty one.

    PHP encodes an array with gaps in its numbering as an object whose keys are numbers.

    Raises:
        RetriableSourceError: it is something else; `what` was requested.
    """
    if isinstance(value, dict) and value and all(str(key).isdecimal() for key in cast("Mapping[str, Any]", value)):
        return tuple(cast("Mapping[str, Any]", value).values())
    if not isinstance(value, list):
        raise RetriableSourceError(
            f"The server answered with something other than {what}; it is requested again later."
        )
    return cast("Sequence[Any]", value)


def text_in(value: object) -> str:
    """Return a JSON string without NUL and lone surrogates, which databases reject; "" for anything else."""
    if not isinstance(value, str):
        return ""
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def line_in(value: object) -> str:
    """Return a JSON string as one line."""
    return " ".join(text_in(value).split())


def number_in(value: object, *, most: int = MOST_NUMBER) -> int:
    """Return a JSON number that is an integer from 0 to `most`; 0 for anything else."""
    number = value if isinstance(value, int) and not isinstance(value, bool) else 0
    return number if 0 <= number <= most else 0


def id_in(value: object) -> str | None:
    """Return a JSON number that can be an id, in digits; None for anything else."""
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_NUMBER
    return str(value) if usable else None


class MaintenanceMode(RetriableSourceError):
    """The administrators are working on the server, so there is no point in an immediate retry."""


class Locked(RetriableSourceError):
    """The server is reading or writing what was asked for, and answers one request at a time."""


def check_response(reply: HttpResponse, method: str) -> HttpResponse:
    """Return the response if an app can interpret it.

    Raises:
        Locked: it is reading or writing the very thing.
        RetriableSourceError: the server is busy, failing or in maintenance, or a proxy answered in its place.
    """
    status = reply.status
    if status == HTTPStatus.SERVICE_UNAVAILABLE and _in_maintenance(reply):
        after = retry_after(reply.headers, longest=_LONGEST)
        raise MaintenanceMode(
            f"The Nextcloud at {reply.url} is in maintenance.", MAINTENANCE_SECONDS if after is None else after
        )
    if status in _WAIT_STATUS or (
        status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.INSUFFICIENT_STORAGE
    ):
        kind = Locked if status == HTTPStatus.LOCKED else RetriableSourceError
        raise kind(
            f"The server answered {status} to {method} {reply.url}.",
            retry_after(reply.headers, longest=_LONGEST),
            reason=f"HTTP {status}",
        )
    if _is_page_of_another(reply, method):
        raise RetriableSourceError(
            f"{reply.url} returned a web page, not data. Open it in a browser to see what it says: whether an app is "
            "missing, or a proxy asks for a login."
        )
    return reply


def _in_maintenance(reply: HttpResponse) -> bool:
    """Tell whether the server is in maintenance. OCS and apps say so in a header, WebDAV in its error body."""
    return _MAINTENANCE_HEADER in reply.headers or _MAINTENANCE_XML in reply.body


def _is_page_of_another(reply: HttpResponse, method: str) -> bool:
    """Tell whether it is a web page. No app is asked for HTML, but a file may be HTML; then it has an ETag."""
    if not reply.headers.get("content-type", "").lower().startswith("text/html"):
        return False
    return not (method in {"GET", "HEAD"} and "/remote.php/" in reply.url and "etag" in reply.headers)
