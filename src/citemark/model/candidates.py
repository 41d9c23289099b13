"""The data that passes through ranking before any text is read, and what is then read of chunks and pages."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from citemark.model.ids import ChunkId, DocumentId, EmbeddingSetId, NativeId, RevisionId, SourceId, Version
from citemark.model.text import Lines, Span
from citemark.model.vectors import Vector


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One lexeme of a question in one lexicon: its id there and the number of chunks in which it occurs (`df`).

    `times` is how often it occurs in the question as that text search configuration reads it.
    """

    lexeme: str
    source_id: SourceId
    term_id: int
    df: int
    configuration: str = "english"
    times: int = 1


SegmentKey: TypeAlias = tuple[int, int]
"""A source and the number of one of its segments."""


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The terms that the allowed sources' lexicons find in each phrasing of a question and in each of its names.

    `segments` are all that list terms of these sources at the moment when they were counted; None if that is unknown.
    """

    phrasings: tuple[tuple[QueryTerm, ...], ...]
    of_names: Mapping[str, tuple[QueryTerm, ...]] = field(default_factory=dict[str, tuple[QueryTerm, ...]])
    segments: tuple[SegmentKey, ...] | None = None


@dataclass(frozen=True, slots=True)
class WeightedTerms:
    """Terms with their weights, in columns, as the SQL statements take them.

    `mean_lengths` is, for each term, the mean length of the chunks of its language.
    """

    sources: list[int]
    ids: list[int]
    idf: list[float]
    mean_lengths: list[float]

    def numbered(self) -> list[tuple[int, int]]:
        """The source and id of each term."""
        return list(zip(self.sources, self.ids, strict=True))


@dataclass(frozen=True, slots=True)
class SparsePlan:
    """A BM25 query in two phases: rare terms find candidates, frequent ones (`often`) only add to their scores.

    `upper_bound` is the highest score that any chunk could reach (ub in ADR 33). `postings` is in how many chunks the
    terms of both phases stand, added up; `segments` is as in `QuestionTerms`, and `ended` as in `Began` (None:
    all notes count).
    """

    rare: WeightedTerms
    often: WeightedTerms
    upper_bound: float
    postings: int = 0
    segments: tuple[SegmentKey, ...] | None = None
    ended: int | None = None

    @property
    def every(self) -> WeightedTerms:
        """The terms of both phases together."""
        return WeightedTerms(
            sources=[*self.rare.sources, *self.often.sources],
            ids=[*self.rare.ids, *self.often.ids],
            idf=[*self.rare.idf, *self.often.idf],
            mean_lengths=[*self.rare.mean_lengths, *self.often.mean_lengths],
        )


@dataclass(frozen=True, slots=True)
class RetrieverHits:
    """The hits of one retriever, best first, in columns; values are BM25 scores (0 and up) or cosines (-1..1)."""

    chunk_ids: Sequence[int]
    values: Sequence[float]

    def __len__(self) -> int:
        return len(self.chunk_ids)

    def pairs(self) -> Iterable[tuple[int, float]]:
        """Iterate over the hits as (chunk id, value) pairs."""
        return zip(self.chunk_ids, self.values, strict=True)

    def among(self, chunk_ids: set[int]) -> "RetrieverHits":
        """Only the hits that are in `chunk_ids`."""
        if chunk_ids.issuperset(self.chunk_ids):
            return self
        kept = [(number, value) for number, value in self.pairs() if number in chunk_ids]
        return RetrieverHits([number for number, _ in kept], [value for _, value in kept])

    def with_more(self, more: "RetrieverHits") -> "RetrieverHits":
        """These hits, and others after them."""
        return RetrieverHits([*self.chunk_ids, *more.chunk_ids], [*self.values, *more.values])


NO_HITS = RetrieverHits((), ())


@dataclass(frozen=True, slots=True)
class MissingScores:
    """Which candidates lack a score for some phrasing, and what the scores are computed from.

    `vectors` and `plans` have one entry per phrasing; `vectors` is empty without a model, and a plan is None if no word
    of its phrasing occurs. `own_languages` are the languages of the model; chunks in other languages are reported too.
    """

    set_id: EmbeddingSetId | None
    vectors: Sequence[Vector]
    plans: Sequence[SparsePlan | None]
    without_vector: Sequence[int]
    without_words: Sequence[int]
    own_languages: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class NearestQuery:
    """What is asked of the vectors: the nearest chunks of each phrasing, and what ranking needs of all candidates.

    `vectors` and `plans` have one entry per phrasing. `by_words` are the chunks that words have found already. `pages`
    are those that pass the caller's filters, None for all; `exact` compares every vector.
    """

    set_id: EmbeddingSetId
    vectors: Sequence[Vector]
    plans: Sequence[SparsePlan | None]
    by_words: Sequence[int]
    limit: int
    pages: Sequence[int] | None = None
    exact: bool = False
    own_languages: Sequence[str] = ()

    @property
    def several(self) -> bool:
        """Whether there are several phrasings, each of which needs a score of every candidate."""
        return len(self.plans) > 1

    def missing(self, near: Sequence[int]) -> MissingScores:
        """The scores that remain to be looked up once the nearest chunks are known."""
        every = list(dict.fromkeys((*near, *self.by_words)))
        known_near, known_words = (set[int](), set[int]()) if self.several else ({*near}, {*self.by_words})
        return MissingScores(
            set_id=self.set_id,
            vectors=self.vectors,
            plans=self.plans,
            without_vector=[number for number in every if number not in known_near],
            without_words=[number for number in every if number not in known_words],
            own_languages=self.own_languages,
        )


@dataclass(frozen=True, slots=True)
class CandidateRows:
    """The source, page and text hash of each candidate, in columns, and the scores that were missing.

    The data is in columns because one question brings hundreds of candidates. `cosines` and `bm25s` have one entry per
    phrasing. `unlooked` are the sources in which more was recorded since the question began than is looked at.
    """

    chunk_ids: Sequence[int]
    source_ids: Sequence[int]
    page_ids: Sequence[int]
    text_hashes: Sequence[bytes]
    cosines: Sequence[RetrieverHits] = ()
    bm25s: Sequence[RetrieverHits] = ()
    foreign_ids: Sequence[int] = ()
    foreign_languages: Sequence[str] = ()
    unlooked: frozenset[int] = frozenset()

    def with_more(self, more: "CandidateRows") -> "CandidateRows":
        """These candidates and others, which are none of these."""
        if not self.chunk_ids or not more.chunk_ids:
            return self if self.chunk_ids else more
        return CandidateRows(
            [*self.chunk_ids, *more.chunk_ids],
            [*self.source_ids, *more.source_ids],
            [*self.page_ids, *more.page_ids],
            [*self.text_hashes, *more.text_hashes],
            cosines=[one.with_more(other) for one, other in zip(self.cosines, more.cosines, strict=True)],
            bm25s=[one.with_more(other) for one, other in zip(self.bm25s, more.bm25s, strict=True)],
            foreign_ids=[*self.foreign_ids, *more.foreign_ids],
            foreign_languages=[*self.foreign_languages, *more.foreign_languages],
            unlooked=self.unlooked | more.unlooked,
        )

    def without(self, chunk_ids: AbstractSet[int]) -> "CandidateRows":
        """These candidates but for some; what is known of those is not looked at."""
        if not chunk_ids:
            return self
        kept = [place for place, number in enumerate(self.chunk_ids) if number not in chunk_ids]
        return replace(
            self,
            chunk_ids=[self.chunk_ids[place] for place in kept],
            source_ids=[self.source_ids[place] for place in kept],
            page_ids=[self.page_ids[place] for place in kept],
            text_hashes=[self.text_hashes[place] for place in kept],
        )

    def rows(self) -> Iterable[tuple[int, int, int, bytes]]:
        """Iterate over the candidates as (chunk, source, page, text hash) tuples."""
        return zip(self.chunk_ids, self.source_ids, self.page_ids, self.text_hashes, strict=True)


NO_ROWS = CandidateRows((), (), (), ())

MOST_FRESH = 300
"""Chunks that are looked at because they were recorded since a question began; the statement has the number too."""


def looked_at(rows: CandidateRows, fresh: Sequence[int], pages: Sequence[int] | None) -> CandidateRows:
    """Candidates, of those recorded since the question began only the ones on pages that passed its filters.

    Whether the others pass is not known: their sources are `unlooked`, as they are where too much was recorded.
    """
    if not fresh:
        return rows
    among, passed = {*fresh}, None if pages is None else {*pages}
    columns = list(zip(rows.chunk_ids, rows.source_ids, rows.page_ids, strict=True))
    unsure = {number for number, _, page in columns if passed is not None and number in among and page not in passed}
    unlooked = among if len(fresh) >= MOST_FRESH else unsure
    sources = frozenset(source_id for number, source_id, _ in columns if number in unlooked)
    return replace(rows.without(unsure), unlooked=rows.unlooked | sources)


@dataclass(frozen=True, slots=True)
class LinkedChunk:
    """A chunk that is one step along the graph from another chunk, `from_id`, over an edge of type `type`.

    `outgoing` means that the other chunk states the edge. `from_title` is the title of the other chunk's document.
    """

    chunk_id: int
    page_id: int
    from_id: int
    type: str
    outgoing: bool
    from_title: str


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as stored, with its page and section.

    `head` is False once another revision has replaced it. `dated` is the day or moment that the document states for
    itself, in ISO 8601 (when a mail was sent, an event begins or a page was published), or "" if it states none.
    """

    source_id: SourceId
    chunk_id: ChunkId
    page_id: DocumentId
    revision_id: RevisionId
    doc_type: str
    native_id: NativeId
    section_type: str
    section_native_id: NativeId
    section_title: str | None
    heading_path: tuple[str, ...]
    title: str
    url: str | None
    version: Version
    tags: tuple[str, ...]
    language: str
    modified_at: datetime | None
    span: Span
    lines: Lines
    context: str
    text: str
    text_hash: bytes
    size_bytes: int
    head: bool
    dated: str = ""

    @property
    def table_header(self) -> str:
        """The header row of the table whose rows the text begins with; `context` holds it below the headings."""
        return self.context.partition("\n")[2]

    @property
    def is_row(self) -> bool:
        """Whether the text is a single row of a table, which another chunk may contain too."""
        return bool(self.table_header) and "\n" not in self.text


@dataclass(frozen=True, slots=True)
class PageNames:
    """The names of a page: its path as the source gives it, its title and its tags."""

    path: str
    title: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A page or a section at HEAD, with the body of its page's revision; `span` is the section's or the whole body."""

    doc_type: str
    native_id: NativeId
    page_type: str
    page_native_id: NativeId
    revision_id: RevisionId
    version: Version
    title: str
    section_slug: str | None
    url: str | None
    body: str
    span: Span
