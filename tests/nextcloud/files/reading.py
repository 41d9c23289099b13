"""GET of a file: whole, a range, or nothing where the caller has it."""

import re
from urllib.parse import quote

from tests.nextcloud import xml
from tests.nextcloud.clock import http_date
from tests.nextcloud.files.content import Content, pieces
from tests.nextcloud.files.nodes import Place
from tests.nextcloud.files.properties import mime_type
from tests.nextcloud.messages import ServerRequest, ServerResponse, same_etag

_RANGE = re.compile(r"bytes=(\d*)-(\d*)$")
HELLO = (
    b"This is the WebDAV interface. "
    b"It can only be accessed by WebDAV clients such as the Nextcloud desktop sync client."
)


def read_file(ask: ServerRequest, place: Place) -> ServerResponse:
    """Answer a GET or HEAD of a place."""
    content, etag = place.node.content, f'"{place.node.etag}"'
    if content is None:
        return ServerResponse(200, {"content-type": "text/html; charset=UTF-8"}, HELLO)
    if same_etag(ask, place.node.etag):
        return ServerResponse(304, {"etag": etag, "content-type": "text/html; charset=UTF-8"})
    kind = mime_type(place.name)
    headers = {
        "content-type": f"{kind};charset=UTF-8" if kind.startswith("text/") else kind,
        "last-modified": http_date(place.node.mtime),
        "etag": etag,
        "oc-etag": etag,
        "content-disposition": disposition(place.name),
    }
    return _ranged(ask, content, headers)


def disposition(name: str) -> str:
    """The name twice, for old and new browsers."""
    plain = name.encode("ascii", "replace").decode().replace('"', "")
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}; filename=\"{plain}\""


def _ranged(ask: ServerRequest, content: Content, headers: dict[str, str]) -> ServerResponse:
    size = len(content)
    found = _RANGE.match(ask.header("range") or "")
    if found is None or not any(found.groups()):
        return _streamed(200, headers, content, 0, size)
    first, last = found.groups()
    start = int(first) if first else max(0, size - int(last))
    stop = min(size, int(last) + 1) if first and last else size
    if start >= stop:
        message = f"The start offset ({start}) exceeded the size of the entity ({size})"
        return xml.error(416, "RequestedRangeNotSatisfiable", message)
    return _streamed(206, {**headers, "content-range": f"bytes {start}-{stop - 1}/{size}"}, content, start, stop)


def _streamed(status: int, headers: dict[str, str], content: Content, start: int, stop: int) -> ServerResponse:
    if isinstance(content, bytes):
        return ServerResponse(status, headers, content[start:stop])
    return ServerResponse(status, headers, stream=pieces(content, start, stop), length=stop - start)
