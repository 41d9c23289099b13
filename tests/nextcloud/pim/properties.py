"""The properties of homes, collections and items, as XML."""

from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape

from tests.nextcloud.clock import http_date
from tests.nextcloud.pim.derived_collections import Mirror
from tests.nextcloud.pim.model import Item, Seen, content_type
from tests.nextcloud.xml import CAL, CARD, CS, OC, Prop, PropOf, dav

_READING = ("d:read", "d:read-acl", "d:read-current-user-privilege-set")
_WRITING = ("d:write", "d:write-properties", "d:write-content", "d:unlock", "d:bind", "d:unbind", "d:write-acl")
_INBOX = (
    "cal:schedule-deliver",
    "cal:schedule-deliver-invite",
    "cal:schedule-deliver-reply",
    "cal:schedule-query-freebusy",
    "d:unbind",
    "d:write-properties",
)
_OUTBOX = (
    "cal:schedule-send",
    "cal:schedule-send-invite",
    "cal:schedule-send-reply",
    "cal:schedule-send-freebusy",
    "cal:schedule-post-vevent",
)


def privileges(*names: str) -> str:
    return "".join(f"<d:privilege><{name}/></d:privilege>" for name in names)


def fixed(values: Mapping[Prop, str]) -> PropOf:
    """Properties that are known already."""
    return values.get


def home_properties() -> PropOf:
    rights = privileges(*_WRITING, *_READING)
    return fixed({dav("resourcetype"): "<d:collection/>", dav("current-user-privilege-set"): rights})


def special_properties(name: str) -> PropOf:
    """Those of `inbox`, `outbox` and `trashbin`."""
    kinds = {"inbox": "<cal:schedule-inbox/>", "outbox": "<cal:schedule-outbox/>", "trashbin": "<nc:trash-bin/>"}
    extra = {"inbox": _INBOX, "outbox": _OUTBOX}.get(name, _WRITING)
    rights = privileges(*extra, *_READING)
    return fixed({dav("resourcetype"): f"<d:collection/>{kinds[name]}", dav("current-user-privilege-set"): rights})


def collection_properties(seen: Seen) -> PropOf:
    calendar = seen.collection.kind == "calendars"
    token = seen.sync_token
    rights = _WRITING if seen.writable else ("d:write-properties",)
    free_busy = ("cal:read-free-busy",) if calendar else ()
    values: dict[Prop, str] = {
        dav("resourcetype"): "<d:collection/>" + ("<cal:calendar/>" if calendar else "<card:addressbook/>"),
        dav("displayname"): escape(seen.title),
        dav("current-user-privilege-set"): privileges(*rights, *_READING, *free_busy),
        dav("owner"): f"<d:href>/remote.php/dav/principals/users/{seen.collection.owner}/</d:href>",
    }
    if token is not None:
        values[dav("sync-token")] = token
        values[CS, "getctag"] = token if calendar else token.rpartition("/")[2]
    if calendar:
        components = "".join(f'<cal:comp name="{name}"/>' for name in seen.collection.components)
        values[CAL, "supported-calendar-component-set"] = components
        values[OC, "invite"] = ""
        values[OC, "calendar-enabled"] = "1"
    if calendar or seen.shared:
        values[OC, "owner-principal"] = f"principals/users/{seen.collection.owner}"
    if not seen.writable and not isinstance(seen, Mirror):
        values[OC, "read-only"] = "1"
    return fixed(values)


def item_properties(seen: Seen, item: Item) -> PropOf:
    """Those of one object; its data is made only where it is asked for."""

    def find(prop: Prop) -> str | None:
        of = _ITEM.get(prop)
        return None if of is None else of(seen, item)

    return find


def _calendar_data(seen: Seen, item: Item) -> str | None:
    """Without the carriage returns, as sabre writes calendars into XML."""
    return escape(seen.text(item).replace("\r", "")) if seen.collection.kind == "calendars" else None


def _address_data(seen: Seen, item: Item) -> str | None:
    if seen.collection.kind != "addressbooks":
        return None
    return escape(seen.text(item)).replace("\r", "&#13;")


_ITEM: dict[Prop, Callable[[Seen, Item], str | None]] = {
    dav("getetag"): lambda _, item: f"&quot;{item.etag}&quot;",
    dav("resourcetype"): lambda _seen, _item: "",
    dav("getlastmodified"): lambda _, item: http_date(item.modified),
    dav("getcontenttype"): lambda seen, item: content_type(seen.collection.kind, item),
    dav("getcontentlength"): lambda seen, item: str(len(seen.text(item).encode())),
    (CAL, "calendar-data"): _calendar_data,
    (CARD, "address-data"): _address_data,
}
