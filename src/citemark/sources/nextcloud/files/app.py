"""Files as one app of an account."""

from citemark.extraction.sandbox.pool import ParserPool
from citemark.sources.contract import ScanState
from citemark.sources.nextcloud.apps import Account, App
from citemark.sources.nextcloud.files.api import FilesApi
from citemark.sources.nextcloud.files.entries import FILE
from citemark.sources.nextcloud.files.folder_cache import FolderCache
from citemark.sources.nextcloud.files.locator import FileLocator
from citemark.sources.nextcloud.files.path_cache import PathCache
from citemark.sources.nextcloud.files.processor import FilesProcessor
from citemark.sources.nextcloud.files.scanner import FilesScanner
from citemark.sources.nextcloud.files.verifier import FilesVerifier
from citemark.sources.nextcloud.http import Client
from citemark.sources.nextcloud.webdav import WebDav


def files_app(client: Client, account: Account, scan_state: ScanState, parsers: ParserPool) -> App:
    """The files that the account's rules take."""
    rules = account.files
    api, path_cache = FilesApi(WebDav(client, parsers, account.limits), account.user), PathCache()
    locator = FileLocator(api, rules, path_cache)
    return App(
        name="files",
        doc_types=frozenset({FILE}),
        scanner=FilesScanner(api, rules, FolderCache(scan_state), path_cache, account.limits),
        processor=FilesProcessor(account.server, api, rules, path_cache, locator, parsers),
        verifier=FilesVerifier(api, locator),
    )
