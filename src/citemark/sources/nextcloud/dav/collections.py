"""The collections in a home, and how far each has come."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from citemark.sources.nextcloud.dav.asking import request
from citemark.sources.nextcloud.dav.hrefs import name_of
from citemark.sources.nextcloud.dav.kinds import CollectionKind
from citemark.sources.nextcloud.dav.xml import CALDAV, CALENDAR_SERVER, CARDDAV, propfind
from citemark.sources.nextcloud.multistatus import DAV, MultistatusEntry
from citemark.sources.nextcloud.webdav import WebDav

_NAMESPACES = {"c": CALDAV, "r": CARDDAV}
_COMPONENTS = "supported-calendar-component-set"


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
    """The collections of a kind in a home, by their paths; None when there is no such home (any more).

    Raises:
        RetriableSourceError: the server did not list them.
        SkippableSourceError: it lists more than is read.
    """
    asked = propfind(
        "d:resourcetype", "d:displayname", "d:sync-token", "cs:getctag", "c:supported-calendar-component-set"
    )
    reply = await request(dav, "PROPFIND", home, asked, depth=1)
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
