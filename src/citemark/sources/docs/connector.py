"""The three parts of a docs source, put together."""

from collections.abc import Mapping
from typing import Any

from citemark.sources.contract import Connector
from citemark.sources.docs.processor import DocsProcessor
from citemark.sources.docs.scanner import DocsScanner
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.docs.verifier import DocsVerifier


def docs_connector(config: Mapping[str, Any], *, max_file_bytes: int) -> Connector:
    """A connector of a stored configuration.

    Raises:
        ConfigurationError: the configuration cannot be used.
    """
    settings = DocsSettings.read(config, max_file_bytes=max_file_bytes)
    return Connector(DocsScanner(settings), DocsProcessor(settings), DocsVerifier(settings))
