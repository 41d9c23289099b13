"""The queries that answer a question. Each applies the allowed sources and the filters before its top-k."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, LiteralString
from unicodedata import normalize

import numpy as np
from pgvector import HalfVector
from psycopg.types.json import Jsonb

from citemark.model.candidates import (
    NO_HITS,
    NO_ROWS,
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
    looked_at,
)
from citemark.model.documents import PATH_KEY
from citemark.model.graph import CONTAINS, DEFINES, HAS_LABEL, IN_FOLDER, REFERENCES, SUCCEEDS, USES_CODE
from citemark.model.ids import ChunkId, DocumentId, NativeId, RevisionId, SourceId, Version
from citemark.model.scope import Filters
from citemark.model.sources import AllowedSources
from citemark.model.stated_dates import StatedDates
from citemark.model.text import Lines, Span
from citemark.model.vectors import Vector
from citemark.store.analysis import lexical
from citemark.store.database import Connection, Database, Row, int_array, text_array
from citemark.store.list_reader import ListReader
from citemark.store.posting_blocks import lists_read
from citemark.store.postings import BestChunks, ChunkWords, PostingsOfQuestion, max_score
from citemark.store.segment_cache import SegmentCache

NOT_FOLLOWED = [CONTAINS, IN_FOLDER, HAS_LABEL, USES_CODE, DEFINES, REFERENCES, SUCCEEDS]
"""Edges that are not followed to other passages: they lead to the surrounding page, or to what many pages share."""

_NO_WORDS: Row = {"word_ids": None, "word_lengths": (), "word_sizes": (), "words": b""}

END_OF_TIME = datetime.max.replace(tzinfo=UTC)
"""The moment whose state is HEAD: whatever has not ended is still valid then."""


class SearchStore:
    """The statements that one question runs."""

    def __init__(self, database: Database, cache: SegmentCache | None = None) -> None:
        """Read from a database.

        Args:
            database: an open pool.
            cache: keeps the posting lists that questions read.
        """
        self._database = database
        self._lists = ListReader(database, cache or SegmentCache(), self._ranking_row)

    async def _ranking_row(
        self,
        statement: LiteralString,
        params: dict[str, Any],
        *,
        planned_once: bool = False,
        walks_graphs: bool = False,
    ) -> Row:
        """Return the one row of a ranking statement, its columns as arrays, under the settings it was measured with."""

        async def work(connection: Connection) -> list[Row]:
            return await self._database.rows_of_sources(
                connection,
                statement,
                params,
                binary=True,
                planned_once=planned_once,
                walks_graphs=walks_graphs,
                ranks=True,
            )

        (row,) = await self._database.reading(work, on_replicas=True)
        return row

    @property
    def ended(self) -> int:
        """How many notes of ended chunks were made, so that a question can tell which are of before it."""
        return self._lists.notes

    async def terms(
        self, allowed: AllowedSources, phrasings: Sequence[str], names: Mapping[str, str] | None = None
    ) -> QuestionTerms:
        """The lexemes of a question, per lexicon of the allowed sources; ordered, so that sums are the same each time.

        Args:
            allowed: what may be read. Phrasings are looked up in its `asked` lexicons, names in all of them.
            phrasings: the question, and the same question in other words.
            names: the forms to look up, by name.
        """
        names = names or {}
        rows = await self._database.fetch("query_terms", lexicon_params(allowed, phrasings, names))
        segments = tuple((row["source_id"], row["term_id"]) for row in rows if not row["number"])
        found = question_terms(rows, [row["df"] for row in rows], len(phrasings), list(names))
        return replace(found, segments=segments)

    async def stop_words(self, words: Sequence[str]) -> Mapping[str, frozenset[str]]:
        """The languages in which each word, in lower case, is a stop word; words that are none are left out."""
        rows = await self._database.fetch("stop_languages", {"words": text_array(words)})
        return {row["word"]: frozenset(row["languages"]) for row in rows}

    async def written(self, allowed: AllowedSources, names: Mapping[str, Sequence[str]]) -> set[str]:
        """The names that titles, paths, tags, metadata (people, properties) or the names of sources contain.

        Args:
            allowed: what may be read, and the state that is read.
            names: the forms of each name; any of them counts, also with one or two letters more at its end.
        """
        numbered = [(form, number) for number, forms in enumerate(names.values(), 1) for form in dict.fromkeys(forms)]
        params = {
            "source_ids": allowed.ids,
            "patterns": text_array([pattern_of(forms) for forms in names.values()]),
            "forms": text_array([form for form, _ in numbered]),
            "numbers": [number for _, number in numbered],
            "at": allowed.read_at or END_OF_TIME,
        }
        rows = await self._database.fetch("names_written", params)
        texts = list(names)
        return {texts[row["number"] - 1] for row in rows}

    async def sparse(
        self, plans: Sequence[SparsePlan], limit: int, pages: Sequence[int] | None, ended: Sequence[int] = ()
    ) -> list[RetrieverHits]:
        """The best chunks by BM25 for each plan, best first.

        There are two phases: the posting lists of rare terms find chunks, and all terms give each chunk its score.
        Chunks are scored in the order of the first phase, until no other can rank before the last one that is wanted,
        or three hundred are scored. Without a filter, the lists are kept from one question to the next, and chunks that
        have ended are among the hits until `nearest` or `complete` has left them out once, for an earlier question or,
        in `ended`, for this one.
        """
        listed = await self._lists.of(plans) if pages is None else None
        if listed is not None:
            return [listed.best(plan, limit, ended) for plan in plans]
        return await self._sparse_read(plans, limit, pages)

    async def _sparse_read(
        self, plans: Sequence[SparsePlan], limit: int, pages: Sequence[int] | None
    ) -> list[RetrieverHits]:
        """The same by the words of the chunks themselves, which only chunks at HEAD have.

        All plans share the statements: one for the lists, and one for the words of each round.
        """
        queries = self._database.queries
        terms = list(dict.fromkeys(term for plan in plans for term in plan.rare.numbered()))
        sources = [source_id for source_id, _ in terms]
        term_params = {"sources": int_array(sources), "ids": int_array(term_id for _, term_id in terms)}
        row = await self._ranking_row(queries["posting_lists"], term_params, planned_once=True)
        lists = PostingsOfQuestion(terms, lists_read(row, [term_id for _, term_id in terms]))
        searches = [BestChunks(lists.scores(plan.rare), limit, max_score(plan.often)) for plan in plans]
        name = "chunk_terms_read" if pages is None else "chunk_terms_filtered"
        params: dict[str, Any] = {"source_ids": int_array(sorted(set(sources)))}
        if pages is not None:
            params["pages"] = int_array(pages)
        while True:
            chosen = [search.next() for search in searches]
            if not any(chosen):
                return [search.hits() for search in searches]
            params["chunk_ids"] = int_array(sorted(set[int]().union(*chosen)))
            words = words_of(await self._ranking_row(queries[name], params, planned_once=pages is None))
            for search, plan, chunk_ids in zip(searches, plans, chosen, strict=True):
                search.add(words.among(chunk_ids), plan.every)

    async def nearest(self, allowed: AllowedSources, asked: NearestQuery) -> tuple[list[RetrieverHits], CandidateRows]:
        """The nearest chunks of each vector, and what ranking needs of them and of the chunks found by words."""
        params: dict[str, Any] = {
            "vectors": halved(asked.vectors),
            "source_ids": int_array(allowed.ids),
            "by_words": int_array(asked.by_words),
            "several": asked.several,
            "own_languages": text_array(asked.own_languages),
            "began": allowed.began and allowed.began.at,
        }
        near = "near_exact" if asked.exact else "near_graph"
        if asked.pages is not None:
            near = "near_filtered_exact" if asked.exact else "near_filtered_graph"
            params["pages"] = int_array(asked.pages)
        statement = self._database.queries.for_set("candidates_nearest", asked.set_id, near, asked.limit)
        row = await self._ranking_row(statement, params, planned_once=not asked.exact, walks_graphs=True)
        hits = by_number(row["numbers"], row["nearest_ids"], row["scores"], len(asked.vectors))
        self._lists.note_ended(allowed, asked.by_words, row["chunk_ids"])
        fresh: Sequence[int] = row["fresh_ids"] or ()
        missing = asked.missing((*(row["nearest_ids"] or ()), *fresh))
        listed, unlisted = await self._listed_scores(missing)
        rows = candidate_rows(row | await self._words_of(allowed, unlisted), missing)
        return hits, looked_at(_with_scores(rows, listed), fresh, asked.pages)

    async def since(self, allowed: AllowedSources) -> list[int]:
        """The chunks of what was recorded since a question began, but for the last ones of many."""
        if allowed.began is None:
            return []
        params = {"source_ids": int_array(allowed.ids), "began": allowed.began.at}
        row = await self._ranking_row(self._database.queries["chunks_fresh"], params, planned_once=True)
        return list(row["fresh_ids"] or ())

    async def _words_of(self, allowed: AllowedSources, chunk_ids: Sequence[int]) -> Row:
        """The words of chunks that no segment lists yet."""
        if not chunk_ids:
            return _NO_WORDS
        params = {"source_ids": int_array(allowed.ids), "chunk_ids": int_array(chunk_ids)}
        return await self._ranking_row(self._database.queries["chunk_terms_read"], params, planned_once=True)

    async def _listed_scores(self, missing: MissingScores) -> tuple[list[RetrieverHits], list[int]]:
        """The missing scores that posting lists tell, and the chunks whose words must be read for theirs."""
        plans = [plan for plan in missing.plans if plan is not None]
        chunk_ids = list(missing.without_words) if plans else []
        listed = await self._lists.of(plans) if chunk_ids else None
        if listed is None:
            return [], chunk_ids
        scores = listed.scores(plans, chunk_ids)
        known = {*scores[0].chunk_ids}
        each = iter(scores)
        found = [NO_HITS if plan is None else next(each) for plan in missing.plans]
        return found, [number for number in chunk_ids if number not in known]

    async def pages(self, allowed: AllowedSources, filters: Filters) -> tuple[list[int], int]:
        """The ids of the pages that pass the filters, and the total number of their chunks."""
        rows = await self._database.fetch("pages_filtered", filter_params(allowed, filters))
        return [row["page_id"] for row in rows], sum(row["chunks"] for row in rows)

    async def complete(
        self, allowed: AllowedSources, chunk_ids: Sequence[int], missing: MissingScores
    ) -> CandidateRows:
        """The source, page and text hash of each candidate, with the scores that `missing` asks for."""
        listed, unlisted = await self._listed_scores(missing)
        params: dict[str, Any] = {"source_ids": int_array(allowed.ids), "chunk_ids": int_array(chunk_ids)}
        if missing.set_id is None or not missing.vectors:
            statement = self._database.queries["candidates_by_words"]
            params["without_words"] = int_array(unlisted)
        else:
            statement = self._database.queries.for_set("candidates_complete", missing.set_id)
            params |= {
                "vectors": halved(missing.vectors),
                "without_vector": int_array(missing.without_vector),
                "without_words": int_array(unlisted),
                "own_languages": text_array(missing.own_languages),
            }
        row = await self._ranking_row(statement, params, planned_once=True)
        self._lists.note_ended(allowed, chunk_ids, row["chunk_ids"])
        return _with_scores(candidate_rows(row, missing), listed)

    async def names(self, allowed: AllowedSources, page_ids: Sequence[int]) -> dict[int, PageNames]:
        """The names of pages in the state that is read, by id."""
        params = {
            "source_ids": int_array(allowed.ids),
            "at": allowed.read_at or END_OF_TIME,
            "page_ids": int_array(page_ids),
            "path_key": PATH_KEY,
        }
        row = await self._ranking_row(self._database.queries["page_names"], params, planned_once=True)
        columns = (row["page_ids"] or (), row["paths"] or (), row["titles"] or (), row["tags"] or ())
        return {
            page_id: PageNames(path, title, tuple(tags.split("\n")) if tags else ())
            for page_id, path, title, tags in zip(*columns, strict=True)
        }

    async def dated(self, allowed: AllowedSources, page_ids: Sequence[int]) -> dict[int, StatedDates]:
        """The dates that pages state in the state that is read, by page id; pages without any are left out."""
        params = {
            "source_ids": int_array(allowed.ids),
            "at": allowed.read_at or END_OF_TIME,
            "page_ids": int_array(page_ids),
        }
        rows = await self._database.fetch("pages_dated", params)
        return {row["page_id"]: StatedDates(**row["dates"]) for row in rows}

    async def read(self, allowed: AllowedSources, chunk_ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks with their text, within the allowed sources, by id."""
        params = {
            "source_ids": int_array(allowed.ids),
            "chunk_ids": int_array(chunk_ids),
            "at": allowed.read_at or END_OF_TIME,
        }
        rows = await self._database.fetch("chunks_read", params)
        return {row["chunk_id"]: _chunk(row) for row in rows}

    async def holding(self, allowed: AllowedSources, chunks: Sequence[StoredChunk]) -> dict[int, StoredChunk]:
        """By chunk id, the longer chunk of the same revision that contains the chunk (for a row, its table)."""
        params = {
            "source_ids": [chunk.source_id for chunk in chunks],
            "revision_ids": [chunk.revision_id for chunk in chunks],
            "chunk_ids": [chunk.chunk_id for chunk in chunks],
            "starts": [chunk.span.start for chunk in chunks],
            "ends": [chunk.span.end for chunk in chunks],
        }
        rows = await self._database.fetch("chunks_holding", params)
        containers = await self.read(allowed, [row["chunk_id"] for row in rows]) if rows else {}
        return {row["held_id"]: containers[row["chunk_id"]] for row in rows if row["chunk_id"] in containers}

    async def linked(self, allowed: AllowedSources, chunk_ids: Sequence[int], most: int) -> list[LinkedChunk]:
        """Chunks one step along the graph from others, following at most `most` edges per kind and chunk."""
        params = {
            "source_ids": int_array(allowed.ids),
            "chunk_ids": int_array(chunk_ids),
            "at": allowed.read_at or END_OF_TIME,
            "not_followed": NOT_FOLLOWED,
            "most": most,
        }
        return [LinkedChunk(**row) for row in await self._database.fetch("chunks_linked", params)]

    async def reaching(self, allowed: AllowedSources, chunk: StoredChunk, offset: int) -> StoredChunk | None:
        """The chunk of the same revision that continues after character `offset` of its body, or None at the end."""
        params = {"source_id": chunk.source_id, "revision_id": chunk.revision_id, "offset": offset}
        row = await self._database.one("chunk_reaching", params)
        return None if row is None else (await self.read(allowed, [row["chunk_id"]])).get(row["chunk_id"])

    async def body(self, source_id: SourceId, revision_id: RevisionId) -> str | None:
        """The whole text of a revision, or None once it has been purged."""
        row = await self._database.one("body_read", {"source_id": source_id, "revision_id": revision_id})
        return None if row is None else row["body"]


