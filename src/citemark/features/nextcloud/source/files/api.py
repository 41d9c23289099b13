"""The requests about files: list, look up, find, tags, download."""

import asyncio
from dataclasses import dataclass
from urllib.parse import quote

from citemark.features.nextcloud.source.file_entries import (
    PROPFIND,
    TAGS_PROPFIND,
    FileEntry,
    FilePath,
    entry_of,
    search_for,
    tag_of,
    tagged_with,
)
from citemark.features.nextcloud.source.http_responses import json_in, object_in
from citemark.features.nextcloud.source.multistatus import MultistatusEntry
from citemark.features.nextcloud.source.webdav import WebDav
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.remote.connections import HttpRequest

_DAV = "/remote.php/dav"
_CAPABILITIES = "/ocs/v2.php/cloud/capabilities"
_LISTING = "a listing of files"
_OK = 200
_OTHER_NOW = frozenset({404, 412})
"""Statuses of a download whose file was replaced or removed."""

_FORBIDDEN = 403
"""Status of the download of a file that was shared to be viewed only, or that a rule of the server withholds."""

_NO_MORE = frozenset({403, 404})
"""Statuses of what is gone, or not visible to this account."""


@dataclass(frozen=True, slots=True)
class TaggedFiles:
    """Ids of the files and folders that have one of some tags, and the tags that do not exist."""

    ids: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()


class FilesApi:
    """The files of one account."""

    def __init__(self, dav: WebDav, user: str) -> None:
        self._dav = dav
        self._client = dav.client
        self._user = user

    async def entry_at(self, path: FilePath) -> FileEntry | None:
        """Look up a path; None if there is nothing, or nothing visible to this account."""
        found = await self._listing(path, depth="0", slash=path == "")
        return next(iter(found or ()), None)

    async def file_at(self, path: FilePath) -> FileEntry | None:
        """Look up a path that a text names; None if there is no file, or the server takes it for no path."""
        reply = await self._dav.request("PROPFIND", self._path(path), PROPFIND, self._entry, {"Depth": "0"})
        found = () if reply.content is None else reply.content.responses
        return next((entry for entry in found if entry.path == path and not entry.is_folder), None)

    async def list_folder(self, path: FilePath) -> list[FileEntry] | None:
        """List a folder, sorted by path; None if it is gone."""
        found = await self._listing(path, depth="1", slash=True)
        if found is None or not any(entry.path == path and entry.is_folder for entry in found):
            return None
        return sorted((entry for entry in found if entry.path != path), key=lambda entry: entry.path)

    async def find_by_id(self, file_id: str) -> list[FileEntry]:
        """Find where the account sees a file now; several places if it is shared in several ways."""
        search = search_for(self._user, file_id)
        reply = await self._dav.request("SEARCH", f"{_DAV}/", search, self._entry, {"Content-Type": "text/xml"})
        if reply.status in _NO_MORE:
            return []
        found = [
            entry
            for entry in reply.require_multistatus(_LISTING).responses
            if entry.file_id == file_id and not entry.is_folder
        ]
        return sorted(found, key=lambda entry: (entry.path.count("/"), entry.path))

    async def find_tagged(self, names: frozenset[str]) -> TaggedFiles:
        """Find what has one of the system tags.

        Args:
            names: of tags, in lower case.

        Raises:
            RetriableSourceError: the server has no tags, or does not list them now.
        """
        reply = await self._dav.request("PROPFIND", f"{_DAV}/systemtags/", TAGS_PROPFIND, tag_of, {"Depth": "1"})
        if reply.status in _NO_MORE:
            raise RetriableSourceError("The rules for files ask for tags, and this server has none; take them out.")
        # Not a mapping: tags that differ in who may see or assign them may have the same name.
        known = reply.require_multistatus("the tags of files").responses
        reports = [tagged_with(number) for name, number in known if name.casefold() in names]
        root = self._path(FilePath(""))
        replies = await asyncio.gather(*(self._dav.request("REPORT", root, each, self._entry) for each in reports))
        found = (entry for answer in replies for entry in answer.require_multistatus(_LISTING).responses)
        ids = {entry.file_id for entry in found if entry.file_id is not None}
        return TaggedFiles(frozenset(ids), names - {name.casefold() for name, _ in known})

    async def download(self, entry: FileEntry, most_bytes: int) -> bytes | None:
        """Download a file in exactly this version; None if it was replaced or removed.

        Raises:
            SkippableSourceError: it is longer than `most_bytes`, or may be seen but not downloaded.
            RetriableSourceError: the server answers unexpectedly, or the download was cut off.
        """
        headers = {"If-Match": f'"{entry.etag}"'} if entry.etag else {}
        reply = await self._client.send(
            HttpRequest("GET", self._path(entry.path), headers=headers, most_bytes=max(most_bytes, 1024) + 1024)
        )
        if reply.status in _OTHER_NOW:
            return None
        if reply.status == _FORBIDDEN:
            raise SkippableSourceError(
                "The account may see the file but not download it (HTTP 403). Ask its owner to allow downloads in the "
                "share, or the administrator whether a rule of the server forbids them."
            )
        if reply.status != _OK:
            raise RetriableSourceError(f"The server answered {reply.status} to the download of a file.")
        # A web server that compresses sends its own ETag ("...-gzip"); Nextcloud's is in a header of its own.
        etag = reply.headers.get("oc-etag", "").strip('"')
        if entry.etag and etag and etag != entry.etag:
            return None
        if len(reply.body) > most_bytes:
            raise SkippableSourceError(f"The file has more than the {most_bytes:,} bytes that are read.")
        if entry.size and len(reply.body) != entry.size:
            raise RetriableSourceError(
                f"Of the file's {entry.size:,} bytes {len(reply.body):,} came; it is downloaded again later."
            )
        return reply.body

    async def notes_path(self) -> FilePath | None:
        """Return the folder whose files are notes; None if the server has no Notes app."""
        reply = await self._client.send(
            HttpRequest(
                "GET",
                _CAPABILITIES,
                headers={"OCS-APIRequest": "true", "Accept": "application/json"},
                params={"format": "json"},
            )
        )
        if reply.status in _NO_MORE:
            return None
        if reply.status != _OK:
            raise RetriableSourceError(f"The server answered {reply.status} when asked for its capabilities.")
        found: object = json_in(reply)
        for key in ("ocs", "data", "capabilities", "notes", "notes_path"):
            found = object_in(found).get(key)
        return FilePath(found.strip("/")) if isinstance(found, str) and found.strip("/") else None

    async def _listing(self, path: FilePath, *, depth: str, slash: bool) -> list[FileEntry] | None:
        target = self._path(path, slash=slash)
        reply = await self._dav.request("PROPFIND", target, PROPFIND, self._entry, {"Depth": depth})
        return None if reply.status in _NO_MORE else list(reply.require_multistatus(_LISTING).responses)

    def _entry(self, response: MultistatusEntry) -> FileEntry | None:
        return entry_of(response, self._user)

    def _path(self, path: FilePath, *, slash: bool = False) -> str:
        written = quote(path, safe="/", errors="surrogatepass")
        return f"{_DAV}/files/{quote(self._user, safe='')}/{written}{'/' if slash and written else ''}"
