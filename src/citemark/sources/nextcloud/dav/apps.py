"""A kind of collection as an app: its three classes around one memory."""

from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.clock import Clock
from citemark.sources.contract import ScanMemory
from citemark.sources.nextcloud.apps import App
from citemark.sources.nextcloud.dav.fetching import Resource
from citemark.sources.nextcloud.dav.kinds import Kind
from citemark.sources.nextcloud.dav.mirrors import Mirrors
from citemark.sources.nextcloud.dav.places import Places
from citemark.sources.nextcloud.dav.processor import DavProcessor
from citemark.sources.nextcloud.dav.scanner import DavScanner
from citemark.sources.nextcloud.dav.texts import Texts
from citemark.sources.nextcloud.dav.verifier import DavVerifier
from citemark.sources.nextcloud.handover import Handover
from citemark.sources.nextcloud.webdav import WebDav


def dav_app(dav: WebDav, kind: Kind, memory: ScanMemory, parsers: ParserPool, clock: Clock) -> App:
    """The app of a kind; nothing is asked of the server yet."""
    mirrors, handover = Mirrors(memory, kind), Handover[Resource](lambda resource: len(resource.data))
    places = Places(mirrors, kind)
    scanner = DavScanner(dav, kind, mirrors, places, handover, clock)
    texts = Texts(parsers, kind.reading, dav.client.server, clock)
    return App(
        name=kind.name,
        doc_types=kind.doc_types,
        scanner=scanner,
        processor=DavProcessor(dav, kind, places, handover, scanner, texts, clock),
        verifier=DavVerifier(dav, kind, places, handover),
    )