def _with_scores(rows: CandidateRows, listed: Sequence[RetrieverHits]) -> CandidateRows:
    """Candidates with the scores that posting lists tell, beside those that were read."""
    if not listed or not rows.chunk_ids:
        return rows
    return replace(rows, bm25s=[read.with_more(known) for read, known in zip(rows.bm25s, listed, strict=True)])


def lexicon_params(allowed: AllowedSources, phrasings: Sequence[str], names: Mapping[str, str]) -> dict[str, Any]:
    """The allowed sources' lexicons as parameters, and what is looked up: phrasings in the asked ones, names in all."""
    asked_lexicons = set(allowed.asked)
    return {
        "source_ids": int_array(lexicon.source_id for lexicon in allowed.lexicons),
        "configurations": text_array(lexicon.configuration for lexicon in allowed.lexicons),
        "seeds": int_array(lexicon.seed for lexicon in allowed.lexicons),
        "asked": [lexicon in asked_lexicons for lexicon in allowed.lexicons],
        "phrasings": len(phrasings),
        "texts": text_array((*map(lexical, phrasings), *names.values())),
    }


def pattern_of(forms: Sequence[str]) -> str:
    """A regular expression of PostgreSQL for whole words that are one of the forms, give or take an ending."""
    return rf"\m({'|'.join(map(re.escape, dict.fromkeys(forms)))})\w{{0,2}}\M"


