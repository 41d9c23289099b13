"""CalDAV and CardDAV: homes, collections, objects."""

from dataclasses import dataclass

from tests.nextcloud import xml
from tests.nextcloud.files.reading import HELLO
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.pim.controls import NoSuch
from tests.nextcloud.pim.model import Seen, home
from tests.nextcloud.pim.objects import Objects
from tests.nextcloud.pim.properties import collection_properties, home_properties, item_properties, special_properties
from tests.nextcloud.pim.reports import report
from tests.nextcloud.pim.trashbin import serve_trashbin
from tests.nextcloud.pim.user_view import Pim
from tests.nextcloud.xml import DAV, OC, Row, dav

_SPECIAL = ("inbox", "outbox", "trashbin")
_DEFAULT = (dav("resourcetype"), dav("displayname"), dav("getetag"), dav("getlastmodified"), dav("getcontenttype"))


@dataclass(frozen=True, slots=True)
class PimServer:
    """Answers below `calendars/` or `addressbooks/users/`; reports are cut off after `report_rows` changes."""

    pim: Pim
    report_rows: int | None = None

    def serve(self, ask: ServerRequest) -> ServerResponse:  # noqa: PLR0911 - one line per place
        kind = self.pim.collections.kind
        words = ask.words[3:] if kind == "calendars" else ask.words[4:]
        owner = words[0] if words else ""
        if owner != ask.user:
            return _no_node(words[-1] if ask.method == "GET" else owner)
        uri, name = words[1] if len(words) > 1 else "", "/".join(words[2:])
        if not uri:
            return self._home(ask)
        if kind == "calendars" and uri in _SPECIAL:
            return self._special(ask, uri, name)
        if ask.method in {"MKCALENDAR", "MKCOL"}:
            return self._make(ask, uri)
        seen = self.pim.seen(ask.user, uri)
        if seen is None:
            return _no_node(uri)
        if name:
            return Objects(self.pim.collections, seen).serve(ask, name)
        return self._collection(ask, seen)

    def _home(self, ask: ServerRequest) -> ServerResponse:
        kind = self.pim.collections.kind
        path = home(kind, ask.user)
        rows = [Row(path, home_properties())]
        if ask.header("depth") != "0":
            rows += [Row(xml.encoded(one.path), collection_properties(one)) for one in self.pim.visible(ask.user)]
            rows += [Row(f"{path}{name}/", special_properties(name)) for name in _SPECIAL if kind == "calendars"]
        return _found(ask, rows)

    def _special(self, ask: ServerRequest, uri: str, name: str) -> ServerResponse:
        if uri == "trashbin" and name == "objects":
            return serve_trashbin(self.pim.collections, ask)
        return _found(ask, [Row(f"{home('calendars', ask.user)}{uri}/", special_properties(uri))])

    def _collection(self, ask: ServerRequest, seen: Seen) -> ServerResponse:
        match ask.method:
            case "PROPFIND":
                rows = [Row(xml.encoded(seen.path), collection_properties(seen))]
                if ask.header("depth") != "0":
                    items = seen.items()
                    rows += [Row(xml.encoded(f"{seen.path}{one.name}"), item_properties(seen, one)) for one in items]
                return _found(ask, rows)
            case "REPORT":
                return report(seen, ask, self.report_rows)
            case "POST":
                return self._share(ask, seen)
            case "DELETE":
                self.pim.collections.remove(ask.user, seen.uri)
                return ServerResponse(204, {"content-type": "text/html; charset=UTF-8"})
            case "GET":
                return ServerResponse(200, {"content-type": "text/html; charset=UTF-8"}, HELLO)
            case _:
                return xml.error(405, "MethodNotAllowed")

    def _make(self, ask: ServerRequest, uri: str) -> ServerResponse:
        if self.pim.seen(ask.user, uri) is not None:
            return xml.error(405, "MethodNotAllowed", "The resource you tried to create already exists")
        root = xml.parse(ask.body)
        title = "" if root is None else root.findtext(f".//{{{DAV}}}displayname") or ""
        named = [] if root is None else [str(node.get("name")) for node in root.iter(f"{{{xml.CAL}}}comp")]
        self.pim.collections.create(ask.user, uri, title or uri, tuple(named) or ("VEVENT", "VTODO"))
        return ServerResponse(201, {"content-type": "text/html; charset=UTF-8"})

    def _share(self, ask: ServerRequest, seen: Seen) -> ServerResponse:
        """Set and remove sharees; only the owner may."""
        root = xml.parse(ask.body)
        if root is None or seen.shared:
            return xml.error(403, "Forbidden")
        try:
            for node in root.iterchildren(f"{{{OC}}}set", f"{{{OC}}}remove"):
                user = (node.findtext(f"{{{DAV}}}href") or "").rpartition("/")[2]
                if xml.name_of(node)[1] == "set":
                    writable = node.find(f"{{{OC}}}read-write") is not None
                    self.pim.collections.share(ask.user, seen.uri, user, writable=writable)
                else:
                    self.pim.collections.unshare(ask.user, seen.uri, user)
        except NoSuch:
            return xml.error(403, "Forbidden")
        return ServerResponse(200, {"content-type": "text/html; charset=UTF-8"})


def _found(ask: ServerRequest, rows: list[Row]) -> ServerResponse:
    if ask.method != "PROPFIND":
        return xml.error(405, "MethodNotAllowed")
    asked = xml.asked_props(xml.parse(ask.body))
    return xml.multistatus(rows, asked or _DEFAULT, every=asked is not None)


def _no_node(name: str) -> ServerResponse:
    return xml.error(404, "NotFound", f"Node with name '{name}' could not be found")
