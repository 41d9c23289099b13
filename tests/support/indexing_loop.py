"""The loop that keeps an index equal to a source in memory, as one process runs it."""

from concurrent.futures import Executor, ThreadPoolExecutor

from tests.support.index import Index
from tests.support.memory_source import MemorySource

from citemark.embedding.minilm import MiniLM
from citemark.features.graph.mentions.mention_linker import mentions_over
from citemark.features.graph.store.mentions import MentionStore
from citemark.indexing.indexer import Indexer, Workers
from citemark.indexing.language_detector import LanguageDetector
from citemark.indexing.rename_detector import RenameDetector
from citemark.indexing.source_scan import SourceScan
from citemark.indexing.sync import SyncReport, sync_sources
from citemark.indexing.text_worker import TextWorker
from citemark.indexing.throttle import IndexThrottle
from citemark.indexing.vector_worker import VectorWorker
from citemark.model.clock import system_clock
from citemark.model.sources import Source
from citemark.store.database import Database

TEXTS = {f"{n}.md": f"# Page {n}\nText of page {n}, and a little more of it.\n" for n in range(6)}


class IndexingLoop:
    """One process's indexer over one source in memory; `beside` is another process over the same."""

    def __init__(
        self,
        database: Database,
        threads: ThreadPoolExecutor,
        worker: str = "p",
        readers: int = 1,
        beside: "IndexingLoop | None" = None,
        *,
        mentions: bool = True,
        together: float = 0.25,
    ) -> None:
        self.index = Index(database)
        self.memory = beside.memory if beside else MemorySource(dict(TEXTS))
        self.model = MiniLM()
        stores = self.index.stores
        edges = mentions_over(stores.of(MentionStore), stores.horizon, f"{worker}-m", on=mentions)
        self.later_edges = edges.later
        texts = [
            TextWorker(
                stores.ledger,
                stores.pages,
                stores.segments,
                stores.sources,
                self.model.tokenizer,
                LanguageDetector(),
                f"{worker}-t{n}",
                edges=edges.when_read,
                together=together,
            )
            for n in range(readers)
        ]

        async def chosen() -> Executor:
            return threads

        vectors = [VectorWorker(stores.vectors, stores.pages, lambda _: self.model, chosen, f"{worker}-v")]
        self.scan = scan = SourceScan(stores.ledger, stores.sources, worker, system_clock)
        renames = RenameDetector(stores.renames, stores.horizon)
        self.indexer = Indexer(
            stores.ledger,
            stores.pages,
            stores.vectors,
            stores.random_pairs,
            Workers(scan, texts, vectors, renames, IndexThrottle(stores.vectors, 1), self.later_edges),
        )
        self.source: Source | None = beside.source if beside else None

    async def sync(self) -> SyncReport:
        if self.source is None:
            self.source = await self.index.source()
        target = await self.index.stores.vectors.ensure(self.model.identity)
        number = self.source.source_id
        return await sync_sources(self.indexer, {number: self.source}, {number: self.memory.connector()}, [target])

    async def indexed(self) -> dict[str, str]:
        rows = await self.index.rows(
            "SELECT d.native_id, r.body FROM document d JOIN revision r USING (source_id, document_id)"
            " WHERE d.valid_to = 'infinity' AND r.valid_to = 'infinity'"
        )
        return {row[0]: row[1] for row in rows}

    async def problems(self) -> dict[str, str]:
        assert self.source is not None
        found = await self.index.stores.sources.problems(self.source.source_id)
        return {problem.native_id: problem.message for problem in found}