def question_terms(rows: Sequence[Row], counts: Sequence[int], phrasings: int, names: Sequence[str]) -> QuestionTerms:
    """The lexemes that lexicons found, by phrasing and by name.

    Args:
        rows: one lexeme of one text in one lexicon per row; texts are numbered from 1, phrasings first, then names.
        counts: for each row, how many chunks contain its lexeme.
        phrasings: the number of phrasings.
        names: the names in the question.
    """
    terms_by_text: dict[int, list[QueryTerm]] = defaultdict(list)
    for row, df in zip(rows, counts, strict=True):
        terms_by_text[row["number"]].append(
            QueryTerm(row["lexeme"], SourceId(row["source_id"]), row["term_id"], df, row["configuration"], row["times"])
        )
    terms = [
        tuple(sorted(terms_by_text[number], key=lambda term: (term.lexeme, term.source_id, term.configuration)))
        for number in range(1, phrasings + 1)
    ]
    name_terms = {name: tuple(terms_by_text[position]) for position, name in enumerate(names, start=phrasings + 1)}
    return QuestionTerms(tuple(terms), name_terms)


def candidate_rows(row: Row, missing: MissingScores) -> CandidateRows:
    """The candidates and their missing scores, from the columns of one row."""
    if row["chunk_ids"] is None:
        return NO_ROWS
    return CandidateRows(
        row["chunk_ids"],
        row["source_ids"],
        row["page_ids"],
        row["text_hashes"],
        cosines=by_number(row["near_numbers"], row["near_ids"], row["cosines"], len(missing.vectors)),
        bm25s=_scored(row, missing.plans),
        foreign_ids=row["foreign_ids"] or (),
        foreign_languages=row["foreign_languages"] or (),
    )


