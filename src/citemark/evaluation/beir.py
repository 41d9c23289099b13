"""Test collections in BEIR form (corpus.jsonl, queries.jsonl, qrels.tsv): loads, indexes and queries them.

Each collection has its own database. The corpus goes through the same scan, chunking, embedding and access check as any
source.
"""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from citemark.evaluation.outcome import NO_HIT, RankedRow, ShownHit, ranked_summary
from citemark.evaluation.rankings import DEPTH, documents, hit, ndcg, rank_all, recall, reciprocal_rank
from citemark.evaluation.report import BeirReport
from citemark.indexing.sync import Progress
from citemark.model.documents import DocumentRef, Fetched, Listed, Problem, ScanEnd, Verdict
from citemark.model.errors import FatalSourceError, InvalidArgument, SkippableSourceError, SourceError
from citemark.model.ids import NativeId, Version
from citemark.model.sources import NewSource, Source
from citemark.model.text import Block, BlockKind, Extracted, Span
from citemark.services.app_context import AppContext, OpenIndex
from citemark.settings import Settings
from citemark.sources.contract import Connector, Verdicts

KIND = "beir"
DOC_TYPE = "document"
_CORPUS = "corpus.jsonl"
_QUERIES = "queries.jsonl"
_QRELS = ("qrels.tsv", "qrels/test.tsv")


@dataclass(frozen=True, slots=True)
class BeirCollection:
    """The questions of a test collection with the grades of their documents, by id; `folder` is absolute."""

    folder: Path
    queries: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, int]]


def is_collection(folder: Path) -> bool:
    """True when `folder` looks like a test collection."""
    return (folder / _CORPUS).is_file() and (folder / _QUERIES).is_file()


def load_collection(folder: Path) -> BeirCollection:
    """Load questions and grades; questions without any grade are left out.

    Raises:
        InvalidArgument: a file is missing or a line does not have the expected form; the message names file and line.
    """
    if not is_collection(folder):
        raise InvalidArgument(f"{folder} is not a test collection: it needs {_CORPUS}, {_QUERIES} and {_QRELS[0]}.")
    qrels = _qrels(folder)
    queries: dict[str, str] = {}
    for number, row in _lines(folder / _QUERIES):
        queries[_text(folder / _QUERIES, number, row, "_id")] = _text(folder / _QUERIES, number, row, "text")
    judged = {query_id: text for query_id, text in queries.items() if query_id in qrels}
    if not judged:
        raise InvalidArgument(f"{folder}: no question of {_QUERIES} has a grade in the qrels.")
    return BeirCollection(folder.absolute(), judged, qrels)


def beir_connector(config: Mapping[str, Any]) -> Connector:
    """The connector for a corpus; `config` holds its folder as `root`."""
    corpus = _Corpus(Path(str(config["root"])) / _CORPUS)
    return Connector(corpus, corpus, corpus)


