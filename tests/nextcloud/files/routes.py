"""WebDAV on a user's files."""

from collections.abc import Callable
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from tests.nextcloud import xml
from tests.nextcloud.files.controls import Files
from tests.nextcloud.files.nodes import Place
from tests.nextcloud.files.properties import BASIC, full_id, property_of
from tests.nextcloud.files.reading import read_file
from tests.nextcloud.files.search import filter_files
from tests.nextcloud.files.tree import Denied, Missing
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.versions import Version
from tests.nextcloud.xml import Row

T = TypeVar("T")
_EMPTY_ARCHIVE = b"PK\x05\x06" + bytes(18)
_ALLOW = "OPTIONS, GET, HEAD, DELETE, PROPFIND, PUT, PROPPATCH, COPY, MOVE, REPORT"


def serve_files(files: Files, ask: ServerRequest, version: Version) -> ServerResponse:
    """Answer below `/remote.php/dav/files/USER`."""
    owner, path = ask.words[3] if len(ask.words) > 3 else "", "/" + "/".join(ask.words[4:])
    if owner != ask.user:
        return _stranger(ask, owner, path)
    try:
        if ask.method == "GET" and version.archives_folders and files.tree.locate(ask.user, path).node.is_folder:
            return ServerResponse(200, {"content-type": "application/zip"}, _EMPTY_ARCHIVE)
        return _METHODS.get(ask.method, _unknown)(files, ask, path)
    except Missing as missing:
        return xml.error(404, "NotFound", f"File with name /{missing.path} could not be located")
    except Denied:
        return xml.error(403, "Forbidden")


def href(place: Place) -> str:
    ending = "/" if place.node.is_folder and place.path != "/" else ""
    return xml.encoded(f"/remote.php/dav/files/{place.user}{place.path}{ending}")


def _stranger(ask: ServerRequest, owner: str, path: str) -> ServerResponse:
    """Another user's root shows itself without a single property; below it there is nothing."""
    if path == "/" and ask.method == "PROPFIND":
        wanted = xml.asked_props(xml.parse(ask.body)) or BASIC
        return xml.multistatus([Row(f"/remote.php/dav/files/{owner}/")], wanted)
    return xml.error(404, "NotFound", f"File not found: {path.split('/')[1]} in '{owner}'")


def _propfind(files: Files, ask: ServerRequest, path: str) -> ServerResponse:
    place = files.tree.locate(ask.user, path)
    asked = xml.asked_props(xml.parse(ask.body))
    depth = (ask.header("depth") or "1").lower()
    places = [place]
    if depth == "infinity":
        places = list(files.tree.walk(place))
    elif depth == "1" and place.node.is_folder:
        places += files.tree.listing(place)
    rows = [Row(href(one), property_of(files, one)) for one in places]
    return xml.multistatus(rows, asked or BASIC, every=asked is not None)


def _put(files: Files, ask: ServerRequest, path: str) -> ServerResponse:
    there = _or_none(lambda: files.tree.locate(ask.user, path))
    if refused := _precondition(ask, there):
        return refused
    if there is None:
        files.tree.locate(ask.user, path.rpartition("/")[0])
    mtime = ask.header("x-oc-mtime")
    node = files.put(ask.user, path, ask.body, int(float(mtime)) if mtime else None)
    headers = {"etag": f'"{node.etag}"', "oc-etag": f'"{node.etag}"', "oc-fileid": full_id(node.id)}
    return _done(201 if there is None else 204, headers | ({"x-oc-mtime": "accepted"} if mtime else {}))


def _done(status: int, headers: dict[str, str] | None = None) -> ServerResponse:
    return ServerResponse(
        status, {**(headers or {}), "content-length": "0", "content-type": "text/html; charset=UTF-8"}
    )


