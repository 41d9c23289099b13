"""REPORT on a calendar or address book: sync-collection, multiget, query."""

from urllib.parse import unquote, urlsplit

from tests.nextcloud import xml
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.pim.derived_collections import Mirror
from tests.nextcloud.pim.model import TOKEN, Item, Seen
from tests.nextcloud.pim.properties import item_properties
from tests.nextcloud.pim.queries import matching
from tests.nextcloud.xml import CAL, CARD, DAV, Element, Row


def report(seen: Seen, ask: ServerRequest, most: int | None) -> ServerResponse:
    """Answer a REPORT by the name of its root; one of changes is cut off after `most` of them."""
    root = xml.parse(ask.body)
    match (None, "") if root is None else xml.name_of(root):
        case (space, "sync-collection") if space == DAV and root is not None and seen.sync_token is not None:
            return _sync(seen, root, most)
        case (space, "calendar-multiget" | "addressbook-multiget") if space in {CAL, CARD} and root is not None:
            return _multiget(seen, root)
        case (space, "calendar-query" | "addressbook-query") if space in {CAL, CARD} and root is not None:
            rows = [Row(_href(seen, item.name), properties) for item, properties in matching(seen, root)]
            return xml.multistatus(rows, xml.asked_props(root) or [])
        case (space, name):
            message = f"The {{{space}}}{name} REPORT is not supported on this url."
            return xml.error(415, "ReportNotSupported", message, "<d:supported-report/>")


def _href(seen: Seen, name: str) -> str:
    return xml.encoded(f"{seen.path}{name}")


def _row(seen: Seen, item: Item) -> Row:
    return Row(_href(seen, item.name), item_properties(seen, item))


def _sync(seen: Seen, root: Element, most: int | None) -> ServerResponse:
    """Everything for an empty token, the changes since another; what a sharee may not see is passed over."""
    asked = (root.findtext(f"{{{DAV}}}sync-token") or "").strip()
    wanted = xml.asked_props(root) or []
    if not asked:
        if root.find(f".//{{{DAV}}}nresults") is not None:
            unsupported = "OCA\\DAV\\Exception\\UnsupportedLimitOnInitialSyncException"
            return xml.error(507, unsupported, "", "<d:number-of-matches-within-limits/>")
        return xml.multistatus([_row(seen, item) for item in seen.items()], wanted, token=seen.sync_token)
    number = asked.removeprefix(TOKEN)
    if number == asked or not number.isdecimal():
        message = "Invalid or unknown sync token"
        return xml.error(403, "Sabre\\DAV\\Exception\\InvalidSyncToken", message, "<d:valid-sync-token/>")
    until = seen.collection.token if most is None else min(seen.collection.token, int(number) + most)
    changes = {} if isinstance(seen, Mirror) else seen.collection.since(int(number), until)
    rows: list[Row] = []
    for name, change in changes.items():
        item = seen.item(name)
        if change == "deleted":
            rows.append(Row(_href(seen, name), status=404))
        elif item is not None:
            rows.append(_row(seen, item))
    if isinstance(seen, Mirror) or until == seen.collection.token:
        return xml.multistatus(rows, wanted, token=seen.sync_token)
    return xml.multistatus([*rows, Row(xml.encoded(seen.path), status=507)], wanted, token=f"{TOKEN}{until}")


def _multiget(seen: Seen, root: Element) -> ServerResponse:
    """Only what is there: a missing href gets no response at all."""
    rows: list[Row] = []
    for node in root.iterchildren(f"{{{DAV}}}href"):
        path = unquote(urlsplit((node.text or "").strip()).path)
        item = seen.item(path.removeprefix(seen.path))
        if path.startswith(seen.path) and item is not None:
            rows.append(_row(seen, item))
    return xml.multistatus(rows, xml.asked_props(root) or [])
