"""Puts the rooms together over one index."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import structlog

from citemark.embedding.contract import Embedder
from citemark.embedding.minilm import MiniLM
from citemark.evidence.desk import Desk, ScopeDefaults
from citemark.evidence.handles import Handles
from citemark.evidence.quoting import Quoting
from citemark.evidence.verifying import QuoteCheck
from citemark.indexing.indexer import Indexer, Progress, SyncReport, Workers
from citemark.indexing.niceness import nice_pool
from citemark.indexing.scanning import Scan
from citemark.indexing.texts import TextWorker
from citemark.indexing.vectors import SearchCourtesy, VectorWorker
from citemark.model.clock import Clock, system_clock
from citemark.model.embedding import Calibration
from citemark.model.errors import BackendUnavailable, ConfigurationError
from citemark.model.ids import SourceId
from citemark.model.principal import Principal
from citemark.model.sources import Source
from citemark.retrieval.notices import SearchNotices
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.verification import AccessCheck
from citemark.settings import Settings
from citemark.sources.contract import Connector
from citemark.sources.docs.connector import docs_connector
from citemark.store.database import Database
from citemark.store.embedded import EmbeddedPostgres, default_data_dir
from citemark.store.leases import Leases, worker_name
from citemark.store.migrate import ensure_database, migrate
from citemark.store.stores import Stores

_TEXT_WORKERS = 2
_IDLE_WAIT = 1.0
_HOUSEKEEPING = 60.0
_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Connectors:
    """One connector per configured source, made on first use and again when its configuration changes."""

    settings: Settings
    _made: dict[SourceId, tuple[Source, Connector]] = field(default_factory=dict[SourceId, tuple[Source, Connector]])

    def of(self, source: Source) -> Connector:
        """The connector of a source.

        Raises:
            ConfigurationError: this version knows no such kind of source.
        """
        made = self._made.get(source.source_id)
        if made is None or made[0].config != source.config:
            made = self._made[source.source_id] = (source, self._make(source))
        return made[1]

    def _make(self, source: Source) -> Connector:
        match source.kind:
            case "docs":
                return docs_connector(source.config, max_file_bytes=self.settings.max_file_mib * 1024 * 1024)
            case _:
                raise ConfigurationError(
                    f"The source {source.name!r} is of kind {source.kind!r}, unknown to this version."
                )


class App:
    """One process over one index."""

    def __init__(self, settings: Settings, stores: Stores, embedder: Embedder, clock: Clock = system_clock) -> None:
        self.settings = settings
        self.stores = stores
        self.embedder = embedder
        self.clock = clock
        self.connectors = Connectors(settings)
        self.worker = worker_name(secrets.token_hex(4))
        self._threads: ThreadPoolExecutor | None = None
        self.pipeline, self.desk = self._compose()

    def _compose(self) -> tuple[Pipeline, Desk]:
        stores, settings = self.stores, self.settings
        access = AccessCheck(
            self.connectors.of, stores.ledger, deadline=settings.verify_timeout, memory=settings.verify_cache
        )
        pipeline = Pipeline(
            sources=stores.sources,
            search=stores.search,
            vectors=stores.vectors,
            horizon=stores.horizon,
            embedder_for=self.embedder_for,
            calibration=_calibration(self.embedder),
            access=access,
            notices=SearchNotices(stores.vectors, self.worker),
            rrf_only=settings.fusion == "rrf_only",
        )
        desk = Desk(
            pipeline=pipeline,
            sources=stores.sources,
            search=stores.search,
            handles=Handles(stores.passages, self.clock),
            quoting=Quoting(lambda: self.embedder),
            quote_check=QuoteCheck(stores.documents, access),
            defaults=ScopeDefaults(settings.project_id, settings.default_environment, settings.default_doc_tags),
        )
        return pipeline, desk

    def embedder_for(self, fingerprint: str) -> Embedder | None:
        """The model of an embedding set, None when this process does not have it."""
        return self.embedder if self.embedder.identity.fingerprint == fingerprint else None

    async def sync(
        self,
        sources: Mapping[SourceId, Source],
        progress: Callable[[Progress], None] = lambda _: None,
        connectors: Mapping[SourceId, Connector] | None = None,
    ) -> SyncReport:
        """Bring the index up to its sources: list, read, embed."""
        target = await self.stores.vectors.ensure(self.embedder.identity)
        indexer = self.indexer()
        try:
            return await indexer.sync(sources, connectors or self._connectors(sources), target, progress)
        finally:
            await asyncio.shield(indexer.release())

    def indexer(self) -> Indexer:
        """This process's share of the indexing."""
        stores = self.stores
        if self._threads is None:
            self._threads = nice_pool(self.settings.index_workers)
        threads = self._threads
        return Indexer(
            stores.ledger,
            stores.pages,
            stores.vectors,
            Workers(
                scan=Scan(stores.ledger, stores.sources, self.worker, self.clock),
                texts=[
                    TextWorker(
                        stores.ledger, stores.pages, stores.sources, self.embedder.tokenizer, f"{self.worker}-t{number}"
                    )
                    for number in range(_TEXT_WORKERS)
                ],
                vectors=[
                    VectorWorker(stores.vectors, stores.pages, self.embedder, threads, f"{self.worker}-v{number}")
                    for number in range(self.settings.index_workers)
                ],
                courtesy=SearchCourtesy(stores.vectors, self.settings.index_workers),
            ),
            self.clock,
        )

    async def work_in_background(self, stop: asyncio.Event) -> None:
        """While serving: keep the model's set there, and work off what waits until `stop` is set.

        Sources are scanned when somebody asked for it; texts and vectors are worked off whoever recorded them.
        """
        indexer = self.indexer()
        housekeeping = 0.0
        try:
            while not stop.is_set():
                wait = _IDLE_WAIT
                try:
                    if self.settings.index_in_server:
                        target = await self.stores.vectors.ensure(self.embedder.identity)
                        sources = await self.local_sources()
                        if sources and await indexer.step(sources, self._connectors(sources), target):
                            wait = 0.0
                    housekeeping -= _IDLE_WAIT
                    if housekeeping <= 0:
                        await self.stores.passages.forget_expired(self.clock())
                        housekeeping = _HOUSEKEEPING
                except BackendUnavailable as error:
                    _log.warning("waiting_for_database", reason=error.message, action="background")
                    await self.stores.database.revive()
                if wait:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(stop.wait(), wait)
        finally:
            await asyncio.shield(indexer.release())

    def _connectors(self, sources: Mapping[SourceId, Source]) -> dict[SourceId, Connector]:
        return {source_id: self.connectors.of(source) for source_id, source in sources.items()}

    async def local_sources(self) -> dict[SourceId, Source]:
        """The sources of this machine's person."""
        return {source.source_id: source for source in await self.stores.sources.all(Principal.local().tenant)}

    def close(self) -> None:
        """End the worker threads."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)


def data_dir(settings: Settings) -> Path:
    """Where the index of these settings lives."""
    return (settings.data_dir or default_data_dir()).expanduser().absolute()


@asynccontextmanager
async def open_app(settings: Settings, database: str | None = None) -> AsyncGenerator[App, None]:
    """An index ready for use: server running, schema migrated, pool open.

    Args:
        settings: where the index lives.
        database: another database on the same server, made when it is missing; the index's own by default.

    Raises:
        ConfigurationError: settings, data folder, or an index made by a newer version.
        BackendUnavailable: the database cannot be started or reached.
    """
    embedder = MiniLM()
    server: EmbeddedPostgres | None = None
    if settings.database_url is not None:
        dsn = settings.database_url.get_secret_value()
    else:
        server = EmbeddedPostgres(data_dir(settings))
        dsn = await asyncio.to_thread(server.acquire)
    try:
        if database is not None:
            dsn = await asyncio.to_thread(ensure_database, dsn, database)
        await asyncio.to_thread(migrate, dsn)
        connections = Database(
            dsn,
            pool_size=settings.pool_size,
            recover=None if server is None else server.ensure,
            pooler_safe=server is None,
        )
        await connections.open()
        try:
            await Leases(connections).release_dead()
            app = App(settings, Stores.over(connections, timedelta(seconds=settings.passage_ttl)), embedder)
            try:
                yield app
            finally:
                app.close()
        finally:
            await connections.close()
    finally:
        if server is not None:
            await asyncio.to_thread(server.release)


def _calibration(embedder: Embedder) -> Calibration:
    if embedder.calibration is None:
        raise ConfigurationError(f"The model {embedder.identity.model!r} ships no calibration.")
    return embedder.calibration
