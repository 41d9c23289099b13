"""A kind of source as a value: what everything outside its own package may ask about the sources of that kind."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.errors import ConfigurationError, InvalidArgument
from citemark.model.sources import Source
from citemark.sources.contract import Connector

Config: TypeAlias = Mapping[str, Any]
"""The configuration that is stored with a source; only its kind reads it."""


@dataclass(frozen=True, slots=True)
class ConnectorParts:
    """What connectors are made with.

    Attributes:
        parsers: the processes that parse files.
        max_file_bytes: larger files are reported as problems.
        connect_account: the connector of a source with a stored password; opens its connections on first use.
    """

    parsers: ParserPool
    max_file_bytes: int
    connect_account: Callable[[Source], Connector]


@dataclass(frozen=True, slots=True)
class RepositoryPart:
    """How the files of a source are found in the commits of a repository that holds them.

    Attributes:
        folder: the folder in which the files are.
        takes: whether a file at a path below that folder belongs to the source.
        moved: the configuration that reads the same files from another folder.
        max_bytes: of a file; None for the limit that the settings name.
    """

    folder: Callable[[Config], Path]
    takes: Callable[[Config], Callable[[str], bool]]
    moved: Callable[[Config, Path], Config]
    max_bytes: int | None = None


def _nothing(_: Source) -> str:
    return ""


def _no_file(_: Config, __: str) -> Path | None:
    return None


def _no_capability(_: Config) -> str | None:
    return None


async def _nothing_to_examine(_: Config, __: ParserPool) -> None:
    return


def _no_option(source: Source, _: Config) -> Config:
    options = "--include, --exclude, --also, --ignore, --ocr or --url"
    raise InvalidArgument(f"{source.name!r} is of kind {source.kind}, which has no {options} to set.")


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source.

    Attributes:
        name: as stored with each source.
        connect: makes the connector of a source; reads nothing from it yet. Raises ConfigurationError for a
            configuration that is not acceptable.
        doc_types: the types of documents that only sources of this kind hold.
        edge_types: the types of edges that documents of this kind state, beside those of every kind.
        examine: reads what a new source names, once, in processes with limits. Raises FatalSourceError if it is not
            what a source of this kind reads, RetriableSourceError if it cannot be read now.
        options: the configuration with changed options, checked; the values of the changes are as in the configuration,
            and an empty value removes. Raises InvalidArgument if a source of this kind has no such option.
        file_of: the file on this machine that holds a page, by the page's id; it need not exist.
        folder: whether ids of pages are paths below the folder that `file_of` gives for the empty id.
        repository: how its files are found in commits; None if they cannot be in a repository.
        note: what to tell the owner of a source once; empty for nothing.
        counts_left_out: whether each complete scan counts what is left out.
        tool_group: the group of tools that a server offers once it has such a source; empty if there is none.
        capability: the name under which the tools of a source are called, where each source has its own.
        personal: whether a source shows what one person may see, so that its owner cannot let others read it.
        password: whether it logs in with a password of its own, which is revoked when it is removed.
    """

    name: str
    connect: Callable[[Source, ConnectorParts], Connector]
    doc_types: frozenset[str] = frozenset()
    edge_types: tuple[str, ...] = ()
    examine: Callable[[Config, ParserPool], Awaitable[None]] = _nothing_to_examine
    options: Callable[[Source, Config], Config] = _no_option
    file_of: Callable[[Config, str], Path | None] = _no_file
    folder: bool = False
    repository: RepositoryPart | None = None
    note: Callable[[Source], str] = _nothing
    counts_left_out: bool = False
    tool_group: str = ""
    capability: Callable[[Config], str | None] = _no_capability
    personal: bool = False
    password: bool = False

    def folder_of(self, source: Source) -> Path | None:
        """The folder whose files are the pages of a source; None if its pages are no files below one folder."""
        return self.file_of(source.config, "") if self.folder else None


def _unknown(source: Source, _: ConnectorParts) -> Connector:
    raise ConfigurationError(f"The source {source.name!r} is of kind {source.kind!r}, unknown to this version.")


class SourceKinds:
    """The kinds that this program knows."""

    def __init__(self, kinds: Iterable[SourceKind]) -> None:
        self._kinds = {kind.name: kind for kind in kinds}

    @property
    def edge_types(self) -> tuple[str, ...]:
        """The types of edges that documents of any kind state."""
        return tuple(name for kind in self._kinds.values() for name in kind.edge_types)

    def of(self, source: Source) -> SourceKind:
        """The kind of a source; one that this version does not know has no options and cannot be connected."""
        return self.named(source.kind)

    def named(self, name: str) -> SourceKind:
        """The kind of this name, likewise."""
        return self._kinds.get(name) or SourceKind(name, _unknown)


def without_empty(values: Config) -> dict[str, Any]:
    """A configuration without the options whose values are empty."""
    return {key: value for key, value in values.items() if value not in ("", [], {})}
