"""Fetches one note."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from citemark.extraction.markdown.document import extract_markdown
from citemark.model.documents import Fetched
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId, Version
from citemark.model.text import Extracted
from citemark.sources.foreground import foreground_waiting
from citemark.sources.nextcloud.links import links_in, url_of_note
from citemark.sources.nextcloud.notes.api import FullNote, NotesApi
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache

_NAMELESS = "Note without a title"


class NotesProcessor:
    """Gives what the scan has just brought, else one request; a person who waits is answered by the server itself."""

    def __init__(self, server: str, api: NotesApi, prefetched: PrefetchCache[FullNote]) -> None:
        self._server = server
        self._api = api
        self._prefetched = prefetched

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """The note as it is now; None when it was deleted or is not for this account any more.

        Raises:
            SkippableSourceError: Nextcloud itself cannot read it.
            RetriableSourceError: the app does not answer now.
            FatalSourceError: the account cannot be used any more.
        """
        brought = None if foreground_waiting() else self._prefetched.take(native_id)
        full = brought or await self._api.note(native_id)
        if full is None:
            return None
        if full.error:
            raise SkippableSourceError(f"Nextcloud cannot read this note itself: {full.error}.")
        extracted = await asyncio.to_thread(note_text, full)
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=Version(full.note.etag),
            modified_at=full.note.modified_at,
            url=url_of_note(self._server, native_id),
            extracted=extracted,
            relationships=links_in(self._server, extracted),
            metadata=_metadata(full),
        )


def note_text(full: FullNote) -> Extracted:
    """The note as it was written, under the title that the app shows; one without words is its title."""
    title = full.title or _NAMELESS
    body = full.content.replace("\r\n", "\n")
    return replace(extract_markdown(body if body.strip() else f"# {title}\n", fallback_title=title), title=title)


def _metadata(full: FullNote) -> Mapping[str, str]:
    known = {"category": full.category, "Path": full.path, "Labels": "favourite" if full.favourite else ""}
    return {key: value for key, value in known.items() if value}
