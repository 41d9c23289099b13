"""The list of notes, kept between scans so that an unchanged one costs a short response; bulk fetch of texts."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from citemark.extraction.markdown.front_matter import read_front_matter
from citemark.features.nextcloud.source.http_responses import array_in, object_in
from citemark.features.nextcloud.source.notes.api import FullNote, Note, NoteList, NotesApi
from citemark.features.nextcloud.source.notes.named import NamedNotes
from citemark.features.nextcloud.source.prefetch_cache import PrefetchCache
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId
from citemark.sources.contract import ScanState

_FEW = 10
"""Up to this many notes are read one by one, and are searchable sooner."""

_NEEDLESS = 4
"""Texts that the server reads and sends per wanted one, at most."""

_SECONDS = 60.0
"""Time after which a slow server is not asked for another chunk, because the listing waits in the meantime."""

_MOST_LEARNT = 2_000
"""Notes of an account whose texts are read for their aliases, all with each change of a note: a few megabytes."""

_AROUND = 500
"""Characters for everything in a note except its text."""


_KEY = "notes"
WHOLE_EVERY = 24
"""Scans between two complete requests: times of change are the server's, and its clock may have been wrong."""


def characters_of(full: FullNote) -> int:
    """Return about how many characters a note occupies."""
    return len(full.content) + _AROUND


class BulkFetch:
    """Fetches many notes with a few requests. What it does not fetch is read one by one, so it may fail."""

    def __init__(self, api: NotesApi, prefetched: PrefetchCache[FullNote]) -> None:
        self._api = api
        self._prefetched = prefetched

    async def prefetch(self, wanted: Mapping[str, str], since: int | None, listed: int) -> None:
        """Put wanted notes into the prefetch cache.

        Args:
            wanted: etags by id.
            since: the server's time in seconds since when they changed; None for any.
            listed: number of notes that changed since then, wanted or not.

        Raises:
            FatalSourceError: the account cannot be used any more.
        """
        if len(wanted) < _FEW or listed > _NEEDLESS * len(wanted):
            return
        missing = dict(wanted)
        until = asyncio.get_running_loop().time() + _SECONDS
        try:
            async for chunk in self._api.chunks(since, listed):
                for full in chunk:
                    if missing.get(full.note.native_id) != full.note.etag:
                        continue
                    if not self._prefetched.has_room_for(full):
                        return
                    del missing[full.note.native_id]
                    self._prefetched.put(full.note.native_id, full.note.etag, full)
                if not missing or asyncio.get_running_loop().time() > until:
                    return
        except (RetriableSourceError, SkippableSourceError):
            return


@dataclass(frozen=True, slots=True)
class NoteListState:
    """The list as last seen.

    Attributes:
        since: time from which on the next request asks for changes.
        etag: of that very request.
        requests: number of requests since the last complete one.
        notes: by id.
    """

    since: int | None = None
    etag: str | None = None
    requests: int = 0
    notes: Mapping[NativeId, Note] = field(default_factory=dict[NativeId, Note])


class ListedNotes(NamedTuple):
    """Every note of an account, and the ids of those that the server lists without an etag."""

    notes: list[Note]
    without_etag: list[NativeId]


