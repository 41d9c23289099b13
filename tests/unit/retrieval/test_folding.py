"""Equal passages are one place, and a page takes no more places than allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.retrieval.material import place

from citemark.model.candidates import ChunkHead
from citemark.model.ids import ChunkId, DocumentId, SourceId
from citemark.retrieval.folding import fold

# One entry per chunk in ranked order: (page, text).
layouts = st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abcdef")), max_size=16)


def heads(layout: list[tuple[int, str]]) -> dict[int, ChunkHead]:
    return {
        n: ChunkHead(SourceId(1), ChunkId(n), DocumentId(page), text.encode()) for n, (page, text) in enumerate(layout)
    }


def folded(layout: list[tuple[int, str]], max_per_doc: int) -> list[tuple[int, tuple[int, ...]]]:
    places = [place(n, page) for n, (page, _) in enumerate(layout)]
    return [(entry.chunk_id, entry.same_text) for entry in fold(places, heads(layout), max_per_doc=max_per_doc)]


@pytest.mark.requirement("R14")
def test_word_for_word_repeats_stand_behind_the_best_of_them() -> None:
    assert folded([(1, "a"), (2, "b"), (3, "a"), (4, "a")], 1) == [(0, (2, 3)), (1, ())]


@pytest.mark.requirement("R7-pages-counted")
def test_sections_of_one_page_share_its_places() -> None:
    assert folded([(1, "a"), (1, "b"), (2, "c"), (1, "d")], 2) == [(0, ()), (1, ()), (2, ())]


def test_a_repeat_costs_its_page_no_place() -> None:
    assert folded([(1, "a"), (2, "a"), (2, "b")], 1) == [(0, (1,)), (2, ())]


def test_a_full_page_takes_no_other_pages_hit_along() -> None:
    assert folded([(1, "a"), (1, "b"), (2, "b")], 1) == [(0, ()), (2, ())]


def test_a_candidate_that_vanished_meanwhile_is_left_out() -> None:
    layout = [(1, "a"), (2, "b")]
    known = heads(layout)
    del known[0]
    assert [entry.chunk_id for entry in fold([place(0, 1), place(1, 2)], known, max_per_doc=1)] == [1]


@given(layouts, st.integers(1, 3))
@pytest.mark.requirement("tools-kb-dedupe-fills")
def test_folding_keeps_the_order_shows_no_text_twice_and_drops_nothing_that_has_room(
    layout: list[tuple[int, str]], max_per_doc: int
) -> None:
    kept = folded(layout, max_per_doc)
    ids = [chunk_id for chunk_id, _ in kept]
    assert ids == sorted(ids)
    texts = [layout[n][1] for n in ids]
    assert len(texts) == len(set(texts))
    pages = [layout[n][0] for n in ids]
    assert all(pages.count(page) <= max_per_doc for page in pages)
    for n, (page, text) in enumerate(layout):
        assert text in texts or pages.count(page) == max_per_doc, f"{n} had room"
