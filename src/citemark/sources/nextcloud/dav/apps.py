"""A kind of collection as an app: its three classes around one memory."""

from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.clock import Clock
from citemark.sources.contract import ScanState
from citemark.sources.nextcloud.apps import App
from citemark.sources.nextcloud.dav.fetching import Resource
from citemark.sources.nextcloud.dav.kinds import CollectionKind
from citemark.sources.nextcloud.dav.locations import ResourceLocations
from citemark.sources.nextcloud.dav.processor import DavProcessor
from citemark.sources.nextcloud.dav.scanner import DavScanner
from citemark.sources.nextcloud.dav.snapshots import CollectionSnapshots
from citemark.sources.nextcloud.dav.texts import ResourceTexts
from citemark.sources.nextcloud.dav.verifier import DavVerifier
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache
from citemark.sources.nextcloud.webdav import WebDav


def dav_app(dav: WebDav, kind: CollectionKind, scan_state: ScanState, parsers: ParserPool, clock: Clock) -> App:
    """The app of a kind; nothing is asked of the server yet."""
    snapshots, prefetched = (
        CollectionSnapshots(scan_state, kind),
        PrefetchCache[Resource](lambda resource: len(resource.data)),
    )
    locations = ResourceLocations(snapshots, kind)
    scanner = DavScanner(dav, kind, snapshots, locations, prefetched, clock)
    texts = ResourceTexts(parsers, kind.reading, dav.client.server, clock)
    return App(
        name=kind.name,
        doc_types=kind.doc_types,
        scanner=scanner,
        processor=DavProcessor(dav, kind, locations, prefetched, scanner, texts, clock),
        verifier=DavVerifier(dav, kind, locations, prefetched),
    )
