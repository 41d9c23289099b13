"""Posting lists in blocks are those of the layout before, whatever the words, and much smaller."""

import random
import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemark.model.candidates import WeightedTerms
from citemark.store.posting_blocks import Blocks, blocks_of, lists_read, postings_in
from citemark.store.postings import ChunkWords, PostingsOfQuestion, postings_of

Chunks = Mapping[int, tuple[int, Mapping[int, int]]]
"""The length of each chunk and how often its terms stand in it."""

SMALL = st.integers(1, 3) | st.integers(1, 32767)
CHUNKS: st.SearchStrategy[Chunks] = st.dictionaries(
    st.integers(1, 40) | st.integers(1, 2**62),
    st.tuples(SMALL, st.dictionaries(st.integers(-5, 5) | st.integers(-(2**63), 2**63 - 1), SMALL, max_size=8)),
    max_size=40,
)


def words_of(chunks: Chunks) -> ChunkWords:
    return ChunkWords.of(
        (chunk_id, length, b"".join(struct.pack(">qh", *entry) for entry in terms.items()))
        for chunk_id, (length, terms) in chunks.items()
    )


def packed(blocks: Blocks) -> list[bytes]:
    edges = np.cumsum([0, *blocks.sizes]).tolist()
    return [blocks.data[start:end] for start, end in pairwise(edges)]


def row_of(blocks: Blocks, term_ids: Sequence[int]) -> Mapping[str, object]:
    """What the database finds: for each term the last block that does not begin after it."""
    places: list[int] = (np.searchsorted(blocks.first_terms, term_ids, side="right") - 1).tolist()
    each = packed(blocks)
    parts = [(number, each[place]) for number, place in enumerate(places, start=1) if place >= 0]
    return {
        "numbers": [number for number, _ in parts] or None,
        "packed": [True] * len(parts),
        "sizes": [len(part) for _, part in parts],
        "postings": b"".join(part for _, part in parts),
    }


@given(CHUNKS)
@settings(max_examples=150, deadline=None)
def test_blocks_give_the_lists_and_scores_of_the_layout_before(chunks: Chunks) -> None:
    words = words_of(chunks)
    lists = words.lists()
    term_ids = lists.term_ids.tolist()
    before = list(enumerate(postings_of(lists.sizes.tolist(), lists.postings), start=1))
    after = list(lists_read(row_of(blocks_of(words), term_ids), term_ids))
    assert [(number, each.tolist()) for number, each in after] == [(number, each.tolist()) for number, each in before]
    terms = WeightedTerms([1] * len(term_ids), term_ids, [1.5] * len(term_ids), [70.0] * len(term_ids))
    one, other = (PostingsOfQuestion(terms.numbered(), each).scores(terms) for each in (before, after))
    assert one.chunk_ids.tolist() == other.chunk_ids.tolist()
    assert one.scores.tolist() == other.scores.tolist()


@given(CHUNKS, st.integers(-6, 6))
@settings(max_examples=50, deadline=None)
def test_a_term_that_no_chunk_has_is_in_no_block(chunks: Chunks, term_id: int) -> None:
    had = any(term_id in terms for _, terms in chunks.values())
    assert any(postings_in(block, term_id) is not None for block in packed(blocks_of(words_of(chunks)))) == had


def test_lists_of_both_layouts_are_read_from_one_row() -> None:
    words = words_of({7: (10, {1: 2, 3: 1}), 9: (300, {1: 1})})
    lists = words.lists()
    (block,) = packed(blocks_of(words))
    row = {
        "numbers": [2, 1, 2],
        "packed": [False, True, True],
        "sizes": [12, len(block), len(block)],
        "postings": bytes(lists.postings)[24:] + block + block,
    }
    found = [(number, each.tolist()) for number, each in lists_read(row, [1, 3])]
    assert found == [(2, [(7, 1, 10)]), (1, [(7, 2, 10), (9, 1, 300)]), (2, [(7, 1, 10)])]


def _segment(chunks: int) -> ChunkWords:
    """Chunks with sixty words of a vocabulary of which few words are frequent, as in a text."""
    chance = random.Random(5)
    return words_of(
        {
            10_000 + number: (
                chance.randint(40, 200),
                {int(2_000 * chance.random() ** 4): 1 + (chance.random() < 0.2) for _ in range(60)},
            )
            for number in range(chunks)
        }
    )


@pytest.mark.requirement("postings-in-blocks")
def test_a_posting_takes_less_than_half_of_what_it_took() -> None:
    words = _segment(2_000)
    lists, blocks = words.lists(), blocks_of(words)
    row = 52  # what PostgreSQL needs for a row with its key, beside the postings, not counting its index
    before = len(lists.postings) + row * len(lists.term_ids)
    assert len(blocks.data) + row * len(blocks.sizes) < 0.45 * before
    short = blocks.sizes[:-1][np.diff(blocks.first_terms) > 1]
    assert short.max() < 2_100, "only the list of one word may be larger than a block"
