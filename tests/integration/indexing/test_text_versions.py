"""Pages that older code read and cut are rebuilt by newer code, bit by bit, while search goes on."""

from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.support.index import Index
from tests.support.memory_source import MemorySource

from citemark.embedding.contract import Tokenizer
from citemark.embedding.minilm import MiniLM
from citemark.extraction.dispatch import READER_VERSIONS
from citemark.extraction.sandbox.pool import ParserPool
from citemark.indexing.language_detector import LanguageDetector
from citemark.indexing.source_scan import DeletionPolicy, ScanReport, SourceScan
from citemark.indexing.text_worker import TextRound, TextWorker
from citemark.model.clock import system_clock
from citemark.model.documents import Fetched
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.sources import Source
from citemark.sources.contract import Connector
from citemark.sources.docs.connector import DocsProcessor, docs_connector
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.file_system import version_of
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


@pytest.mark.requirement("newer-reading-rebuilds-unchanged-pages")
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


@pytest.mark.requirement("newer-reading-rebuilds-unchanged-pages")
async def test_the_rebuild_is_gradual_comes_after_edits_and_leaves_every_page_searchable(first: Release) -> None:
    newer = later(first)
    await newer.scan()
    newer.memory.texts["19.md"] = "An edit made meanwhile.\n"
    await newer.scan()
    newer.memory.fetched.clear()
    await newer.round()
    assert newer.memory.fetched == ["19.md"]
    assert newer.memory.texts["19.md"] in await newer.bodies()
    await newer.round()
    assert await newer.versions() == [(1, 3), (2, 17)]
    assert await newer.index.value("SELECT count(DISTINCT page_id) FROM chunk WHERE valid_to = 'infinity'") == 20
    await newer.read_all()
    assert await newer.versions() == [(2, 20)]
    assert await newer.index.value("SELECT chunks FROM source_stat") == 20


@pytest.mark.requirement("newer-reading-rebuilds-unchanged-pages")
async def test_vectors_of_text_that_is_cut_as_before_are_kept(first: Release) -> None:
    target = await first.index.stores.vectors.ensure(MiniLM().identity)
    await first.index.embed(target)
    newer = later(first)
    await newer.scan()
    await newer.read_all()
    assert (await first.index.stores.vectors.backlog(target.set_id)).waiting == 0
    assert await first.index.value("SELECT count(*) FROM embedding_1") == 20


@pytest.mark.requirement("newer-reading-rebuilds-unchanged-pages")
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


BOOK = BytesIO()
with ZipFile(BOOK, "w") as archive:
    archive.writestr("mimetype", "application/epub+zip")
PAGE = b"<!doctype html><html><title>T</title><body><h1>Pump</h1><p>Stop it at once, please.</p></body></html>"
FILES = {
    "a.md": b"# A\n\nText of a page.\n",
    "b.txt": b"Text of a log.\n",
    "c.html": PAGE,
    "d.eml": b"From: a@b.example\nTo: c@b.example\nSubject: S\nContent-Type: text/html\n\n" + PAGE,
    "saved.xls": PAGE,
    "book.epub": BOOK.getvalue(),
    "renamed.docx": BOOK.getvalue(),
    "broken.html": b"<script>render()</script>",
}


@dataclass
class DocsRelease:
    """A release of the code over a folder, with the versions of its readers; it can read books if it is told so."""

    index: Index
    source: Source
    folder: Path
    parsers: ParserPool
    versions: dict[str, int]
    reads_books: bool = False
    common: int = 1
    fetched: list[str] = field(default_factory=list[str])

    def connector(self) -> Connector:
        found = docs_connector({"root": str(self.folder)}, self.parsers)
        return replace(found, processor=self, reader_versions=self.versions)

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        self.fetched.append(native_id)
        processor = DocsProcessor(DocsSettings(self.folder), self.parsers)
        if self.reads_books and native_id == "book.epub":
            page = await processor.fetch(doc_type, NativeId("a.md"))
            version = version_of((self.folder / native_id).stat())
            return None if page is None else replace(page, native_id=native_id, version=version)
        return await processor.fetch(doc_type, native_id)

    async def update(self) -> list[str]:
        """Scan and read what is to be read; the names of what was read."""
        stores, number = self.index.stores, self.source.source_id
        scanner = SourceScan(stores.ledger, stores.sources, "s", system_clock, text_version=self.common)
        await scanner.run(number, self.connector(), DeletionPolicy())
        worker = TextWorker(
            stores.ledger, stores.pages, stores.segments, stores.sources, MiniLM().tokenizer, LanguageDetector(), "t",
            text_version=self.common,
        )  # fmt: skip
        self.fetched.clear()
        while (done := await worker.round({number: self.source}, {number: self.connector()})).documents or done.failed:
            pass
        return sorted(self.fetched)

    async def problems(self) -> list[str]:
        return sorted(each.native_id for each in await self.index.stores.sources.problems(self.source.source_id))


@pytest.fixture
async def docs(database: Database, tmp_path: Path, parsers: ParserPool) -> DocsRelease:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    index = Index(database)
    release = DocsRelease(index, await index.source(kind="docs"), folder, parsers, dict(READER_VERSIONS))
    assert await release.update() == sorted(FILES)
    assert await release.problems() == ["book.epub", "broken.html", "renamed.docx"]
    assert await release.update() == []
    return release


def upgraded(release: DocsRelease, **newer: int) -> DocsRelease:
    return replace(release, versions={**release.versions, **newer})


@pytest.mark.requirement("a-version-for-each-reader")
async def test_a_format_that_becomes_readable_reads_its_parked_files_and_no_others(docs: DocsRelease) -> None:
    newer = replace(upgraded(docs, epub=2), reads_books=True)
    assert await newer.update() == ["book.epub", "renamed.docx"]
    assert await newer.problems() == ["broken.html", "renamed.docx"]
    assert await newer.update() == []
    assert await docs.update() == []


@pytest.mark.requirement("a-version-for-each-reader")
@pytest.mark.parametrize(
    ("reader", "files"),
    [
        ("markdown", ["a.md"]),
        ("plain", ["b.txt"]),
        ("mail", ["d.eml"]),
        ("html", ["book.epub", "broken.html", "c.html", "d.eml", "renamed.docx", "saved.xls"]),
        ("docx", ["renamed.docx"]),
        ("pdf", []),
        ("old-office", ["saved.xls"]),
    ],
)
async def test_a_mended_reader_reads_what_it_had_read_or_given_up_and_no_others(
    docs: DocsRelease, reader: str, files: list[str]
) -> None:
    newer = upgraded(docs, **{reader: docs.versions[reader] + 1})
    assert await newer.update() == files
    assert await newer.update() == []
    assert await docs.update() == []


async def test_what_every_text_goes_through_has_a_version_for_all(docs: DocsRelease) -> None:
    newer = replace(docs, common=2)
    assert await newer.update() == sorted(FILES)
    assert await newer.update() == []


async def test_files_of_an_index_that_does_not_know_their_readers_are_read_once(docs: DocsRelease) -> None:
    await docs.index.rows("UPDATE item SET readers = '' RETURNING 1")
    assert await docs.update() == sorted(FILES)
    assert await docs.update() == []
