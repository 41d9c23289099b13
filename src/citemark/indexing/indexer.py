"""Keeps the index equal to its sources: scans, then text, then vectors, until nothing waits."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from time import monotonic
from typing import TypeVar

import structlog

from citemark.embedding.contract import EmbeddingFailed
from citemark.indexing.plan import DeletionPolicy
from citemark.indexing.rename_detector import RenameDetector
from citemark.indexing.source_scan import ScanReport, SourceScan
from citemark.indexing.text_worker import TextRound, TextWorker
from citemark.indexing.vector_worker import IndexThrottle, VectorWorker
from citemark.model.errors import BackendUnavailable
from citemark.model.ids import EmbeddingSetId, SourceId
from citemark.model.sources import Source
from citemark.model.vectors import EmbeddingSet
from citemark.sources.contract import Connector
from citemark.store.ledger import Ledger
from citemark.store.pages import PageStore
from citemark.store.vectors import RandomPairs, VectorStore

T = TypeVar("T")

_log = structlog.get_logger(__name__)
_RECOVERY_WAIT = 1.0
_IDLE = 0.25
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
    """What a sync did, per source name and in sum.

    `removed` counts documents taken out of the index, whoever found out first that they are gone.
    """

    scans: Mapping[str, ScanReport] = field(default_factory=dict[str, ScanReport])
    documents: int = 0
    chunks: int = 0
    vectors: int = 0
    failed: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Workers:
    """The working parts of one process; the lists hold one worker per thing that may run at once."""

    scan: SourceScan
    texts: Sequence[TextWorker]
    vectors: Sequence[VectorWorker]
    renames: RenameDetector
    courtesy: IndexThrottle


@dataclass(slots=True)
class _Listing:
    """The scans of one sync: their reports by source name, and whether all have ended."""

    scans: dict[str, ScanReport] = field(default_factory=dict[str, ScanReport])
    over: bool = False


def groups_of(
    sources: Mapping[SourceId, Source], connectors: Mapping[SourceId, Connector]
) -> Sequence[Mapping[SourceId, Source]]:
    """Sources that are read by the same workers: those of this machine together, each other machine's by itself.

    A server that answers late, or byte by byte, holds up only its own documents.
    """
    near = {key: source for key, source in sources.items() if not connectors[key].remote}
    far = [{key: source} for key, source in sources.items() if connectors[key].remote]
    return [near, *far] if near else far


class Indexer:
    """One process's share of the indexing; any number of processes may run one over the same database."""

    def __init__(
        self,
        ledger: Ledger,
        pages: PageStore,
        vectors: VectorStore,
        random_pairs: RandomPairs,
        workers: Workers,
    ) -> None:
        self._ledger = ledger
        self._pages = pages
        self._vectors = vectors
        self._random_pairs = random_pairs
        self._unfinished = set[EmbeddingSetId]()
        self._workers = workers

    async def sync(
        self,
        sources: Mapping[SourceId, Source],
        connectors: Mapping[SourceId, Connector],
        targets: Sequence[EmbeddingSet],
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> SyncReport:
        """Scan the sources, side by side, and work until neither texts nor vectors wait (or cannot be done now).

        What is listed is read at once: a source whose listing takes long holds up no other.

        Raises:
            EmbeddingFailed: the texts are done and searchable, but a model cannot be asked for all vectors.
        """
        listing = _Listing()
        scanning = asyncio.create_task(self._list_all(sources, connectors, listing, progress))
        report = SyncReport()
        waits, over = asyncio.Event(), asyncio.Event()
        beside = asyncio.create_task(self._embed_beside(targets, waits, over))
        try:
            report = await self._drain_texts(sources, connectors, progress, listing, waits)
            await scanning
        finally:
            scanning.cancel()
            waits.clear()
            over.set()
            vectors = await beside
        scans = {source.name: listing.scans[source.name] for source in sources.values()}
        report = replace(report, scans=scans, vectors=vectors)
        for source_id in sources:
            await self._surviving(lambda s=source_id: self._workers.renames.follow(s))
        return await self._drain_vectors(targets, progress, report)

    async def _list_all(
        self,
        sources: Mapping[SourceId, Source],
        connectors: Mapping[SourceId, Connector],
        listing: "_Listing",
        progress: Callable[[Progress], None],
    ) -> None:
        """Scan every source, then say that no more will be listed."""

        async def scan(source_id: SourceId, source: Source) -> None:
            progress(Progress(stage=f"listing {source.name}"))
            report = await self._surviving(lambda: self._scan(source_id, connectors[source_id]))
            listing.scans[source.name] = report

        try:
            ends = await asyncio.gather(*(scan(*each) for each in sources.items()), return_exceptions=True)
        finally:
            listing.over = True
        for end in ends:
            if isinstance(end, BaseException):
                raise end

    async def _scan(self, source_id: SourceId, connector: Connector) -> ScanReport:
        return await self._workers.scan.run(source_id, connector, DeletionPolicy(grace=connector.grace or timedelta(0)))

    async def _drain_texts(
        self,
        sources: Mapping[SourceId, Source],
        connectors: Mapping[SourceId, Connector],
        progress: Callable[[Progress], None],
        listing: "_Listing",
        waits: asyncio.Event,
    ) -> SyncReport:
        """Work off the text queue, with one worker for each group of sources while anybody searches.

        `waits` is set while nothing of this machine is read. Ends when all is listed and nothing waits.
        """
        done = SyncReport()
        local = set[tuple[int, int]]()

        async def work(at: tuple[int, int], worker: TextWorker, group: Mapping[SourceId, Source]) -> None:
            nonlocal done
            idle = False
            while True:
                listed = listing.over
                if (
                    idle
                    and not listed
                    and not (await self._surviving(lambda: self._ledger.backlog(list(group)))).waiting
                ):
                    await asyncio.sleep(_IDLE)
                    continue
                if at[1] and not await self._surviving(self._workers.courtesy.quiet):
                    await asyncio.sleep(_RECOVERY_WAIT)
                    if listed and not (await self._surviving(lambda: self._ledger.backlog(list(group)))).waiting:
                        return
                    continue
                began = monotonic()
                result = await self._surviving(lambda: worker.round(group, connectors))
                worked = monotonic() - began
                local.discard(at) if result.remote or result.idle else local.add(at)
                waits.clear() if local else waits.set()
                idle = result.idle
                if idle:
                    if listed:
                        return
                    continue
                done = replace(
                    done,
                    documents=done.documents + result.documents,
                    removed=done.removed + result.removed,
                    chunks=done.chunks + result.chunks,
                    failed=done.failed + result.failed,
                )
                backlog = await self._surviving(lambda: self._ledger.backlog(list(sources)))
                progress(Progress("reading", done.documents, backlog.waiting, done.chunks))
                await self._surviving(lambda spent=worked: self._workers.courtesy.rest(spent))

        async with asyncio.TaskGroup() as tasks:
            for number, group in enumerate(groups_of(sources, connectors)):
                for place, worker in enumerate(self._workers.texts):
                    tasks.create_task(work((number, place), worker, group))
        return done

    async def _embed_beside(self, targets: Sequence[EmbeddingSet], waits: asyncio.Event, over: asyncio.Event) -> int:
        """Make vectors while the reading `waits` for other machines, until it is `over`; how many."""
        report = SyncReport()
        while not over.is_set():
            for target in targets:
                with suppress(EmbeddingFailed):
                    report = await self._drain_set(target, lambda _: None, report, waits.is_set)
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), _IDLE)
        return report.vectors

    async def _drain_vectors(
        self, targets: Sequence[EmbeddingSet], progress: Callable[[Progress], None], report: SyncReport
    ) -> SyncReport:
        """Work off the vector queue of each set in turn; then let a building set take over.

        Raises:
            EmbeddingFailed: a model cannot be asked; the other sets are done all the same.
        """
        failures: list[EmbeddingFailed] = []
        for target in targets:
            try:
                report = await self._drain_set(target, progress, report)
            except EmbeddingFailed as error:
                failures.append(error)
                continue
            await self._surviving(lambda t=target: self._finish(t))
        await self._surviving(self._vectors.drop_retired)
        if failures:
            raise failures[0]
        return report

    async def _drain_set(
        self,
        target: EmbeddingSet,
        progress: Callable[[Progress], None],
        report: SyncReport,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> SyncReport:
        done = report
        failures: list[EmbeddingFailed] = []

        async def work(place: int, worker: VectorWorker) -> None:
            try:
                await embed(place, worker)
            except EmbeddingFailed as error:
                failures.append(error)

        async def embed(place: int, worker: VectorWorker) -> None:
            nonlocal done
            while goes_on():
                if place >= await self._surviving(self._workers.courtesy.allowed):
                    await asyncio.sleep(_RECOVERY_WAIT)
                    if failures or not (await self._surviving(lambda: self._vectors.backlog(target.set_id))).waiting:
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
        if failures:
            raise failures[0]
        return done

    async def read(self, sources: Mapping[SourceId, Source], connectors: Mapping[SourceId, Connector]) -> TextRound:
        """One small round of waiting texts, for a process that also does other things.

        Raises:
            BackendUnavailable: the database is lost; leases make it safe to come again.
        """
        if not sources:
            return TextRound()
        began = monotonic()
        done = await self._workers.texts[0].round(sources, connectors)
        if not done.idle:
            await self._workers.courtesy.rest(monotonic() - began)
        return done

    async def embed(
        self,
        targets: Sequence[EmbeddingSet],
        failed: Callable[[EmbeddingSet, EmbeddingFailed], None] = lambda _set, _error: None,
    ) -> int:
        """One batch of waiting vectors per worker that may run, as `read`; how many tasks were settled.

        They are of the first set that lacks any. `failed` is told of a set whose model cannot be asked; the others go
        on without it.
        """
        allowed = await self._workers.courtesy.allowed()
        for target in targets:
            try:
                settled = await self._round(target, allowed)
            except EmbeddingFailed as error:
                failed(target, error)
                continue
            if settled:
                self._unfinished.add(target.set_id)
                return settled
            if target.set_id in self._unfinished or not target.active:
                await self._finish(target)
                self._unfinished.discard(target.set_id)
        await self._vectors.drop_retired()
        return 0

    async def _round(self, target: EmbeddingSet, workers: int) -> int:
        """One batch per worker; a failure is told when all have ended, so that none works on unseen."""
        rounds = (worker.round(target) for worker in self._workers.vectors[:workers])
        done = await asyncio.gather(*rounds, return_exceptions=True)
        for result in done:
            if isinstance(result, BaseException):
                raise result
        return sum(result for result in done if isinstance(result, int))

    async def _finish(self, target: EmbeddingSet) -> None:
        """What a set needs once nothing waits for it: what tells its scores, and then the place of the active one."""
        if not target.active and not await self._vectors.complete(target):
            return
        if target.origin.recipe:
            await self._random_pairs.refresh(target.set_id)
        if not target.active and await self._vectors.cut_over(target):
            _log.info("embedding_set_active", model=target.model, action="cut_over")

    async def follow_renames(self, source_id: SourceId, *, changed: bool) -> bool:
        """Find the successors of pages that ended; False while another half of a rename may still be to come."""
        return (await self._workers.renames.follow(source_id, changed=changed)).settled

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