class NoteListing:
    """Completes the server's list from the kept state, and prefetches texts when much is new."""

    def __init__(self, api: NotesApi, scan_state: ScanState, prefetched: PrefetchCache[FullNote]) -> None:
        self._api = api
        self._scan_state = scan_state
        self._prefetched = prefetched
        self._bulk_fetch = BulkFetch(api, prefetched)
        self._listed: Mapping[NativeId, Note] | None = None
        self._aliases: dict[NativeId, tuple[str, tuple[str, ...]]] = {}

    async def named(self, names: Sequence[str], page: str) -> NamedNotes:
        """The notes as they were listed last, by the names that links give them.

        If one of the `names` on the note at `page` is not a title, the texts of the notes are read for their aliases,
        unless there are too many of them.
        """
        listed = await self._last_listed()
        named = self._named(listed)
        if not named.knows_all and any(named.find(name, page) is None for name in names):
            await self._learn_aliases(listed)
            named = self._named(listed)
        return named

    async def folder_of(self, native_id: NativeId) -> str:
        """The category of a note when it was listed last; that of notes without one if it was not."""
        note = (await self._last_listed()).get(native_id)
        return note.category if note is not None else ""

    async def _last_listed(self) -> Mapping[NativeId, Note]:
        if self._listed is None:
            self._listed = _state_from_json(await self._scan_state.load(_KEY)).notes
        return self._listed

    def _named(self, listed: Mapping[NativeId, Note]) -> NamedNotes:
        known = {
            one: names for one, (etag, names) in self._aliases.items() if one in listed and listed[one].etag == etag
        }
        return NamedNotes(listed.values(), known, knows_all=len(known) == len(listed))

    async def _learn_aliases(self, listed: Mapping[NativeId, Note]) -> None:
        if len(listed) > _MOST_LEARNT:
            return
        try:
            async for chunk in self._api.chunks(None, len(listed)):
                for full in chunk:
                    head = read_front_matter(full.content.replace("\r\n", "\n"))
                    self._aliases[full.note.native_id] = full.note.etag, head.names() if head is not None else ()
        except (RetriableSourceError, SkippableSourceError):
            return

    async def notes(self) -> ListedNotes:
        """Return every note of the account.

        Raises:
            RetriableSourceError: the notes cannot be listed now.
            FatalSourceError: the account cannot be used any more.
        """
        before = _state_from_json(await self._scan_state.load(_KEY))
        since, etag = (None, None) if before.requests >= WHOLE_EVERY else (before.since, before.etag)
        listed = await self._api.list_notes(since, etag)
        if listed is None:
            await self._scan_state.save(_KEY, _state_to_json(_count_request(before)))
            self._prefetched.discard_all_stale(_etags(before))
            return ListedNotes(list(before.notes.values()), [])
        if since is not None and not _fits(listed, since, before):
            since = None
            listed = await self._api.list_notes(None, None) or listed
        after = _merge_lists(before, listed, since)
        await self._scan_state.save(_KEY, _state_to_json(after))
        self._listed = after.notes
        was, now = _etags(before), _etags(after)
        self._prefetched.discard_all_stale(now)
        new = {native_id: etag for native_id, etag in now.items() if was.get(native_id) != etag}
        await self._bulk_fetch.prefetch(new, since, len(listed.changed))
        return ListedNotes(list(after.notes.values()), sorted(listed.ids - after.notes.keys(), key=int))


def _fits(listed: NoteList, since: int, before: NoteListState) -> bool:
    """Tell whether a shortened list can be completed: the server's clock did not run back, and the others are known."""
    known = before.notes.keys() | {note.native_id for note in listed.changed}
    return listed.at is not None and listed.at >= since and listed.ids <= known


def _merge_lists(before: NoteListState, listed: NoteList, since: int | None) -> NoteListState:
    changed = {note.native_id: note for note in listed.changed}
    known = {**before.notes, **changed}
    # A note that is new and has no etag is in neither.
    notes = {native_id: known[native_id] for native_id in sorted(listed.ids & known.keys(), key=int)}
    requests = 0 if since is None else before.requests + 1
    if since is None or any(before.notes.get(native_id) != note for native_id, note in changed.items()):
        # The next request asks since another time, so the etag of this response does not apply to it.
        return NoteListState(listed.at, None, requests, notes)
    return NoteListState(since, listed.etag, requests, notes)


def _count_request(before: NoteListState) -> NoteListState:
    return NoteListState(before.since, before.etag, before.requests + 1, before.notes)


def _etags(state: NoteListState) -> dict[str, str]:
    return {note.native_id: note.etag for note in state.notes.values()}


def _state_to_json(state: NoteListState) -> dict[str, Any]:
    notes = [[note.native_id, note.etag, note.modified, note.title, note.category] for note in state.notes.values()]
    return {"since": state.since, "etag": state.etag, "asked": state.requests, "notes": notes}


def _state_from_json(value: Any) -> NoteListState:
    """Read a kept state; an empty one if it is malformed."""
    fields = object_in(value)
    try:
        notes = [
            Note(NativeId(str(one)), str(etag), int(at), str(title), str(category))
            for one, etag, at, title, category in array_in(fields.get("notes"))
        ]
        return NoteListState(
            since=None if fields["since"] is None else int(fields["since"]),
            etag=None if fields["etag"] is None else str(fields["etag"]),
            requests=int(fields["asked"]),
            notes={note.native_id: note for note in notes},
        )
    except (KeyError, TypeError, ValueError):
        return NoteListState()
