"""The stores that ranking and services read, in memory: a twin of PostgreSQL, held to it by a contract test.

Words are split at anything but letters and digits and are not stemmed. A chunk is a whole document.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

from tests.support.chunks import stored

from citemark.model.baselines import Baseline, HistoryRange
from citemark.model.candidates import (
    NO_HITS,
    CandidateRows,
    LinkedChunk,
    MissingScores,
    NearestQuery,
    PageNames,
    QueryTerm,
    QuestionTerms,
    RetrieverHits,
    SparsePlan,
    StoredChunk,
    WeightedTerms,
)
from citemark.model.documents import DocumentRef
from citemark.model.ids import DocumentId, EmbeddingSetId, RevisionId, SessionId, SourceId, Version
from citemark.model.passages import Passage, RankedHit
from citemark.model.scope import Filters, Principal, RequestScope
from citemark.model.sources import AllowedSources, Lexicon, Source
from citemark.model.stated_dates import StatedDates
from citemark.model.text import Lines
from citemark.model.vectors import EmbeddingSet, Vector
from citemark.store.postings import K1, B

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
SET = EmbeddingSet(EmbeddingSetId(1), "small", "1", 2, active=True)


STOP_WORDS = {
    word: frozenset(languages.split())
    for words, languages in (
        ("the of is who what does how do i for and on where when are", "english"),
        ("wo wie das der die den ist wird im und bei ein", "german"),
        ("in", "english german"),
    )
    for word in words.split()
}


def version_of(text: str) -> Version:
    return Version(blake2b(text.encode(), digest_size=32).hexdigest()[:12])


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@dataclass(frozen=True, slots=True)
class _Held:
    chunk: StoredChunk
    vector: Vector | None
    words: Counter[str]


class InMemoryStores:
    """Sources, search, vectors, horizon, rechecks and handles of one index; pass it wherever one of them is wanted."""

    def __init__(self, active: EmbeddingSet | None = SET) -> None:
        self.active = active
        self.queued: list[str] = []
        self._sources: list[Source] = []
        self._held: dict[int, _Held] = {}
        self._terms: dict[str, int] = {}
        self._links: list[tuple[StoredChunk, StoredChunk, str]] = []
        self._passages: dict[str, tuple[str, str, datetime, Passage]] = {}
        self._rankings: dict[tuple[str, str, str], tuple[datetime, list[RankedHit]]] = {}

    def source(self, name: str, tenant: str = "local", kind: str = "memory") -> Source:
        made = Source(SourceId(len(self._sources) + 1), tenant, name, kind)
        self._sources.append(made)
        return made

    def put(
        self, source: Source, native_id: str, text: str, vector: Vector | None = None, **fields: Any
    ) -> StoredChunk:
        number = len(self._held) + 1
        chunk = replace(
            stored(number, text, native_id, version_of(text), source.source_id),
            page_id=DocumentId(number),
            revision_id=RevisionId(number),
            lines=Lines(1, 1 + text.count("\n")),
            text_hash=blake2b(text.encode()).digest(),
        )
        chunk = replace(chunk, **fields)
        self._held[number] = _Held(chunk, vector, Counter(words_of(text)))
        return chunk

    def replaced(self, chunk: StoredChunk) -> None:
        """Let another revision take the place of a chunk's."""
        held = self._held[chunk.chunk_id]
        self._held[chunk.chunk_id] = replace(held, chunk=replace(chunk, head=False))

    # Sources

    async def allowed(self, principal: Principal, scope: RequestScope) -> AllowedSources:
        mine = [
            source
            for source in self._sources
            if source.tenant == principal.tenant
            and scope.kind in {None, source.kind}
            and scope.source in {None, source.name}
        ]
        lexicons = tuple(lexicon for source in mine if (lexicon := self._lexicon(source)).chunks)
        lengths = sum(lexicon.sum_length for lexicon in lexicons)
        return AllowedSources(tuple(mine), sum(lexicon.chunks for lexicon in lexicons), lengths, lexicons)

    async def all(self, tenant: str) -> list[Source]:
        return [source for source in self._sources if source.tenant == tenant]

    def _lexicon(self, source: Source) -> Lexicon:
        held = self._of([source.source_id])
        return Lexicon(source.source_id, "english", 0, len(held), sum(each.words.total() for each in held))

    # Search

    @property
    def ended(self) -> int:
        """Nothing is noted: every read is of the present state."""
        return 0

    async def since(self, allowed: AllowedSources) -> list[int]:
        """Nothing: words find all that there is."""
        return []

    async def terms(
        self, allowed: AllowedSources, phrasings: Sequence[str], names: Mapping[str, str] | None = None
    ) -> QuestionTerms:
        return QuestionTerms(
            tuple(self._terms_of(allowed, text) for text in phrasings),
            {name: self._terms_of(allowed, forms) for name, forms in (names or {}).items()},
        )

    async def stop_words(self, words: Sequence[str]) -> dict[str, frozenset[str]]:
        return {word: STOP_WORDS[word] for word in words if word in STOP_WORDS}

    async def written(self, allowed: AllowedSources, names: Mapping[str, Sequence[str]]) -> set[str]:
        held = [each.chunk for each in self._of(allowed.ids)]
        texts = [" ".join([chunk.native_id, chunk.title, *chunk.tags]) for chunk in held]
        words = {word for text in (*texts, *(source.name for source in allowed.sources)) for word in words_of(text)}
        return {
            name
            for name, forms in names.items()
            if any(word.startswith(form.lower()) and len(word) <= len(form) + 2 for form in forms for word in words)
        }

    def _terms_of(self, allowed: AllowedSources, text: str) -> tuple[QueryTerm, ...]:
        return tuple(
            QueryTerm(
                word,
                lexicon.source_id,
                self._terms.setdefault(word, len(self._terms) + 1),
                sum(word in each.words for each in self._of([lexicon.source_id])),
                times=times,
            )
            for word, times in sorted(Counter(words_of(text)).items())
            for lexicon in allowed.lexicons
        )

    async def sparse(
        self, plans: Sequence[SparsePlan], limit: int, pages: Sequence[int] | None, ended: Sequence[int] = ()
    ) -> list[RetrieverHits]:
        return [self._sparse(plan, limit, pages) for plan in plans]

    def _sparse(self, plan: SparsePlan, limit: int, pages: Sequence[int] | None) -> RetrieverHits:
        found = [
            (self._bm25(held, plan.every), held.chunk.chunk_id)
            for held in self._of(set(plan.rare.sources), pages)
            if self._bm25(held, plan.rare) > 0
        ]
        return _best(found, limit)

    def _bm25(self, held: _Held, terms: WeightedTerms) -> float:
        names = {number: word for word, number in self._terms.items()}
        total = 0.0
        for source_id, term_id, idf, mean in zip(terms.sources, terms.ids, terms.idf, terms.mean_lengths, strict=True):
            times = held.words[names[term_id]] if source_id == held.chunk.source_id else 0
            total += idf * times * (K1 + 1) / (times + K1 * (1 - B + B * held.words.total() / mean))
        return total

    async def dense(
        self,
        set_id: EmbeddingSetId,
        vectors: Sequence[Vector],
        allowed: AllowedSources,
        limit: int,
        *,
        pages: Sequence[int] | None,
        exact: bool,
    ) -> list[RetrieverHits]:
        held = [each for each in self._of(allowed.ids, pages) if each.vector is not None]
        return [
            _best([(_cosine(each.vector, vector), each.chunk.chunk_id) for each in held], limit) for vector in vectors
        ]

    async def pages(self, allowed: AllowedSources, filters: Filters) -> tuple[list[int], int]:
        held = [
            each.chunk
            for each in self._of(allowed.ids)
            if not filters.path_prefixes or each.chunk.native_id.startswith(filters.path_prefixes)
        ]
        return [chunk.page_id for chunk in held], len(held)

    async def complete(
        self, allowed: AllowedSources, chunk_ids: Sequence[int], missing: MissingScores
    ) -> CandidateRows:
        held = [each for each in self._of(allowed.ids) if each.chunk.chunk_id in set(chunk_ids)]
        near = [each for each in held if each.chunk.chunk_id in set(missing.without_vector) and each.vector is not None]
        told = [each for each in held if each.chunk.chunk_id in set(missing.without_words)]
        return CandidateRows(
            [each.chunk.chunk_id for each in held],
            [each.chunk.source_id for each in held],
            [each.chunk.page_id for each in held],
            [each.chunk.text_hash for each in held],
            cosines=[
                _best([(_cosine(each.vector, vector), each.chunk.chunk_id) for each in near])
                for vector in missing.vectors
            ],
            bm25s=[
                NO_HITS
                if plan is None
                else _best([(self._bm25(each, plan.every), each.chunk.chunk_id) for each in told])
                for plan in missing.plans
            ],
        )

    async def nearest(self, allowed: AllowedSources, asked: NearestQuery) -> tuple[list[RetrieverHits], CandidateRows]:
        hits = await self.dense(asked.set_id, asked.vectors, allowed, asked.limit, pages=asked.pages, exact=asked.exact)
        near = [number for each in hits for number in each.chunk_ids]
        return hits, await self.complete(allowed, [*near, *asked.by_words], asked.missing(near))

    async def names(self, allowed: AllowedSources, page_ids: Sequence[int]) -> dict[int, PageNames]:
        held = [each.chunk for each in self._of(allowed.ids, page_ids)]
        return {chunk.page_id: PageNames(chunk.native_id, chunk.title, chunk.tags) for chunk in held}

    async def read(self, allowed: AllowedSources, chunk_ids: Sequence[int]) -> dict[int, StoredChunk]:
        known = {number: self._held[number].chunk for number in chunk_ids if number in self._held}
        return {number: chunk for number, chunk in known.items() if chunk.source_id in allowed.ids}

    async def holding(self, allowed: AllowedSources, chunks: Sequence[StoredChunk]) -> dict[int, StoredChunk]:
        return {
            chunk.chunk_id: each.chunk
            for chunk in chunks
            for each in self._of(allowed.ids)
            if each.chunk.revision_id == chunk.revision_id
            and each.chunk.span.contains(chunk.span)
            and each.chunk.span != chunk.span
        }

    def link(self, one: StoredChunk, other: StoredChunk, kind: str) -> None:
        """State an edge from one document to another."""
        self._links.append((one, other, kind))

    async def dated(self, allowed: AllowedSources, page_ids: Sequence[int]) -> dict[int, StatedDates]:
        return {}

    async def linked(self, allowed: AllowedSources, chunk_ids: Sequence[int], most: int) -> list[LinkedChunk]:
        found = [
            LinkedChunk(end.chunk_id, end.page_id, start.chunk_id, kind, outgoing, start.title)
            for one, other, kind in self._links
            for start, end, outgoing in ((one, other, True), (other, one, False))
            if start.chunk_id in chunk_ids and {one.source_id, other.source_id} <= set(allowed.ids)
        ]
        return sorted(found[:most], key=lambda each: (list(chunk_ids).index(each.from_id), each.chunk_id))

    async def reaching(self, allowed: AllowedSources, chunk: StoredChunk, offset: int) -> StoredChunk | None:
        return chunk if offset < len(chunk.text) else None

    async def body(self, source_id: SourceId, revision_id: RevisionId) -> str | None:
        held = self._held.get(revision_id)
        return None if held is None else held.chunk.text

    def _of(self, source_ids: Sequence[int] | set[int], pages: Sequence[int] | None = None) -> list[_Held]:
        return [
            each
            for each in self._held.values()
            if each.chunk.head and each.chunk.source_id in source_ids and (pages is None or each.chunk.page_id in pages)
        ]

    # Vectors, horizon, rechecks

    async def active_cached(self) -> EmbeddingSet | None:
        return self.active

    async def note_search(self, server: str) -> None:
        return None

    async def now(self) -> datetime:
        return NOW

    # The past: nothing of it is kept

    async def history_ranges(self, source_ids: Sequence[int], moment: datetime) -> list[HistoryRange]:
        return [
            HistoryRange(SourceId(number), keeps=False, since=None, begins=NOW - timedelta(days=1), changed=True)
            for number in source_ids
        ]

    async def all_baselines(self, tenant: str) -> list[Baseline]:
        return []

    async def named(self, tenant: str, name: str) -> Baseline | None:
        return None

    async def open(self, allowed: AllowedSources, at: datetime) -> "tuple[InMemoryStores, AllowedSources]":
        return self, replace(allowed, read_at=at)

    async def lived(self, source_id: SourceId, chunk_id: int, at: datetime) -> bool:
        return False

    async def mark_stale(self, source_id: SourceId, ref: DocumentRef, version: str | None) -> None:
        self.queued.append(ref.native_id)

    # Handles

    async def keep(
        self, principal: Principal, session_id: SessionId, passages: Sequence[Passage], now: datetime
    ) -> None:
        until = now + timedelta(minutes=30)
        self._passages |= {each.passage_id: (principal.key, session_id, until, each) for each in passages}

    async def find(
        self, principal: Principal, session_id: SessionId, passage_ids: Sequence[str], now: datetime
    ) -> dict[str, Passage]:
        known = {name: self._passages[name] for name in passage_ids if name in self._passages}
        return {
            name: passage
            for name, (owner, session, until, passage) in known.items()
            if (owner, session) == (principal.key, session_id) and now < until
        }

    async def session_of(self, principal: Principal, passage_id: str, now: datetime) -> SessionId | None:
        owner, session, until, _ = self._passages.get(passage_id, ("", SessionId(""), now, None))
        return SessionId(session) if owner == principal.key and until > now else None

    async def keep_ranking(
        self, principal: Principal, list_id: str, digest: str, hits: Sequence[RankedHit], now: datetime
    ) -> None:
        self._rankings[principal.key, list_id, digest] = (now + timedelta(minutes=30), list(hits))

    async def ranking(self, principal: Principal, list_id: str, digest: str, now: datetime) -> list[RankedHit]:
        until, hits = self._rankings.get((principal.key, list_id, digest), (now, []))
        return hits if now < until else []


def _best(found: Sequence[tuple[float, int]], limit: int | None = None) -> RetrieverHits:
    ordered = sorted(found, key=lambda each: (-each[0], each[1]))[:limit]
    return RetrieverHits([number for _, number in ordered], [value for value, _ in ordered])


def _cosine(one: Vector | None, other: Vector) -> float:
    return math.fsum(a * b for a, b in zip(one or (), other, strict=True))
