"""The connectors of the configured sources, each made by the kind of its source."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.sandbox.process import Limits
from citemark.extraction.sandbox.source_parsers import SourceParsers
from citemark.model.clock import Clock
from citemark.model.errors import ConfigurationError
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.settings import Settings
from citemark.sources.archimate.model_file import ModelSnapshot, read_snapshot
from citemark.sources.contract import Connector
from citemark.sources.kinds import ConnectorParts, SourceKinds
from citemark.store.stores import Stores

if TYPE_CHECKING:
    from citemark.app.nextcloud_accounts import NextcloudAccounts
    from citemark.sources.nextcloud.login import VerifiedAccount


_GRACE_INTERVALS = 1.5
"""Scan intervals for which a document must be missing from a server's listings before it counts as deleted."""


@dataclass(slots=True)
class Connectors:
    """One connector per configured source, created on first use and again when its configuration changes."""

    settings: Settings
    stores: Stores
    clock: Clock
    kinds: SourceKinds
    _made: dict[SourceId, tuple[Source, Connector]] = field(default_factory=dict[SourceId, tuple[Source, Connector]])
    _parsers: ParserPool = field(init=False)
    _budgets: dict[SourceId, SourceParsers] = field(default_factory=dict[SourceId, SourceParsers])
    _accounts: "NextcloudAccounts | None" = None

    def __post_init__(self) -> None:
        self._parsers = ParserPool(
            Limits(seconds=self.settings.parse_seconds, memory_mib=self.settings.parse_memory_mib)
        )

    async def close(self) -> None:
        """End the parser processes, and close connections."""
        if self._accounts is not None:
            await self._accounts.close()
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

    def trial(self, source: Source, account: "VerifiedAccount | None" = None) -> Connector:
        """A connector for one listing that leaves nothing behind; the next call of `of` makes another one.

        `account`: how to log in, for an account whose password is not stored.

        Raises:
            ConfigurationError: this version does not know this kind of source.
        """
        self._made.pop(source.source_id, None)
        return self._make(source, trial=True, account=account)

    def over(self, source: Source, folder: Path) -> Connector:
        """A connector that reads a source's files from another folder, which contains them as of one commit.

        Raises:
            ConfigurationError: files of sources of this kind cannot be in a repository.
        """
        part = self.kinds.of(source).repository
        if part is None:
            raise ConfigurationError(f"{source.name!r} is of kind {source.kind}, which cannot be in a repository.")
        return self._make(replace(source, config=part.moved(source.config, folder)))

    async def read_model(self, path: Path) -> ModelSnapshot:
        """The architecture model in a file.

        Raises:
            FatalSourceError: the file is not a model.
        """
        return await read_snapshot(path, self._parsers)

    @property
    def accounts(self) -> "NextcloudAccounts":
        """The accounts on Nextcloud servers; the code that they need is loaded on first use."""
        if self._accounts is None:
            from citemark.app.nextcloud_accounts import NextcloudAccounts  # noqa: PLC0415 - docs alone need no HTTP client

            self._accounts = NextcloudAccounts(self.settings, self.stores, self.clock)
        return self._accounts

    def _make(self, source: Source, *, trial: bool = False, account: "VerifiedAccount | None" = None) -> Connector:
        parsers = self._budgets.setdefault(source.source_id, SourceParsers(self._parsers))

        def connect_account(source: Source) -> Connector:
            connector = self.accounts.connector(source, parsers, trial=trial, account=account)
            return replace(connector, grace=timedelta(seconds=_GRACE_INTERVALS * self.settings.scan_interval))

        parts = ConnectorParts(parsers, self.settings.max_file_mib * 1024 * 1024, connect_account)
        return self.kinds.of(source).connect(source, parts)


def _settings_of(source: Source) -> tuple[object, ...]:
    """What a connector is made of."""
    return source.config, source.language, source.detects_language