def words_of(row: Row) -> ChunkWords:
    """The words of chunks, from the columns of one row."""
    return ChunkWords.columns(row["word_ids"], row["word_lengths"], row["word_sizes"], row["words"])


def _scored(row: Row, plans: Sequence[SparsePlan | None]) -> list[RetrieverHits]:
    """The BM25 scores under each plan, for the candidates whose words were requested."""
    words = words_of(row)
    chunk_ids = words.chunk_ids.tolist()
    return [
        NO_HITS if plan is None or not chunk_ids else RetrieverHits(chunk_ids, words.scores(plan.every).tolist())
        for plan in plans
    ]


def by_number(
    numbers: Sequence[int] | None, chunk_ids: Sequence[int], values: Sequence[float], count: int
) -> list[RetrieverHits]:
    """Split columns that are ordered by phrasing number, from 1, into the hits of each phrasing."""
    phrasing_numbers = np.asarray(numbers or (), np.int64)
    edges = np.searchsorted(phrasing_numbers, np.arange(1, count + 2)).tolist()
    return [
        RetrieverHits(chunk_ids[start:end], values[start:end]) if end > start else NO_HITS
        for start, end in pairwise(edges)
    ]


def halved(vectors: Sequence[Vector]) -> list[HalfVector]:
    """Vectors in the precision in which they are stored."""
    return [HalfVector(list(vector)) for vector in vectors]


