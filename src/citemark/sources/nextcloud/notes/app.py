"""Notes as one app of an account."""

from citemark.extraction.sandbox.pool import ParserPool
from citemark.sources.contract import ScanMemory
from citemark.sources.nextcloud.apps import Account, App
from citemark.sources.nextcloud.handover import Handover
from citemark.sources.nextcloud.http import Client
from citemark.sources.nextcloud.notes.api import NOTE, NotesApi
from citemark.sources.nextcloud.notes.bringing import size_of
from citemark.sources.nextcloud.notes.listing import NoteListing
from citemark.sources.nextcloud.notes.processor import NotesProcessor
from citemark.sources.nextcloud.notes.scanner import NotesScanner
from citemark.sources.nextcloud.notes.verifier import NotesVerifier


def notes_app(client: Client, account: Account, memory: ScanMemory, _parsers: ParserPool) -> App:
    """The notes of the account, those that others share with it too."""
    api, handover = NotesApi(client, account.limits), Handover(size_of)
    return App(
        name="notes",
        doc_types=frozenset({NOTE}),
        scanner=NotesScanner(NoteListing(api, memory, handover)),
        processor=NotesProcessor(account.server, api, handover),
        verifier=NotesVerifier(api, handover),
    )
