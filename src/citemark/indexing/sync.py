"""A sync: every source is scanned once, and the work loops run until nothing is waiting."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from citemark.indexing.follower_pool import ConnectedSources
from citemark.indexing.indexer import Indexer, WorkDone
from citemark.indexing.source_scan import ScanReport
from citemark.indexing.work_loops import LoopPolicy, WorkLoops
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.model.vectors import EmbeddingSet
from citemark.sources.contract import Connector

_IDLE_SECONDS = 0.25
"""A user waits for a sync to end, so it looks for work four times as often as a server does."""

_RECOVERY_TRIES = 30
"""Half a minute without a database: an embedded one that has not restarted by then never will."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sync has come: documents and chunks done in this run, and what is still waiting.

    While `listing`, more may come to wait.
    """

    stage: str
    documents: int = 0
    documents_waiting: int = 0
    chunks: int = 0
    vectors: int = 0
    vectors_waiting: int = 0
    listing: bool = False


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did, per source name and in total.

    `removed` counts documents taken out of the index, whether the listing or the reading found that they were gone.
    """

    scans: Mapping[str, ScanReport] = field(default_factory=dict[str, ScanReport])
    documents: int = 0
    chunks: int = 0
    vectors: int = 0
    failed: int = 0
    removed: int = 0


async def sync_sources(
    indexer: Indexer,
    sources: Mapping[SourceId, Source],
    connectors: Mapping[SourceId, Connector],
    targets: Sequence[EmbeddingSet],
    progress: Callable[[Progress], None] = lambda _: None,
) -> SyncReport:
    """Scan the sources in parallel and work until no texts or vectors wait, or those left cannot be done now.

    Args:
        indexer: this process's workers.
        sources: the sources to bring the index up to date with.
        connectors: one for each source.
        targets: the embedding sets to fill, the most urgent first.
        progress: called after every step, and when a listing begins.

    Raises:
        EmbeddingFailed: the texts are done and searchable, but a model cannot be asked for all vectors.
        BackendUnavailable: the database was lost and did not come back within half a minute.
    """
    return await _Sync(indexer, ConnectedSources(sources, connectors), targets, progress).run()


class _Sync:
    """One run, and the report that its loops share."""

    def __init__(
        self,
        indexer: Indexer,
        there: ConnectedSources,
        targets: Sequence[EmbeddingSet],
        progress: Callable[[Progress], None],
    ) -> None:
        self._indexer = indexer
        self._there = there
        self._targets = targets
        self._progress = progress
        self._scans: dict[str, ScanReport] = {}
        self._done = WorkDone()
        policy = LoopPolicy(indexer.readers, _IDLE_SECONDS, _IDLE_SECONDS, _RECOVERY_TRIES)
        self._loops = WorkLoops(indexer, policy, present=self._present, targets=self._sets, reports=lambda: self)

    async def run(self) -> SyncReport:
        listing = asyncio.create_task(self._list_all())
        try:
            with self._indexer.telling(self._loops.wake):
                await self._loops.run_until_idle(listing)
        finally:
            listing.cancel()
            await asyncio.wait([listing])
        done = self._done
        return SyncReport(
            scans={source.name: self._scans[source.name] for source in self._there.sources.values()},
            documents=done.documents,
            chunks=done.chunks,
            vectors=done.vectors,
            failed=done.failed,
            removed=done.removed,
        )

    async def add(self, done: WorkDone, target: EmbeddingSet | None = None) -> None:
        """Count what a loop did, and report how far the sync has come."""
        self._done += done
        total = self._done
        if target is None:
            waiting = await self._indexer.texts_waiting(self._there.sources)
            listing = len(self._scans) < len(self._there.sources)
            self._progress(Progress("reading", total.documents, waiting, total.chunks, listing=listing))
        elif self._loops.texts_done:
            waiting = await self._indexer.vectors_waiting(target)
            self._progress(Progress("embedding", total.documents, 0, total.chunks, total.vectors, waiting))

    def idle(self) -> None:
        """Report nothing: the next step reports what is waiting."""

    async def _present(self) -> ConnectedSources:
        return self._there

    async def _sets(self) -> Sequence[EmbeddingSet]:
        return self._targets

    async def _list_all(self) -> None:
        """Scan every source; the error of one that fails is raised after all have ended."""
        scans = (self._scan(*each) for each in self._there.sources.items())
        for end in await asyncio.gather(*scans, return_exceptions=True):
            if isinstance(end, BaseException):
                raise end

    async def _scan(self, source_id: SourceId, source: Source) -> None:
        self._progress(Progress(stage=f"listing {source.name}", listing=True))

        async def scan() -> None:
            self._scans[source.name] = await self._indexer.scan(source_id, self._there.connectors[source_id])

        await self._loops.repeat(scan)
