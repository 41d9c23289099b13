"""Requests for the data of resources in collections, and the XML that all requests send."""

import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from lxml import etree

from citemark.features.nextcloud.source.dav.kinds import CollectionKind
from citemark.features.nextcloud.source.links import origin_of
from citemark.features.nextcloud.source.multistatus import DAV, MalformedMultistatus
from citemark.features.nextcloud.source.webdav import WebDav, request
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.remote.connections import HttpRequest

CALDAV = "urn:ietf:params:xml:ns:caldav"
CARDDAV = "urn:ietf:params:xml:ns:carddav"
CALENDAR_SERVER = "http://calendarserver.org/ns/"
OWNCLOUD = "http://owncloud.org/ns"

_PREFIXES = {"d": DAV, "c": CALDAV, "r": CARDDAV, "cs": CALENDAR_SERVER, "oc": OWNCLOUD}

Node = Any
"""An lxml element; its stubs name the class private."""


BATCH = 100
"""Resources per request: some hundred kilobytes of events, and few enough requests for a first sync."""

_NAMESPACES = {"c": CALDAV, "r": CARDDAV}
_ABSENT = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN, HTTPStatus.GONE})
"""Statuses of a collection that is gone, or not visible to this account."""

_WHOLE = re.compile(r"^END:(?:VCALENDAR|VCARD)\s*\Z", re.IGNORECASE | re.MULTILINE)
"""The last line of complete data; a response without a length may be cut off unnoticed."""


def propfind(*names: str) -> bytes:
    """Write a request for properties, each named with its prefix, such as "d:getetag"."""
    return _written(_element("d:propfind", _element("d:prop", *map(_element, names))))


def sync_collection(token: str) -> bytes:
    """Write a request for the changes since a token (RFC 6578)."""
    return _written(
        _element(
            "d:sync-collection",
            _element("d:sync-token", text=token),
            _element("d:sync-level", text="1"),
            _element("d:prop", _element("d:getetag")),
        )
    )


def multiget(report: str, data: str, hrefs: Sequence[str]) -> bytes:
    """Write a request for the data of resources; `report` and `data` have prefixes, such as "c:calendar-multiget"."""
    properties = _element("d:prop", _element("d:getetag"), _element(data))
    return _written(_element(report, properties, *(_element("d:href", text=href) for href in hrefs)))


def _element(name: str, *inside: Node, text: str = "") -> Node:
    prefix, _, local = name.partition(":")
    element = etree.Element(f"{{{_PREFIXES[prefix]}}}{local}", nsmap=_PREFIXES)
    element.extend(inside)
    if text:
        element.text = text
    return element


def _written(root: Node) -> bytes:
    etree.cleanup_namespaces(root)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


class CollectionNotFound(RetriableSourceError):
    """The collection itself does not exist for this account (any more)."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource as this account sees it; another account may see other data under the same etag.

    `too_large` says why there is no data.
    """

    href: str
    etag: str
    data: str
    too_large: str = ""


async def fetch_all(
    dav: WebDav, kind: CollectionKind, collection: str, hrefs: Sequence[str]
) -> AsyncGenerator[Resource]:
    """Yield the resources that exist, in requests of BATCH; missing ones are left out.

    Args:
        dav: of the account.
        kind: of the collection.
        collection: its path.
        hrefs: paths of the resources.

    Raises:
        CollectionNotFound, RetriableSourceError: as of `fetch`.
    """
    for start in range(0, len(hrefs), BATCH):
        for resource in await fetch(dav, kind, collection, hrefs[start : start + BATCH]):
            yield resource


async def fetch(dav: WebDav, kind: CollectionKind, collection: str, hrefs: Sequence[str]) -> list[Resource]:
    """Request one batch. Servers leave out, or mark with 404, what does not exist for this account.

    Raises:
        CollectionNotFound: the collection does not exist, or may not be read.
        RetriableSourceError: the server did not answer as it should.
    """
    if not hrefs:
        return []
    prefix, name = kind.data
    try:
        reply = await request(dav, "REPORT", collection, multiget(kind.report, f"{prefix}:{name}", hrefs), depth=1)
    except (SkippableSourceError, MalformedMultistatus):
        # The batch is too large for one response, or one resource makes the whole response unreadable.
        return await _halves(dav, kind, collection, hrefs)
    if reply.status in _ABSENT:
        raise CollectionNotFound(f"The server answered {reply.status} when asked for the data in {collection}.")
    responses = reply.require_multistatus(f"the data of {kind.what}").responses
    wanted = set(hrefs)
    data = f"{{{_NAMESPACES[prefix]}}}{name}"
    return [
        Resource(each.href, each.text(DAV, "getetag"), each.properties[data].text)
        for each in responses
        if each.href in wanted and data in each.properties
    ]


async def _halves(dav: WebDav, kind: CollectionKind, collection: str, hrefs: Sequence[str]) -> list[Resource]:
    """Request the batch in two halves, down to the one resource that causes the trouble."""
    if len(hrefs) == 1:
        return await _alone(dav, hrefs[0])
    middle = len(hrefs) // 2
    first = await fetch(dav, kind, collection, hrefs[:middle])
    return [*first, *await fetch(dav, kind, collection, hrefs[middle:])]


async def _alone(dav: WebDav, href: str) -> list[Resource]:
    try:
        reply = await dav.client.send(HttpRequest("GET", f"{origin_of(dav.client.server)}{href}"))
    except SkippableSourceError as error:
        return [Resource(href, "", "", error.message)]
    if reply.status in _ABSENT:
        return []
    if reply.status != HTTPStatus.OK:
        raise RetriableSourceError(f"The server answered {reply.status} when asked for {href}.")
    data = reply.body.decode("utf-8", "replace")
    if not _WHOLE.search(data):
        raise MalformedMultistatus(f"The server's answer for {href} is cut short.")
    return [Resource(href, reply.headers.get("etag", ""), data)]
