"""The vector queue's workers: batches across documents, one core each, giving way to searches."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor

import structlog

from citemark.embedding.contract import Embedder, Vectors
from citemark.model.errors import BackendUnavailable
from citemark.model.vectors import EmbeddingSet, VectorTask
from citemark.store.pages import PageStore
from citemark.store.vectors import VectorStore

_CLAIM = 64
_LEASE = 300.0
_QUIET = 2.0
_log = structlog.get_logger(__name__)


class VectorWorker:
    """Embeds leased chunks of one set."""

    def __init__(
        self, vectors: VectorStore, pages: PageStore, embedder: Embedder, threads: Executor, worker: str
    ) -> None:
        self._vectors = vectors
        self._pages = pages
        self._embedder = embedder
        self._threads = threads
        self._worker = worker

    async def round(self, target: EmbeddingSet) -> int:
        """Claim one batch, embed it in a thread of the pool, store it; how many tasks were settled."""
        tasks = await self._vectors.claim(target.set_id, self._worker, limit=_CLAIM, lease=_LEASE)
        if not tasks:
            return 0
        vectors = await asyncio.get_running_loop().run_in_executor(self._threads, self._embed, tasks)
        written = await self._vectors.settle(target.set_id, self._worker, tasks, vectors.tolist())
        for source_id, amount in written.items():
            await self._pages.record_work(source_id, "vector", amount)
        return len(tasks)

    async def give_back(self, reason: str) -> None:
        """After a failure: let the batch be tried again, later and not for ever."""
        try:
            await self._vectors.give_back(self._worker, error=reason, delay=30.0)
        except BackendUnavailable:
            _log.warning("give_back_failed", action="vector")

    async def release(self) -> None:
        """Give back what is leased, on a clean stop."""
        await self._vectors.release(self._worker)

    def _embed(self, tasks: Sequence[VectorTask]) -> Vectors:
        """Equal texts are embedded once."""
        places: dict[bytes, int] = {}
        texts: list[str] = []
        for task in tasks:
            if task.digest not in places:
                places[task.digest] = len(texts)
                texts.append(task.text)
        vectors = self._embedder.embed_documents(texts)
        return vectors[[places[task.digest] for task in tasks]]


class SearchCourtesy:
    """Tells how many embedding workers may run: one while anybody searches this database, else all."""

    def __init__(self, vectors: VectorStore, workers: int) -> None:
        self._vectors = vectors
        self._workers = workers

    async def allowed(self) -> int:
        """Between one and the configured number."""
        age = await self._vectors.seconds_since_search()
        return 1 if age is not None and age < _QUIET else self._workers
