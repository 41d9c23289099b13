"""The connectors of the configured sources, each made by the kind of its source."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.sandbox.process import Limits
from citemark.extraction.sandbox.source_parsers import SourceParsers
from citemark.extraction.text_recognition import TextRecognition
from citemark.model.errors import ConfigurationError
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.services.stored_logins import StoredLogins
from citemark.settings import Settings
from citemark.sources.contract import Connector
from citemark.sources.kinds import Config, ConnectorParts, SourceKinds

_GRACE_INTERVALS = 1.5
"""Scan intervals for which a document must be missing from a server's listings before it counts as deleted."""


@dataclass(slots=True)
class Connectors:
    """One connector per configured source, created on first use and again when its configuration changes."""

    settings: Settings
    kinds: SourceKinds
    logins: Callable[[], StoredLogins]
    _made: dict[SourceId, tuple[Source, Connector]] = field(default_factory=dict[SourceId, tuple[Source, Connector]])
    _parsers: ParserPool = field(init=False)
    _budgets: dict[SourceId, SourceParsers] = field(default_factory=dict[SourceId, SourceParsers])

    def __post_init__(self) -> None:
        self._parsers = ParserPool(
            Limits(seconds=self.settings.parse_seconds, memory_mib=self.settings.parse_memory_mib),
            recognition=TextRecognition.chosen(self.settings),
        )

    async def close(self) -> None:
        """End the parser processes."""
        await self._parsers.close()

    def of(self, source: Source) -> Connector:
        """The connector of a source.

        Raises:
            ConfigurationError: this version does not know this kind of source.
        """
        entry = self._made.get(source.source_id)
        if entry is None or _settings_of(entry[0]) != _settings_of(source):
            entry = self._made[source.source_id] = (source, self._make(source))
        return entry[1]

    def trial(self, source: Source, login: object = None) -> Connector:
        """A connector for one listing that leaves nothing behind; the next call of `of` makes another one.

        `login`: how to log in, for a source whose password is not stored.

        Raises:
            ConfigurationError: this version does not know this kind of source.
        """
        self._made.pop(source.source_id, None)
        return self._make(source, trial=True, login=login)

    def over(self, source: Source, folder: Path) -> Connector:
        """A connector that reads a source's files from another folder, which contains them as of one commit.

        Raises:
            ConfigurationError: files of sources of this kind cannot be in a repository.
        """
        part = self.kinds.of(source).repository
        if part is None:
            raise ConfigurationError(f"{source.name!r} is of kind {source.kind}, which cannot be in a repository.")
        return self._make(replace(source, config=part.moved(source.config, folder)))

    async def examine(self, kind: str, config: Config) -> None:
        """Read what a new source names once, so that something wrong is refused before it becomes a source.

        Raises:
            FatalSourceError: it is not what a source of this kind reads; the message says what it is instead.
            RetriableSourceError: it cannot be read now.
        """
        await self.kinds.named(kind).examine(config, self._parsers)

    def _make(self, source: Source, *, trial: bool = False, login: object = None) -> Connector:
        parsers = self._budgets.setdefault(source.source_id, SourceParsers(self._parsers))

        def connect_account(source: Source) -> Connector:
            connector = self.logins().connector(source, parsers, trial=trial, login=login)
            return replace(connector, grace=timedelta(seconds=_GRACE_INTERVALS * self.settings.scan_interval))

        parts = ConnectorParts(parsers, self.settings.max_file_mib * 1024 * 1024, connect_account)
        return self.kinds.of(source).connect(source, parts)


def _settings_of(source: Source) -> tuple[object, ...]:
    """What a connector is made of."""
    return source.config, source.language, source.detects_language
