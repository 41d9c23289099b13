"""The statements behind a question about a past state: everything is exact, and counts are those of that state.

A state is a set of chunks: those of the revisions that were valid at its moment. The words, posting lists and vectors
of superseded chunks are kept too, in tables of their own, so the same ranking can read a state, through `PastSearch`
instead of `SearchStore`. Which chunks belong to a state never changes, but where their words and vectors are kept does,
so every statement looks in both places.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from citemark.model.candidates import (
    NO_HITS,
    NO_ROWS,
    CandidateRows,
    MissingScores,
    NearestQuery,
    QuestionTerms,
    RetrieverHits,
    SparsePlan,
)
from citemark.model.ids import EmbeddingSetId, SourceId
from citemark.model.sources import AllowedSources, Lexicon
from citemark.model.vectors import Vector
from citemark.store.candidate_search import (
    SearchStore,
    by_number,
    candidate_rows,
    halved,
    lexicon_params,
    question_terms,
    words_of,
)
from citemark.store.database import Database, int_array
from citemark.store.posting_blocks import lists_read
from citemark.store.postings import BestChunks, ChunkWords, Postings, PostingsOfQuestion, max_score
from citemark.store.state_vectors import StateChunks, StateVectors

_CACHED_STATES = 8
"""States whose chunks are cached, at 24 bytes per chunk: an agent asks a few questions about one or two of them."""

_KNOWN_SEGMENTS = 4096
"""Segments whose first and last chunks are cached: enough for sixty million chunks."""

_CACHED_POSTINGS = 8 * 2**20
"""Bytes of posting lists that are cached per state: the words that questions share are those with long lists."""

Ids: TypeAlias = npt.NDArray[np.int64]
_Term: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _State:
    """The chunks of a past state in ascending order, the page of each, its lexicons, and postings that were read.

    `keys` are what the words and vectors of each chunk are kept by once it is superseded: its own id, or a negative
    number that chunks of other states share. Where they are kept is not known here, so both are looked for. All of
    these are the same whenever they are read. `elsewhere` are segments that hold none of the chunks: a segment never
    changes, and segments that were added since are searched.
    """

    key: tuple[datetime, tuple[int, ...]]
    chunk_ids: Ids
    page_ids: Ids
    keys: Ids
    lexicons: tuple[Lexicon, ...]
    postings: "LRUCache[_Term, Postings]"
    elsewhere: tuple[int, ...]

    def keys_of(self, chunk_ids: Sequence[int]) -> list[int]:
        """What the words and vectors of chunks of this state are kept by."""
        wanted = np.asarray(chunk_ids, np.int64)
        return wanted.tolist() if not len(self.keys) else self.keys[np.searchsorted(self.chunk_ids, wanted)].tolist()

    @property
    def chunks(self) -> StateChunks:
        """Its chunks with their keys."""
        return StateChunks(self.key, self.chunk_ids, self.keys)

    def named(self, names: Ids) -> Ids:
        """The chunks that words or vectors are of, which are found by chunk or by key."""
        return self.chunks.named(names)

    def with_chunks(self, postings: Postings) -> Postings:
        """Postings by chunk, whatever they were found by."""
        found = postings.copy()
        found["chunk_id"] = self.named(postings["chunk_id"].astype(np.int64))
        return found


class PastStates:
    """Opens past states for questions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._states = LRUCache[tuple[datetime, tuple[int, ...]], _State](_CACHED_STATES)
        self._vectors = StateVectors(database)
        self._reaches = LRUCache[int, tuple[int, int]](_KNOWN_SEGMENTS)

    async def open(self, allowed: AllowedSources, at: datetime) -> tuple["PastSearch", AllowedSources]:
        """The index as it was at a moment, and the allowed sources with the sizes that they had then."""
        key = (at, tuple(allowed.ids))
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = await self._read(allowed, at)
        chunks = sum(lexicon.chunks for lexicon in state.lexicons)
        lengths = sum(lexicon.sum_length for lexicon in state.lexicons)
        then = replace(allowed, chunks=chunks, sum_length=lengths, lexicons=state.lexicons, read_at=at)
        return PastSearch(self._database, state, self._vectors), then

    async def lived(self, source_id: SourceId, chunk_id: int, at: datetime) -> bool:
        """Whether a chunk belongs to the state at a moment."""
        row = await self._database.one("chunk_lived", {"source_id": source_id, "chunk_id": chunk_id, "at": at})
        return row is not None and bool(row["lived"])

    async def _read(self, allowed: AllowedSources, at: datetime) -> _State:
        rows = await self._database.fetch("state_chunks", {"source_ids": allowed.ids, "at": at})
        members = np.frombuffer(b"".join(row["members"] for row in rows), ">i8").reshape(-1, 3).astype(np.int64)
        members = members[np.argsort(members[:, 0])]
        lexicons = [
            Lexicon(SourceId(row["source_id"]), row["configuration"], row["seed"], row["chunks"], row["sum_length"])
            for row in rows
        ]
        postings = LRUCache[_Term, Postings](_CACHED_POSTINGS, getsizeof=lambda entries: entries.nbytes)
        key = (at, tuple(allowed.ids))
        chunk_ids, page_ids, keys = (column.copy() for column in members.T)
        elsewhere = await self._elsewhere(allowed, np.unique(np.concatenate([chunk_ids, keys])))
        return _State(key, chunk_ids, page_ids, keys, tuple(lexicons), postings, elsewhere)

    async def _elsewhere(self, allowed: AllowedSources, names: Ids) -> tuple[int, ...]:
        """The segments with none of the chunks or keys `names`, in ascending order, between their first and last."""
        params = {"source_ids": allowed.ids, "known": list(self._reaches)}
        # Segments are written without waiting for the disk; a crash could undo one and free its number for another.
        rows = await self._database.fetch_flushed("segment_reaches", params, unless=lambda rows: not rows)
        for row in rows:
            self._reaches[row["segment_id"]] = row["first_chunk"], row["last_chunk"]
        reaches = list(self._reaches.items())
        edges = np.array([reach for _, reach in reaches], np.int64).reshape(-1, 2)
        first, after = np.searchsorted(names, edges[:, 0]), np.searchsorted(names, edges[:, 1], side="right")
        return tuple(reaches[index][0] for index in np.flatnonzero(first == after).tolist())


