"""The requests of the Notes app."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, TypeVar

from citemark.features.nextcloud.source.client import Client, request_large
from citemark.features.nextcloud.source.http_responses import (
    LATEST,
    id_in,
    json_in,
    line_in,
    list_in,
    number_in,
    object_in,
    text_in,
)
from citemark.features.nextcloud.source.scan_limits import ScanLimitReached, ScanLimits
from citemark.model.errors import RetriableSourceError
from citemark.model.ids import NativeId
from citemark.remote.connections import HttpRequest, HttpResponse, http_date

NOTE = "note"
_NOTES = "/index.php/apps/notes/api/v1/notes"
_HEADERS = {"Accept": "application/json"}
CHUNK = 500
"""Notes per response with texts: the server reads all notes for each request, however few it returns."""

_SPARE_CHUNKS = 5
"""Chunks allowed beyond twice what the list needs, before the server's cursor is taken for endless."""

_LONGEST_SHOWN = 80
"""Characters of a malformed id that a message repeats."""

_CURSOR = "x-notes-chunk-cursor"
_REFUSALS = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Note:
    """A note without its text; `category` is the path of its folder.

    The etag is this account's, and covers everything that the note shows.
    """

    native_id: NativeId
    etag: str
    modified: int
    title: str = ""
    category: str = ""

    @property
    def modified_at(self) -> datetime | None:
        """When the note was changed, as its editor reported it; None for an impossible time."""
        return datetime.fromtimestamp(self.modified, UTC) if 0 < self.modified <= LATEST else None


@dataclass(frozen=True, slots=True)
class NoteList:
    """A response of the list.

    Attributes:
        ids: of all notes.
        changed: the notes that the server returned in full; of the others only the id is known.
        etag: of this very request.
        at: the server's time of the response, in seconds.
    """

    ids: frozenset[NativeId]
    changed: tuple[Note, ...]
    etag: str | None
    at: int | None


@dataclass(frozen=True, slots=True)
class FullNote:
    """A note with its text."""

    note: Note
    title: str
    content: str
    category: str
    path: str
    favourite: bool
    error: str


