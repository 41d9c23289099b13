"""Finds an account's collections: well-known address, principal, home, list (RFC 6764, 5397)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from citemark.features.nextcloud.source.dav.api import CALDAV, CALENDAR_SERVER, CARDDAV, propfind
from citemark.features.nextcloud.source.dav.kinds import CollectionKind
from citemark.features.nextcloud.source.links import base_path, name_of
from citemark.features.nextcloud.source.multistatus import DAV, MalformedMultistatus, MultistatusEntry
from citemark.features.nextcloud.source.webdav import WebDav, hrefs_in, request
from citemark.model.errors import FatalSourceError, RetriableSourceError

_ROOT = "/remote.php/dav/"
_HOMES = {"c": CALDAV, "r": CARDDAV}


_NAMESPACES = {"c": CALDAV, "r": CARDDAV}
_COMPONENTS = "supported-calendar-component-set"


async def find_home(dav: WebDav, kind: CollectionKind) -> str:
    """Return the path of the collection that contains the account's collections of a kind.

    Raises:
        FatalSourceError: none was found: the app is disabled for this account, or the host is not a Nextcloud.
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
    """Find the path of the account's principal: by the well-known address, or where Nextcloud has its WebDAV.

    Behind a proxy the well-known address is often missing or wrong, so failures there are ignored.
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
    """Return the status and the principal that a path names; "" where it names none."""
    try:
        reply = await request(dav, "PROPFIND", path, propfind("d:current-user-principal"), depth=0)
    except MalformedMultistatus:
        return HTTPStatus.MULTI_STATUS, ""
    found = reply.content.responses if reply.content is not None else ()
    return reply.status, next((href for each in found for href in hrefs_in(each, DAV, "current-user-principal")), "")


@dataclass(frozen=True, slots=True)
class Collection:
    """A calendar or address book. `token` and `ctag` change with anything in it; either may be missing."""

    href: str
    label: str
    token: str = ""
    ctag: str = ""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return name_of(self.href)


async def list_collections(dav: WebDav, kind: CollectionKind, home: str) -> Sequence[Collection] | None:
    """List the collections of a kind in a home, sorted by path; None if the home does not exist (any more).

    Raises:
        RetriableSourceError: the server did not list them.
        SkippableSourceError: it lists more than is read.
    """
    body = propfind(
        "d:resourcetype", "d:displayname", "d:sync-token", "cs:getctag", "c:supported-calendar-component-set"
    )
    reply = await request(dav, "PROPFIND", home, body, depth=1)
    if reply.status in (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN, HTTPStatus.GONE):
        return None
    found = [
        _collection(each) for each in reply.require_multistatus(f"the {kind.what}").responses if _wanted(each, kind)
    ]
    return sorted(found, key=lambda collection: collection.href)


def _wanted(response: MultistatusEntry, kind: CollectionKind) -> bool:
    prefix, _, local = kind.resource.partition(":")
    if f"{{{_NAMESPACES[prefix]}}}{local}" not in response.kinds(DAV, "resourcetype"):
        return False
    if kind.skipped(name_of(response.href)):
        return False
    names = {each.name.upper() for each in response.inside(CALDAV, _COMPONENTS)}
    return not names or bool(names & set(kind.components))


def _collection(response: MultistatusEntry) -> Collection:
    href = response.href if response.href.endswith("/") else f"{response.href}/"
    return Collection(
        href=href,
        label=response.text(DAV, "displayname") or name_of(href),
        token=response.text(DAV, "sync-token"),
        ctag=response.text(CALENDAR_SERVER, "getctag"),
    )