def _precondition(ask: ServerRequest, there: Place | None) -> ServerResponse | None:
    expected = ask.header("if-match")
    if expected is None or (there is not None and expected.strip('"') in {there.node.etag, "*"}):
        return None
    message = "An If-Match header was specified, but none of the specified ETags matched."
    answer = xml.error(412, "PreconditionFailed", message, "<s:header>If-Match</s:header>")
    if there is not None:
        answer.headers["etag"] = f'"{there.node.etag}"'
    return answer


def _or_none(find: Callable[[], T]) -> T | None:
    try:
        return find()
    except Missing:
        return None


def _mkcol(files: Files, ask: ServerRequest, path: str) -> ServerResponse:
    if _or_none(lambda: files.tree.locate(ask.user, path)):
        return xml.error(405, "MethodNotAllowed", "The resource you tried to create already exists")
    files.tree.locate(ask.user, path.rstrip("/").rpartition("/")[0])
    place = files.folder(ask.user, path)
    return _done(201, {"oc-fileid": full_id(place.node.id)})


def _delete(files: Files, ask: ServerRequest, path: str) -> ServerResponse:
    there = files.tree.locate(ask.user, path)
    if refused := _precondition(ask, there):
        return refused
    files.delete(ask.user, path)
    return _done(204)


def _transfer(files: Files, ask: ServerRequest, path: str) -> ServerResponse:
    """MOVE and COPY."""
    files.tree.locate(ask.user, path)
    way = unquote(urlsplit(ask.header("destination") or "").path).removeprefix("/remote.php/dav/files/")
    owner, _, to = way.partition("/")
    if owner != ask.user:
        return xml.error(403, "Forbidden")
    there = _or_none(lambda: files.tree.locate(ask.user, to))
    if there is not None and ask.header("overwrite") == "F":
        return xml.error(
            412, "PreconditionFailed", "The destination node already exists, and the overwrite header is set to false"
        )
    if there is not None:
        files.delete(ask.user, to)
    to = "/" + to.strip("/")
    if ask.method == "COPY":
        files.copy(ask.user, path, to)
        return _done(201 if there is None else 204)
    node = files.move(ask.user, path, to)
    headers = {"etag": f'"{node.etag}"', "oc-etag": f'"{node.etag}"', "oc-fileid": full_id(node.id)}
    return _done(201 if there is None else 204, headers)


def _proppatch(files: Files, ask: ServerRequest, path: str) -> ServerResponse:
    """Only the favourite can be set."""
    place = files.tree.locate(ask.user, path)
    root = xml.parse(ask.body)
    mark = None if root is None else root.find(f".//{{{xml.OC}}}favorite")
    if mark is not None:
        files.favourite(ask.user, path, mark.text == "1")
    return xml.multistatus([Row(href(place), lambda _: "")], [(xml.OC, "favorite")])


def _options(_: Files, ask: ServerRequest, path: str) -> ServerResponse:
    headers = {
        "allow": _ALLOW,
        "ms-author-via": "DAV",
        "accept-ranges": "bytes",
        "dav": "1, 3, extended-mkcol, access-control",
    }
    return _done(200, headers)


def _report(files: Files, ask: ServerRequest, path: str) -> ServerResponse:
    return filter_files(files, ask, files.tree.locate(ask.user, path), href)


def _read(files: Files, ask: ServerRequest, path: str) -> ServerResponse:
    return read_file(ask, files.tree.locate(ask.user, path))


def _unknown(_: Files, ask: ServerRequest, path: str) -> ServerResponse:
    return xml.error(405, "MethodNotAllowed", f"{ask.method} {path}")


_METHODS: dict[str, Callable[[Files, ServerRequest, str], ServerResponse]] = {
    "PROPFIND": _propfind,
    "GET": _read,
    "HEAD": _read,
    "PUT": _put,
    "MKCOL": _mkcol,
    "DELETE": _delete,
    "MOVE": _transfer,
    "COPY": _transfer,
    "PROPPATCH": _proppatch,
    "REPORT": _report,
    "OPTIONS": _options,
}
