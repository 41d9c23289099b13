"""The list of notes: shortened, cut into chunks, with an etag per request."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.nextcloud.messages import ServerRequest, ServerResponse, json_answer, not_modified, php_json, same_etag
from tests.nextcloud.notes.notebook import Notebook


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far earlier chunks got: since when the whole walk runs, the last note's time of change and id."""

    started: int
    last_update: int
    last_id: int

    def __str__(self) -> str:
        return f"{self.started}-{self.last_update}-{self.last_id}"


def cursor_of(text: str | None) -> Cursor | None:
    """The cursor of an earlier answer; an unreadable one begins anew."""
    parts = text.split("-") if text else []
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return None
    started, last_update, last_id = (int(part) for part in parts)
    return Cursor(started, last_update, last_id)


@dataclass(frozen=True, slots=True)
class Listed:
    """A note's shown fields with when the server saw it change."""

    fields: dict[str, Any]
    last_update: int

    @property
    def order(self) -> tuple[int, int]:
        return self.last_update, self.fields["id"]


def list_notes(notebook: Notebook, ask: ServerRequest) -> ServerResponse:
    """Answer `GET /notes` with whatever of category, exclude, pruneBefore, chunkSize and chunkCursor it carries."""
    exclude = excluded(ask)
    prune = _number(ask.query.get("pruneBefore"))
    size = _number(ask.query.get("chunkSize"))
    cursor = cursor_of(ask.query.get("chunkCursor"))
    started = cursor.started if cursor else notebook.files.clock.seconds()

    everything: list[Listed] = []
    for place in notebook.places(ask.user):
        fields = notebook.data(place, exclude)
        if "category" not in ask.query or notebook.category(place) == ask.query["category"]:
            everything.append(Listed(fields, notebook.last_update(place)))
    due = [one for one in everything if not (prune and one.last_update < prune)]
    if cursor:
        due = [one for one in due if one.order > (cursor.last_update, cursor.last_id)]
    due.sort(key=lambda one: one.order)
    chunk = due[:size] if size else due

    rows = [one.fields for one in chunk]
    headers = {"last-modified": _spelled(started)}
    if pending := len(due) - len(chunk):
        last = chunk[-1]
        headers["x-notes-chunk-cursor"] = str(Cursor(started, last.last_update, last.fields["id"]))
        headers["x-notes-chunk-pending"] = str(pending)
    else:
        told = {row["id"] for row in rows}
        rows += [{"id": one.fields["id"]} for one in everything if one.fields["id"] not in told]
    etag = hashlib.md5(php_json(rows), usedforsecurity=False).hexdigest()
    answer = json_answer(rows, headers={**headers, "etag": f'"{etag}"'})
    return not_modified(answer) if same_etag(ask, etag) else answer


def excluded(ask: ServerRequest) -> frozenset[str]:
    return frozenset(part for part in ask.query.get("exclude", "").split(",") if part)


def _number(text: str | None) -> int:
    return int(text) if text and text.lstrip("-").isdecimal() else 0


def _spelled(seconds: int) -> str:
    """The app writes +0000 where HTTP asks for GMT."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
