"""Where an account's collections are: well-known address, principal, home (RFC 6764, 5397)."""

from contextlib import suppress
from http import HTTPStatus

from citemark.model.errors import FatalSourceError, RetriableSourceError
from citemark.sources.nextcloud.dav.asking import ask, hrefs_in
from citemark.sources.nextcloud.dav.hrefs import base_path
from citemark.sources.nextcloud.dav.kinds import Kind
from citemark.sources.nextcloud.dav.xml import CALDAV, CARDDAV, propfind
from citemark.sources.nextcloud.multistatus import DAV, MalformedAnswer
from citemark.sources.nextcloud.webdav import WebDav

_ROOT = "/remote.php/dav/"
_HOMES = {"c": CALDAV, "r": CARDDAV}


async def find_home(dav: WebDav, kind: Kind) -> str:
    """The path of the collection that holds the account's collections of a kind.

    Raises:
        FatalSourceError: the server has none, so the app is not for this account or the host is no such server.
        RetriableSourceError: the server did not answer as it should.
    """
    principal = await _principal(dav, kind)
    prefix, name = kind.home
    reply = await ask(dav, "PROPFIND", principal, propfind(f"{prefix}:{name}"), depth=0)
    for response in reply.expected(f"the home of the {kind.what}").responses:
        for href in hrefs_in(response, _HOMES[prefix], name):
            return href if href.endswith("/") else f"{href}/"
    raise FatalSourceError(f"The server names no home of the {kind.what} for {dav.client.login!r}.")


async def _principal(dav: WebDav, kind: Kind) -> str:
    """The path of the account's principal: over the well-known address, or where Nextcloud has its WebDAV.

    Behind a proxy the well-known address is often missing or leads astray, so it is only the first to be asked.
    """
    with suppress(RetriableSourceError):
        _, principal = await _asked(dav, kind.well_known)
        if principal:
            return principal
    status, principal = await _asked(dav, f"{base_path(dav.client.server)}{_ROOT}")
    if principal:
        return principal
    raise FatalSourceError(
        f"{dav.client.server} offers no {kind.what} over WebDAV (it answered {status}); check the address of the "
        "server."
    )


async def _asked(dav: WebDav, path: str) -> tuple[int, str]:
    """The status and the principal that a path names; "" where it names none."""
    try:
        reply = await ask(dav, "PROPFIND", path, propfind("d:current-user-principal"), depth=0)
    except MalformedAnswer:
        return HTTPStatus.MULTI_STATUS, ""
    found = reply.content.responses if reply.content is not None else ()
    return reply.status, next((href for each in found for href in hrefs_in(each, DAV, "current-user-principal")), "")
