"""The calendars' trash bin: no listing, only a query."""

from tests.nextcloud import xml
from tests.nextcloud.deck.controls import iso
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.pim.controls import Collections, Trashed
from tests.nextcloud.pim.model import home
from tests.nextcloud.pim.properties import fixed
from tests.nextcloud.xml import Row, dav

_SPACES = ("http://nextcloud.com/ns", xml.NC)


def serve_trashbin(collections: Collections, ask: ServerRequest) -> ServerResponse:
    """Answer on `trashbin/objects`: PROPFIND of depth 1 is not implemented."""
    path = f"{home('calendars', ask.user)}trashbin/objects/"
    wanted = xml.asked_props(xml.parse(ask.body))
    match ask.method:
        case "PROPFIND" if ask.header("depth") == "0":
            row = Row(path, fixed({dav("resourcetype"): "<d:collection/><nc:trash-bin/>"}))
            return xml.multistatus([row], wanted or [dav("resourcetype")])
        case "PROPFIND":
            return xml.error(501, "NotImplemented")
        case "REPORT":
            rows = [_row(path, one) for one in collections.trash if one.owner == ask.user]
            return xml.multistatus(rows, wanted or [])
        case _:
            return xml.error(405, "MethodNotAllowed")


def _row(path: str, trashed: Trashed) -> Row:
    values = {dav("getetag"): f"&quot;{trashed.item.etag}&quot;"}
    for space in _SPACES:
        values[space, "deleted-at"] = iso(trashed.deleted)
        values[space, "calendar-uri"] = trashed.collection
    return Row(f"{path}{trashed.item.id}.ics", fixed(values))
