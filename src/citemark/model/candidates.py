"""What travels through ranking before any text is read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from citemark.model.ids import ChunkId, DocumentId, EmbeddingSetId, NativeId, RevisionId, SourceId, Version
from citemark.model.text import Lines, Span
from citemark.model.vectors import Vector


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One lexeme of a question in one lexicon: its number there and in how many chunks it occurs.

    `times`: how often it stands in the question as that configuration reads it.
    """

    lexeme: str
    source_id: SourceId
    term_id: int
    df: int
    configuration: str = "english"
    times: int = 1


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """What the lexicons of the allowed sources read in each phrasing of a question, and in each of its names."""

    phrasings: tuple[tuple[QueryTerm, ...], ...]
    of_names: Mapping[str, tuple[QueryTerm, ...]] = field(default_factory=dict[str, tuple[QueryTerm, ...]])


@dataclass(frozen=True, slots=True)
class WeightedTerms:
    """Terms with their weights, column by column, as the statements take them.

    `mean_lengths`: the mean length of the chunks of each term's language.
    """

    sources: list[int]
    ids: list[int]
    idf: list[float]
    mean_lengths: list[float]

    def numbered(self) -> list[tuple[int, int]]:
        """Source and number of each term."""
        return list(zip(self.sources, self.ids, strict=True))


@dataclass(frozen=True, slots=True)
class SparsePlan:
    """A BM25 question in two phases. `upper_bound` is the most any chunk could score (ub in ADR 33)."""

    rare: WeightedTerms
    often: WeightedTerms
    upper_bound: float

    @property
    def every(self) -> WeightedTerms:
        """Both phases' terms together."""
        return WeightedTerms(
            sources=[*self.rare.sources, *self.often.sources],
            ids=[*self.rare.ids, *self.often.ids],
            idf=[*self.rare.idf, *self.often.idf],
            mean_lengths=[*self.rare.mean_lengths, *self.often.mean_lengths],
        )


@dataclass(frozen=True, slots=True)
class RetrieverHits:
    """One leg's hits, best first, column by column; values are BM25 (0 and up) or cosines (-1..1)."""

    chunk_ids: Sequence[int]
    values: Sequence[float]

    def __len__(self) -> int:
        return len(self.chunk_ids)

    def pairs(self) -> Iterable[tuple[int, float]]:
        """Chunk and value of one hit after the other."""
        return zip(self.chunk_ids, self.values, strict=True)


NO_HITS = RetrieverHits((), ())


@dataclass(frozen=True, slots=True)
class MissingScores:
    """Which candidates lack a score of any phrasing, and what the scores are computed from.

    `vectors` and `plans` have one entry per phrasing; `vectors` is empty without a model, a plan is None where no word
    of its phrasing occurs. `own_languages`: those of the model; which chunks are in others is asked too.
    """

    set_id: EmbeddingSetId | None
    vectors: Sequence[Vector]
    plans: Sequence[SparsePlan | None]
    without_vector: Sequence[int]
    without_words: Sequence[int]
    own_languages: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CandidateRows:
    """Where candidates belong and what their texts hash to, column by column, and the scores that were missing.

    Columns, because hundreds of candidates travel for one question. `cosines` and `bm25s` have one entry per phrasing.
    """

    chunk_ids: Sequence[int]
    source_ids: Sequence[int]
    page_ids: Sequence[int]
    text_hashes: Sequence[bytes]
    cosines: Sequence[RetrieverHits] = ()
    bm25s: Sequence[RetrieverHits] = ()
    foreign_ids: Sequence[int] = ()
    foreign_languages: Sequence[str] = ()

    def rows(self) -> Iterable[tuple[int, int, int, bytes]]:
        """Chunk, source, page and text hash of one candidate after the other."""
        return zip(self.chunk_ids, self.source_ids, self.page_ids, self.text_hashes, strict=True)


NO_ROWS = CandidateRows((), (), (), ())


@dataclass(frozen=True, slots=True)
class LinkedChunk:
    """A chunk that is one step along the graph from another, `from_id`, by an edge of type `type`.

    `outgoing`: the other one states the edge. `from_title` is what the document of the other is called.
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

    `head` is False once another revision replaced it. `dated` is the day or moment that the document gives itself, in
    ISO 8601: when a mail was sent, an event begins, a page was published; "" without one.
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
        """The header row of the table whose rows the text begins with, which indexing keeps below the headings."""
        return self.context.partition("\n")[2]

    @property
    def is_row(self) -> bool:
        """Whether the text is one row of a table, which another chunk may hold too."""
        return bool(self.table_header) and "\n" not in self.text


@dataclass(frozen=True, slots=True)
class PageNames:
    """What a page is called: its path as its source names it, its title, its tags."""

    path: str
    title: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A page or a section at HEAD, with the body of its page's revision; `span` is the section's, else all of it."""

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
