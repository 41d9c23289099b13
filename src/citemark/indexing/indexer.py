"""One process's share of the indexing, one step at a time: scan a source, read a few documents, embed a batch."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import monotonic

import structlog

from citemark.indexing.page_edges import LaterEdges
from citemark.indexing.rename_detector import RenameDetector
from citemark.indexing.source_scan import DeletionPolicy, ScanReport, SourceScan
from citemark.indexing.text_worker import TextRound, TextWorker
from citemark.indexing.throttle import IndexThrottle
from citemark.indexing.vector_worker import VectorWorker
from citemark.model.errors import BackendUnavailable
from citemark.model.ids import EmbeddingSetId, SourceId
from citemark.model.ledger import Claim
from citemark.model.sources import Source
from citemark.model.vectors import EmbeddingSet
from citemark.sources.contract import Connector
from citemark.store.ledger import Ledger
from citemark.store.pages import PageStore
from citemark.store.vectors import RandomPairs, VectorStore

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WorkDone:
    """What one or more steps have done: documents read, chunks written, vectors made.

    `failed` counts documents that could not be read, `removed` those that were taken out of the index.
    """

    documents: int = 0
    chunks: int = 0
    failed: int = 0
    vectors: int = 0
    removed: int = 0

    def __add__(self, more: "WorkDone") -> "WorkDone":
        return WorkDone(
            self.documents + more.documents,
            self.chunks + more.chunks,
            self.failed + more.failed,
            self.vectors + more.vectors,
            self.removed + more.removed,
        )


@dataclass(frozen=True, slots=True)
class Workers:
    """The workers of one process; each list holds one worker per task that may run at the same time.

    `embedded` are the sources whose chunks the vector workers embed; None for all.
    """

    scan: SourceScan
    texts: Sequence[TextWorker]
    vectors: Sequence[VectorWorker]
    renames: RenameDetector
    throttle: IndexThrottle
    later_edges: LaterEdges | None = None
    embedded: Collection[SourceId] | None = None


class Indexer:
    """The steps that keep an index in step with its sources.

    Any number of processes may run an indexer over the same database: documents and chunks are leased, and a step that
    is interrupted by the loss of the database can be repeated. `WorkLoops` runs the steps.
    """

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
        self._workers = workers
        self._embedding: Counter[EmbeddingSetId] = Counter()
        self._unfinished = set[EmbeddingSetId]()

    @property
    def readers(self) -> int:
        """The number of text workers."""
        return len(self._workers.texts)

    @property
    def embedders(self) -> int:
        """The number of vector workers."""
        return len(self._workers.vectors)

    @property
    def throttle(self) -> IndexThrottle:
        """The throttle that makes workers give way to searches."""
        return self._workers.throttle

    @property
    def renames(self) -> RenameDetector:
        """The detector that finds the successors of pages that ended."""
        return self._workers.renames

    def telling(self, recorded: Callable[[], None]) -> AbstractContextManager[None]:
        """While the block runs, call `recorded` whenever this process has recorded documents to be read."""
        return self._ledger.telling(recorded)

    async def scan(self, source_id: SourceId, connector: Connector) -> ScanReport:
        """List one source and record what changed; what is missing is deleted after the connector's grace, if any.

        Raises:
            BackendUnavailable: the database was lost, or another process took the scan over.
        """
        policy = DeletionPolicy() if connector.grace is None else DeletionPolicy(grace=connector.grace)
        return await self._workers.scan.run(source_id, connector, policy)

    async def read(
        self,
        sources: Mapping[SourceId, Source],
        connectors: Mapping[SourceId, Connector],
        reader: int = 0,
        claimed: Callable[[Sequence[Claim]], None] = lambda _: None,
    ) -> TextRound:
        """Let one of the text workers read a few of the waiting documents, after `claimed` was told of them.

        Raises:
            BackendUnavailable: the database is lost.
        """
        if not sources:
            claimed(())
            return TextRound()
        return await self._workers.texts[reader].round(sources, connectors, claimed)

    async def texts_waiting(self, sources: Mapping[SourceId, Source]) -> int:
        """The number of documents that are waiting to be read, including those whose next try is due later."""
        return (await self._ledger.backlog(list(sources))).waiting

    async def embed(self, target: EmbeddingSet, embedder: int = 0) -> int:
        """Let one of the vector workers embed a batch of a set's waiting chunks; returns how many it settled.

        Raises:
            EmbeddingFailed: the model cannot be asked; the chunks keep waiting.
        """
        self._embedding[target.set_id] += 1
        try:
            settled = await self._workers.vectors[embedder].round(target)
        finally:
            self._embedding[target.set_id] -= 1
        if settled:
            self._unfinished.add(target.set_id)
        return settled

    async def vectors_waiting(self, target: EmbeddingSet) -> int:
        """The number of chunks, of those that this process embeds, that are waiting for a vector of the set."""
        return (await self._vectors.backlog(target.set_id, self._workers.embedded)).waiting

    def may_finish(self, target: EmbeddingSet) -> bool:
        """Whether a set without waiting chunks should be finished: it is being built, or it has new vectors.

        False while another worker is still working on its last batch.
        """
        return not self._embedding[target.set_id] and (not target.active or target.set_id in self._unfinished)

    async def finish(self, target: EmbeddingSet) -> None:
        """Give a set without waiting chunks what its scores need, and make it the active one if it was being built."""
        if not target.active and not await self._vectors.complete(target):
            return
        if target.origin.recipe:
            await self._random_pairs.refresh(target.set_id)
        if not target.active and await self._vectors.cut_over(target):
            _log.info("embedding_set_active", model=target.model, action="cut_over")
        self._unfinished.discard(target.set_id)

    async def drop_retired_sets(self) -> None:
        """Remove the sets that have been replaced by another one and are no longer searched."""
        await self._vectors.drop_retired()

    async def draw_later_edges(self, source_ids: Collection[SourceId], *, now: bool = False) -> bool:
        """Draw edges to what became known after their pages were read; returns whether there is more to draw now.

        Raises:
            BackendUnavailable: the database is lost.
        """
        later_edges = self._workers.later_edges
        if later_edges is None:
            return False
        began = monotonic()
        more = await later_edges.step(source_ids, now=now)
        if more:
            await self.throttle.rest(monotonic() - began)
        return more

    async def revive(self) -> None:
        """Start the database again if this process can, and drop the connections that broke."""
        await self._pages.revive()

    async def release(self) -> None:
        """Give every lease of this process back, so that others need not wait for them to expire."""
        try:
            await self._workers.scan.release()
            for worker in [*self._workers.texts, *self._workers.vectors]:
                await worker.release()
            if self._workers.later_edges is not None:
                await self._workers.later_edges.release()
        except BackendUnavailable:
            _log.info("leases_left_to_expire", action="release")
