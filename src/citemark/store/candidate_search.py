"""The queries behind a question. Allowed sources and filters are part of each, before top-k."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any, LiteralString

import numpy as np
from pgvector import HalfVector
from psycopg.types.json import Jsonb

from citemark.model.candidates import (
    NO_HITS,
    NO_ROWS,
    CandidateRows,
    LinkedChunk,
    MissingScores,
    PageNames,
    QueryTerm,
    QuestionTerms,
    RetrieverHits,
    SparsePlan,
    StoredChunk,
)
from citemark.model.documents import DAY_KEYS, LABEL_KEYS, PATH_KEY
from citemark.model.graph import CONTAINS, DEFINES, HAS_LABEL, IN_FOLDER, REFERENCES, SUCCEEDS, USES_CODE
from citemark.model.ids import ChunkId, DocumentId, EmbeddingSetId, NativeId, RevisionId, SourceId, Version
from citemark.model.scope import Filters
from citemark.model.sources import AllowedSources
from citemark.model.text import Lines, Span
from citemark.model.vectors import Vector
from citemark.store.analysis import lexical
from citemark.store.database import Connection, Database, Row, in_transaction, int_array, text_array
from citemark.store.postings import BestChunks, ChunkWords, PostingsOfQuestion, max_score

NOT_FOLLOWED = [CONTAINS, IN_FOLDER, HAS_LABEL, USES_CODE, DEFINES, REFERENCES, SUCCEEDS]
"""Edges over which no passage comes forward: they lead to the page around, or to what very many pages share."""

END_OF_TIME = datetime.max.replace(tzinfo=UTC)
"""The moment whose state is HEAD: what has not ended reaches beyond it."""


class SearchStore:
    """The statements behind one question."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _ranking_row(self, statement: LiteralString, params: dict[str, Any]) -> Row:
        """The one row of a ranking statement, its columns as arrays, under the settings it was measured with."""

        async def work(connection: Connection) -> list[Row]:
            if in_transaction(connection):
                await connection.execute(self._database.queries["search_settings"], {"local": True})
            cursor = await connection.execute(statement, params, binary=True)
            return await cursor.fetchall()

        (row,) = await self._database.reading(work)
        return row

    async def terms(
        self, allowed: AllowedSources, phrasings: Sequence[str], names: Mapping[str, str] | None = None
    ) -> QuestionTerms:
        """The lexemes of a question, per lexicon of the allowed sources; ordered, so that sums add up alike each time.

        Args:
            allowed: what may be read. Phrasings are read by its lexicons that are asked, names by all of them.
            phrasings: the question, and the same in other words.
            names: by name, the forms to look up.
        """
        names = names or {}
        rows = await self._database.fetch("query_terms", lexicon_params(allowed, phrasings, names))
        return question_terms(rows, [row["df"] for row in rows], len(phrasings), list(names))

    async def sparse(self, plans: Sequence[SparsePlan], limit: int, pages: Sequence[int] | None) -> list[RetrieverHits]:
        """The best chunks by BM25 for each plan, best first.

        Two phases: the lists of rare terms find chunks, and the chunks' own words, which those at HEAD alone have, say
        what each of them scores. They are looked at in the order of the first, until no other can come before the last
        that is wanted or three hundred are known. All plans share the statements: one for the lists, one for the words
        of each round.
        """
        queries = self._database.queries
        terms = list(dict.fromkeys(term for plan in plans for term in plan.rare.numbered()))
        sources = [source_id for source_id, _ in terms]
        asked = {"sources": int_array(sources), "ids": int_array(term_id for _, term_id in terms)}
        row = await self._ranking_row(queries["posting_lists"], asked)
        lists = PostingsOfQuestion(terms, row["numbers"], row["sizes"], row["postings"])
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
            words = words_of(await self._ranking_row(queries[name], params))
            for search, plan, chunk_ids in zip(searches, plans, chosen, strict=True):
                search.add(words.among(chunk_ids), plan.every)

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
        """The nearest chunks of each vector by cosine, nearest first."""
        kind = "exact" if exact else "graph"
        name = f"dense_{kind}" if pages is None else f"dense_filtered_{kind}"
        params: dict[str, Any] = {"vectors": halved(vectors), "source_ids": int_array(allowed.ids), "limit": limit}
        if pages is not None:
            params["pages"] = int_array(pages)
        row = await self._ranking_row(self._database.queries.for_set(name, set_id), params)
        return by_number(row["numbers"], row["chunk_ids"], row["scores"], len(vectors))

    async def pages(self, allowed: AllowedSources, filters: Filters) -> tuple[list[int], int]:
        """Pages that pass the filters, and how many chunks they hold together."""
        rows = await self._database.fetch(
            "pages_filtered",
            {
                "source_ids": int_array(allowed.ids),
                "at": allowed.read_at or END_OF_TIME,
                "doc_tags": list(filters.doc_tags),
                "path_prefixes": list(filters.path_prefixes),
                "updated_after": filters.updated_after,
                "updated_before": filters.updated_before,
                "doc_types": list(filters.doc_types),
                "metadata": Jsonb({key: list(values) for key, values in filters.metadata}),
                "labels": list(filters.labels),
                "dated": filters.dated_from is not None or filters.dated_to is not None,
                "dated_from": (filters.dated_from or date.min).isoformat(),
                "dated_to": (filters.dated_to or date.max).isoformat(),
                "path_key": PATH_KEY,
                "label_keys": list(LABEL_KEYS),
                "begin_key": DAY_KEYS.begin,
                "end_key": DAY_KEYS.end,
                "due_key": DAY_KEYS.due,
                "rule_key": DAY_KEYS.rule,
                "last_day_in_rule": DAY_KEYS.last_day,
            },
        )
        return [row["page_id"] for row in rows], sum(row["chunks"] for row in rows)

    async def complete(
        self, allowed: AllowedSources, chunk_ids: Sequence[int], missing: MissingScores
    ) -> CandidateRows:
        """Where candidates belong, with the scores that `missing` names as missing."""
        params: dict[str, Any] = {"source_ids": int_array(allowed.ids), "chunk_ids": int_array(chunk_ids)}
        if missing.set_id is None or not missing.vectors:
            statement = self._database.queries["candidates_by_words"]
            params["without_words"] = int_array(missing.without_words)
        else:
            statement = self._database.queries.for_set("candidates_complete", missing.set_id)
            params |= {
                "vectors": halved(missing.vectors),
                "without_vector": int_array(missing.without_vector),
                "without_words": int_array(missing.without_words),
                "own_languages": text_array(missing.own_languages),
            }
        row = await self._ranking_row(statement, params)
        return candidate_rows(row, missing)

    async def names(self, allowed: AllowedSources, page_ids: Sequence[int]) -> dict[int, PageNames]:
        """The names of pages in the state that is read, by id."""
        params = {
            "source_ids": int_array(allowed.ids),
            "at": allowed.read_at or END_OF_TIME,
            "page_ids": int_array(page_ids),
            "path_key": PATH_KEY,
        }
        row = await self._ranking_row(self._database.queries["page_names"], params)
        columns = (row["page_ids"] or (), row["paths"] or (), row["titles"] or (), row["tags"] or ())
        return {
            page_id: PageNames(path, title, tuple(tags.split("\n")) if tags else ())
            for page_id, path, title, tags in zip(*columns, strict=True)
        }

    async def read(self, allowed: AllowedSources, chunk_ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks with their text, inside the allowed sources."""
        rows = await self._database.fetch(
            "chunks_read", {"source_ids": int_array(allowed.ids), "chunk_ids": int_array(chunk_ids)}
        )
        return {row["chunk_id"]: _chunk(row) for row in rows}

    async def holding(self, allowed: AllowedSources, chunks: Sequence[StoredChunk]) -> dict[int, StoredChunk]:
        """The longer chunk of the same revision that holds a chunk (its table, if it is a row), by the one held."""
        params = {
            "source_ids": [chunk.source_id for chunk in chunks],
            "revision_ids": [chunk.revision_id for chunk in chunks],
            "chunk_ids": [chunk.chunk_id for chunk in chunks],
            "starts": [chunk.span.start for chunk in chunks],
            "ends": [chunk.span.end for chunk in chunks],
        }
        rows = await self._database.fetch("chunks_holding", params)
        found = await self.read(allowed, [row["chunk_id"] for row in rows]) if rows else {}
        return {row["held_id"]: found[row["chunk_id"]] for row in rows if row["chunk_id"] in found}

    async def linked(self, allowed: AllowedSources, chunk_ids: Sequence[int], most: int) -> list[LinkedChunk]:
        """Chunks one step along the graph from others, at most `most` edges of a kind and chunk followed."""
        params = {
            "source_ids": int_array(allowed.ids),
            "chunk_ids": int_array(chunk_ids),
            "at": allowed.read_at or END_OF_TIME,
            "not_followed": NOT_FOLLOWED,
            "most": most,
        }
        return [LinkedChunk(**row) for row in await self._database.fetch("chunks_linked", params)]

    async def reaching(self, allowed: AllowedSources, chunk: StoredChunk, offset: int) -> StoredChunk | None:
        """The chunk of the same revision that continues after character `offset` of its body; None at the end."""
        params = {"source_id": chunk.source_id, "revision_id": chunk.revision_id, "offset": offset}
        row = await self._database.one("chunk_reaching", params)
        return None if row is None else (await self.read(allowed, [row["chunk_id"]])).get(row["chunk_id"])

    async def body(self, source_id: SourceId, revision_id: RevisionId) -> str | None:
        """The whole text of a revision; None once its history was purged."""
        row = await self._database.one("body_read", {"source_id": source_id, "revision_id": revision_id})
        return None if row is None else row["body"]


def lexicon_params(allowed: AllowedSources, phrasings: Sequence[str], names: Mapping[str, str]) -> dict[str, Any]:
    """The lexicons of the allowed sources, and what they read: phrasings by those that are asked, names by all."""
    asked = set(allowed.asked)
    return {
        "source_ids": int_array(lexicon.source_id for lexicon in allowed.lexicons),
        "configurations": text_array(lexicon.configuration for lexicon in allowed.lexicons),
        "seeds": int_array(lexicon.seed for lexicon in allowed.lexicons),
        "asked": [lexicon in asked for lexicon in allowed.lexicons],
        "phrasings": len(phrasings),
        "texts": text_array((*map(lexical, phrasings), *names.values())),
    }


def question_terms(rows: Sequence[Row], counts: Sequence[int], phrasings: int, names: Sequence[str]) -> QuestionTerms:
    """The lexemes that lexicons read, by the number of the text that contains them.

    Args:
        rows: a lexeme of a text in a lexicon each; texts are counted from 1, names after the phrasings.
        counts: for each of them, how many chunks contain it.
        phrasings: how many there are.
        names: of the question.
    """
    found: dict[int, list[QueryTerm]] = defaultdict(list)
    for row, df in zip(rows, counts, strict=True):
        found[row["number"]].append(
            QueryTerm(row["lexeme"], SourceId(row["source_id"]), row["term_id"], df, row["configuration"], row["times"])
        )
    terms = [
        tuple(sorted(found[number], key=lambda term: (term.lexeme, term.source_id, term.configuration)))
        for number in range(1, phrasings + 1)
    ]
    of_names = {name: tuple(found[at]) for at, name in enumerate(names, start=phrasings + 1)}
    return QuestionTerms(tuple(terms), of_names)


def candidate_rows(row: Row, missing: MissingScores) -> CandidateRows:
    """Where candidates belong and their missing scores, from the columns of one row."""
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
    """BM25 under each plan of the candidates whose words were asked for."""
    words = words_of(row)
    chunk_ids = words.chunk_ids.tolist()
    return [
        NO_HITS if plan is None or not chunk_ids else RetrieverHits(chunk_ids, words.scores(plan.every).tolist())
        for plan in plans
    ]


def by_number(
    numbers: Sequence[int] | None, chunk_ids: Sequence[int], values: Sequence[float], count: int
) -> list[RetrieverHits]:
    """Columns that are ordered by the number of a phrasing, from 1, cut into the hits of each."""
    found = np.asarray(numbers or (), np.int64)
    edges = np.searchsorted(found, np.arange(1, count + 2)).tolist()
    return [
        RetrieverHits(chunk_ids[start:end], values[start:end]) if end > start else NO_HITS
        for start, end in pairwise(edges)
    ]


def halved(vectors: Sequence[Vector]) -> list[HalfVector]:
    """Vectors in the precision that they are kept in."""
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
