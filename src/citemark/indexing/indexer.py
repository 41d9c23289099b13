"""Keeps the index equal to its sources: scans, then text, then vectors, until nothing waits."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

import structlog

from citemark.indexing.plan import DeletionPolicy
from citemark.indexing.renames import follow_renames
from citemark.indexing.scanning import Scan, ScanReport
from citemark.indexing.texts import TextRound, TextWorker
from citemark.indexing.vectors import SearchCourtesy, VectorWorker
from citemark.model.clock import Clock
from citemark.model.errors import BackendUnavailable
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.model.vectors import EmbeddingSet
from citemark.sources.contract import Connector
from citemark.store.ledger import Ledger
from citemark.store.pages import PageStore
from citemark.store.vectors import VectorStore

T = TypeVar("T")

_log = structlog.get_logger(__name__)
_RECOVERY_WAIT = 1.0
_RECOVERY_TRIES = 30


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sync has come: documents and chunks done in this run, and what still waits."""

    stage: str
    documents: int = 0
    documents_waiting: int = 0
    chunks: int = 0
    vectors: int = 0
    vectors_waiting: int = 0


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did, per source name and in sum."""

    scans: Mapping[str, ScanReport] = field(default_factory=dict[str, ScanReport])
    documents: int = 0
    chunks: int = 0
    vectors: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Workers:
    """The working parts of one process; the lists hold one worker per thing that may run at once."""

    scan: Scan
    texts: Sequence[TextWorker]
    vectors: Sequence[VectorWorker]
    courtesy: SearchCourtesy


class Indexer:
    """One process's share of the indexing; any number of processes may run one over the same database."""

    def __init__(self, ledger: Ledger, pages: PageStore, vectors: VectorStore, workers: Workers, clock: Clock) -> None:
        self._ledger = ledger
        self._pages = pages
        self._vectors = vectors
        self._workers = workers
        self._clock = clock

    async def sync(
        self,
        sources: Mapping[SourceId, Source],
        connectors: Mapping[SourceId, Connector],
        target: EmbeddingSet,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> SyncReport:
        """Scan the sources, then work until neither texts nor vectors wait (or cannot be done now)."""
        report = SyncReport()
        since = self._clock()
        for source_id, source in sources.items():
            progress(Progress(stage=f"listing {source.name}"))
            scan = await self._surviving(lambda s=source_id: self._scan(s, connectors[s]))
            report = replace(report, scans={**report.scans, source.name: scan})
        report = await self.drain_texts(sources, connectors, progress, report)
        for source_id in sources:
            await self._surviving(lambda s=source_id: follow_renames(self._pages, s, since))
        return await self.drain_vectors(target, progress, report)

    async def _scan(self, source_id: SourceId, connector: Connector) -> ScanReport:
        return await self._workers.scan.run(source_id, connector, DeletionPolicy())

    async def drain_texts(
        self,
        sources: Mapping[SourceId, Source],
        connectors: Mapping[SourceId, Connector],
        progress: Callable[[Progress], None],
        report: SyncReport,
    ) -> SyncReport:
        """Work off the text queue with every text worker."""
        done = report

        async def work(worker: TextWorker) -> None:
            nonlocal done
            while True:
                result = await self._surviving(lambda: worker.round(sources, connectors))
                if not result.documents and not result.failed:
                    return
                done = replace(
                    done,
                    documents=done.documents + result.documents,
                    chunks=done.chunks + result.chunks,
                    failed=done.failed + result.failed,
                )
                backlog = await self._surviving(lambda: self._ledger.backlog(list(sources)))
                progress(Progress("reading", done.documents, backlog.waiting, done.chunks))

        async with asyncio.TaskGroup() as group:
            for worker in self._workers.texts:
                group.create_task(work(worker))
        return done

    async def drain_vectors(
        self, target: EmbeddingSet, progress: Callable[[Progress], None], report: SyncReport
    ) -> SyncReport:
        """Work off the vector queue; then let a building set take over."""
        done = report

        async def work(place: int, worker: VectorWorker) -> None:
            nonlocal done
            while True:
                if place >= await self._surviving(self._workers.courtesy.allowed):
                    await asyncio.sleep(_RECOVERY_WAIT)
                    if not (await self._surviving(lambda: self._vectors.backlog(target.set_id))).waiting:
                        return
                    continue
                settled = await self._surviving(lambda: worker.round(target))
                if not settled:
                    return
                done = replace(done, vectors=done.vectors + settled)
                backlog = await self._surviving(lambda: self._vectors.backlog(target.set_id))
                progress(Progress("embedding", done.documents, 0, done.chunks, done.vectors, backlog.waiting))

        async with asyncio.TaskGroup() as group:
            for place, worker in enumerate(self._workers.vectors):
                group.create_task(work(place, worker))
        if not target.active and await self._surviving(lambda: self._vectors.cut_over(target)):
            _log.info("embedding_set_active", model=target.model, action="cut_over")
        await self._surviving(self._vectors.drop_retired)
        return done

    async def read(self, sources: Mapping[SourceId, Source], connectors: Mapping[SourceId, Connector]) -> TextRound:
        """One small round of waiting texts, for a process that also does other things.

        Raises:
            BackendUnavailable: the database is lost; leases make it safe to come again.
        """
        if not sources:
            return TextRound()
        return await self._workers.texts[0].round(sources, connectors)

    async def embed(self, target: EmbeddingSet) -> int:
        """One batch of waiting vectors per worker that may run, as `read`; how many tasks were settled."""
        allowed = await self._workers.courtesy.allowed()
        done = sum(await asyncio.gather(*(worker.round(target) for worker in self._workers.vectors[:allowed])))
        if not done:
            if not target.active:
                await self._vectors.cut_over(target)
            await self._vectors.drop_retired()
        return done

    async def follow_renames(self, source_id: SourceId, since: datetime) -> bool:
        """Find the successors of pages that ended since then; False while texts of the source still wait."""
        await follow_renames(self._pages, source_id, since)
        return not (await self._ledger.backlog([source_id])).waiting

    async def release(self) -> None:
        """Give every lease of this process back, so that others need not wait for them."""
        try:
            await self._workers.scan.release()
            for worker in [*self._workers.texts, *self._workers.vectors]:
                await worker.release()
        except BackendUnavailable:
            _log.info("leases_left_to_expire", action="release")

    async def _surviving(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work`, over again while the database recovers; leases and transactions make repeating safe."""
        for _ in range(_RECOVERY_TRIES - 1):
            try:
                return await work()
            except BackendUnavailable as error:
                _log.warning("waiting_for_database", reason=error.message, action="index")
                await asyncio.sleep(_RECOVERY_WAIT)
                await self._pages.revive()
        return await work()
