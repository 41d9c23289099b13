"""SEARCH over a user's files, and the REPORT that filters by favourite and tag."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

from tests.nextcloud import xml
from tests.nextcloud.files.controls import Files
from tests.nextcloud.files.nodes import Place
from tests.nextcloud.files.properties import mime_type, property_of
from tests.nextcloud.files.tree import Missing
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.xml import DAV, NC, OC, Element, Prop, Row

Value = str | float
Test = Callable[[Place], bool]
_KIND = 'application/xml; charset="utf-8"'
_TEXT: dict[Prop, Callable[[Place], str]] = {
    (DAV, "displayname"): lambda place: place.name,
    (DAV, "getcontenttype"): lambda place: mime_type(place.name),
    (DAV, "getetag"): lambda place: place.node.etag,
    (NC, "owner-id"): lambda place: place.node.owner,
}
_NUMBERS: dict[Prop, Callable[[Place], float]] = {
    (DAV, "getlastmodified"): lambda place: float(place.node.mtime),
    (OC, "fileid"): lambda place: float(place.node.id),
    (OC, "size"): lambda place: float(place.node.size()),
    (OC, "favorite"): lambda place: float(place.user in place.node.favourites),
}


def search(files: Files, ask: ServerRequest, href: Callable[[Place], str]) -> ServerResponse:
    """Answer a SEARCH on the root of the DAV server."""
    root = xml.parse(ask.body)
    scope = "" if root is None else root.findtext(f".//{{{DAV}}}from//{{{DAV}}}href") or ""
    _, _, inside = scope.partition("/files/")
    owner, _, path = inside.partition("/")
    if root is None or owner != ask.user:
        return xml.error(500, "\\InvalidArgumentException", "Search is only supported on directories")
    try:
        start = files.tree.locate(owner, path)
    except Missing as missing:
        return xml.error(404, "NotFound", f"File with name /{missing.path} could not be located")
    where = root.find(f".//{{{DAV}}}where")
    test = _test(where[0]) if where is not None and len(where) else _any
    found = [place for place in files.tree.walk(start) if place is not start and test(place)]
    found = _ordered(found, root)[: _limit(root)]
    rows = [Row(href(place), property_of(files, place)) for place in found]
    return xml.multistatus(rows, xml.asked_props(root) or [], content_type=_KIND)


def _any(_: Place) -> bool:
    return True


def _limit(root: Element) -> int | None:
    text = root.findtext(f".//{{{DAV}}}limit/{{{DAV}}}nresults")
    return int(text) if text else None


def _ordered(places: list[Place], root: Element) -> list[Place]:
    for order in reversed(root.findall(f".//{{{DAV}}}orderby/{{{DAV}}}order")):
        named = order.find(f"{{{DAV}}}prop")
        if named is not None and len(named):
            of = _value_of(xml.name_of(named[0]))
            places = sorted(places, key=of, reverse=order.find(f"{{{DAV}}}descending") is not None)
    return places


def _value_of(prop: Prop) -> Callable[[Place], str] | Callable[[Place], float]:
    return _TEXT.get(prop) or _NUMBERS[prop]


def _test(node: Element) -> Test:
    name = xml.name_of(node)[1]
    if name in {"and", "or", "not"}:
        inner = [_test(child) for child in node]
        if name == "not":
            return lambda place: not inner[0](place)
        every = all if name == "and" else any
        return lambda place: every(test(place) for test in inner)
    if name == "is-collection":
        return lambda place: place.node.is_folder
    prop = xml.name_of(next(node.iterfind(f"{{{DAV}}}prop/*")))
    literal = node.findtext(f"{{{DAV}}}literal") or ""
    if prop in _TEXT:
        return _text_test(name, _TEXT[prop], literal)
    return _number_test(name, _NUMBERS[prop], _number(literal))


def _text_test(name: str, of: Callable[[Place], str], literal: str) -> Test:
    if name == "like":
        pattern = re.compile(".*".join(re.escape(part) for part in literal.split("%")), re.IGNORECASE | re.DOTALL)
        return lambda place: pattern.fullmatch(of(place)) is not None
    return lambda place: of(place) == literal


def _number_test(name: str, of: Callable[[Place], float], limit: float) -> Test:
    tests: dict[str, Test] = {
        "gt": lambda place: of(place) > limit,
        "gte": lambda place: of(place) >= limit,
        "lt": lambda place: of(place) < limit,
        "lte": lambda place: of(place) <= limit,
    }
    return tests.get(name, lambda place: of(place) == limit)


def _number(literal: str) -> float:
    try:
        return float(literal)
    except ValueError:
        return datetime.fromisoformat(literal).astimezone(UTC).timestamp()


def filter_files(files: Files, ask: ServerRequest, start: Place, href: Callable[[Place], str]) -> ServerResponse:
    """Answer `oc:filter-files`: favourites, or what has all of the tags."""
    root = xml.parse(ask.body)
    if root is None or xml.name_of(root) != (OC, "filter-files"):
        return xml.error(
            415, "ReportNotSupported", "This REPORT is not supported on this url.", "<d:supported-report/>"
        )
    tags = {int(node.text or 0) for node in root.iter(f"{{{OC}}}systemtag")}
    favourite = root.find(f".//{{{OC}}}favorite") is not None
    if tags - files.tags.names.keys():
        return xml.error(412, "PreconditionFailed", "Cannot filter by non-existing tag")
    found = [
        place
        for place in files.tree.walk(start)
        if tags <= place.node.tags and (not favourite or place.user in place.node.favourites)
    ]
    rows = [Row(href(place), property_of(files, place)) for place in found if tags or favourite]
    return xml.multistatus(rows, xml.asked_props(root) or [])
