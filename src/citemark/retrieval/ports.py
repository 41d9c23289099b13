"""The ports that ranking and the services read from; implemented by the PostgreSQL stores, and in memory by tests."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from citemark.model.baselines import Baseline, HistoryRange
from citemark.model.candidates import (
    CandidateRows,
    LinkedChunk,
    MissingScores,
    NearestQuery,
    PageNames,
    QuestionTerms,
    RetrieverHits,
    SparsePlan,
    StoredChunk,
)
from citemark.model.documents import DocumentRef
from citemark.model.ids import RevisionId, SessionId, SourceId
from citemark.model.passages import Passage, RankedHit
from citemark.model.scope import Filters, Principal, RequestScope
from citemark.model.sources import AllowedSources, Source
from citemark.model.stated_dates import StatedDates
from citemark.model.vectors import EmbeddingSet


class SourceReader(Protocol):
    """Which sources exist, and who may read them."""

    async def allowed(self, principal: Principal, scope: RequestScope) -> AllowedSources:
        """The sources that `principal` may read, limited to `scope`."""
        ...

    async def all(self, tenant: str) -> Sequence[Source]:
        """Every source of a tenant."""
        ...


class SearchIndex(Protocol):
    """The chunks of one state, found by words and by vectors, and their texts; all of it limited to `allowed`."""

    @property
    def ended(self) -> int:
        """How many notes of ended chunks were made, which `Began` keeps."""
        ...

    async def since(self, allowed: AllowedSources) -> Sequence[int]:
        """The chunks of what was recorded since a question began."""
        ...

    async def terms(
        self, allowed: AllowedSources, phrasings: Sequence[str], names: Mapping[str, str] | None = None
    ) -> QuestionTerms:
        """The lexemes of each phrasing and of each name, per lexicon, with their document counts."""
        ...

    async def stop_words(self, words: Sequence[str]) -> Mapping[str, AbstractSet[str]]:
        """The languages in which each word, in lower case, is a stop word; words that are none are left out."""
        ...

    async def written(self, allowed: AllowedSources, names: Mapping[str, Sequence[str]]) -> set[str]:
        """The names that titles, paths, tags, metadata (people, properties) or the names of sources contain.

        `names` has the forms of each name; any of them counts, also with one or two letters more at its end.
        """
        ...

    async def sparse(
        self, plans: Sequence[SparsePlan], limit: int, pages: Sequence[int] | None, ended: Sequence[int] = ()
    ) -> list[RetrieverHits]:
        """The best chunks by BM25 for each plan, best first, without those that the question knows to have ended."""
        ...

    async def nearest(self, allowed: AllowedSources, asked: NearestQuery) -> tuple[list[RetrieverHits], CandidateRows]:
        """The nearest chunks of each vector, and what ranking needs of them and of the chunks found by words.

        Chunks that have ended since words found them are left out of the second, and words of later questions will not
        find them again. Those that were recorded since the question began are in it.
        """
        ...

    async def pages(self, allowed: AllowedSources, filters: Filters) -> tuple[list[int], int]:
        """The pages that pass the filters, and the number of chunks that they hold together."""
        ...

    async def complete(
        self, allowed: AllowedSources, chunk_ids: Sequence[int], missing: MissingScores
    ) -> CandidateRows:
        """The sources and pages of candidates, with the scores that `missing` lists."""
        ...

    async def names(self, allowed: AllowedSources, page_ids: Sequence[int]) -> dict[int, PageNames]:
        """The names of pages, by page id."""
        ...

    async def dated(self, allowed: AllowedSources, page_ids: Sequence[int]) -> dict[int, StatedDates]:
        """The dates that pages state, by page id; pages without any are left out."""
        ...

    async def read(self, allowed: AllowedSources, chunk_ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks with their text, by id."""
        ...

    async def holding(self, allowed: AllowedSources, chunks: Sequence[StoredChunk]) -> dict[int, StoredChunk]:
        """The longer chunk of the same revision that contains a chunk (a row's table), by the contained chunk's id."""
        ...

    async def linked(self, allowed: AllowedSources, chunk_ids: Sequence[int], most: int) -> list[LinkedChunk]:
        """Chunks one step along the graph from others, following at most `most` edges per kind and chunk."""
        ...

    async def reaching(self, allowed: AllowedSources, chunk: StoredChunk, offset: int) -> StoredChunk | None:
        """The chunk of the same revision that continues after character `offset` of its body, or None at the end."""
        ...

    async def body(self, source_id: SourceId, revision_id: RevisionId) -> str | None:
        """The whole text of a revision, or None once its history has been purged."""
        ...


class EmbeddingSets(Protocol):
    """The sets of vectors, as a search sees them."""

    async def active_cached(self) -> EmbeddingSet | None:
        """The set that questions are searched in, or None if there is no such set."""
        ...

    async def note_search(self, server: str) -> None:
        """Let the indexers of all processes know that a search is running."""
        ...


class ReadHorizon(Protocol):
    """The newest instant whose recorded state can no longer change."""

    async def now(self) -> datetime:
        """That instant, in UTC."""
        ...


class Baselines(Protocol):
    """The named states, and how far back each source can be read."""

    async def history_ranges(self, source_ids: Sequence[int], moment: datetime) -> Sequence[HistoryRange]:
        """How far back sources can be read, and which of them have changed since `moment`."""
        ...

    async def all_baselines(self, tenant: str) -> Sequence[Baseline]:
        """Every baseline of a tenant, the oldest first."""
        ...

    async def named(self, tenant: str, name: str) -> Baseline | None:
        """The baseline of that name, or None if there is none."""
        ...


class PastIndex(Protocol):
    """The index as it was."""

    async def open(self, allowed: AllowedSources, at: datetime) -> tuple[SearchIndex, AllowedSources]:
        """The index as recorded at the moment `at`, and the allowed sources with the sizes that they had then."""
        ...

    async def lived(self, source_id: SourceId, chunk_id: int, at: datetime) -> bool:
        """Whether a chunk belongs to the state at the moment `at`."""
        ...


@dataclass(frozen=True, slots=True)
class IndexReaders:
    """What questions read of one index."""

    sources: SourceReader
    search: SearchIndex
    vectors: EmbeddingSets
    horizon: ReadHorizon
    baselines: Baselines
    past: PastIndex


class RecheckQueue(Protocol):
    """Documents whose index is behind their source."""

    async def mark_stale(self, source_id: SourceId, ref: DocumentRef, version: str | None) -> None:
        """Queue a document, whatever the last scan said."""
        ...


class HandleStore(Protocol):
    """Passages behind handles and ranked lists behind cursors, each bound to its principal, until they expire."""

    async def keep(
        self, principal: Principal, session_id: SessionId, passages: Sequence[Passage], now: datetime
    ) -> None:
        """Remember passages."""
        ...

    async def find(
        self, principal: Principal, session_id: SessionId, passage_ids: Sequence[str], now: datetime
    ) -> Mapping[str, Passage]:
        """The passages among those named that belong to this principal and session and have not expired."""
        ...

    async def session_of(self, principal: Principal, passage_id: str, now: datetime) -> SessionId | None:
        """The session in which this principal got a passage; None if it was not given to them or has expired."""
        ...

    async def keep_ranking(
        self, principal: Principal, list_id: str, digest: str, hits: Sequence[RankedHit], now: datetime
    ) -> None:
        """Remember a ranked list."""
        ...

    async def ranking(self, principal: Principal, list_id: str, digest: str, now: datetime) -> Sequence[RankedHit]:
        """The list behind a cursor, in order; empty unless it belongs to this principal and this question."""
        ...
