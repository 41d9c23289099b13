"""WebDAV's requests, written."""

from collections.abc import Sequence
from typing import Any

from lxml import etree

from citemark.sources.nextcloud.multistatus import DAV

CALDAV = "urn:ietf:params:xml:ns:caldav"
CARDDAV = "urn:ietf:params:xml:ns:carddav"
CALENDAR_SERVER = "http://calendarserver.org/ns/"
OWNCLOUD = "http://owncloud.org/ns"

_PREFIXES = {"d": DAV, "c": CALDAV, "r": CARDDAV, "cs": CALENDAR_SERVER, "oc": OWNCLOUD}

Node = Any
"""An lxml element; its stubs name the class private."""


def propfind(*names: str) -> bytes:
    """Ask for properties, each named with its prefix, such as "d:getetag"."""
    return _written(_element("d:propfind", _element("d:prop", *map(_element, names))))


def sync_collection(token: str) -> bytes:
    """Ask what changed since a token (RFC 6578)."""
    return _written(
        _element(
            "d:sync-collection",
            _element("d:sync-token", text=token),
            _element("d:sync-level", text="1"),
            _element("d:prop", _element("d:getetag")),
        )
    )


def multiget(report: str, data: str, hrefs: Sequence[str]) -> bytes:
    """Ask for the data of resources: `report` and `data` are qualified, such as "c:calendar-multiget"."""
    asked = _element("d:prop", _element("d:getetag"), _element(data))
    return _written(_element(report, asked, *(_element("d:href", text=href) for href in hrefs)))


def _element(name: str, *inside: Node, text: str = "") -> Node:
    prefix, _, local = name.partition(":")
    made = etree.Element(f"{{{_PREFIXES[prefix]}}}{local}", nsmap=_PREFIXES)
    made.extend(inside)
    if text:
        made.text = text
    return made


def _written(root: Node) -> bytes:
    etree.cleanup_namespaces(root)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")
