"""Addresses of a Nextcloud's web interface: made for documents, and read where a text links to one."""

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
_BY_PATH = (
    (re.compile(r"/f/(\d{1,19})"), "file"),
    (re.compile(r"/apps/files/files/(\d{1,19})"), "file"),
    (re.compile(r"/apps/notes(?:/\#)?/note/(\d{1,19})"), "note"),
    (re.compile(r"/apps/deck(?:/\#)?/board/(\d{1,19})/card/(\d{1,19})(?:/[a-z]*)?"), "deck_card"),
    (re.compile(r"/apps/deck/card/(\d{1,19})"), "deck_card"),
)
_FILE_QUERIES = ("openfile", "fileid", "fileId")


@dataclass(frozen=True, slots=True)
class LinkedDocument:
    """A document of the same account that an address names. A note is a file, so either name may be met for it."""

    doc_type: str
    native_id: NativeId
    board: str = ""


def url_of_file(server: str, native_id: str) -> str:
    """Where a file opens, wherever it is moved."""
    return f"{server}/f/{quote(native_id, safe='')}"


def url_of_note(server: str, native_id: str) -> str:
    """Where a note opens in the app for notes."""
    return f"{server}/apps/notes/note/{quote(native_id, safe='')}"


def url_of_card(server: str, board: str, native_id: str) -> str:
    """Where a card opens on its board."""
    return f"{server}/apps/deck/board/{quote(board, safe='')}/card/{quote(native_id, safe='')}"


def url_of_user(server: str, user: str) -> str:
    """The profile of an account; what an assignee and an account's own contact have in common."""
    return f"{server}/u/{quote(user, safe='')}"


def linked_document(server: str, href: str) -> LinkedDocument | None:
    """The document of this server that an address of its web interface opens; None for every other address.

    Args:
        server: base address of the Nextcloud, without a slash at its end.
        href: as written; rooted paths are read as of the server.
    """
    path = _path_on(server, href)
    if path is None:
        return None
    parts = urlsplit(path)
    route = unquote(parts.path).rstrip("/")
    if parts.fragment.startswith("/"):
        route = f"{route}/#{unquote(parts.fragment)}"
    for pattern, doc_type in _BY_PATH:
        found = pattern.fullmatch(route)
        if found is not None:
            board = found[1] if len(found.groups()) > 1 else ""
            return LinkedDocument(doc_type, NativeId(found[found.lastindex or 1]), board)
    if route.startswith("/apps/files"):
        asked = parse_qs(parts.query)
        ids = (value for key in _FILE_QUERIES for value in asked.get(key, ()) if value.isdecimal())
        return next((LinkedDocument("file", NativeId(value)) for value in ids), None)
    return None


def link_target(server: str, href: str) -> LinkTarget:
    """What a link points to: a document inside the account, or an address outside.

    Paths and anchors alone point to nothing that could be known here, and neither do other schemes.
    """
    found = linked_document(server, href)
    if found is not None:
        return LinkTarget(found.native_id, doc_type=found.doc_type)
    if href.startswith("//"):
        return LinkTarget(url=f"https:{href}")
    scheme, colon, _ = href.partition(":")
    return LinkTarget(url=href) if colon and scheme.lower() in _KEPT_SCHEMES else LinkTarget()


def links_in(server: str, extracted: Extracted) -> tuple[StatedRelationship, ...]:
    """The links of a text that only knows addresses: a note, a card, an event."""
    return stated_links(extracted, lambda href: link_target(server, href))


def _path_on(server: str, href: str) -> str | None:
    """Path, query and fragment below the server's address; None for another host."""
    if href.startswith("/") and not href.startswith("//"):
        path = href
    elif href.lower().startswith((f"{server.lower()}/", f"{_other_scheme(server).lower()}/")):
        path = href.partition("://")[2].partition("/")
        path = f"/{path[2]}"
    else:
        return None
    below = urlsplit(server).path
    path = path.removeprefix(below) if below and path.startswith(f"{below}/") else path
    return path.removeprefix(_INDEX) if path.startswith(f"{_INDEX}/") else path


def _other_scheme(server: str) -> str:
    return f"http://{server.removeprefix('https://')}" if server.startswith("https://") else server


_PLAIN = "~!$&'()*+,;=:@"
_LONGEST_SHOWN = 200


def canonical(href: str) -> str:
    """The path of an address, each part percent-encoded in one way: servers differ in what they encode, and how.

    Raises:
        RetriableSourceError: the server wrote what is no address.
    """
    path = path_of(href) if "://" in href else href.partition("?")[0].partition("#")[0]
    return "/".join(quote(unquote(part), safe=_PLAIN) for part in path.split("/"))


def path_of(href: str) -> str:
    """The path of an address, encoded as it is written.

    Raises:
        RetriableSourceError: it is no address.
    """
    try:
        return urlsplit(href).path
    except ValueError:
        raise RetriableSourceError(f"The server names {href[:_LONGEST_SHOWN]!r}, which is no address.") from None


def name_of(href: str) -> str:
    """The decoded last part of a path."""
    return unquote(href.rstrip("/").rpartition("/")[2])


def origin_of(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def base_path(url: str) -> str:
    """The path below which a server lives, "" where it has a host of its own."""
    return urlsplit(url).path.rstrip("/")


def event_url(server: str, href: str) -> str:
    """The event in the calendar app, which opens the next occurrence of what repeats."""
    return f"{server}/apps/calendar/edit/{quote(b64encode(unquote(href).encode()).decode(), safe='=')}"


def task_url(server: str, href: str) -> str:
    """The to-do in the tasks app, by the names of its list and its resource."""
    collection, _, resource = href.rpartition("/")
    names = quote(name_of(collection), safe=""), quote(unquote(resource), safe="")
    return f"{server}/apps/tasks/#/calendars/{names[0]}/tasks/{names[1]}"
