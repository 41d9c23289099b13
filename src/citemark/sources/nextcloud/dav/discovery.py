"""Where an account's collections are: well-known address, principal, home (RFC 6764, 5397)."""

from contextlib import suppress
from http import HTTPStatus

from citemark.model.errors import FatalSourceError, RetriableSourceError
from citemark.sources.nextcloud.dav.asking import hrefs_in, request
from citemark.sources.nextcloud.dav.hrefs import base_path
from citemark.sources.nextcloud.dav.kinds import CollectionKind
from citemark.sources.nextcloud.dav.xml import CALDAV, CARDDAV, propfind
from citemark.sources.nextcloud.multistatus import DAV, MalformedMultistatus
from citemark.sources.nextcloud.webdav import WebDav

_ROOT = "/remote.php/dav/"
_HOMES = {"c": CALDAV, "r": CARDDAV}


async def find_home(dav: WebDav, kind: CollectionKind) -> str:
    """The path of the collection that holds the account's collections of a kind.

    Raises:
        FatalSourceError: the server has none, so the app is not for this account or the host is no such server.
        RetriableSourceError: the server did not answer as it should.
    """
    principal = await _principal(dav, kind)
    prefix, name = kind.home
    reply = await request(dav, "PROPFIND", principal, propfind(f"{prefix}:{name}"), depth=0)
    for response in reply.require_multistatus(f"the home of the {kind.what}").responses:
        for href in hrefs_in(response, _HOMES[prefix], name):
            return href if href.endswith("/") else f"{href}/"
    raise FatalSourceError(f"The server names no home of the {kind.what} for {dav.client.login!r}.")


async def _principal(dav: WebDav, kind: CollectionKind) -> str:
    """The path of the account's principal: over the well-known address, or where Nextcloud has its WebDAV.

    Behind a proxy the well-known address is often missing or leads astray, so it is only the first to be asked.
    """
    with suppress(RetriableSourceError):
        _, principal = await _request_principal(dav, kind.well_known)
        if principal:
            return principal
    status, principal = await _request_principal(dav, f"{base_path(dav.client.server)}{_ROOT}")
    if principal:
        return principal
    raise FatalSourceError(
        f"{dav.client.server} offers no {kind.what} over WebDAV (it answered {status}); check the address of the "
        "server."
    )


async def _request_principal(dav: WebDav, path: str) -> tuple[int, str]:
    """The status and the principal that a path names; "" where it names none."""
    try:
        reply = await request(dav, "PROPFIND", path, propfind("d:current-user-principal"), depth=0)
    except MalformedMultistatus:
        return HTTPStatus.MULTI_STATUS, ""
    found = reply.content.responses if reply.content is not None else ()
    return reply.status, next((href for each in found for href in hrefs_in(each, DAV, "current-user-principal")), "")
