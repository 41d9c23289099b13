"""Architecture models as a kind of source."""

from collections.abc import Callable
from pathlib import Path

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source.connector import archimate_connector
from citemark.features.archimate.source.model_file import read_snapshot
from citemark.features.archimate.source.vocabulary import VERBS
from citemark.features.archimate.source.xml_file import MOST_MODEL_BYTES
from citemark.model.architecture import ARCHIMATE, ELEMENT, VIEW, capability_of
from citemark.model.sources import Source
from citemark.sources.contract import Connector
from citemark.sources.kinds import Config, ConnectorParts, RepositoryPart, SourceKind


def _connect(source: Source, parts: ConnectorParts) -> Connector:
    language = "" if source.detects_language else source.language
    return archimate_connector(source.config, parsers=parts.parsers, language=language)


async def _examine(config: Config, parsers: ParserPool) -> None:
    await read_snapshot(Path(str(config["path"])), parsers)


def _file_of(config: Config, _: str) -> Path:
    return Path(str(config.get("path", "")))


def _folder(config: Config) -> Path:
    return Path(str(config["path"])).parent


def _takes(config: Config) -> Callable[[str], bool]:
    model = Path(str(config["path"])).name
    return lambda path: path == model


def _moved(config: Config, folder: Path) -> Config:
    return {**config, "path": str(folder / Path(str(config["path"])).name)}


ARCHIMATE_KIND = SourceKind(
    ARCHIMATE,
    _connect,
    doc_types=frozenset({ELEMENT, VIEW}),
    edge_types=tuple(VERBS),
    examine=_examine,
    file_of=_file_of,
    repository=RepositoryPart(_folder, _takes, _moved, MOST_MODEL_BYTES),
    tool_group="architecture",
    capability=capability_of,
)
"""The file of a model, whose elements and views are documents."""
