"""Composes the services, connectors and workers of one index."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import structlog
from dateutil.tz import tzlocal

from citemark.app.connectors import Connectors
from citemark.app.embedding_models import EmbeddingModels
from citemark.app.features import FEATURES, families_of, kinds_of
from citemark.app.services import makers_of
from citemark.app.sustained_work import sustained
from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.embedding.contract import Embedder, EmbeddingFailed
from citemark.feature import Core, Feature, IndexingPorts
from citemark.indexing.background import Background
from citemark.indexing.follower import FollowEvent
from citemark.indexing.follower_pool import ConnectedSources, FollowerPool
from citemark.indexing.indexer import Indexer, WorkDone, Workers
from citemark.indexing.language_detector import LanguageDetector
from citemark.indexing.rename_detector import RenameDetector
from citemark.indexing.source_scan import ScanReport, SourceScan
from citemark.indexing.sync import Progress, SyncReport, sync_sources
from citemark.indexing.text_worker import TextWorker
from citemark.indexing.throttle import EmbeddingThreads, IndexThrottle
from citemark.indexing.vector_worker import VectorWorker
from citemark.model.clock import Clock, system_clock
from citemark.model.errors import CitemarkError, ConfigurationError
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import AllowedSources, Source
from citemark.model.vectors import TooManyDimensions
from citemark.retrieval.occasions import Occasions, UnreadSeries
from citemark.retrieval.pipeline import Pipeline, QuestionModels
from citemark.retrieval.ports import IndexReaders
from citemark.retrieval.retrievers import Fusion
from citemark.retrieval.search_notices import SearchNotices
from citemark.retrieval.verification import AccessCheck
from citemark.services.bundle import PIPELINE, TOKENS, Services
from citemark.services.full_ranking import FullRanking
from citemark.services.index_status import IndexStatus
from citemark.services.people.access_tokens import AccessTokens
from citemark.services.people.source_grants import SourceGrants
from citemark.services.scoping import Scoping, default_scope
from citemark.services.source_management import SourceManager
from citemark.services.source_preview import SourcePreview, preview_of
from citemark.services.stored_logins import STORED_LOGINS, StoredLogins
from citemark.settings import Settings
from citemark.sources.contract import Connector
from citemark.store.leases import worker_name
from citemark.store.stores import Stores
from citemark.tools.index_contents import IndexContents, NamedSource, ToolGroups

if TYPE_CHECKING:
    from citemark.indexing.page_edges import EdgeDrawing
    from citemark.retrieval.occasions import SeriesReader

_TEXT_WORKERS = 4
"""Readers spend half of their time waiting for the database, so two cores keep four of them busy."""
_HOUSEKEEPING = 60.0
"""Seconds between two sweeps of expired handles; they live for half an hour, so a minute more does not matter."""

_PURGE = 3600.0
"""Seconds between two purges of history; what is kept is counted in days."""

_SETTLE = 1.0
"""Seconds that a new server reserves for the first question before it looks at its sources."""

_log = structlog.get_logger(__name__)


class App:
    """The services, connectors and workers of one process over one index."""

    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        embedder: Embedder,
        clock: Clock = system_clock,
        listed: ToolGroupsFile | None = None,
        features: Sequence[Feature] = FEATURES,
    ) -> None:
        self.settings = settings
        self.stores = stores
        self.embedder = embedder
        self.models = EmbeddingModels(settings, stores.vectors, embedder)
        self.bundled_model = self.models.bundled
        self.clock = clock
        self._listed = listed
        self.features = features
        self.kinds = kinds_of(features)
        self.closing = AsyncExitStack()
        self.connectors = Connectors(settings, self.kinds, lambda: self._logins)
        self.closing.push_async_callback(self.connectors.close)
        self.detector = LanguageDetector()
        self.worker = worker_name(secrets.token_hex(4))
        self._threads = EmbeddingThreads(settings.index_workers)
        self._unknown: set[SourceId] = set()
        self.scoping = Scoping(
            default_scope(settings),
            stores.scoping,
            self.models.languages,
            self.kinds,
            lambda server: self._logins.renews(server),  # noqa: PLW0108 - made when somebody asks
        )
        self.sources = SourceManager(
            stores.database, stores.sources, stores.vectors, stores.links, self.connectors.examine
        )
        self.status = IndexStatus(stores.status, stores.vectors)
        self.access = AccessCheck(
            self.connectors.of, stores.ledger, deadline=settings.verify_timeout, memory=settings.verify_cache
        )
        self.core = Core(
            settings,
            stores,
            self.access,
            self.scoping,
            self.kinds,
            lambda: self.clock(),  # noqa: PLW0108 - looked up each time: tests set another one
            self.models.quoting,
            IndexingPorts(self.bundled_model.tokenizer, self.detector, self.connectors.over, self._finish_texts),
            self.closing,
            makers_of(features, self._pipeline),
        )
        stores.sources.on_change(self.note_holding)
        for feature in features:
            if feature.opened is not None:
                feature.opened(self.core)

    @property
    def services(self) -> Services:
        """The services of the core and of the features."""
        return self.core.services

    @property
    def _logins(self) -> StoredLogins:
        return self.services.get(STORED_LOGINS)

    @property
    def pipeline(self) -> Pipeline:
        """Ranks and verifies."""
        return self.core.pipeline

    @property
    def tokens(self) -> AccessTokens:
        """Manages the tokens of people and programs."""
        return self.services.get(TOKENS)

    @property
    def grants(self) -> SourceGrants:
        """Manages who besides the owner may read which source."""
        return SourceGrants(self.stores.grants, self.kinds)

    @property
    def rankings(self) -> FullRanking:
        """Whole rankings and documents, for measurements."""
        return FullRanking(self.pipeline, self.stores.search, self.stores.documents)

    def _pipeline(self) -> Pipeline:
        stores, settings = self.stores, self.settings
        return Pipeline(
            IndexReaders(stores.sources, stores.search, stores.vectors, stores.horizon, stores.baselines, stores.past),
            QuestionModels(self.models.of, self.models.bundled.calibration, self.models.judge()),
            self.access,
            # The clock is looked up each time: tests set another one.
            Occasions(_series_of(self.features), lambda: self.clock(), _zone(settings)),  # noqa: PLW0108
            SearchNotices(stores.vectors, self.worker),
            Fusion(settings.fusion == "rrf_only", settings.rrf_k),
        )

    async def sync(
        self,
        sources: Mapping[SourceId, Source],
        progress: Callable[[Progress], None] = lambda _: None,
        connectors: Mapping[SourceId, Connector] | None = None,
        *,
        alone: bool = False,
    ) -> SyncReport:
        """Update the index from its sources: list, read, embed; if `alone`, nothing of other sources is embedded.

        The embedding set of the configured model is begun here: servers fill existing sets and begin only the first one
        of an index, so that two with different settings never take turns replacing each other's.

        Raises:
            EmbeddingFailed: the texts are done and searchable by words, but the model cannot be asked; its message says
                both.
            TooManyDimensions: likewise, for a model whose vectors are too long.
        """
        failure: CitemarkError | None = None
        try:
            await self.models.begin()
        except (EmbeddingFailed, TooManyDimensions) as error:
            failure = error
        indexer = self.indexer(foreground=True, embedded=list(sources) if alone else None)
        try:
            targets = await self.models.targets()
            made, refusals = (connectors, {}) if connectors else self._connectors(sources)
            report = await sync_sources(indexer, {key: sources[key] for key in made}, made, targets, progress)
            report = replace(report, scans={**report.scans, **refusals})
        except EmbeddingFailed as error:
            report, failure = SyncReport(), failure or error
        finally:
            await asyncio.shield(indexer.release())
        await self._purge()
        await self._sweep()
        await self.note_holding()  # there may be new languages
        if failure is None:
            return report
        failure.message += " In the meantime, texts are found by their words; `citemark sync` continues from here."
        raise failure

    async def try_refused_logins(self) -> None:
        """Ask the servers whether they accept again the passwords that they refused, as often as a day allows."""
        refused = {status.source_id for status in await self.status.sources() if status.login_refused}
        sources = [
            source
            for source in (await self.local_sources()).values()
            if source.source_id in refused and not source.paused
        ]
        for source in sources:  # one after the other: the server may be the same
            await self._logins.try_again(source)

    async def preview(self, source: Source, login: object = None) -> SourcePreview:
        """List a source with the settings that it has in `source`, and compare that with what is indexed of it.

        Nothing is changed. A source that is not recorded yet has an id that no source has. `login`: how to log in, for
        a source whose password is not stored.
        """
        known = await self.stores.ledger.known(source.source_id)
        return await preview_of(self.connectors.trial(source, login).scanner, known)

    async def _finish_texts(self) -> None:
        """Make every text searchable by its words, and embed it."""
        await self.stores.segments.flush()
        await self.sync({})

    async def revoke_password(self, source: Source) -> None:
        """Have the server of a source revoke the password that it logs in with.

        Raises:
            CitemarkError: the password is not known here, or the server did not do so; the message says why.
        """
        await self._logins.revoke_app_password(source)

    async def rotate_key(self) -> int:
        """Re-encrypt all stored passwords with a new key; return their number.

        Raises:
            ConfigurationError: there is no usable key, or it cannot be replaced.
        """
        return await self._logins.rotate_key()

    def indexer(self, *, foreground: bool = False, embedded: Collection[SourceId] | None = None) -> Indexer:
        """This process's share of the indexing.

        Args:
            foreground: a person waits until the index is up to date.
            embedded: the sources whose chunks are embedded; all by default.
        """
        stores = self.stores
        throttle = IndexThrottle(stores.vectors, self.settings.index_workers)
        threads = partial(self._threads.chosen, throttle, foreground=foreground)
        stored = (stores.ledger, stores.pages, stores.segments, stores.sources)
        reading = (*stored, self.models.bundled.tokenizer, self.detector)
        edges = _edges_of(self.features, self.core, f"{self.worker}-m")
        return Indexer(
            stores.ledger,
            stores.pages,
            stores.vectors,
            stores.random_pairs,
            Workers(
                scan=SourceScan(stores.ledger, stores.sources, self.worker, self.clock),
                texts=[
                    TextWorker(*reading, f"{self.worker}-t{number}", edges=edges and edges.when_read)
                    for number in range(_TEXT_WORKERS)
                ],
                vectors=[
                    VectorWorker(
                        stores.vectors, stores.pages, self.models.of, threads, f"{self.worker}-v{number}", embedded
                    )
                    for number in range(self.settings.index_workers)
                ],
                renames=RenameDetector(stores.renames, stores.horizon),
                throttle=throttle,
                later_edges=edges and edges.later,
                embedded=embedded,
            ),
        )

    async def keep(
        self,
        names: Collection[str] | None = None,
        *,
        watch: bool = True,
        heard: Callable[[FollowEvent], None] = lambda _: None,
        worked: Callable[[WorkDone], None] = lambda _: None,
    ) -> None:
        """Keep the index up to date until cancelled: follow the sources, read what changed, embed what was read.

        Args:
            names: the names of the sources to maintain; all by default.
            watch: follow changes; otherwise, only work that is already recorded is done.
            heard: called after every scan, and with the means by which a source is followed.
            worked: called whenever no work is left waiting, with what was read and embedded.
        """
        stores = self.stores
        background = Background(
            self.indexer(),
            present=lambda: self._present(names),
            targets=self.models.waking_targets,
            worked=worked,
            failed=self.models.failed,
        )

        if watch:
            scan = SourceScan(stores.ledger, stores.sources, self.worker, self.clock)
            interval = self.settings.scan_interval
            background.followers = FollowerPool(stores.watches, scan, self.worker, self.clock, interval, heard)
        await self._note_other_model()
        purging = asyncio.create_task(sustained(self._purge_hourly, "purge"))
        try:
            await background.run()
        finally:
            purging.cancel()

    async def _purge_hourly(self) -> None:
        """Purge history that is older than its source keeps, for as long as the index is kept up to date."""
        while True:
            await asyncio.sleep(_HOUSEKEEPING)
            await self._purge()
            await asyncio.sleep(_PURGE)

    async def work_in_background(self, stop: asyncio.Event) -> None:
        """While serving, until `stop` is set: keep the index up to date, finish logins, and forget what has expired."""
        works: dict[str, Callable[[], Awaitable[None]]] = {"housekeeping": self._housekeeping}
        if self.settings.index_in_server:
            works["index"] = self._keep_in_server
        for feature in self.features:
            if feature.works is not None:
                works.update(feature.works(self.core))
        tasks = [asyncio.create_task(sustained(work, action)) for action, work in works.items()]
        try:
            await stop.wait()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _keep_in_server(self) -> None:
        await asyncio.sleep(_SETTLE)
        await self.keep(watch=self.settings.watch)

    async def _housekeeping(self) -> None:
        while True:
            await self.stores.passages.forget_expired(self.clock())
            await self._sweep()
            await self.note_holding()  # another machine may have added to this database
            await asyncio.to_thread(self.models.let_idle_go)
            await asyncio.sleep(_HOUSEKEEPING)

    async def _sweep(self) -> None:
        for feature in self.features:
            if feature.sweep is not None:
                await feature.sweep(self.core)

    async def _purge(self) -> None:
        for feature in self.features:
            if feature.purge is not None:
                await feature.purge(self.core)

    async def _present(self, names: Collection[str] | None) -> ConnectedSources:
        """The sources to maintain; one that this version cannot read is left out and logged once."""
        sources = await self.local_sources()
        connectors: dict[SourceId, Connector] = {}
        for source_id, source in sources.items():
            if not source.kept_current or (names is not None and source.name not in names):
                continue
            try:
                connectors[source_id] = self.connectors.of(source)
            except ConfigurationError as error:
                if source_id not in self._unknown:
                    self._unknown.add(source_id)
                    _log.warning("source_left_out", source=source.name, reason=error.message, action="background")
        return ConnectedSources({key: sources[key] for key in connectors}, connectors)

    async def _note_other_model(self) -> None:
        """Log that the settings name a model that the index does not have, and what to do about it."""
        sets = await self.stores.vectors.sets()
        if sets and all(entry.fingerprint != self.embedder.fingerprint for entry in sets):
            _log.warning("run `citemark sync` to embed with the model of the settings", model=self.embedder.model)

    def _connectors(
        self, sources: Mapping[SourceId, Source]
    ) -> tuple[dict[SourceId, Connector], dict[str, ScanReport]]:
        """The connectors, and by name why other sources have none; one wrong configuration does not stop the rest."""
        made: dict[SourceId, Connector] = {}
        refused: dict[str, ScanReport] = {}
        for source_id, source in sources.items():
            try:
                made[source_id] = self.connectors.of(source)
            except ConfigurationError as error:
                refused[source.name] = ScanReport(reason=error.message)
        return made, refused

    async def unlisted_tools(self) -> tuple[str, ...]:
        """The tools that this index's servers offer but cannot list because the list is full."""
        from citemark.tools.tool_catalog import unlisted  # noqa: PLC0415 - other commands need no tool's schema

        return unlisted(families_of(self.features), await self._tool_groups(), self.settings)

    async def _tool_groups(self) -> ToolGroups:
        allowed, sources = await self._allowed_sources(), (await self.local_sources()).values()
        holds = {name: held for feature in self.features for name, held in feature.holds.items()}
        return ToolGroups.of(
            sources, self.kinds, [name for name, held in holds.items() if await held(self.core, allowed)]
        )

    async def _allowed_sources(self) -> AllowedSources:
        return await self.stores.sources.allowed(Principal.local(), self.scoping.project)

    async def holding(self) -> IndexContents:
        """Which families of tools this index can serve, and its sources with their languages."""
        states = await self.scoping.states(await self._allowed_sources())
        entries = [
            NamedSource(each.source.name, each.source.kind, tuple(each.state.languages), each.source.labels.about or "")
            for each in states
        ]
        return IndexContents(await self._tool_groups(), tuple(sorted(entries, key=lambda source: source.name)))

    async def note_holding(self, *, anew: bool = True) -> None:
        """Record, for servers that start or run, what this index holds; unless `anew`, only if nothing is recorded yet.

        (Counting the languages of a hundred thousand documents takes a tenth of a second, which no command waits for.)
        """
        if self._listed is None:
            return
        recorded = None if anew else await asyncio.to_thread(self._listed.read)
        if recorded is not None and recorded.sources is not None:
            return
        if not await asyncio.to_thread(self._listed.keep, await self.holding()):
            _log.warning("holding_not_kept", action="families")

    async def local_sources(self) -> dict[SourceId, Source]:
        """The sources of the local user."""
        return {source.source_id: source for source in await self.stores.sources.all(Principal.local().tenant)}

    def close(self) -> None:
        """Stop the worker threads, and the models with what they are doing; the services end."""
        self.services.closed = True
        if PIPELINE in self.services.made:
            self.pipeline.stop()
        self.models.close()
        self._threads.close()


def _series_of(features: Sequence[Feature]) -> "SeriesReader":
    """What reads the rules of repeating dates; at most one feature contributes it."""
    return next((feature.series for feature in features if feature.series is not None), UnreadSeries)()


def _edges_of(features: Sequence[Feature], core: Core, worker: str) -> "EdgeDrawing | None":
    """What draws the edges that depend on what else is indexed; at most one feature does, for pages have one number."""
    drawing = next((feature.page_edges for feature in features if feature.page_edges is not None), None)
    return None if drawing is None else drawing(core, worker)


def _zone(settings: Settings) -> tzinfo:
    """The zone of the people who ask; that of this machine follows its changes between summer and winter."""
    return ZoneInfo(settings.time_zone) if settings.time_zone else tzlocal()