class NotesApi:
    """The notes of one account."""

    def __init__(self, client: Client, limits: ScanLimits) -> None:
        self._client = client
        self._limits = limits

    async def list_notes(self, since: int | None, etag: str | None) -> NoteList | None:
        """Request the complete list; None when it is unchanged since `etag`.

        Args:
            since: the server's time in seconds from which on changed notes are returned in full; None for all.
            etag: of the same request when it was made last.
        """
        params = {"exclude": "content"}
        if since is not None:
            params["pruneBefore"] = str(since)

        async def read(reply: HttpResponse) -> NoteList | None:
            return None if reply.status == HTTPStatus.NOT_MODIFIED else _list_of(reply, self._limits.documents)

        return await self._request_list(read, params, etag)

    async def chunks(self, since: int | None, listed: int) -> AsyncGenerator[list[FullNote]]:
        """Yield the notes with their texts that changed since `since`, CHUNK at a time.

        Notes that are missing here may still exist; use `list_notes` to find out. The number of requests is
        bounded by `listed`, whatever the server's cursor says.

        Args:
            since: the server's time in seconds; None for all notes.
            listed: number of notes that the list returned in full.

        Raises:
            SkippableSourceError: the texts are too much for one response.
        """
        params = {"chunkSize": str(CHUNK)}
        if since is not None:
            params["pruneBefore"] = str(since)

        async def read(reply: HttpResponse) -> tuple[list[FullNote], str | None]:
            if reply.status != HTTPStatus.OK:
                raise RetriableSourceError(f"The app for notes answered {reply.status} when asked for its notes.")
            # Megabytes take a while to parse, and questions are answered by the same loop.
            return await asyncio.to_thread(_fulls_in, reply), reply.headers.get(_CURSOR)

        for _ in range(min(_SPARE_CHUNKS + 2 * listed // CHUNK, self._limits.pages)):
            chunk, cursor = await self._request_list(read, params)
            yield chunk
            if not cursor or cursor == params.get("chunkCursor"):
                return
            params["chunkCursor"] = cursor

    async def note(self, native_id: NativeId, folder: str) -> FullNote | None:
        """Request a note; None if it does not exist or is not visible to this account.

        `folder` is the category that it was last seen in: the app locks a folder while it reads a note in it.
        """
        if not native_id.isdecimal():
            return None
        reply = await self._get(f"{_NOTES}/{native_id}", folder)
        if _is_refusal(reply):
            return None
        given = object_in(_json(reply))
        if reply.status != HTTPStatus.OK or "id" not in given:
            raise RetriableSourceError(f"The app for notes answered {reply.status} for the note {native_id}.")
        return _full_of(given)

    async def etag_now(self, native_id: NativeId, etag: str, folder: str) -> str | None:
        """Return the current etag of a note, `etag` if it has not changed; None if this account has no such note.

        `folder`: as of `note`.
        """
        if not native_id.isdecimal():
            return None
        reply = await self._get(f"{_NOTES}/{native_id}", folder, {"exclude": "content"}, f'"{etag}"')
        if reply.status == HTTPStatus.NOT_MODIFIED:
            return etag
        if _is_refusal(reply):
            return None
        found = text_in(object_in(_json(reply)).get("etag"))
        if reply.status != HTTPStatus.OK or not found:
            raise RetriableSourceError(f"The app for notes answered {reply.status} for the note {native_id}.")
        return found

    async def _request_list(
        self, use: Callable[[HttpResponse], Awaitable[T]], params: Mapping[str, str], etag: str | None = None
    ) -> T:
        """Request a list, which may be large, and process it."""
        headers = _HEADERS if etag is None else {**_HEADERS, "If-None-Match": etag}
        most = self._limits.answer_bytes
        return await request_large(self._client, HttpRequest("GET", _NOTES, headers, params, most_bytes=most), use)

    async def _get(
        self, path: str, folder: str, params: Mapping[str, str] | None = None, etag: str | None = None
    ) -> HttpResponse:
        headers = _HEADERS if etag is None else {**_HEADERS, "If-None-Match": etag}
        request = HttpRequest("GET", path, headers, params)
        return await self._client.send(request, turn=f"{_NOTES}:{folder}")


def _list_of(reply: HttpResponse, most: int) -> NoteList:
    if reply.status != HTTPStatus.OK:
        raise RetriableSourceError(f"The app for notes answered {reply.status} when asked for its list.")
    listed = [object_in(each) for each in list_in(json_in(reply), "a list of notes")]
    if len(listed) > most:
        raise ScanLimitReached(f"There are more than {most:,} notes", "MAX_DOCUMENTS")
    at = http_date(reply.headers.get("last-modified"))
    return NoteList(
        ids=frozenset(_id_of(each) for each in listed),
        changed=tuple(_note_of(each) for each in listed if each.get("etag")),
        etag=reply.headers.get("etag"),
        at=int(at.timestamp()) if at is not None else None,
    )


def _json(reply: HttpResponse) -> Any:
    return None if reply.status == HTTPStatus.NOT_MODIFIED else json_in(reply)


def _is_refusal(reply: HttpResponse) -> bool:
    """Tell whether the app itself refuses: a disabled app, or a proxy, answers 404 as well."""
    return reply.status in _REFUSALS and bool(object_in(json_in(reply)).get("errorType"))


def _fulls_in(reply: HttpResponse) -> list[FullNote]:
    """Return the notes of a list that have a text."""
    changed = [object_in(each) for each in list_in(json_in(reply), "a list of notes")]
    return [_full_of(each) for each in changed if "id" in each and each.get("etag") and "content" in each]


def _id_of(given: Mapping[str, Any]) -> NativeId:
    """Return the id of a note.

    Raises:
        RetriableSourceError: it is not an id, so that the whole list cannot be trusted.
    """
    found = id_in(given.get("id"))
    if found is None:
        shown = repr(given.get("id"))[:_LONGEST_SHOWN]
        raise RetriableSourceError(f"The app for notes lists a note under {shown}, which is not an id.")
    return NativeId(found)


def _full_of(given: Mapping[str, Any]) -> FullNote:
    return FullNote(
        note=_note_of(given),
        title=line_in(given.get("title")),
        content=text_in(given.get("content")),
        category=text_in(given.get("category")),
        path=text_in(given.get("internalPath")).strip("/"),
        favourite=bool(given.get("favorite")),
        error=(line_in(given.get("errorType")) or "an error") if given.get("error") else "",
    )


def _note_of(given: Mapping[str, Any]) -> Note:
    return Note(
        native_id=_id_of(given),
        etag=text_in(given.get("etag")),
        modified=number_in(given.get("modified"), most=LATEST),
        title=line_in(given.get("title")),
        category=text_in(given.get("category")),
    )