def _chunk(row: Row) -> StoredChunk:
    return StoredChunk(
        source_id=SourceId(row["source_id"]),
        chunk_id=ChunkId(row["chunk_id"]),
        page_id=DocumentId(row["page_id"]),
        revision_id=RevisionId(row["revision_id"]),
        doc_type=row["doc_type"],
        native_id=NativeId(row["native_id"]),
        section_type=row["section_type"],
        section_native_id=NativeId(row["section_native_id"]),
        section_title=row["section_title"],
        heading_path=tuple(row["heading_path"] or ()),
        title=row["title"],
        url=row["url"],
        version=Version(row["version"]),
        tags=tuple(row["tags"]),
        language=row["language"],
        modified_at=row["modified_at"],
        span=Span(row["start_char"], row["end_char"]),
        lines=Lines(row["start_line"], row["end_line"]),
        context=row["context"],
        text=row["text"],
        text_hash=bytes(row["text_hash"]),
        size_bytes=row["size_bytes"],
        head=row["head"],
        dated=row["dated"],
    )


def filter_params(allowed: AllowedSources, filters: Filters) -> dict[str, Any]:
    """The parameters of the statement that filters pages."""
    return {
        "source_ids": int_array(allowed.ids),
        "at": allowed.read_at or END_OF_TIME,
        "doc_tags": list(filters.doc_tags),
        "path_prefixes": list(filters.path_prefixes),
        "updated_after": filters.updated_after,
        "updated_before": filters.updated_before,
        "doc_types": list(filters.doc_types),
        "metadata": Jsonb({key: list(values) for key, values in filters.metadata}),
        "properties": Jsonb({key: list(values) for key, values in filters.properties}),
        "labels": [normalize("NFC", label) for label in filters.labels],
        "languages": list(filters.languages),
        "days": _days(filters),
        "path_key": PATH_KEY,
    }


def _days(filters: Filters) -> str | None:
    """The days that are asked for, as a range of PostgreSQL; None for any."""
    if filters.dated_from is None and filters.dated_to is None:
        return None
    return f"[{filters.dated_from or ''},{filters.dated_to or ''}]"