class PastSearch(SearchStore):
    """The chunks of a past state, found by words and by vectors; one object per question.

    Whatever is looked up by chunk, page or revision is the same in every state.
    """

    def __init__(self, database: Database, state: _State, vectors: StateVectors) -> None:
        super().__init__(database)
        self._state = state
        self._vectors = vectors
        self._postings: dict[_Term, Postings] = {}

    async def terms(
        self, allowed: AllowedSources, phrasings: Sequence[str], names: Mapping[str, str] | None = None
    ) -> QuestionTerms:
        """The lexemes of a question, per lexicon of the state, counted in the state."""
        names = names or {}
        rows = await self._database.fetch("state_lexemes", lexicon_params(allowed, phrasings, names))
        terms: list[_Term] = [(row["source_id"], row["term_id"]) for row in rows]
        await self._look_up(terms)
        counts = [len(self._postings[term]) for term in terms]
        return question_terms(rows, counts, len(phrasings), list(names))

    async def _look_up(self, terms: Iterable[_Term]) -> None:
        """Read the postings of terms, but only those of the state's chunks."""
        cached = self._state.postings
        new_terms = [term for term in dict.fromkeys(terms) if term not in self._postings]
        self._postings.update((term, cached[term]) for term in new_terms if term in cached)
        unread = [term for term in new_terms if term not in self._postings]
        if not unread:
            return
        params = {
            "sources": [source_id for source_id, _ in unread],
            "ids": [term_id for _, term_id in unread],
            "elsewhere": list(self._state.elsewhere),
        }
        row = await self._ranking_row(self._database.queries["state_postings"], params)
        by_chunk = ((number, self._state.with_chunks(each)) for number, each in lists_read(row, params["ids"]))
        words = words_of(row)
        unlisted = replace(words, chunk_ids=self._state.named(words.chunk_ids))
        posting_arrays = PostingsOfQuestion(unread, by_chunk).among(self._state.chunk_ids, unlisted)
        self._postings.update(zip(unread, posting_arrays, strict=True))
        cached.update((term, entries) for term, entries in self._postings.items() if entries.nbytes <= cached.maxsize)

    async def sparse(
        self,
        plans: Sequence[SparsePlan],
        limit: int,
        pages: Sequence[int] | None,
        ended: Sequence[int] = (),  # noqa: ARG002 - nothing of the past ends
    ) -> list[RetrieverHits]:
        """The best chunks by BM25 for each plan, best first, in two phases as at HEAD."""
        await self._look_up(term for plan in plans for term in plan.rare.numbered())
        page_chunks = None if pages is None else self._chunks_on_pages(pages)
        searches: list[BestChunks] = []
        for plan in plans:
            terms = list(dict.fromkeys(plan.rare.numbered()))
            lists = PostingsOfQuestion.of(terms, [self._postings[term] for term in terms], page_chunks)
            searches.append(BestChunks(lists.scores(plan.rare), limit, max_score(plan.often)))
        sources = sorted({source_id for plan in plans for source_id, _ in plan.every.numbered()})
        while True:
            chosen = [search.next() for search in searches]
            if not any(chosen):
                return [search.hits() for search in searches]
            words = await self._words(sources, sorted(set[int]().union(*chosen)))
            for search, plan, chunk_ids in zip(searches, plans, chosen, strict=True):
                search.add(words.among(chunk_ids), plan.every)

    async def _words(self, source_ids: Sequence[int], chunk_ids: Sequence[int]) -> ChunkWords:
        params = {
            "source_ids": list(source_ids),
            "chunk_ids": int_array(chunk_ids),
            "keys": int_array(self._state.keys_of(chunk_ids)),
        }
        return words_of(await self._ranking_row(self._database.queries["state_words"], params))

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
        """The nearest chunks of each vector by cosine, nearest first; always exact, whatever `exact` says."""
        del exact
        mask = None if pages is None else self._mask_of_pages(pages)
        chunk_ids = self._state.chunk_ids if mask is None else self._state.chunk_ids[mask]
        if not len(chunk_ids):
            return [NO_HITS] * len(vectors)
        candidates = await self._vectors.hopeful(self._state.chunks, set_id, allowed.ids, mask, vectors, limit)
        named = (chunk_ids if candidates is None else candidates).tolist()
        row = await self._ranking_row(
            self._database.queries.for_set("state_dense", set_id),
            {
                "vectors": halved(vectors),
                "source_ids": allowed.ids,
                "chunk_ids": int_array(named),
                "names": int_array({*named, *self._state.keys_of(named)}),
                "limit": 2 * limit,  # each chunk may be there twice
            },
        )
        found = by_number(row["numbers"], row["chunk_ids"], row["scores"], len(vectors))
        return [self._once(hits, limit) for hits in found]

    def _once(self, hits: RetrieverHits, limit: int) -> RetrieverHits:
        """The best chunks, each once, from hits that may be called by key; ties by id."""
        chunk_ids, scores = self._state.named(np.asarray(hits.chunk_ids, np.int64)), np.asarray(hits.values)
        order = np.lexsort((chunk_ids, -scores))
        _, first = np.unique(chunk_ids[order], return_index=True)
        best = order[np.sort(first)[:limit]]
        return RetrieverHits(chunk_ids[best].tolist(), scores[best].tolist())

    async def nearest(self, allowed: AllowedSources, asked: NearestQuery) -> tuple[list[RetrieverHits], CandidateRows]:
        """The nearest chunks of each vector, and what ranking needs of them and of the chunks found by words."""
        hits = await self.dense(asked.set_id, asked.vectors, allowed, asked.limit, pages=asked.pages, exact=asked.exact)
        near = [number for each in hits for number in each.chunk_ids]
        every = list(dict.fromkeys((*near, *asked.by_words)))
        return hits, await self.complete(allowed, every, asked.missing(near))

    async def complete(
        self, allowed: AllowedSources, chunk_ids: Sequence[int], missing: MissingScores
    ) -> CandidateRows:
        """The source, page and text hash of each candidate, with the scores that `missing` asks for."""
        if not chunk_ids:
            return NO_ROWS
        params: dict[str, Any] = {
            "source_ids": allowed.ids,
            "chunk_ids": int_array(chunk_ids),
            "without_words": int_array(missing.without_words),
            "word_keys": int_array(self._state.keys_of(missing.without_words)),
        }
        if missing.set_id is None or not missing.vectors:
            statement = self._database.queries["state_candidates_by_words"]
        else:
            statement = self._database.queries.for_set("state_candidates", missing.set_id)
            params |= {
                "vectors": halved(missing.vectors),
                "without_vector": int_array(missing.without_vector),
                "vector_keys": int_array(self._state.keys_of(missing.without_vector)),
                "own_languages": list(missing.own_languages),
            }
        return candidate_rows(await self._ranking_row(statement, params), missing)

    def _chunks_on_pages(self, pages: Sequence[int]) -> Ids:
        return self._state.chunk_ids[self._mask_of_pages(pages)]

    def _mask_of_pages(self, pages: Sequence[int]) -> npt.NDArray[np.bool_]:
        return np.isin(self._state.page_ids, np.asarray(pages, np.int64))
