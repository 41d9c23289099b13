"""The words' hits is what BM25 says of the chunks at HEAD, whatever the sources, languages, filters and edits."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, LiteralString

import psycopg
import pytest
from tests.support.index import Index
from tests.support.patience import HANG_SECONDS

from citemark.model.candidates import MissingScores, SparsePlan
from citemark.model.scope import Principal, RequestScope
from citemark.retrieval import question_words
from citemark.retrieval.question_words import plan_sparse
from citemark.store import segments
from citemark.store.database import Database
from citemark.store.stores import Stores

ME = Principal("local", "me", frozenset())
FREQUENT = ["boiler", "furnace", "steam", "house", "haus", "kessel"]
WORDS = [*FREQUENT, *(f"w{number}" for number in range(40))]
QUESTIONS = ["boiler house steam", "furnace", "haus kessel w1", "w3 w4 boiler furnace steam house", "boiler boiler"]


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def filled(index: Index, chance: random.Random, edits: int = 200) -> None:
    """Four sources in two languages, edited over and over, some of it after the last flush."""
    sources = [await index.source(f"s{number}", keep_history=bool(number % 2)) for number in range(4)]
    for _ in range(edits):
        source, name = chance.choice(sources), f"{chance.randrange(30)}.md"
        if chance.random() < 0.1:
            await index.drop(source, name)
        else:
            await index.put(source, name, _body(chance), language=chance.choice(["english", "german"]))
        if chance.random() < 0.1:
            await index.stores.segments.flush()
    await index.stores.segments.flush()
    for source in sources:
        await index.drop(source, "1.md")


def _body(chance: random.Random) -> str:
    weights = [20] * len(FREQUENT) + [1] * (len(WORDS) - len(FREQUENT))
    parts = [chance.choices(WORDS, weights, k=chance.randrange(30)) for _ in range(chance.randrange(4))]
    return "".join(f"# {chance.choice(WORDS)}\n{' '.join(part)}\n" for part in parts)


async def expected(index: Index, plan: SparsePlan, pages: Sequence[int] | None) -> list[tuple[float, int]]:
    """(negative score, chunk) of every chunk that a rare term stands in, best first, by the formula."""
    every = plan.every
    found: list[tuple[float, int]] = []
    by_chunk = groupby(await index.words(), key=lambda word: (word.page_id, word.chunk_id, word.length))
    for (page_id, chunk_id, length), words in by_chunk:
        tf = {word.term_id: word.tf for word in words}
        if (pages is None or page_id in pages) and not set(plan.rare.ids).isdisjoint(tf):
            score = sum(
                idf * tf[term_id] * 2.2 / (tf[term_id] + 1.2 * (0.25 + 0.75 * length / mean))
                for term_id, idf, mean in zip(every.ids, every.idf, every.mean_lengths, strict=True)
                if term_id in tf
            )
            found.append((round(-score, 9), chunk_id))
    return sorted(found)


async def test_the_best_chunks_are_those_of_the_formula(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_words, "_RARE_POSTINGS", 40)
    chance = random.Random(4)
    await filled(index, chance)
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    every_page = [row[0] for row in await index.rows("SELECT document_id FROM document WHERE page_id IS NULL")]
    two_phases = 0
    for question in QUESTIONS:
        (terms,) = (await index.stores.search.terms(allowed, [question])).phrasings
        plan = plan_sparse(terms, allowed)
        assert plan is not None
        two_phases += bool(plan.often.ids)
        for pages in (None, every_page, chance.sample(every_page, len(every_page) // 3)):
            wanted = await expected(index, plan, pages)
            assert wanted
            for limit in (1, 5, 20, 1000):
                (hits,) = await index.stores.search.sparse([plan], limit, pages)
                assert [(round(-score, 9), chunk_id) for chunk_id, score in hits.pairs()] == wanted[:limit]
    assert two_phases > 2


async def test_kept_lists_find_the_same_once_it_is_known_which_chunks_have_ended(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_words, "_RARE_POSTINGS", 40)
    await filled(index, random.Random(4))
    search = index.stores.search
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    missing = MissingScores(None, (), (), (), ())
    every = [row[0] for row in await index.rows("SELECT chunk_id FROM chunk")]
    for question in QUESTIONS:
        found = await search.terms(allowed, [question])
        (terms,) = found.phrasings
        assert found.segments
        plan = plan_sparse(terms, allowed, (), found.segments)
        assert plan is not None
        wanted = await expected(index, plan, None)
        scores = {chunk_id: score for score, chunk_id in wanted}
        (first,) = await search.sparse([plan], 1000, None)
        assert {*first.chunk_ids} >= {*scores}
        here = await search.complete(allowed, first.chunk_ids, missing)
        assert {*here.chunk_ids} == {*scores}
        for limit in (1, 5, 20, 1000):
            (hits,) = await search.sparse([plan], limit, None)
            assert [(round(-score, 9), chunk_id) for chunk_id, score in hits.pairs()] == wanted[:limit]
        asked = MissingScores(None, (), [plan], (), every)
        (told,) = (await search.complete(allowed, every, asked)).bm25s
        assert {chunk_id: round(-score, 9) for chunk_id, score in told.pairs() if chunk_id in scores} == scores


@pytest.mark.parametrize("changed", [{"segments": ((1, 10**9),)}, {"postings": 10**7}, {"segments": None}])
async def test_the_words_of_chunks_are_read_where_segments_were_merged_meanwhile_or_there_are_too_many_postings(
    index: Index, changed: dict[str, Any]
) -> None:
    source = await index.source("one")
    for number in range(6):
        await index.put(source, f"{number}.md", "boiler " * (number + 1) + "house")
    await index.stores.segments.flush()
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    found = await index.stores.search.terms(allowed, ["boiler"])
    plan = plan_sparse(found.phrasings[0], allowed, (), found.segments)
    assert plan is not None
    hits = await index.stores.search.sparse([plan], 10, None)
    assert len(hits[0]) == 6
    read = await index.stores.search.sparse([replace(plan, **changed)], 10, None)
    assert [each.chunk_ids for each in read] == [each.chunk_ids for each in hits]


@pytest.mark.requirement("up-to-four-further-phrasings")
async def test_several_phrasings_together_find_what_each_finds_alone(index: Index) -> None:
    chance = random.Random(5)
    await filled(index, chance)
    search = index.stores.search
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    some_pages = [row[0] for row in await index.rows("SELECT document_id FROM document WHERE page_id IS NULL")][::3]
    found = await search.terms(allowed, QUESTIONS)
    alone = [(await search.terms(allowed, [question])).phrasings for question in QUESTIONS]
    assert [(terms,) for terms in found.phrasings] == alone
    plans = [plan for terms in found.phrasings if (plan := plan_sparse(terms, allowed)) is not None]
    assert len(plans) > 2
    for pages in (None, some_pages):
        for limit in (1, 20):
            together = await search.sparse(plans, limit, pages)
            assert together == [hits for plan in plans for hits in await search.sparse([plan], limit, pages)]


async def answers(index: Index, at: datetime) -> list[list[tuple[int, float]]]:
    """What every question finds by words, with its scores: by kept lists, by lists that are read, and at a moment."""
    stores = Stores.over(index.database, timedelta(minutes=30))
    allowed = await stores.sources.allowed(ME, RequestScope(project_id="default"))
    every_page = [row[0] for row in await index.rows("SELECT document_id FROM document WHERE page_id IS NULL")]
    past, then = await stores.past.open(allowed, at)
    # Kept lists have chunks that ended until they are told.
    here = {row[0] for row in await index.rows("SELECT chunk_id FROM chunk WHERE valid_to = 'infinity'")}
    found: list[list[tuple[int, float]]] = []
    for question in QUESTIONS:
        terms = await stores.search.terms(allowed, [question])
        head = plan_sparse(terms.phrasings[0], allowed, (), terms.segments)
        before = plan_sparse((await past.terms(then, [question])).phrasings[0], then)
        assert head is not None
        assert before is not None
        for search, plan, pages in (
            (stores.search, head, None),
            (stores.search, head, every_page),
            (past, before, None),
        ):
            (hits,) = await search.sparse([plan], 1000, pages)
            found.append([hit for hit in hits.pairs() if search is past or hit[0] in here])
    return found


async def layouts(index: Index) -> set[bool]:
    """Which layouts segments have: packed (True), or as before."""
    return {row[0] for row in await index.rows("SELECT packed FROM segment")}


@pytest.mark.requirement("postings-in-blocks", "blocks-beside-earlier-servers")
async def test_packed_segments_find_the_same_and_are_not_written_beside_a_server_that_does_not_know_them(
    index: Index, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_words, "_RARE_POSTINGS", 40)
    async with await psycopg.AsyncConnection.connect(dsn, application_name="citemark"):
        await filled(index, random.Random(4))
        await index.stores.segments.flush()
        assert await layouts(index) == {False}
    moment = await index.value("SELECT min(valid_to) FROM revision")
    before = await answers(index, moment)
    assert all(before)
    async with asyncio.timeout(HANG_SECONDS):
        while not await index.value("SELECT " + NO_EARLIER_SERVER):
            pass
    monkeypatch.setattr(segments, "_LARGEST", 12)  # of both layouts, larger ones are not packed
    await index.stores.segments.flush()
    assert await layouts(index) == {False, True}
    assert await answers(index, moment) == before
    monkeypatch.undo()
    monkeypatch.setattr(question_words, "_RARE_POSTINGS", 40)
    await index.stores.segments.flush()
    assert await layouts(index) == {True}
    assert await index.value("SELECT count(*) FROM posting_list") == 0
    assert await answers(index, moment) == before


NO_EARLIER_SERVER: LiteralString = """NOT EXISTS (
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'citemark')"""
