"""The words' hits is what BM25 says of the chunks at HEAD, whatever the sources, languages, filters and edits."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from tests.support.index import Index

from citemark.model.candidates import MissingScores, SparsePlan
from citemark.model.scope import Principal, RequestScope
from citemark.retrieval import question_words
from citemark.retrieval.question_words import plan_sparse
from citemark.store.database import Database

ME = Principal("local", "me", frozenset())
FREQUENT = ["boiler", "furnace", "steam", "house", "haus", "kessel"]
WORDS = [*FREQUENT, *(f"w{number}" for number in range(40))]
QUESTIONS = ["boiler house steam", "furnace", "haus kessel w1", "w3 w4 boiler furnace steam house", "boiler boiler"]


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def filled(index: Index, chance: random.Random) -> None:
    """Four sources in two languages, edited over and over, some of it after the last flush."""
    sources = [await index.source(f"s{number}", keep_history=bool(number % 2)) for number in range(4)]
    for _ in range(200):
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
