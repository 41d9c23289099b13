"""What each folder held when it was listed, by the folder's own id: a folder that is moved stays known."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from citemark.sources.contract import ScanState
from citemark.sources.nextcloud.files.entries import Entry, join_path
from citemark.sources.nextcloud.values import object_in

_FORM = 1
"""Of what is remembered of a folder; what another version of this code left is not read."""


class FolderCache:
    """Names below a folder, never paths, and everything whatever the rules: neither moves nor rules make it wrong."""

    def __init__(self, scan_state: ScanState) -> None:
        self._scan_state = scan_state

    async def load(self, folder: Entry) -> list[Entry] | None:
        """What the folder holds; None when it was never listed with this etag."""
        if folder.file_id is None or folder.etag is None:
            return None
        value = object_in(await self._scan_state.load(_key(folder)))
        if value.get("etag") != folder.etag or value.get("form") != _FORM:
            return None
        return [_entry(folder, row) for row in value["entries"]]

    async def save(self, folder: Entry, entries: Sequence[Entry]) -> None:
        """Remember a listing under the etag that was known before it: of what came later, the etag tells again."""
        if folder.file_id is not None and folder.etag is not None:
            rows = [_row(entry) for entry in entries]
            await self._scan_state.save(_key(folder), {"form": _FORM, "etag": folder.etag, "entries": rows})


def _key(folder: Entry) -> str:
    return f"files:{folder.file_id}"


def _row(entry: Entry) -> list[Any]:
    changed = entry.modified.timestamp() if entry.modified else None
    return [
        entry.name, entry.file_id, entry.etag, entry.is_folder, entry.size, changed, entry.content_type,
        entry.shared_by, list(entry.tags),
    ]  # fmt: skip


def _entry(folder: Entry, row: list[Any]) -> Entry:
    name, file_id, etag, is_folder, size, changed, content_type, shared_by, tags = row
    modified = None if changed is None else datetime.fromtimestamp(changed, UTC)
    return Entry(
        join_path(folder.path, name), file_id, etag, is_folder, size, modified, content_type, shared_by, tuple(tags)
    )
