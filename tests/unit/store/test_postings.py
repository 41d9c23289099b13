"""Packed words, against BM25 written down as the formula has it."""

import math
import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from citemark.model.candidates import WeightedTerms
from citemark.store.postings import (
    BestChunks,
    ChunkWords,
    PostingsOfQuestion,
    ScoredChunks,
    best_first,
    largest,
    max_score,
    postings_of,
)

CHANCE = random.Random(7)
CHUNKS: Mapping[int, tuple[int, Mapping[int, int]]] = {
    chunk_id: (
        CHANCE.randint(20, 200),
        {term_id: CHANCE.randint(1, 9) for term_id in CHANCE.sample(range(-30, 30), CHANCE.randint(0, 25))},
    )
    for chunk_id in CHANCE.sample(range(2**40), 600)
}
"""Words and term frequencies of each chunk; term ids are signed."""

RARE, OFTEN = range(-30, -24), range(0, 20, 4)


def weighted(term_ids: Sequence[int]) -> WeightedTerms:
    return WeightedTerms(
        sources=[1 for _ in term_ids],
        ids=list(term_ids),
        idf=[1 + abs(term_id) / 10 for term_id in term_ids],
        mean_lengths=[100.0 for _ in term_ids],
    )


def bm25(chunk_id: int, term_ids: Sequence[int]) -> float:
    """Robertson and Zaragoza, with k1 1.2 and b 0.75."""
    length, terms = CHUNKS[chunk_id]
    return sum(
        (1 + abs(term_id) / 10) * terms[term_id] * 2.2 / (terms[term_id] + 1.2 * (0.25 + 0.75 * length / 100))
        for term_id in term_ids
        if term_id in terms
    )


def words(chunk_ids: Sequence[int]) -> ChunkWords:
    return ChunkWords.of(
        (chunk_id, CHUNKS[chunk_id][0], b"".join(struct.pack(">qh", *entry) for entry in CHUNKS[chunk_id][1].items()))
        for chunk_id in chunk_ids
    )


def test_chunks_score_by_their_own_words() -> None:
    chosen = sorted(CHUNKS)
    scores = words(chosen).scores(weighted(RARE)).tolist()
    assert scores == pytest.approx([bm25(chunk_id, RARE) for chunk_id in chosen])
    assert any(scores)


def test_posting_lists_hold_each_word_of_each_chunk_once() -> None:
    lists = words(sorted(CHUNKS)).lists()
    found = {
        (term_id, *posting)
        for term_id, start, size in zip(lists.term_ids, lists.starts, lists.sizes, strict=True)
        for posting in struct.iter_unpack(">qhh", lists.postings[start : start + size])
    }
    assert found == {
        (term_id, chunk_id, tf, length) for chunk_id, (length, terms) in CHUNKS.items() for term_id, tf in terms.items()
    }
    assert sum(lists.sizes) == len(lists.postings) == 12 * len(found)
    assert lists.term_ids.tolist() == sorted({term_id for term_id, *_ in found})


def test_terms_are_counted_by_chunks() -> None:
    terms, counts = words(sorted(CHUNKS)).counts()
    assert dict(zip(terms.tolist(), counts.tolist(), strict=True)) == {
        term_id: sum(term_id in of for _, of in CHUNKS.values()) for term_id in range(-30, 30)
    }


def found_by(term_ids: Sequence[int]) -> ScoredChunks:
    """The first phase, over lists that come in no order of theirs."""
    lists = words(sorted(CHUNKS)).lists()
    by_term = zip(lists.term_ids.tolist(), postings_of(lists.sizes.tolist(), lists.postings), strict=True)
    parts = [(term_ids.index(term_id) + 1, each) for term_id, each in by_term if term_id in term_ids]
    terms = weighted(term_ids)
    return PostingsOfQuestion(terms.numbered(), random.Random(3).sample(parts, len(parts))).scores(terms)


