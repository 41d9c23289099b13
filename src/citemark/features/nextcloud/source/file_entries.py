"""Files and folders as WebDAV lists them: the properties requested, and entries read from responses (RFC 4918)."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import NewType
from urllib.parse import unquote
from xml.sax.saxutils import escape

from citemark.features.nextcloud.source.links import path_of
from citemark.features.nextcloud.source.multistatus import DAV, MultistatusEntry
from citemark.model.ids import Version
from citemark.remote.connections import http_date

FILE = "file"

FilePath = NewType("FilePath", str)
"""Path below the account's root, decoded, without slashes at its ends; "" for the root."""


_OC = "http://owncloud.org/ns"
_NC = "http://nextcloud.org/ns"
_NAMESPACES = 'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"'
_PROPERTIES = (
    "<d:prop><d:resourcetype/><d:getetag/><d:getlastmodified/><d:getcontentlength/><d:getcontenttype/>"
    "<oc:fileid/><oc:owner-id/><nc:mount-type/><nc:is-encrypted/><nc:system-tags/></d:prop>"
)

PROPFIND = f'<?xml version="1.0"?><d:propfind {_NAMESPACES}>{_PROPERTIES}</d:propfind>'.encode()
TAGS_PROPFIND = (
    f'<?xml version="1.0"?><d:propfind {_NAMESPACES}><d:prop><oc:id/><oc:display-name/></d:prop></d:propfind>'
).encode()

_FOUND = (
    "<d:prop><d:resourcetype/><d:getetag/><d:getlastmodified/><d:getcontentlength/><d:getcontenttype/>"
    "<oc:fileid/></d:prop>"
)
"""The properties that SEARCH accepts."""

_LONGEST_NUMBER = 18
"""Digits of a size that is believed, below 2^63."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file or folder. The etag has no quotes; it is None on servers without etags.

    Moving keeps `file_id` and `etag`. `shared_by` is the owner of an entry that another person shares. `encrypted`: a
    folder whose files only the person's own programs can decrypt.
    """

    path: FilePath
    file_id: str | None
    etag: str | None
    is_folder: bool
    size: int = 0
    modified: datetime | None = None
    content_type: str = ""
    shared_by: str | None = None
    tags: tuple[str, ...] = ()
    encrypted: bool = False

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def version(self) -> Version:
        """A token that changes with content or path. Without an etag, time and size represent the content."""
        content = self.etag or f"{self.modified.timestamp() if self.modified else 0:.0f}.{self.size:x}"
        place = blake2b(self.path.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return Version(f"{content}.{place}")


def join_path(folder: FilePath, name: str) -> FilePath:
    """Return the path of a name in a folder."""
    return FilePath(f"{folder}/{name}" if folder else name)


def search_for(user: str, file_id: str) -> bytes:
    """Write the SEARCH that finds where the account sees a file now (RFC 5323)."""
    scope = f"<d:scope><d:href>/files/{escape(user)}</d:href><d:depth>infinity</d:depth></d:scope>"
    where = f"<d:eq><d:prop><oc:fileid/></d:prop><d:literal>{escape(file_id)}</d:literal></d:eq>"
    return (
        f'<?xml version="1.0"?><d:searchrequest {_NAMESPACES}><d:basicsearch><d:select>{_FOUND}</d:select>'
        f"<d:from>{scope}</d:from><d:where>{where}</d:where></d:basicsearch></d:searchrequest>"
    ).encode()


def tagged_with(tag_id: str) -> bytes:
    """Write the REPORT that lists the files and folders with one system tag."""
    return (
        f'<?xml version="1.0"?><oc:filter-files {_NAMESPACES}><d:prop><oc:fileid/><d:resourcetype/></d:prop>'
        f"<oc:filter-rules><oc:systemtag>{escape(tag_id)}</oc:systemtag></oc:filter-rules></oc:filter-files>"
    ).encode()


def entry_of(response: MultistatusEntry, user: str) -> FileEntry | None:
    """Read the file or folder of a response; None for what is not found, or lies outside the account.

    Raises:
        RetriableSourceError: its href is not an address.
    """
    path = _path_of(response.href, user)
    if path is None or not response.properties:
        return None
    size = response.text(DAV, "getcontentlength")
    tags = (each.text.strip() for each in response.inside(_NC, "system-tags"))
    shared = response.text(_NC, "mount-type") == "shared"
    return FileEntry(
        path=path,
        file_id=response.text(_OC, "fileid") or None,
        etag=response.text(DAV, "getetag").removeprefix("W/").strip('"') or None,
        is_folder=f"{{{DAV}}}collection" in response.kinds(DAV, "resourcetype"),
        size=int(size) if size.isdecimal() and len(size) <= _LONGEST_NUMBER else 0,
        modified=http_date(response.text(DAV, "getlastmodified")),
        content_type=response.text(DAV, "getcontenttype").partition(";")[0].strip().lower(),
        shared_by=response.text(_OC, "owner-id") or None if shared else None,
        tags=tuple(sorted({tag for tag in tags if tag})),
        encrypted=response.text(_NC, "is-encrypted") == "1",
    )


def tag_of(response: MultistatusEntry) -> tuple[str, str] | None:
    """Return name and id of the system tag of a response."""
    name, number = response.text(_OC, "display-name"), response.text(_OC, "id")
    return (name, number) if name and number else None


def _path_of(href: str, user: str) -> FilePath | None:
    """Return the path below the account's root. Decoded paths are compared, as servers differ in what they encode."""
    path = unquote(path_of(href))
    _, root, below = path.partition(f"/remote.php/dav/files/{user}")
    if not root or (below and not below.startswith("/")):
        return None
    return FilePath(below.removeprefix("/").removesuffix("/"))
