"""A Nextcloud account as a source: its apps, each responsible for some types of documents."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from types import MappingProxyType

from citemark.extraction.dispatch import READER_VERSIONS
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import APP_VERSIONS, Account, AccountApp, AccountSettings
from citemark.features.nextcloud.source.account_scanner import AccountScanner
from citemark.features.nextcloud.source.calendar.app import CALENDARS, calendar_app
from citemark.features.nextcloud.source.client import Client
from citemark.features.nextcloud.source.contacts.app import contacts_app
from citemark.features.nextcloud.source.deck.app import deck_app
from citemark.features.nextcloud.source.files.app import files_app
from citemark.features.nextcloud.source.notes.app import notes_app
from citemark.model.documents import DocumentRef, Fetched, Verdict
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector, ScanState, Verdicts
from citemark.sources.streams import merged

APPS: Mapping[str, Callable[[Client, Account, ScanState, ParserPool], AccountApp]] = MappingProxyType(
    {"notes": notes_app, "calendar": calendar_app, "contacts": contacts_app, "deck": deck_app, "files": files_app}
)
"""Every app that can be read, by its name at the server. A new app is three classes and a line here."""


def nextcloud_connector(
    settings: AccountSettings, client: Client, scan_state: ScanState, parsers: ParserPool
) -> Connector:
    """Build the connector of an account. Sends nothing to the server yet.

    Args:
        settings: of the source.
        client: of the account.
        scan_state: what its scanners keep between scans.
        parsers: the processes that parse files, events and large listings.
    """
    apps = [APPS[name](client, settings.account, scan_state, parsers) for name in settings.apps if name in APPS]
    by_type = {doc_type: app for app in apps for doc_type in app.doc_types}
    return Connector(
        AccountScanner(client, apps, scan_state, settings.account.limits, chosen=settings.chosen),
        AccountProcessor(by_type),
        AccountVerifier(by_type),
        remote=True,
        reader_versions=parsers.recognition.versions(
            {**READER_VERSIONS, **APP_VERSIONS}, asked=settings.account.files.ocr
        ),
        always_asked=frozenset(CALENDARS.components.values()),
    )


class AccountProcessor:
    """Fetches a document with the app that it belongs to."""

    def __init__(self, apps: Mapping[str, AccountApp]) -> None:
        self._apps = apps

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """Fetch a document; None when it is gone.

        Raises:
            SkippableSourceError: it cannot be read, or its app is not read any more.
            RetriableSourceError: not now.
            FatalSourceError: the account cannot be used any more.
        """
        app = self._apps.get(doc_type)
        if app is None:
            raise SkippableSourceError(f"Documents of type {doc_type!r} are not read from this account.")
        return await app.processor.fetch(doc_type, native_id)


class AccountVerifier:
    """Lets every app verify its own documents, concurrently."""

    def __init__(self, apps: Mapping[str, AccountApp]) -> None:
        self._apps = apps

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict for each ref; UNKNOWN for types that are not read."""
        by_type: dict[str, list[DocumentRef]] = defaultdict(list)
        for ref in refs:
            if ref.doc_type in self._apps:
                by_type[ref.doc_type].append(ref)
            else:
                yield ref, Verdict.UNKNOWN
        rounds = (self._apps[name].verifier.verify(each) for name, each in by_type.items())
        async with aclosing(merged(rounds)) as verdicts:
            async for ref, verdict in verdicts:
                yield ref, verdict
