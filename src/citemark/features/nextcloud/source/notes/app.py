"""Notes as an app of an account: scanner, processor and verifier."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account, AccountApp
from citemark.features.nextcloud.source.client import Client
from citemark.features.nextcloud.source.links import url_of_note
from citemark.features.nextcloud.source.notes.api import NOTE, FullNote, NotesApi
from citemark.features.nextcloud.source.notes.listing import NoteListing, characters_of
from citemark.features.nextcloud.source.notes.named import names_in, note_links
from citemark.features.nextcloud.source.prefetch_cache import PrefetchCache
from citemark.model.documents import DocumentRef, Fetched, Listed, Problem, ScanEnd, Verdict
from citemark.model.errors import SkippableSourceError, SourceError
from citemark.model.ids import NativeId, Version
from citemark.model.text import Extracted
from citemark.sources.contract import ScanState, Verdicts, foreground_waiting
from citemark.sources.streams import completed

_READERS = ("notes", "markdown")
_NAMELESS = "Note without a title"


class NotesScanner:
    """Lists notes with one request, answered in a few bytes while nothing changed; bulk requests prefetch new texts."""

    def __init__(self, listing: NoteListing) -> None:
        self._listing = listing

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield every note with its etag as version, and a problem for each without one.

        Raises:
            RetriableSourceError: the notes cannot be listed now.
            FatalSourceError: the account cannot be used any more.
        """
        listed = await self._listing.notes()
        for note in listed.notes:
            yield Listed(NOTE, note.native_id, Version(note.etag), note.modified_at, _READERS)
        for native_id in listed.without_etag:
            yield Problem(
                native_id,
                "The server lists this note without an etag, by which changes are noticed; it is not indexed. "
                "Save it again, or update the Notes app.",
            )
        yield ScanEnd(complete=True)


class NotesProcessor:
    """Fetches notes: prefetched ones, or with one request. For a person waiting, always asks the server."""

    def __init__(self, server: str, api: NotesApi, prefetched: PrefetchCache[FullNote], listing: NoteListing) -> None:
        self._server = server
        self._api = api
        self._prefetched = prefetched
        self._listing = listing

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """Fetch a note; None when it was deleted or is not visible to this account any more.

        Raises:
            SkippableSourceError: Nextcloud itself cannot read it.
            RetriableSourceError: the app does not answer now.
            FatalSourceError: the account cannot be used any more.
        """
        prefetched = None if foreground_waiting() else self._prefetched.take(native_id)
        full = prefetched or await self._api.note(native_id, await self._listing.folder_of(native_id))
        if full is None:
            return None
        if full.error:
            raise SkippableSourceError(f"Nextcloud cannot read this note itself: {full.error}.")
        extracted = await asyncio.to_thread(note_text, full)
        page = f"{full.category}/{full.title}".lstrip("/")
        notes = await self._listing.named(names_in(extracted), page)
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=Version(full.note.etag),
            modified_at=full.note.modified_at,
            url=url_of_note(self._server, native_id),
            extracted=extracted,
            relationships=note_links(self._server, native_id, page, extracted, notes),
            metadata=_metadata(full),
            labels=tuple(label for label in (full.category, _favourite(full)) if label),
        )


def note_text(full: FullNote) -> Extracted:
    """Extract a note's text under the title that the app shows. A note without words consists of its title."""
    title = full.title or _NAMELESS
    body = full.content.replace("\r\n", "\n")
    return replace(extract_markdown(body if body.strip() else f"# {title}\n", fallback_title=title), title=title)


def _metadata(full: FullNote) -> Mapping[str, str]:
    known = {"category": full.category, "Path": full.path, "Labels": _favourite(full)}
    return {key: value for key, value in known.items() if value}


def _favourite(full: FullNote) -> str:
    return "favourite" if full.favourite else ""


class NotesVerifier:
    """Checks notes with a conditional request each, concurrently; those in a folder that is locked in turn."""

    def __init__(self, api: NotesApi, prefetched: PrefetchCache[FullNote], listing: NoteListing) -> None:
        self._api = api
        self._prefetched = prefetched
        self._listing = listing

    def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict for each ref."""
        return completed(map(self._verdicts, refs))

    async def _verdicts(self, ref: DocumentRef) -> list[tuple[DocumentRef, Verdict]]:
        return [(ref, await self._verdict(ref))]

    async def _verdict(self, ref: DocumentRef) -> Verdict:
        try:
            folder = await self._listing.folder_of(ref.native_id)
            etag = await self._api.etag_now(ref.native_id, ref.version, folder)
        except SourceError:
            return Verdict.UNKNOWN
        self._prefetched.discard_stale(ref.native_id, etag)
        if etag is None:
            return Verdict.GONE
        return Verdict.OK if etag == ref.version else Verdict.CHANGED


def notes_app(client: Client, account: Account, scan_state: ScanState, _parsers: ParserPool) -> AccountApp:
    """Build the app for an account's notes, including those that others share with it."""
    api, prefetched = NotesApi(client, account.limits), PrefetchCache(characters_of)
    listing = NoteListing(api, scan_state, prefetched)
    return AccountApp(
        name="notes",
        doc_types=frozenset({NOTE}),
        scanner=NotesScanner(listing),
        processor=NotesProcessor(account.server, api, prefetched, listing),
        verifier=NotesVerifier(api, prefetched, listing),
    )
