"""Answers in the XML of sabre/dav: multistatus and errors."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import quote
from xml.sax.saxutils import escape

from lxml import etree
from tests.nextcloud.messages import ServerResponse

DAV = "DAV:"
OC = "http://owncloud.org/ns"
NC = "http://nextcloud.org/ns"
CAL = "urn:ietf:params:xml:ns:caldav"
CARD = "urn:ietf:params:xml:ns:carddav"
CS = "http://calendarserver.org/ns/"
PREFIXES = {DAV: "d", "http://sabredav.org/ns": "s", CAL: "cal", CS: "cs", CARD: "card", OC: "oc", NC: "nc"}
Element = etree._Element  # pyright: ignore[reportPrivateUsage] - lxml's only name for what it parses
_XML = {"content-type": "application/xml; charset=utf-8"}
_REASONS = {200: "OK", 404: "Not Found", 403: "Forbidden", 507: "Insufficient Storage"}

_HEX = re.compile(r"%[0-9A-F]{2}")

Prop = tuple[str, str]
"""Namespace and name."""

PropOf = Callable[[Prop], str | None]
"""The inside of a property's element as XML, or None where there is no such property: a 404 propstat."""


def dav(name: str) -> Prop:
    return DAV, name


@dataclass(frozen=True, slots=True)
class Row:
    """One response of a multistatus: with properties, or only a status."""

    href: str
    props: PropOf = lambda _: None
    status: int | None = None


def multistatus(
    rows: Iterable[Row], wanted: Iterable[Prop], *, every: bool = True, token: str | None = None, content_type: str = ""
) -> ServerResponse:
    """A 207 of rows with the wanted properties; what a row lacks under 404, or left out unless `every`."""
    asked = list(wanted)
    names = "".join(f' xmlns:{prefix}="{space}"' for space, prefix in PREFIXES.items())
    parts = [f'<?xml version="1.0"?>\n<d:multistatus{names}>']
    parts.extend(_response(row, asked, every=every) for row in rows)
    if token is not None:
        parts.append(f"<d:sync-token>{escape(token)}</d:sync-token>")
    parts.append("</d:multistatus>\n")
    headers = {"content-type": content_type} if content_type else dict(_XML)
    return ServerResponse(207, headers, "".join(parts).encode())


def _response(row: Row, wanted: list[Prop], *, every: bool) -> str:
    text = [f"<d:response><d:href>{escape(row.href)}</d:href>"]
    if row.status is not None:
        text.append(_status(row.status))
        return "".join([*text, "</d:response>"])
    found: list[str] = []
    missing: list[str] = []
    for prop in wanted:
        inside = row.props(prop)
        (missing if inside is None else found).append(element(prop, inside or ""))
    if found or not missing:
        text.append(f"<d:propstat><d:prop>{''.join(found)}</d:prop>{_status(200)}</d:propstat>")
    if missing and every:
        text.append(f"<d:propstat><d:prop>{''.join(missing)}</d:prop>{_status(404)}</d:propstat>")
    return "".join([*text, "</d:response>"])


def _status(code: int) -> str:
    return f"<d:status>HTTP/1.1 {code} {_REASONS.get(code, 'Error')}</d:status>"


def element(prop: Prop, inside: str = "", attributes: str = "") -> str:
    """One element; a namespace without a prefix of its own declares one."""
    space, name = prop
    prefix = PREFIXES.get(space)
    tag, declared = (f"{prefix}:{name}", "") if prefix else (f"x1:{name}", f' xmlns:x1="{escape(space)}"')
    opening = f"{tag}{declared}{attributes}"
    return f"<{opening}>{inside}</{tag}>" if inside else f"<{opening}/>"


def error(status: int, exception: str, message: str = "", extra: str = "", **headers: str) -> ServerResponse:
    """The error document; `exception` is the short name of a sabre exception, or a full PHP name with a backslash."""
    full = exception.lstrip("\\") if "\\" in exception else f"Sabre\\DAV\\Exception\\{exception}"
    text = f"<s:message>{escape(message)}</s:message>" if message else "<s:message/>"
    body = (
        '<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">'
        f"<s:exception>{escape(full)}</s:exception>{text}{extra}</d:error>\n"
    )
    return ServerResponse(status, {**headers, **_XML}, body.encode())


def encoded(path: str) -> str:
    """A path as sabre writes it in an href: lower-case hexadecimal."""
    return _HEX.sub(lambda found: found[0].lower(), quote(path, safe="/:@()~"))


def parse(body: bytes) -> Element | None:
    """The root of a request's body; None for an empty one. Raises etree.XMLSyntaxError."""
    if not body.strip():
        return None
    return etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True))


def asked_props(root: Element | None) -> list[Prop] | None:
    """The properties named in the first `d:prop`; None where all are meant."""
    if root is None:
        return None
    prop = root.find(f".//{{{DAV}}}prop")
    if prop is None:
        return None
    return [name_of(child) for child in prop.iterchildren("*")]


def name_of(node: Element) -> Prop:
    name = etree.QName(node)
    return name.namespace or "", name.localname
