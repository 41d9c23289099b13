"""The XML of WebDAV about files: what is asked, and the answers read (RFC 4918, and Nextcloud's properties)."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from xml.sax.saxutils import escape

from lxml import etree

from citemark.model.errors import RetriableSourceError
from citemark.sources.nextcloud.dav.hrefs import path_of
from citemark.sources.nextcloud.files.entries import Entry, FilePath
from citemark.sources.nextcloud.values import time_in

_DAV = "{DAV:}"
_OC = "{http://owncloud.org/ns}"
_NC = "{http://nextcloud.org/ns}"
_NAMESPACES = 'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"'
_PROPERTIES = (
    "<d:prop><d:resourcetype/><d:getetag/><d:getlastmodified/><d:getcontentlength/><d:getcontenttype/>"
    "<oc:fileid/><oc:owner-id/><nc:mount-type/><nc:system-tags/></d:prop>"
)
PROPFIND = f'<?xml version="1.0"?><d:propfind {_NAMESPACES}>{_PROPERTIES}</d:propfind>'.encode()
TAGS_PROPFIND = (
    f'<?xml version="1.0"?><d:propfind {_NAMESPACES}><d:prop><oc:id/><oc:display-name/></d:prop></d:propfind>'
).encode()
_FOUND = (
    "<d:prop><d:resourcetype/><d:getetag/><d:getlastmodified/><d:getcontentlength/><d:getcontenttype/>"
    "<oc:fileid/></d:prop>"
)
"""Of the properties, those that SEARCH accepts."""

_OK = 200
_LONGEST_NUMBER = 18


def search_for(user: str, file_id: str) -> bytes:
    """The SEARCH that finds where the account sees a file now (RFC 5323)."""
    scope = f"<d:scope><d:href>/files/{escape(user)}</d:href><d:depth>infinity</d:depth></d:scope>"
    where = f"<d:eq><d:prop><oc:fileid/></d:prop><d:literal>{escape(file_id)}</d:literal></d:eq>"
    return (
        f'<?xml version="1.0"?><d:searchrequest {_NAMESPACES}><d:basicsearch><d:select>{_FOUND}</d:select>'
        f"<d:from>{scope}</d:from><d:where>{where}</d:where></d:basicsearch></d:searchrequest>"
    ).encode()


def tagged_with(tag_id: str) -> bytes:
    """The REPORT that lists the files and folders with one system tag."""
    return (
        f'<?xml version="1.0"?><oc:filter-files {_NAMESPACES}><d:prop><oc:fileid/><d:resourcetype/></d:prop>'
        f"<oc:filter-rules><oc:systemtag>{escape(tag_id)}</oc:systemtag></oc:filter-rules></oc:filter-files>"
    ).encode()


def entries_of(body: bytes, user: str) -> Iterator[Entry]:
    """The files and folders of a multistatus; what it calls not found, or lies outside the account, is left out.

    Raises:
        RetriableSourceError: it is no multistatus, or broken off.
    """
    for response in _responses(body):
        path = _path_of(response.findtext(f"{_DAV}href") or "", user)
        found = _found(response)
        if path is not None and found is not None:
            yield _entry(path, found)


def tags_of(body: bytes) -> dict[str, str]:
    """The names of system tags to their ids.

    Raises:
        RetriableSourceError: it is no multistatus, or broken off.
    """
    tags: dict[str, str] = {}
    for response in _responses(body):
        found = _found(response)
        name = found.findtext(f"{_OC}display-name") if found is not None else None
        number = found.findtext(f"{_OC}id") if found is not None else None
        if name and number:
            tags[name] = number
    return tags


def _responses(body: bytes) -> Iterator[Any]:
    # Entities are never resolved and nothing is loaded; a folder of 100,000 files is larger than lxml takes by default.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise RetriableSourceError(
            f"The server's listing of files is broken: {error.msg}; it is asked again."
        ) from error
    if root.tag != f"{_DAV}multistatus":
        raise RetriableSourceError("The server answered a listing of files with something else; it is asked again.")
    yield from root.iterfind(f"{_DAV}response")


def _found(response: Any) -> Any | None:
    """The properties that the resource has; None when it is none for this account."""
    for propstat in response.iterfind(f"{_DAV}propstat"):
        status = (propstat.findtext(f"{_DAV}status") or "").split()
        if len(status) > 1 and status[1] == str(_OK):
            return propstat.find(f"{_DAV}prop")
    return None


def _entry(path: FilePath, found: Any) -> Entry:
    size = (found.findtext(f"{_DAV}getcontentlength") or "").strip()
    kind = found.find(f"{_DAV}resourcetype")
    tags = found.find(f"{_NC}system-tags")
    mounted = (found.findtext(f"{_NC}mount-type") or "").strip()
    return Entry(
        path=path,
        file_id=(found.findtext(f"{_OC}fileid") or "").strip() or None,
        etag=(found.findtext(f"{_DAV}getetag") or "").strip().removeprefix("W/").strip('"') or None,
        is_folder=kind is not None and kind.find(f"{_DAV}collection") is not None,
        size=int(size) if size.isdecimal() and len(size) <= _LONGEST_NUMBER else 0,
        modified=time_in(found.findtext(f"{_DAV}getlastmodified")),
        content_type=(found.findtext(f"{_DAV}getcontenttype") or "").partition(";")[0].strip().lower(),
        shared_by=((found.findtext(f"{_OC}owner-id") or "").strip() or None) if mounted == "shared" else None,
        tags=tuple(sorted({(tag.text or "").strip() for tag in (tags if tags is not None else ())} - {""})),
    )


def _path_of(href: str, user: str) -> FilePath | None:
    """The path below the account's root. Servers differ in what they percent-encode, so decoded paths are compared."""
    path = unquote(path_of(href))
    _, root, below = path.partition(f"/remote.php/dav/files/{user}")
    if not root or (below and not below.startswith("/")):
        return None
    return FilePath(below.removeprefix("/").removesuffix("/"))
