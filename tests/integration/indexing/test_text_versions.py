"""Pages that older code read and cut are rebuilt by newer code, bit by bit, while search goes on."""

from dataclasses import dataclass, field

import pytest
from tests.support.index import Index
from tests.support.memory_source import MemorySource

from citemark.embedding.contract import Tokenizer
from citemark.embedding.minilm import MiniLM
from citemark.indexing.language_detector import LanguageDetector
from citemark.indexing.source_scan import DeletionPolicy, ScanReport, SourceScan
from citemark.indexing.text_worker import TextRound, TextWorker
from citemark.model.clock import system_clock
from citemark.model.errors import SkippableSourceError
from citemark.model.sources import Source
from citemark.store.database import Database

TEXTS = {f"{n:02}.md": f"Text of page {n}.\n" for n in range(20)}


@dataclass
class Release:
    """One release of the code over a source in memory."""

    index: Index
    source: Source
    memory: MemorySource
    version: int
    tokenizer: Tokenizer = field(default_factory=lambda: MiniLM().tokenizer)

    def __post_init__(self) -> None:
        stores = self.index.stores
        self.scanner = SourceScan(stores.ledger, stores.sources, "s", system_clock, text_version=self.version)
        self.worker = TextWorker(
            stores.ledger,
            stores.pages,
            stores.segments,
            stores.sources,
            self.tokenizer,
            LanguageDetector(),
            "t",
            text_version=self.version,
        )

    async def scan(self) -> ScanReport:
        return await self.scanner.run(self.source.source_id, self.memory.connector(), DeletionPolicy())

    async def round(self) -> TextRound:
        number = self.source.source_id
        return await self.worker.round({number: self.source}, {number: self.memory.connector()})

    async def read_all(self) -> int:
        read = 0
        while (done := await self.round()).documents or done.failed:
            read += done.documents
        return read

    async def bodies(self) -> set[str]:
        return {row[0] for row in await self.index.rows("SELECT body FROM revision WHERE valid_to = 'infinity'")}

    async def versions(self) -> list[tuple[int, int]]:
        """(text version, pages at HEAD written by it)."""
        rows = await self.index.rows(
            "SELECT text_version, count(*) FROM revision WHERE valid_to = 'infinity' GROUP BY 1 ORDER BY 1"
        )
        return [(row[0], row[1]) for row in rows]


@pytest.fixture
async def first(database: Database) -> Release:
    index = Index(database)
    release = Release(index, await index.source(), MemorySource(dict(TEXTS)), 1)
    await release.scan()
    assert await release.read_all() == 20
    return release


def later(release: Release) -> Release:
    return Release(release.index, release.source, release.memory, release.version + 1, release.tokenizer)


@pytest.mark.requirement("i2-6-text-version")
async def test_unchanged_pages_are_rebuilt_once_by_newer_code_and_never_by_the_same(first: Release) -> None:
    again = await first.scan()
    assert (again.wanted, again.outdated) == (0, 0)
    newer = later(first)
    found = await newer.scan()
    assert (found.wanted, found.outdated, found.gone) == (0, 20, 0)
    assert await newer.read_all() == 20
    assert await newer.versions() == [(2, 20)]
    settled = await newer.scan()
    assert (settled.wanted, settled.outdated) == (0, 0)
    assert (await first.scan()).outdated == 0


@pytest.mark.requirement("i2-6-text-version")
async def test_the_rebuild_is_gradual_comes_after_edits_and_leaves_every_page_searchable(first: Release) -> None:
    newer = later(first)
    await newer.scan()
    newer.memory.texts["19.md"] = "An edit made meanwhile.\n"
    await newer.scan()
    newer.memory.fetched.clear()
    await newer.round()
    assert "19.md" in newer.memory.fetched
    assert newer.memory.texts["19.md"] in await newer.bodies()
    assert await newer.versions() == [(1, 4), (2, 16)]
    assert await newer.index.value("SELECT count(DISTINCT page_id) FROM chunk WHERE valid_to = 'infinity'") == 20
    await newer.read_all()
    assert await newer.versions() == [(2, 20)]
    assert await newer.index.value("SELECT chunks FROM source_stat") == 20


@pytest.mark.requirement("i2-6-text-version")
async def test_vectors_of_text_that_is_cut_as_before_are_kept(first: Release) -> None:
    target = await first.index.stores.vectors.ensure(MiniLM().identity)
    await first.index.embed(target)
    newer = later(first)
    await newer.scan()
    await newer.read_all()
    assert (await first.index.stores.vectors.backlog(target.set_id)).waiting == 0
    assert await first.index.value("SELECT count(*) FROM embedding_1") == 20


@pytest.mark.requirement("i2-6-text-version")
async def test_documents_given_up_by_older_code_are_tried_by_newer_code(first: Release) -> None:
    def refuse(what: str) -> None:
        if what == "odd.md":
            raise SkippableSourceError("this version cannot read it")

    first.memory.texts["odd.md"] = "Odd.\n"
    first.memory.trouble = refuse
    await first.scan()
    assert await first.read_all() == 0
    assert (await first.scan()).outdated == 0
    first.memory.trouble = lambda _: None
    newer = later(first)
    assert (await newer.scan()).outdated == 21
    assert await newer.read_all() == 21
    assert await newer.index.stores.sources.problems(first.source.source_id) == []
