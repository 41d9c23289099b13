"""Posting lists that are kept from one question to the next, and what they say of chunks."""

from collections.abc import Mapping

import numpy as np
import pytest

from citemark.model.candidates import RetrieverHits, SparsePlan, WeightedTerms
from citemark.store.postings import ChunkWords, Ids, Postings, postings_of
from citemark.store.segment_cache import ListKey, ListsOfQuestion, SegmentCache

SOURCE = 7
STEAM, HOUSE, BOILER = 11, 12, 13
CHUNKS: Mapping[int, Mapping[int, Mapping[int, int]]] = {
    1: {5: {STEAM: 2, HOUSE: 1}, 9: {HOUSE: 3}, 3: {STEAM: 1}},
    2: {20: {STEAM: 4}, 21: {BOILER: 1}},
    3: {8: {STEAM: 1, BOILER: 2}, 2: {HOUSE: 1}},
}
"""How often terms stand in the chunks of each segment; those of segment 3 were merged out of order."""


def words(segment: int) -> ChunkWords:
    packed = np.dtype([("term_id", ">i8"), ("tf", ">i2")])
    rows = ((chunk, 10, np.array([*terms.items()], packed).tobytes()) for chunk, terms in CHUNKS[segment].items())
    return ChunkWords.of(rows)


class Reader:
    """Reads what a cache does not have from the segments above, and counts it."""

    def __init__(self, cache: SegmentCache) -> None:
        self.cache = cache
        self.read: list[ListKey] = []

    def lists(self, segments: list[int], terms: list[int]) -> ListsOfQuestion:
        keys = [(SOURCE, number) for number in segments], [(SOURCE, term) for term in terms]
        unread = self.cache.unread(*keys)
        self.read += unread
        members = {number: _members(number) for number in self.cache.unknown(unread)}
        found = self.cache.lists(*keys, members, {key: each for key in unread if len(each := _postings(key))})
        assert found is not None
        return found


def _members(segment: int) -> Ids:
    return np.array(sorted(CHUNKS[segment]), np.int64)


def _postings(key: ListKey) -> Postings:
    lists = words(key.segment_id).lists()
    by_term = dict(zip(lists.term_ids.tolist(), postings_of(lists.sizes.tolist(), bytes(lists.postings)), strict=True))
    return by_term.get(key.term_id, np.empty(0, by_term[next(iter(by_term))].dtype))


def plan(rare: list[int], often: list[int]) -> SparsePlan:
    return SparsePlan(weighted(rare), weighted(often), 10.0)


def weighted(terms: list[int]) -> WeightedTerms:
    return WeightedTerms([SOURCE] * len(terms), terms, [float(term) for term in terms], [8.0] * len(terms))


def rounded(hits: RetrieverHits) -> dict[int, float]:
    return {number: round(score, 9) for number, score in hits.pairs()}


def expected(segments: list[int], asked: SparsePlan) -> dict[int, float]:
    found: dict[int, float] = {}
    for segment in segments:
        each = words(segment)
        found |= dict(zip(each.chunk_ids.tolist(), each.scores(asked.every).round(9).tolist(), strict=True))
    return {number: score for number, score in found.items() if {*asked.rare.ids} & {*_terms(number)}}


def _terms(chunk_id: int) -> Mapping[int, int]:
    return next(chunks[chunk_id] for chunks in CHUNKS.values() if chunk_id in chunks)


def test_scores_are_those_of_the_words_of_the_chunks() -> None:
    reader, asked = Reader(SegmentCache()), plan([STEAM], [HOUSE, BOILER])
    lists = reader.lists([1, 2, 3], [STEAM, HOUSE, BOILER])
    hits = lists.best(asked, 10)
    assert rounded(hits) == expected([1, 2, 3], asked)
    assert list(hits.values) == sorted(hits.values, reverse=True)
    every = [2, 3, 5, 8, 9, 20, 21]
    assert rounded(lists.scores([asked], every)[0]) | rounded(hits) == rounded(lists.scores([asked], every)[0])
    assert {*lists.scores([asked], [2, 4, 21, 99])[0].chunk_ids} == {2, 21}


