"""One event, task or contact: GET, PUT, DELETE, MOVE."""

import base64
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from tests.nextcloud import xml
from tests.nextcloud.clock import http_date
from tests.nextcloud.files.reading import disposition
from tests.nextcloud.messages import ServerRequest, ServerResponse, same_etag
from tests.nextcloud.pim.controls import Collections, NoSuch, ReadOnly, Twice
from tests.nextcloud.pim.lines import first, uid_of
from tests.nextcloud.pim.model import Item, Seen, content_type
from tests.nextcloud.pim.properties import item_properties
from tests.nextcloud.xml import Row, dav

_HTML = {"content-type": "text/html; charset=UTF-8"}
_NOUNS = {"calendars": "Calendar", "addressbooks": "Addressbook"}
_MISSING = {"calendars": "Calendar object not found", "addressbooks": "Card not found"}
_TWICE = {
    "calendars": "Calendar object with uid already exists in this calendar collection.",
    "addressbooks": "VCard object with uid already exists in this addressbook collection.",
}
_BEGIN = {"calendars": "BEGIN:VCALENDAR", "addressbooks": "BEGIN:VCARD"}


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of one collection as its user sees it."""

    collections: Collections
    seen: Seen

    def serve(self, ask: ServerRequest, name: str) -> ServerResponse:  # noqa: PLR0911 - one line per method
        """Answer one request; a write into a read-only share finds no collection."""
        kind = self.collections.kind
        item = self.seen.item(name)
        try:
            match ask.method:
                case "PUT":
                    return self._put(ask, name, item)
                case _ if item is None:
                    return xml.error(404, "NotFound", _MISSING[kind])
                case "GET" | "HEAD":
                    return self._get(ask, item)
                case "PROPFIND":
                    asked = xml.asked_props(xml.parse(ask.body))
                    row = Row(xml.encoded(f"{self.seen.path}{name}"), item_properties(self.seen, item))
                    return xml.multistatus([row], asked or [dav("getetag")], every=asked is not None)
                case "DELETE":
                    if refused := _precondition(ask, item):
                        return refused
                    self.collections.delete(ask.user, self.seen.uri, name)
                    return ServerResponse(204, dict(_HTML))
                case "MOVE":
                    return self._move(ask, name)
                case _:
                    return xml.error(405, "MethodNotAllowed")
        except (ReadOnly, NoSuch):
            return xml.error(404, "NotFound", f"{_NOUNS[kind]} with name '{self.seen.uri}' could not be found")
        except Twice:
            return xml.error(400, "BadRequest", _TWICE[kind])

    def _get(self, ask: ServerRequest, item: Item) -> ServerResponse:
        etag = f'"{item.etag}"'
        if same_etag(ask, item.etag):
            return ServerResponse(304, {"etag": etag, **_HTML})
        if "photo" in ask.query and (photo := first(item.text, "PHOTO")):
            data = base64.b64decode(photo.rpartition(",")[2])
            return ServerResponse(200, {"etag": etag, "content-type": "image/png"}, data)
        headers = {
            "content-type": content_type(self.collections.kind, item),
            "last-modified": http_date(item.modified),
            "etag": etag,
            "oc-etag": etag,
            "content-disposition": disposition(item.name),
        }
        return ServerResponse(200, headers, self.seen.text(item).encode())

    def _put(self, ask: ServerRequest, name: str, item: Item | None) -> ServerResponse:
        text = ask.body.decode("utf-8", "replace")
        if refused := _precondition(ask, item):
            return refused
        if not text.lstrip("\ufeff").upper().startswith(_BEGIN[self.collections.kind]):
            return xml.error(415, "UnsupportedMediaType", "Validation error in iCalendar or vCard: parse error")
        if uid_of(text) is None and self.collections.kind == "calendars":
            return xml.error(400, "BadRequest", "Every VEVENT component must have an UID")
        made = self.collections.put(ask.user, self.seen.uri, text, name)
        etag = f'"{made.etag}"'
        return ServerResponse(
            201 if item is None else 204, {"etag": etag, "oc-etag": etag, "content-length": "0", **_HTML}
        )

    def _move(self, ask: ServerRequest, name: str) -> ServerResponse:
        words = unquote(urlsplit(ask.header("destination") or "").path).strip("/").split("/")
        self.collections.move(ask.user, self.seen.uri, name, words[-2], words[-1])
        return ServerResponse(201, dict(_HTML))


def _precondition(ask: ServerRequest, item: Item | None) -> ServerResponse | None:
    expected = ask.header("if-match")
    if expected is not None and (item is None or expected.strip('"') != item.etag):
        message = "An If-Match header was specified, but none of the specified ETags matched."
        answer = xml.error(412, "PreconditionFailed", message, "<s:header>If-Match</s:header>")
        if item is not None:
            answer.headers["etag"] = f'"{item.etag}"'
        return answer
    if ask.header("if-none-match") == "*" and item is not None and ask.method == "PUT":
        message = "An If-None-Match header was specified, but the ETag matched (or * was specified)."
        return xml.error(412, "PreconditionFailed", message, "<s:header>If-None-Match</s:header>")
    return None
