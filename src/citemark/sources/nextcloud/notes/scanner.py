"""Lists the notes of an account."""

from collections.abc import AsyncIterator

from citemark.model.documents import Listed, Problem, ScanEnd
from citemark.model.ids import Version
from citemark.sources.nextcloud.notes.api import NOTE
from citemark.sources.nextcloud.notes.listing import NoteListing


class NotesScanner:
    """One request, answered in a few bytes while nothing changed; a few more bring the texts of what is new."""

    def __init__(self, listing: NoteListing) -> None:
        self._listing = listing

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Every note by its etag.

        Raises:
            RetriableSourceError: the notes cannot be listed now.
            FatalSourceError: the account cannot be used any more.
        """
        for note in await self._listing.notes():
            yield Listed(NOTE, note.native_id, Version(note.etag), note.modified_at)
        yield ScanEnd(complete=True)
