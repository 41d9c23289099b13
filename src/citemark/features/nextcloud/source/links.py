"""Addresses of a Nextcloud: of its web interface, made for documents and found in texts, and of WebDAV resources."""

import re
from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, unquote, urlsplit

from citemark.model.documents import StatedRelationship
from citemark.model.errors import RetriableSourceError
from citemark.model.ids import NativeId
from citemark.model.text import Extracted
from citemark.sources.relationships import LinkTarget, stated_links

_KEPT_SCHEMES = frozenset({"http", "https", "mailto", "tel"})
_INDEX = "/index.php"
"""What every address of a page has below the server's: it opens with and without URL rewriting."""

_BY_PATH = (
    (re.compile(r"/f/(\d{1,19})"), "file"),
    (re.compile(r"/apps/files/files/(\d{1,19})"), "file"),
    (re.compile(r"/apps/notes(?:/\#)?/note/(\d{1,19})"), "note"),
    (re.compile(r"/apps/deck(?:/\#)?/board/(\d{1,19})/card/(\d{1,19})(?:/[a-z]*)?"), "deck_card"),
    (re.compile(r"/apps/deck/card/(\d{1,19})"), "deck_card"),
)
_FILE_QUERIES = ("openfile", "fileid", "fileId")


_PLAIN = "~!$&'()*+,;=:@"
_LONGEST_SHOWN = 200
"""Characters of a malformed address that a message repeats."""


@dataclass(frozen=True, slots=True)
class LinkedDocument:
    """A document of the same account that an address refers to. A note is also a file, so it may occur as either."""

    doc_type: str
    native_id: NativeId
    board: str = ""


def url_of_file(server: str, native_id: str) -> str:
    """Return the address that opens a file, wherever it is moved."""
    return f"{server}{_INDEX}/f/{quote(native_id, safe='')}"


def url_of_note(server: str, native_id: str) -> str:
    """Return the address that opens a note in the Notes app."""
    return f"{server}{_INDEX}/apps/notes/note/{quote(native_id, safe='')}"


def url_of_card(server: str, board: str, native_id: str) -> str:
    """Return the address that opens a card on its board."""
    return f"{server}{_INDEX}/apps/deck/board/{quote(board, safe='')}/card/{quote(native_id, safe='')}"


def url_of_contact(server: str, direct: str) -> str:
    """Return the address that opens a contact; `direct` is its UID and its collection's name, encoded."""
    return f"{server}{_INDEX}/apps/contacts/direct/contact/{direct}"


def url_of_user(server: str, user: str) -> str:
    """Return the address of an account's profile, which links assignees with the account's own contact."""
    return f"{server}{_INDEX}/u/{quote(user, safe='')}"


def linked_document(server: str, href: str) -> LinkedDocument | None:
    """Find the document of this server that an address of its web interface opens; None for any other address.

    Args:
        server: base address of the Nextcloud, without a slash at its end.
        href: as written; rooted paths are relative to the server.
    """
    path = _path_on(server, href)
    if path is None:
        return None
    try:
        parts = urlsplit(path)
    except ValueError:  # tabs and line breaks are ignored, and without them the host is malformed
        return None
    route = unquote(parts.path).rstrip("/")
    if parts.fragment.startswith("/"):
        route = f"{route}/#{unquote(parts.fragment)}"
    for pattern, doc_type in _BY_PATH:
        found = pattern.fullmatch(route)
        if found is not None:
            board = found[1] if len(found.groups()) > 1 else ""
            return LinkedDocument(doc_type, NativeId(found[found.lastindex or 1]), board)
    if route.startswith("/apps/files"):
        query = parse_qs(parts.query)
        ids = (value for key in _FILE_QUERIES for value in query.get(key, ()) if value.isdecimal())
        return next((LinkedDocument("file", NativeId(value)) for value in ids), None)
    return None


def link_target(server: str, href: str) -> LinkTarget:
    """Resolve a link: to a document of the account, or to an address outside.

    Relative paths, anchors and other schemes resolve to nothing, as their base is unknown.
    """
    found = linked_document(server, href)
    if found is not None:
        return LinkTarget(found.native_id, doc_type=found.doc_type)
    if href.startswith("//"):
        return LinkTarget(url=f"https:{href}")
    scheme, colon, _ = href.partition(":")
    return LinkTarget(url=href) if colon and scheme.lower() in _KEPT_SCHEMES else LinkTarget()


def links_in(server: str, extracted: Extracted) -> tuple[StatedRelationship, ...]:
    """Return the links of a text that can only contain addresses: a note, a card, an event."""
    return stated_links(extracted, lambda href: link_target(server, href))


def _path_on(server: str, href: str) -> str | None:
    """Return path, query and fragment below the server's address; None for another host."""
    if href.startswith("/") and not href.startswith("//"):
        path = href
    elif href.lower().startswith((f"{server.lower()}/", f"{_other_scheme(server).lower()}/")):
        path = href.partition("://")[2].partition("/")
        path = f"/{path[2]}"
    else:
        return None
    below = urlsplit(server).path
    path = path.removeprefix(below) if below and path.startswith(f"{below}/") else path
    path = path.removeprefix(_INDEX) if path.startswith(f"{_INDEX}/") else path
    return f"/{path.lstrip('/')}"  # two slashes would begin a host


def _other_scheme(server: str) -> str:
    return f"http://{server.removeprefix('https://')}" if server.startswith("https://") else server


def canonical(href: str) -> str:
    """Return the path of an address with each part percent-encoded in one way; servers differ in what they encode.

    Raises:
        RetriableSourceError: the server sent something that is not an address.
    """
    path = path_of(href) if "://" in href else href.partition("?")[0].partition("#")[0]
    return "/".join(quote(unquote(part), safe=_PLAIN) for part in path.split("/"))


def path_of(href: str) -> str:
    """Return the path of an address, encoded as written.

    Raises:
        RetriableSourceError: it is not an address.
    """
    try:
        return urlsplit(href).path
    except ValueError:
        raise RetriableSourceError(f"The server names {href[:_LONGEST_SHOWN]!r}, which is not an address.") from None


def name_of(href: str) -> str:
    """Return the decoded last part of a path."""
    return unquote(href.rstrip("/").rpartition("/")[2])


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def base_path(url: str) -> str:
    """Return the path below which a server lives; "" if it has a host of its own."""
    return urlsplit(url).path.rstrip("/")


def event_url(server: str, href: str) -> str:
    """Return the address of an event in the Calendar app, which opens the next occurrence of a series."""
    return f"{server}{_INDEX}/apps/calendar/edit/{quote(b64encode(unquote(href).encode()).decode(), safe='=')}"


def task_url(server: str, href: str) -> str:
    """Return the address of a to-do in the Tasks app, by the names of its list and resource."""
    collection, _, resource = href.rpartition("/")
    names = quote(name_of(collection), safe=""), quote(unquote(resource), safe="")
    return f"{server}{_INDEX}/apps/tasks/#/calendars/{names[0]}/tasks/{names[1]}"
