"""WebDAV's XML: requests written, multistatus answers read, without entities or network."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from lxml import etree

from citemark.model.errors import RetriableSourceError
from citemark.sources.nextcloud.dav.hrefs import canonical

DAV = "DAV:"
CALDAV = "urn:ietf:params:xml:ns:caldav"
CARDDAV = "urn:ietf:params:xml:ns:carddav"
CALENDAR_SERVER = "http://calendarserver.org/ns/"
OWNCLOUD = "http://owncloud.org/ns"

_PREFIXES = {"d": DAV, "c": CALDAV, "r": CARDDAV, "cs": CALENDAR_SERVER, "oc": OWNCLOUD}
_STATUS = re.compile(r"\b([1-5]\d\d)\b")
_NO_XML = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|[xX]0*(?:[0-8bBcCeEfF]|1[\da-fA-F]));"
)

Node = Any
"""An lxml element; its stubs name the class private."""


class MalformedAnswer(RetriableSourceError):
    """The server answered with something that is no multistatus."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a multistatus says of one resource: the properties it has, by qualified name, or a status of its own."""

    href: str
    status: int
    properties: Mapping[str, Node]

    def text(self, namespace: str, name: str) -> str:
        """The text of a property; "" where it is missing or empty."""
        node = self.properties.get(f"{{{namespace}}}{name}")
        return "" if node is None else str(node.text or "").strip()

    def hrefs(self, namespace: str, name: str) -> list[str]:
        """The addresses that a property holds, as paths."""
        node = self.properties.get(f"{{{namespace}}}{name}")
        found = () if node is None else node.iterfind(f"{{{DAV}}}href")
        return [canonical(str(each.text or "").strip()) for each in found]

    def kinds(self, namespace: str, name: str) -> frozenset[str]:
        """The qualified names of the elements inside a property."""
        node = self.properties.get(f"{{{namespace}}}{name}")
        found = () if node is None else node.iterchildren()
        return frozenset(each.tag for each in found if isinstance(each.tag, str))


@dataclass(frozen=True, slots=True)
class Multistatus:
    """An answer of status 207; `token` is that of a sync-collection report."""

    responses: tuple[Response, ...]
    token: str = ""


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


def read_multistatus(body: bytes) -> Multistatus:
    """Read an answer; characters that no XML may hold are left out, as some servers pass them on from stored data.

    Raises:
        MalformedAnswer: it is no multistatus, or is cut short.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(_NO_XML.sub(b"", body), parser)
    except etree.XMLSyntaxError as error:
        raise MalformedAnswer(f"The server's WebDAV answer is not well-formed: {error.msg}.") from error
    if root.tag != f"{{{DAV}}}multistatus":
        raise MalformedAnswer("The server's WebDAV answer is no multistatus.")
    token = root.findtext(f"{{{DAV}}}sync-token") or ""
    return Multistatus(tuple(_response(node) for node in root.iterfind(f"{{{DAV}}}response")), token.strip())


def conditions(body: bytes) -> frozenset[str]:
    """The local names of the elements of an error's body, such as "valid-sync-token"; none where it is no XML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(_NO_XML.sub(b"", body), parser)
    except etree.XMLSyntaxError:
        return frozenset()
    return frozenset(etree.QName(node).localname for node in root.iterchildren() if isinstance(node.tag, str))


def _response(node: Node) -> Response:
    properties: dict[str, Node] = {}
    for part in node.iterfind(f"{{{DAV}}}propstat"):
        if _status(part) == HTTPStatus.OK:
            found = part.find(f"{{{DAV}}}prop")
            properties.update(
                {each.tag: each for each in (() if found is None else found) if isinstance(each.tag, str)}
            )
    own = node.find(f"{{{DAV}}}status")
    href = str(node.findtext(f"{{{DAV}}}href") or "").strip()
    return Response(canonical(href), HTTPStatus.OK if own is None else _status(node), properties)


def _status(node: Node) -> int:
    found = _STATUS.search(node.findtext(f"{{{DAV}}}status") or "")
    return int(found[1]) if found else 0


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
