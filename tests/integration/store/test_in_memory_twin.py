"""The stores in memory answer as PostgreSQL does: the same assertions on both."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.support.in_memory_stores import SET, InMemoryStores
from tests.support.index import SMALL, Index, vector_of

from citemark.model.candidates import MissingScores, NearestQuery, StoredChunk
from citemark.model.ids import ChunkId, PassageId, SessionId
from citemark.model.passages import Passage, RankedHit
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import Source
from citemark.model.text import Span
from citemark.model.vectors import Vector
from citemark.retrieval.question_words import plan_sparse
from citemark.store.database import Database

ME = Principal.local()
OTHER = Principal("elsewhere", "somebody", frozenset())
HERE = RequestScope(project_id="default")
NOW = datetime.now(UTC)
TEXTS = {"a.md": "zinc zinc copper", "b.md": "copper tin tin tin tin", "c.md": "gold"}


class Twins:
    """Both kinds of stores behind the names that ranking and services use."""

    def __init__(self, database: Database | None) -> None:
        self.memory = InMemoryStores()
        self.index = None if database is None else Index(database)
        self.set_id = SET.set_id
        stores: Any = self.memory if self.index is None else self.index.stores
        self.sources = self.memory if self.index is None else stores.sources
        self.search = self.memory if self.index is None else stores.search
        self.handles = self.memory if self.index is None else stores.passages

    async def fill(self) -> Source:
        if self.index is None:
            docs = self.memory.source("docs")
            for name, text in TEXTS.items():
                self.memory.put(docs, name, text, vector_of(text))
            return docs
        docs = await self.index.source("docs")
        target = await self.index.stores.vectors.ensure(SMALL)
        for name, text in TEXTS.items():
            await self.index.put(docs, name, text)
        await self.index.stores.segments.flush()
        await self.index.embed(target, _vectors)
        self.set_id = target.set_id
        return docs


def _vectors(texts: Sequence[str]) -> list[Vector]:
    """Those of the documents alone, without the titles that PostgreSQL embeds with them."""
    return [vector_of(next(said for said in TEXTS.values() if said in text)) for text in texts]


@pytest.fixture(params=["memory", "postgres"])
async def twins(request: pytest.FixtureRequest, database: Database) -> Twins:
    made = Twins(database if request.param == "postgres" else None)
    await made.fill()
    return made


async def chunks_by_name(twins: Twins) -> dict[str, StoredChunk]:
    allowed = await twins.sources.allowed(ME, HERE)
    (near,), _ = await twins.search.nearest(allowed, nearest_to(twins, "gold", 10))
    found = await twins.search.read(allowed, near.chunk_ids)
    return {chunk.native_id: chunk for chunk in found.values()}


def nearest_to(twins: Twins, text: str, limit: int) -> NearestQuery:
    return NearestQuery(twins.set_id, [vector_of(text)], [None], (), limit, exact=True)


async def by_words(twins: Twins, question: str) -> list[str]:
    allowed = await twins.sources.allowed(ME, HERE)
    (terms,) = (await twins.search.terms(allowed, [question])).phrasings
    plan = plan_sparse(terms, allowed)
    assert plan is not None
    (hits,) = await twins.search.sparse([plan], 10, None)
    chunks = await twins.search.read(allowed, hits.chunk_ids)
    return [chunks[number].native_id for number in hits.chunk_ids]


async def test_a_principal_is_allowed_the_sources_of_its_tenant(twins: Twins) -> None:
    mine, theirs = await twins.sources.allowed(ME, HERE), await twins.sources.allowed(OTHER, HERE)
    assert [source.name for source in mine.sources] == ["docs"]
    assert (mine.chunks, theirs.sources, theirs.chunks) == (len(TEXTS), (), 0)


async def test_words_find_the_chunks_that_have_them_best_first(twins: Twins) -> None:
    assert await by_words(twins, "zinc copper") == ["a.md", "b.md"]
    assert await by_words(twins, "tin copper") == ["b.md", "a.md"]


async def test_vectors_find_the_nearest_first(twins: Twins) -> None:
    allowed = await twins.sources.allowed(ME, HERE)
    for name, text in TEXTS.items():
        (hits,), rows = await twins.search.nearest(allowed, nearest_to(twins, text, 2))
        chunks = await twins.search.read(allowed, hits.chunk_ids)
        assert (chunks[hits.chunk_ids[0]].native_id, len(hits)) == (name, 2)
        assert {*rows.chunk_ids} == {*hits.chunk_ids}
        assert hits.values[0] == pytest.approx(1, abs=1e-2)


async def test_missing_scores_are_filled_in_where_they_are_asked_for(twins: Twins) -> None:
    known = await chunks_by_name(twins)
    allowed = await twins.sources.allowed(ME, HERE)
    (terms,) = (await twins.search.terms(allowed, ["zinc"])).phrasings
    a, c = known["a.md"].chunk_id, known["c.md"].chunk_id
    missing = MissingScores(twins.set_id, [vector_of("gold")], [plan_sparse(terms, allowed)], [c], [a])
    rows = await twins.search.complete(allowed, [a, c], missing)
    assert {row[0] for row in rows.rows()} == {a, c}
    assert dict(rows.cosines[0].pairs()) == {c: pytest.approx(1, abs=1e-2)}
    assert dict(rows.bm25s[0].pairs())[a] > 0


async def test_chunks_are_read_inside_the_allowed_sources_alone(twins: Twins) -> None:
    known = await chunks_by_name(twins)
    numbers = [chunk.chunk_id for chunk in known.values()]
    assert await twins.search.read(await twins.sources.allowed(OTHER, HERE), numbers) == {}
    chunk = known["a.md"]
    assert await twins.search.body(chunk.source_id, chunk.revision_id) == TEXTS["a.md"]


async def test_pages_are_named_inside_the_allowed_sources_alone(twins: Twins) -> None:
    page_ids = [chunk.page_id for chunk in (await chunks_by_name(twins)).values()]
    names = await twins.search.names(await twins.sources.allowed(ME, HERE), page_ids)
    assert {each.path for each in names.values()} == set(TEXTS)
    assert await twins.search.names(await twins.sources.allowed(OTHER, HERE), page_ids) == {}


async def test_a_chunk_is_contained_in_a_longer_one_of_the_same_revision(twins: Twins) -> None:
    whole = (await chunks_by_name(twins))["a.md"]
    row = replace(whole, chunk_id=ChunkId(whole.chunk_id + 1_000), span=Span(5, 9))
    found = await twins.search.holding(await twins.sources.allowed(ME, HERE), [row, whole])
    assert {number: chunk.chunk_id for number, chunk in found.items()} == {row.chunk_id: whole.chunk_id}
    assert await twins.search.holding(await twins.sources.allowed(OTHER, HERE), [row]) == {}


async def test_handles_are_found_by_their_principal_and_session_until_they_expire(twins: Twins) -> None:
    chunk = (await chunks_by_name(twins))["a.md"]
    session = SessionId("s_one")
    passage = Passage(PassageId("p" * 22), chunk.source_id, chunk.chunk_id, Span(0, 4), NOW)
    await twins.handles.keep(ME, session, [passage], NOW)
    assert await twins.handles.find(ME, session, [passage.passage_id, "unknown"], NOW) == {passage.passage_id: passage}
    for principal, named, at in (
        (OTHER, session, NOW),
        (ME, SessionId("s_two"), NOW),
        (ME, session, NOW + timedelta(hours=1)),
    ):
        assert await twins.handles.find(principal, named, [passage.passage_id], at) == {}


async def test_rankings_are_read_by_their_principal_for_their_question(twins: Twins) -> None:
    chunk = (await chunks_by_name(twins))["a.md"]
    hits = [RankedHit(chunk.source_id, rank, ChunkId(chunk.chunk_id), 0.5, {"page": 1}) for rank in range(2)]
    await twins.handles.keep_ranking(ME, "list", "digest", hits, NOW)
    assert list(await twins.handles.ranking(ME, "list", "digest", NOW)) == hits
    for principal, digest in ((OTHER, "digest"), (ME, "other")):
        assert list(await twins.handles.ranking(principal, "list", digest, NOW)) == []
