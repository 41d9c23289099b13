"""A folder of documents as a source."""

from collections.abc import Mapping
from typing import Any

from citemark.extraction.sandbox.pool import ParserPool
from citemark.sources.contract import Connector
from citemark.sources.docs.processor import DocsProcessor
from citemark.sources.docs.scanner import DocsScanner
from citemark.sources.docs.settings import DEFAULT_MAX_BYTES, DocsSettings
from citemark.sources.docs.verifier import DocsVerifier
from citemark.sources.docs.watcher import DocsWatcher


def docs_connector(
    config: Mapping[str, Any], parsers: ParserPool, *, max_file_bytes: int = DEFAULT_MAX_BYTES
) -> Connector:
    """The connector of a stored configuration; nothing is touched yet.

    Args:
        config: as stored with the source.
        parsers: the processes that parse what is no plain text; whoever made them closes them.
        max_file_bytes: larger files are reported.

    Raises:
        ConfigurationError: a key or value is not acceptable.
    """
    settings = DocsSettings.from_config(config, max_file_bytes=max_file_bytes)
    scanner = DocsScanner(settings)
    return Connector(
        scanner,
        DocsProcessor(settings, parsers),
        DocsVerifier(settings),
        DocsWatcher(settings, scanner),
    )
