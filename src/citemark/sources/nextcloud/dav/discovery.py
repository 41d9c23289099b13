"""Where an account's collections are: well-known address, principal, home (RFC 6764, 5397)."""

from contextlib import suppress
from http import HTTPStatus
from urllib.parse import urljoin, urlsplit

from citemark.model.errors import FatalSourceError, RetriableSourceError
from citemark.sources.nextcloud.dav.asking import ask, multistatus
from citemark.sources.nextcloud.dav.hrefs import base_path, canonical, origin_of
from citemark.sources.nextcloud.dav.kinds import Kind
from citemark.sources.nextcloud.dav.xml import CALDAV, CARDDAV, DAV, propfind, read_multistatus
from citemark.sources.nextcloud.http import Client

_ROOT = "/remote.php/dav/"
_MOVED = frozenset({301, 302, 303, 307, 308})
_MOST_HOPS = 5
_HOMES = {"c": CALDAV, "r": CARDDAV}


async def find_home(client: Client, kind: Kind) -> str:
    """The path of the collection that holds the account's collections of a kind.

    Raises:
        FatalSourceError: the server has none, so the app is not for this account or the host is no such server.
        RetriableSourceError: the server did not answer as it should.
    """
    principal = await _principal(client, kind)
    prefix, name = kind.home
    reply = await ask(client, "PROPFIND", principal, propfind(f"{prefix}:{name}"), depth=0)
    for response in multistatus(reply, f"the home of the {kind.what}").responses:
        for href in response.hrefs(_HOMES[prefix], name):
            return href if href.endswith("/") else f"{href}/"
    raise FatalSourceError(f"The server names no home of the {kind.what} for {client.login!r}.")


async def _principal(client: Client, kind: Kind) -> str:
    """The path of the account's principal: over the well-known address, or where Nextcloud has its WebDAV.

    Behind a proxy the well-known address is often missing or leads astray, so it is only the first to be asked.
    """
    with suppress(RetriableSourceError):
        _, principal = await _asked(client, kind.well_known)
        if principal:
            return principal
    status, principal = await _asked(client, f"{base_path(client.server)}{_ROOT}")
    if principal:
        return principal
    raise FatalSourceError(
        f"{client.server} offers no {kind.what} over WebDAV (it answered {status}); check the address of the server."
    )


async def _asked(client: Client, start: str) -> tuple[int, str]:
    """The last status and the principal that a path names; "" where it names none."""
    path, status = start, 0
    for _ in range(_MOST_HOPS):
        reply = await ask(client, "PROPFIND", path, propfind("d:current-user-principal"), depth=0)
        status = reply.status
        if status in _MOVED:
            # A redirect answers PROPFIND too, and must not be turned into a GET; credentials never leave the host.
            target = _joined(f"{origin_of(client.server)}{path}", reply.headers.get("location", ""))
            if urlsplit(target).hostname != urlsplit(client.server).hostname:
                return status, ""
            path = canonical(target)
            continue
        if status != HTTPStatus.MULTI_STATUS:
            return status, ""
        return status, _named(reply.body)
    return status, ""


def _joined(url: str, location: str) -> str:
    """Where a redirect leads; "" for what is no address."""
    try:
        target = urljoin(url, location)
        urlsplit(target)
    except ValueError:
        return ""
    return target


def _named(body: bytes) -> str:
    try:
        responses = read_multistatus(body).responses
    except RetriableSourceError:
        return ""
    return next((href for each in responses for href in each.hrefs(DAV, "current-user-principal")), "")
