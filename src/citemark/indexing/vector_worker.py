"""The vector queue's worker: embeds waiting chunks in batches across documents, using one core per worker."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from concurrent.futures import Executor
from typing import TypeAlias

import structlog

from citemark.embedding.contract import Embedder, EmbeddingFailed, ProviderRefused, TextsRefused, Vectors
from citemark.indexing.chunking import embedded_text
from citemark.model.ids import SourceId
from citemark.model.vectors import EmbeddingSet, VectorTask
from citemark.store.pages import PageStore
from citemark.store.vectors import VectorStore

ModelOf: TypeAlias = Callable[[EmbeddingSet], Embedder | None]
"""Returns the model of a set, or None if this process does not have it."""

ThreadsOf: TypeAlias = Callable[[], Awaitable[Executor]]
"""Returns the threads for the next batch."""

_CLAIM = 64
"""Chunks per batch: a second or two of one core with the bundled model, and two requests to a provider."""

_LEASE_SECONDS = 300.0
"""Longer than a provider may take for a batch with all its retries; the chunks of a dead worker wait this long."""

_log = structlog.get_logger(__name__)


class OtherSpace(ProviderRefused):
    """A provider's vectors are not the kind of vectors that the set was made for."""

    def __init__(self, model: str, expected: int, found: int) -> None:
        super().__init__(
            f"{model} now makes vectors of {found} dimensions, and the index holds {expected}. "
            "Change embedding_revision and sync to build its vectors again.",
            "other dimensions",
        )


class VectorWorker:
    """Embeds leased chunks with the model of their set."""

    def __init__(
        self,
        vectors: VectorStore,
        pages: PageStore,
        models: ModelOf,
        threads: ThreadsOf,
        worker: str,
        source_ids: Collection[SourceId] | None = None,
    ) -> None:
        """Keep the collaborators; `source_ids` are the sources whose chunks it embeds, all by default."""
        self._vectors = vectors
        self._pages = pages
        self._models = models
        self._threads = threads
        self._worker = worker
        self._source_ids = source_ids

    async def round(self, target: EmbeddingSet) -> int:
        """Claim one batch, embed it in a thread of the pool and store it; returns the number of settled tasks.

        That is zero if nothing is waiting, or if this process does not have the set's model.

        Raises:
            EmbeddingFailed: the model cannot be asked; the tasks are given back and keep waiting.
        """
        embedder = self._models(target)
        if embedder is None:
            return 0
        tasks = await self._vectors.claim(
            target.set_id, self._worker, limit=_CLAIM, lease=_LEASE_SECONDS, source_ids=self._source_ids
        )
        if not tasks:
            return 0
        try:
            kept, vectors = await self._embedded(embedder, target, tasks)
        except EmbeddingFailed:
            await self.release()
            raise
        written = await self._vectors.settle(target.set_id, self._worker, kept, vectors.tolist())
        for source_id, amount in written.items():
            await self._pages.record_work(source_id, "vector", amount)
        return len(tasks)

    async def _embedded(
        self, embedder: Embedder, target: EmbeddingSet, tasks: Sequence[VectorTask]
    ) -> tuple[Sequence[VectorTask], Vectors]:
        """The vectors and the tasks that they belong to; tasks whose text the model refuses are given up."""
        loop, threads = asyncio.get_running_loop(), await self._threads()
        try:
            vectors = await loop.run_in_executor(threads, _embed, embedder, tasks)
        except TextsRefused as refusal:
            texts = _distinct(tasks)
            reasons = {texts[place].digest: reason for place, reason in refusal.reasons.items()}
            refused = [task for task in tasks if task.digest in reasons]
            errors = [reasons[task.digest] for task in refused]
            await self._vectors.park(target.set_id, self._worker, refused, errors)
            _log.warning("texts_refused", model=target.model, count=len(refused), action="vector")
            tasks = [task for task in tasks if task.digest not in reasons]
            vectors = await loop.run_in_executor(threads, _embed, embedder, tasks)
        if tasks and vectors.shape[1] != target.dimensions:
            raise OtherSpace(target.model, target.dimensions, vectors.shape[1])
        return tasks, vectors

    async def release(self) -> None:
        """Give back what is leased, on a clean stop."""
        await self._vectors.release(self._worker)


def _distinct(tasks: Sequence[VectorTask]) -> list[VectorTask]:
    """One task per text, in the order in which the texts are embedded."""
    return list({task.digest: task for task in tasks}.values())


def _embed(embedder: Embedder, tasks: Sequence[VectorTask]) -> Vectors:
    """The vectors of the tasks; equal texts are embedded only once."""
    texts = _distinct(tasks)
    places = {task.digest: place for place, task in enumerate(texts)}
    vectors = embedder.embed_documents([embedded_text(task.context, task.text) for task in texts])
    return vectors[[places[task.digest] for task in tasks]]
