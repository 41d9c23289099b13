"""Files as one app of an account."""

from citemark.extraction.sandbox.pool import ParserPool
from citemark.sources.contract import ScanMemory
from citemark.sources.nextcloud.apps import Account, App
from citemark.sources.nextcloud.files.api import FilesApi
from citemark.sources.nextcloud.files.entries import FILE
from citemark.sources.nextcloud.files.finding import Finder
from citemark.sources.nextcloud.files.memory import FolderMemory
from citemark.sources.nextcloud.files.processor import FilesProcessor
from citemark.sources.nextcloud.files.scanner import FilesScanner
from citemark.sources.nextcloud.files.shelf import Shelf
from citemark.sources.nextcloud.files.verifier import FilesVerifier
from citemark.sources.nextcloud.http import Client
from citemark.sources.nextcloud.webdav import WebDav


def files_app(client: Client, account: Account, memory: ScanMemory, parsers: ParserPool) -> App:
    """The files that the account's rules take."""
    rules = account.files
    api, shelf = FilesApi(WebDav(client, parsers, account.limits), account.user), Shelf()
    finder = Finder(api, rules, shelf)
    return App(
        name="files",
        doc_types=frozenset({FILE}),
        scanner=FilesScanner(api, rules, FolderMemory(memory), shelf, account.limits),
        processor=FilesProcessor(account.server, api, rules, shelf, finder, parsers),
        verifier=FilesVerifier(api, finder),
    )