def test_what_was_read_is_not_read_again_while_its_segment_lives() -> None:
    reader, asked = Reader(SegmentCache()), plan([STEAM, HOUSE], [])
    reader.lists([1, 2], [STEAM, HOUSE])
    assert len(reader.read) == 4
    reader.lists([1, 2], [HOUSE, STEAM])
    assert len(reader.read) == 4
    # Segment 1 is gone, and segment 3 came: only its lists are read, and chunks of 1 are found no more.
    lists = reader.lists([2, 3], [STEAM, HOUSE])
    assert [(key.segment_id, key.term_id) for key in reader.read[4:]] == [(3, STEAM), (3, HOUSE)]
    assert rounded(lists.best(asked, 10)) == expected([2, 3], asked)
    assert rounded(reader.lists([1, 2, 3], [STEAM, HOUSE]).best(asked, 10)) == expected([1, 2, 3], asked)
    assert {key.segment_id for key in reader.read[6:]} == {1}


def test_a_chunk_that_has_ended_is_found_no_more_even_when_segments_come_and_go() -> None:
    reader, asked = Reader(SegmentCache()), plan([STEAM], [])
    before = reader.lists([1, 2], [STEAM])
    reader.cache.end([SOURCE], [20])
    reader.cache.end([SOURCE + 1], [5])
    assert {*rounded(before.best(asked, 10))} == {3, 5}
    assert {*rounded(reader.lists([2, 3], [STEAM]).best(asked, 10))} == {8}


def test_the_lists_that_were_asked_for_longest_ago_are_forgotten_first() -> None:
    size = Reader(SegmentCache())
    size.lists([1, 2, 3], [STEAM])
    reader = Reader(SegmentCache(most_bytes=size.cache.nbytes))
    asked = plan([STEAM], [HOUSE])
    lists = reader.lists([1, 2, 3], [STEAM, HOUSE])
    assert 0 < reader.cache.nbytes <= size.cache.nbytes
    assert rounded(lists.best(asked, 10)) == expected([1, 2, 3], asked), "a question has all of its own lists"
    reader.read.clear()
    reader.lists([1, 2, 3], [HOUSE])
    assert not reader.read
    reader.lists([1, 2, 3], [STEAM])
    assert {key.term_id for key in reader.read} == {STEAM}


def test_lists_of_a_segment_whose_chunks_are_unknown_are_not_given() -> None:
    cache = SegmentCache()
    assert cache.lists([(SOURCE, 1)], [(SOURCE, STEAM)], {}, {}) is None


def test_a_source_without_segments_has_no_hits() -> None:
    cache = SegmentCache()
    lists = cache.lists([], [(SOURCE, STEAM)], {}, {})
    assert lists is not None
    assert not len(lists.best(plan([STEAM], []), 10))
    assert lists.scores([plan([STEAM], [])], [1, 2]) == [RetrieverHits([], [])]
    assert not len(lists.best(SparsePlan(weighted([]), weighted([]), 0.0), 10))


def test_nothing_is_kept_once_the_database_was_lost() -> None:
    reader = Reader(SegmentCache())
    reader.lists([1], [STEAM])
    reader.cache.clear()
    assert reader.cache.nbytes == 0
    reader.lists([1], [STEAM])
    assert len(reader.read) == 2


@pytest.mark.parametrize("number", [-1, 0, 4, 6, 100])
def test_a_chunk_that_no_segment_has_has_no_place(number: int) -> None:
    reader = Reader(SegmentCache())
    lists = reader.lists([1, 2, 3], [STEAM])
    assert lists.scores([plan([STEAM], [])], [number]) == [RetrieverHits([], [])]
