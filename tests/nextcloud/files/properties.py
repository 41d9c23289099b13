"""The WebDAV properties of a place, as XML."""

import mimetypes
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape

from tests.nextcloud.clock import http_date
from tests.nextcloud.files.controls import Files
from tests.nextcloud.files.nodes import Place
from tests.nextcloud.xml import NC, OC, Prop, PropOf, dav

INSTANCE = "ocdouble0001"
_EXTRA = {".md": "text/markdown", ".org": "text/org", ".odt": "application/vnd.oasis.opendocument.text"}

BASIC: tuple[Prop, ...] = tuple(
    dav(name)
    for name in (
        "getlastmodified",
        "getcontentlength",
        "resourcetype",
        "quota-used-bytes",
        "quota-available-bytes",
        "getetag",
        "getcontenttype",
    )
)
"""What a PROPFIND without a body is answered."""

Of = Callable[[Files, Place], str | None]


def mime_type(name: str) -> str:
    """By the name's ending."""
    ending = f".{name.rpartition('.')[2].lower()}" if "." in name else ""
    return _EXTRA.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def full_id(number: int) -> str:
    return f"{number:08d}{INSTANCE}"


def property_of(files: Files, place: Place) -> PropOf:
    """Looks up one property of a place."""

    def find(prop: Prop) -> str | None:
        of = _PROPERTIES.get(prop)
        return None if of is None else of(files, place)

    return find


def _tags(files: Files, place: Place) -> str:
    return "".join(
        f'<nc:system-tag oc:id="{number}" oc:can-assign="true">{escape(files.tags.names[number])}</nc:system-tag>'
        for number in sorted(place.node.tags)
    )


def _shared_with(files: Files, place: Place) -> str:
    shares = files.tree.shares_of(place.node) if place.share is None else []
    return "".join(
        f"<nc:sharee><nc:id>{share.sharee}</nc:id><nc:display-name>{files.people[share.sharee]}</nc:display-name>"
        f"<nc:type>0</nc:type></nc:sharee>"
        for share in shares
    )


def _always(value: str) -> Of:
    def of(_: Files, __: Place) -> str:
        return value

    return of


def _for_files(of: Callable[[Place], str]) -> Of:

    def only(_: Files, place: Place) -> str | None:
        return None if place.node.is_folder else of(place)

    return only


def _for_folders(of: Callable[[Place], str]) -> Of:

    def only(_: Files, place: Place) -> str | None:
        return of(place) if place.node.is_folder else None

    return only


def _zero(_: Place) -> str:
    return "0"


def _unlimited(_: Place) -> str:
    return "-3"


_PROPERTIES: Mapping[Prop, Of] = {
    dav("getetag"): lambda _, place: f"&quot;{place.node.etag}&quot;",
    dav("resourcetype"): lambda _, place: "<d:collection/>" if place.node.is_folder else "",
    dav("getlastmodified"): lambda _, place: http_date(place.node.mtime),
    dav("getcontenttype"): _for_files(lambda place: mime_type(place.name)),
    dav("getcontentlength"): _for_files(lambda place: str(place.node.size())),
    dav("quota-used-bytes"): _for_folders(lambda place: str(place.node.size())),
    dav("quota-available-bytes"): _for_folders(_unlimited),
    dav("displayname"): lambda _, place: escape(place.name or place.user),
    (OC, "fileid"): lambda _, place: str(place.node.id),
    (OC, "id"): lambda _, place: full_id(place.node.id),
    (OC, "permissions"): lambda _, place: place.permissions(),
    (OC, "size"): lambda _, place: str(place.node.size()),
    (OC, "owner-id"): lambda _, place: place.node.owner,
    (OC, "owner-display-name"): lambda files, place: files.people[place.node.owner],
    (OC, "favorite"): lambda _, place: "1" if place.user in place.node.favourites else "0",
    (OC, "tags"): _always(""),
    (OC, "comments-unread"): _always("0"),
    (OC, "share-types"): lambda files, place: "<oc:share-type>0</oc:share-type>" if _shared_with(files, place) else "",
    (NC, "sharees"): _shared_with,
    (NC, "system-tags"): _tags,
    (NC, "has-preview"): _always("false"),
    (NC, "mount-type"): lambda _, place: "shared" if place.share else "",
    (NC, "is-encrypted"): _for_folders(lambda place: "1" if place.node.encrypted else "0"),
    (NC, "upload_time"): _for_files(_zero),
    (NC, "creation_time"): _for_files(_zero),
}