class _Corpus:
    """A corpus file as a source: each line is a document, and its version is the hash of the line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state: tuple[int, int] | None = None
        self._entries: dict[NativeId, tuple[Version, int, int]] = {}

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """List every line of the file."""
        for native_id, (version, _, _) in self._listing().items():
            yield Listed(DOC_TYPE, native_id, version)
        yield ScanEnd(complete=True)

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """One line of the file, as a document."""
        entry = self._listing().get(native_id)
        if entry is None:
            return None
        version, start, length = entry
        try:
            with self._path.open("rb") as file:
                file.seek(start)
                row = json.loads(file.read(length))
        except (OSError, ValueError) as error:
            raise SkippableSourceError(f"document {native_id} cannot be read: {error}") from None
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=version,
            modified_at=None,
            url=None,
            extracted=document(str(row.get("title") or ""), str(row.get("text") or "")),
        )

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """OK for lines that are unchanged since they were indexed."""
        try:
            listing = self._listing()
        except FatalSourceError:
            listing = None
        for ref in refs:
            yield ref, Verdict.UNKNOWN if listing is None else self._verdict(listing, ref)

    @staticmethod
    def _verdict(listing: Mapping[NativeId, tuple[Version, int, int]], ref: DocumentRef) -> Verdict:
        entry = listing.get(ref.native_id)
        if entry is None:
            return Verdict.GONE
        return Verdict.OK if entry[0] == ref.version else Verdict.CHANGED

    def _listing(self) -> Mapping[NativeId, tuple[Version, int, int]]:
        """Version, offset and length of every line; read again when the file changes."""
        try:
            status = self._path.stat()
            state = (status.st_mtime_ns, status.st_size)
            if state != self._state:
                self._entries = self._read()
                self._state = state
        except OSError as error:
            raise FatalSourceError(f"{self._path} cannot be read: {error.strerror}.") from None
        return self._entries

    def _read(self) -> dict[NativeId, tuple[Version, int, int]]:
        entries: dict[NativeId, tuple[Version, int, int]] = {}
        offset = 0
        with self._path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    try:
                        row = json.loads(line)
                        native_id = NativeId(str(row["_id"]))
                    except (ValueError, KeyError, TypeError):
                        raise FatalSourceError(f"{self._path}, line {number}: not a JSON object with _id.") from None
                    version = Version(blake2b(line, digest_size=16).hexdigest())
                    entries[native_id] = (version, offset, len(line))
                offset += len(line)
        return entries


def document(title: str, text: str) -> Extracted:
    """A corpus line in the form in which extraction returns a page.

    The text is the body, and the title is kept apart, so that it counts once. If a line has only a title, the title is
    the body; otherwise it could not be found.
    """
    body = text if text.strip() else title
    blocks: list[Block] = []
    offset = 0
    for part in body.split("\n\n"):
        lead = len(part) - len(part.lstrip())
        if part.strip():
            blocks.append(Block(BlockKind.PARAGRAPH, Span(offset + lead, offset + lead + len(part.strip()))))
        offset += len(part) + 2
    return Extracted(title=title, body=body, blocks=tuple(blocks))


def _qrels(folder: Path) -> dict[str, dict[str, int]]:
    """Grades by question and document. A first line whose grade is not a number is a header."""
    path = next((folder / name for name in _QRELS if (folder / name).is_file()), None)
    if path is None:
        raise InvalidArgument(f"{folder} is not a test collection: {_QRELS[0]} is missing.")
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in enumerate(_text_of(path).splitlines(), start=1):
        if not line.strip():
            continue
        parts = line.split("\t") if "\t" in line else line.split()
        try:
            # Four columns are TREC's form: question, iteration, document, grade.
            query_id, document_id, grade = parts if len(parts) == 3 else (parts[0], parts[2], parts[3])  # noqa: PLR2004
            grades[query_id.strip()][document_id.strip()] = int(grade)
        except (ValueError, IndexError):
            if number > 1:
                raise InvalidArgument(f"{path}, line {number}: must be question id, document id, grade.") from None
    return dict(grades)


def _lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(_text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row: object = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise InvalidArgument(f"{path}, line {number}: not a JSON object.")
        yield number, cast("Mapping[str, Any]", row)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidArgument(f"{path} is not UTF-8 text.") from None


def _text(path: Path, number: int, row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str | int) or not str(value).strip():
        raise InvalidArgument(f"{path}, line {number}: {key} is missing.")
    return str(value)


def database_of(folder: Path) -> str:
    """The name of the database that holds the collection of an absolute folder; it is kept between runs."""
    return f"citemark_eval_{blake2b(str(folder).encode(), digest_size=6).hexdigest()}"


async def run_beir(
    open_index: OpenIndex,
    settings: Settings,
    folder: Path,
    *,
    fresh: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> BeirReport:
    """Bring the collection's index up to date and ask every judged question, 100 documents deep.

    Args:
        open_index: opens an index, given settings and a database.
        settings: where the product's own index is; the collection's index is on the same server.
        folder: corpus, questions and grades in BEIR form.
        fresh: rebuild the index.
        progress: called with the progress of indexing.

    Raises:
        InvalidArgument: the folder does not have the expected form.
        SourceError: the corpus cannot be read.
    """
    collection = load_collection(folder)
    async with open_index(settings, database_of(collection.folder)) as app:
        count = await index_collection(app, collection, fresh=fresh, progress=progress)
        rows = [await _ask(app, collection, query_id) for query_id in collection.queries]
    threshold = settings.min_score
    return BeirReport(collection.folder.name, count, ranked_summary(rows, threshold), tuple(rows), threshold)


async def index_collection(
    app: AppContext,
    collection: BeirCollection,
    *,
    fresh: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> int:
    """Index the corpus through the product's own pipeline, and return how many documents it lists."""
    source = await _source(app, collection, fresh=fresh)
    connectors = {source.source_id: beir_connector(source.config)}
    report = await app.sync({source.source_id: source}, progress or (lambda _: None), connectors)
    scan = report.scans[source.name]
    if not scan.complete and not scan.elsewhere:
        raise SourceError(f"The corpus of {collection.folder} could not be listed: {scan.reason}")
    return scan.listed


async def _source(app: AppContext, collection: BeirCollection, *, fresh: bool) -> Source:
    root = str(collection.folder)
    for source in await app.sources.all():
        if not fresh and source.kind == KIND and source.config.get("root") == root:
            return source
        await app.sources.remove(source)
    config = {"root": root}
    return await app.sources.add(NewSource(collection.folder.name, KIND, config, keep_history=False))


async def _ask(app: AppContext, collection: BeirCollection, query_id: str) -> RankedRow:
    started = perf_counter()
    places = (await rank_all(app, collection.queries[query_id])).places
    milliseconds = (perf_counter() - started) * 1000
    grades = collection.qrels[query_id]
    ranking = documents(places)
    return RankedRow(
        question_id=query_id,
        question=collection.queries[query_id],
        ndcg_at_10=ndcg(ranking, grades, 10),
        recall_at_100=recall(ranking, grades, DEPTH),
        reciprocal_rank=reciprocal_rank(ranking, grades),
        hit_at_5=hit(ranking, grades, 5),
        top_score=places[0].score if places else NO_HIT,
        milliseconds=milliseconds,
        shown=tuple(ShownHit(place.pages[0], place.section, place.score) for place in places[:10]),
        relevant=tuple(document for document, grade in grades.items() if grade > 0),
    )
