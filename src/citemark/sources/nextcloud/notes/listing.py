"""Keeps the list of notes from scan to scan, so that an unchanged one costs a short answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citemark.model.ids import NativeId
from citemark.sources.contract import ScanMemory
from citemark.sources.nextcloud.handover import Handover
from citemark.sources.nextcloud.notes.api import Full, Note, NoteList, NotesApi
from citemark.sources.nextcloud.notes.bringing import Bringing
from citemark.sources.nextcloud.values import array_in, object_in

_KEY = "notes"
WHOLE_EVERY = 24
"""Scans between two that ask for everything: times of change are the server's, and its clock may have jumped."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The list as last seen: what to ask since when, the etag of that very question, and how often it was asked."""

    since: int | None = None
    etag: str | None = None
    asked: int = 0
    notes: Mapping[NativeId, Note] = field(default_factory=dict[NativeId, Note])


class NoteListing:
    """The complete list, from the server and from memory; where much is new, its texts are brought as well."""

    def __init__(self, api: NotesApi, memory: ScanMemory, handover: Handover[Full]) -> None:
        self._api = api
        self._memory = memory
        self._handover = handover
        self._bringing = Bringing(api, handover)

    async def notes(self) -> list[Note]:
        """Every note of the account as it is now.

        Raises:
            RetriableSourceError: the notes cannot be listed now.
            FatalSourceError: the account cannot be used any more.
        """
        before = _remembered(await self._memory.load(_KEY))
        since, etag = (None, None) if before.asked >= WHOLE_EVERY else (before.since, before.etag)
        listed = await self._api.all(since, etag)
        if listed is None:
            await self._memory.save(_KEY, _kept(_asked(before)))
            self._handover.agree_all(_etags(before))
            return list(before.notes.values())
        if since is not None and not _fits(listed, since, before):
            since = None
            listed = await self._api.all(None, None) or listed
        after = _merged(before, listed, since)
        await self._memory.save(_KEY, _kept(after))
        was, now = _etags(before), _etags(after)
        self._handover.agree_all(now)
        new = {native_id: etag for native_id, etag in now.items() if was.get(native_id) != etag}
        await self._bringing.bring(new, since, len(listed.told))
        return list(after.notes.values())


def _fits(listed: NoteList, since: int, before: Remembered) -> bool:
    """Whether a shortened list can be completed: its clock did not run back, and every other note is known."""
    known = before.notes.keys() | {note.native_id for note in listed.told}
    return listed.at is not None and listed.at >= since and listed.ids <= known


def _merged(before: Remembered, listed: NoteList, since: int | None) -> Remembered:
    told = {note.native_id: note for note in listed.told}
    notes = {native_id: told.get(native_id) or before.notes[native_id] for native_id in sorted(listed.ids, key=int)}
    asked = 0 if since is None else before.asked + 1
    if since is None or any(before.notes.get(native_id) != note for native_id, note in told.items()):
        # The next question is another one, so this answer's etag is of no use for it.
        return Remembered(listed.at, None, asked, notes)
    return Remembered(since, listed.etag, asked, notes)


def _asked(before: Remembered) -> Remembered:
    return Remembered(before.since, before.etag, before.asked + 1, before.notes)


def _etags(state: Remembered) -> dict[str, str]:
    return {note.native_id: note.etag for note in state.notes.values()}


def _kept(state: Remembered) -> dict[str, Any]:
    notes = [[note.native_id, note.etag, note.modified] for note in state.notes.values()]
    return {"since": state.since, "etag": state.etag, "asked": state.asked, "notes": notes}


def _remembered(kept: Any) -> Remembered:
    """What was kept; nothing where it is of another form."""
    fields = object_in(kept)
    try:
        notes = [Note(NativeId(str(one)), str(etag), int(at)) for one, etag, at in array_in(fields.get("notes"))]
        return Remembered(
            since=None if fields["since"] is None else int(fields["since"]),
            etag=None if fields["etag"] is None else str(fields["etag"]),
            asked=int(fields["asked"]),
            notes={note.native_id: note for note in notes},
        )
    except (KeyError, TypeError, ValueError):
        return Remembered()