def test_lists_add_up_to_what_the_chunks_score() -> None:
    found = found_by(RARE)
    expected = {chunk_id: bm25(chunk_id, RARE) for chunk_id in CHUNKS if bm25(chunk_id, RARE)}
    assert dict(zip(found.chunk_ids.tolist(), found.scores.tolist(), strict=True)) == pytest.approx(expected)
    assert found.scores.tolist() == sorted(found.scores, reverse=True)


def looked_up(best: BestChunks, term_ids: Sequence[int], ended: set[int]) -> list[list[int]]:
    """Answer as the database would; which chunks were asked for, round by round."""
    rounds: list[list[int]] = []
    while chosen := best.next():
        rounds.append(chosen)
        best.add(words([chunk_id for chunk_id in chosen if chunk_id not in ended]), weighted(term_ids))
    return rounds


@pytest.mark.parametrize("limit", [1, 10, 60])
def test_the_best_by_all_words_are_found_without_looking_at_every_chunk(limit: int) -> None:
    found = found_by(RARE)
    best = BestChunks(found, limit, max_score(weighted(OFTEN)))
    every = [*RARE, *OFTEN]
    rounds = looked_up(best, every, set())
    first = found.chunk_ids.tolist()[: max(300, limit)]
    expected = sorted(first, key=lambda chunk_id: (-bm25(chunk_id, every), chunk_id))[:limit]
    hits = best.hits()
    assert list(hits.chunk_ids) == expected
    assert list(hits.values) == pytest.approx([bm25(chunk_id, every) for chunk_id in expected])
    asked = [chunk_id for chosen in rounds for chunk_id in chosen]
    assert len(asked) == len(set(asked)) <= 300 + limit


def test_when_no_frequent_word_can_change_the_order_hardly_more_than_wanted_are_looked_at() -> None:
    best = BestChunks(found_by(RARE), 40, max_score(weighted([])))
    assert [len(chosen) for chosen in looked_up(best, RARE, set())] == [45]


def test_chunks_that_ended_are_passed_over_however_many_lead() -> None:
    found = found_by(RARE)
    ended = set(found.chunk_ids.tolist()[:130])
    best = BestChunks(found, 20, max_score(weighted([])))
    rounds = looked_up(best, RARE, ended)
    assert [len(chosen) for chosen in rounds][:2] == [22, 100]
    assert len(rounds) == 3
    assert list(best.hits().chunk_ids) == found.chunk_ids.tolist()[130:150]


@pytest.mark.parametrize("one_of", [2, 10, 50])
def test_where_few_pass_a_filter_a_handful_of_rounds_is_enough(one_of: int) -> None:
    chunk_ids = np.arange(80_000)
    best = BestChunks(ScoredChunks(chunk_ids, np.linspace(9, 8, len(chunk_ids))), 60, 100.0)
    rounds = 0
    while chosen := best.next():
        rounds += 1
        passed = [chunk_id for chunk_id in chosen if chunk_id % one_of == 0]
        best.add(ChunkWords.of((chunk_id, 100, struct.pack(">qh", -30, 1)) for chunk_id in passed), weighted([-30]))
    assert rounds <= 8
    assert len(best.hits()) == 60


def test_a_chunk_is_matched_by_the_terms_of_its_own_source_alone() -> None:
    both = replace(weighted([-30, 10]), sources=[1, 2])
    assert max_score(both) == pytest.approx(2.2 * 4)
    assert max_score(weighted([-30, 10])) == pytest.approx(2.2 * 6)


def test_nothing_found_is_an_empty_leg() -> None:
    nothing = best_first(found_by(RARE).chunk_ids[:0], found_by(RARE).scores[:0])
    best = BestChunks(nothing, 10, math.inf)
    assert best.next() == []
    assert len(best.hits()) == 0


@pytest.mark.parametrize("count", [1, 3, 5, 9])
def test_the_largest_scores_are_set_apart(count: int) -> None:
    scores = np.array([0.5, 3.0, 2.0, 3.0, 0.25])
    kept = scores[largest(scores, count)]
    assert sorted(kept.tolist(), reverse=True) == sorted(scores.tolist(), reverse=True)[:count]
