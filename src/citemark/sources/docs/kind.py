"""Folders of documents as a kind of source."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from citemark.model.sources import Source
from citemark.sources.contract import Connector
from citemark.sources.docs.connector import docs_connector
from citemark.sources.docs.settings import DOCS, DocsSettings
from citemark.sources.kinds import Config, ConnectorParts, RepositoryPart, SourceKind, without_empty


def _connect(source: Source, parts: ConnectorParts) -> Connector:
    return docs_connector(source.config, parts.parsers, max_file_bytes=parts.max_file_bytes)


def _options(source: Source, changes: Config) -> Config:
    """The configuration with changed options; patterns of `also` join the earlier ones, an empty list removes those."""
    changed: dict[str, Any] = dict(changes)
    if changed.get("also"):
        changed["also"] = list(dict.fromkeys((*source.config.get("also", ()), *changed["also"])))
    config = without_empty({**source.config, **changed})
    DocsSettings.from_config(config)
    return config


def _file_of(config: Config, page: str) -> Path:
    return Path(str(config.get("root", "")), page)


def _note(source: Source) -> str:
    if source.config.get("ignore") is not None:
        return ""
    return (
        f"{source.name}: it was added before .gitignore files were obeyed and build outputs left out, and is read as "
        f"before. `citemark source set {shlex.quote(source.name)} --ignore` adopts both (with --dry-run, it only shows "
        "what would go)."
    )


def _folder(config: Config) -> Path:
    return Path(str(config["root"]))


def _takes(config: Config) -> Callable[[str], bool]:
    return DocsSettings.from_config(config).belonging().takes


def _moved(config: Config, folder: Path) -> Config:
    return {**config, "root": str(folder)}


DOCS_KIND = SourceKind(
    DOCS,
    _connect,
    options=_options,
    file_of=_file_of,
    folder=True,
    repository=RepositoryPart(_folder, _takes, _moved),
    note=_note,
    counts_left_out=True,
)
"""A folder with its files."""
