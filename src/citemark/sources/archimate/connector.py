"""A file with an architecture model as a source."""

from collections.abc import Mapping
from typing import Any

from citemark.extraction.sandbox.pool import ParserPool
from citemark.sources.archimate.model_file import ModelFile
from citemark.sources.archimate.processor import ModelProcessor
from citemark.sources.archimate.scanner import ModelScanner
from citemark.sources.archimate.settings import ModelSettings
from citemark.sources.archimate.verifier import ModelVerifier
from citemark.sources.archimate.watcher import ModelWatcher
from citemark.sources.contract import Connector


def archimate_connector(config: Mapping[str, Any], *, parsers: ParserPool) -> Connector:
    """The connector of a stored configuration; nothing is touched yet.

    Raises:
        ConfigurationError: it names no file.
    """
    settings = ModelSettings.from_config(config)
    file = ModelFile(settings.path, parsers)
    return Connector(ModelScanner(file), ModelProcessor(file), ModelVerifier(file), ModelWatcher(settings.path))
