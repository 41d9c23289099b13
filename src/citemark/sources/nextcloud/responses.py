"""What a server's answer means before any app looks at it."""

from http import HTTPStatus

from citemark.model.errors import RetriableSourceError
from citemark.sources.nextcloud.http import HttpResponse
from citemark.sources.nextcloud.values import time_in

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
        after = retry_after(reply)
        raise MaintenanceMode(
            f"The Nextcloud at {reply.url} is in maintenance.", _MAINTENANCE if after is None else after
        )
    if status in _WAIT_STATUS or (
        status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.INSUFFICIENT_STORAGE
    ):
        raise RetriableSourceError(
            f"The server answered {status} to {method} {reply.url}.", retry_after(reply), reason=f"HTTP {status}"
        )
    if _is_page_of_another(reply, method):
        raise RetriableSourceError(
            f"A web page came in place of an answer of {reply.url}: something between here and the server asks for a "
            "login, or the app is not there."
        )
    return reply


def retry_after(reply: HttpResponse) -> float | None:
    """Seconds that the server wants to be left alone, an hour at most; None where it names none."""
    value = reply.headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        at, now = time_in(value), time_in(reply.headers.get("date"))
        if at is None or now is None:
            return None
        seconds = (at - now).total_seconds()
    return min(max(seconds, 0.0), _LONGEST) if seconds == seconds else None  # noqa: PLR0124 - "nan" is a float


def _in_maintenance(reply: HttpResponse) -> bool:
    """OCS and apps say so in a header, DAV in its error; neither says it in both."""
    return _MAINTENANCE_HEADER in reply.headers or _MAINTENANCE_XML in reply.body


def _is_page_of_another(reply: HttpResponse, method: str) -> bool:
    """Nothing that apps ask for is HTML, but a file may be: then it has an ETag."""
    if not reply.headers.get("content-type", "").lower().startswith("text/html"):
        return False
    return not (method in {"GET", "HEAD"} and "/remote.php/" in reply.url and "etag" in reply.headers)
