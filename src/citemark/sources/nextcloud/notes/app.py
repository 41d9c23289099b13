"""Notes as one app of an account."""

from citemark.extraction.sandbox.pool import ParserPool
from citemark.sources.contract import ScanState
from citemark.sources.nextcloud.apps import Account, App
from citemark.sources.nextcloud.http import Client
from citemark.sources.nextcloud.notes.api import NOTE, NotesApi
from citemark.sources.nextcloud.notes.bulk_fetch import characters_of
from citemark.sources.nextcloud.notes.listing import NoteListing
from citemark.sources.nextcloud.notes.processor import NotesProcessor
from citemark.sources.nextcloud.notes.scanner import NotesScanner
from citemark.sources.nextcloud.notes.verifier import NotesVerifier
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache


def notes_app(client: Client, account: Account, scan_state: ScanState, _parsers: ParserPool) -> App:
    """The notes of the account, those that others share with it too."""
    api, prefetched = NotesApi(client, account.limits), PrefetchCache(characters_of)
    return App(
        name="notes",
        doc_types=frozenset({NOTE}),
        scanner=NotesScanner(NoteListing(api, scan_state, prefetched)),
        processor=NotesProcessor(account.server, api, prefetched),
        verifier=NotesVerifier(api, prefetched),
    )
