"""Brings the texts of many changed notes together, for the reader that is about to come for them."""

import asyncio
from collections.abc import Mapping

from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.sources.nextcloud.notes.api import FullNote, NotesApi
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache

_FEW = 10
"""So few notes are read one by one, and searchable sooner."""

_NEEDLESS = 4
"""Texts that the server reads and sends for each that is wanted, at most."""

_SECONDS = 60.0
"""After which a slow server is not asked for another chunk: the listing waits meanwhile."""

_AROUND = 500
"""Characters for all of a note that is not its text."""


def characters_of(full: FullNote) -> int:
    """About how many characters a note keeps occupied."""
    return len(full.content) + _AROUND


class BulkFetch:
    """A few requests in place of one per note. What they do not bring is read one by one, so they may fail."""

    def __init__(self, api: NotesApi, prefetched: PrefetchCache[FullNote]) -> None:
        self._api = api
        self._prefetched = prefetched

    async def prefetch(self, wanted: Mapping[str, str], since: int | None, listed: int) -> None:
        """Hand over the wanted notes, each by its etag, out of the `listed` ones that changed since a server's time.

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
