"""Equal passages are one candidate, and a page has no more candidates than asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.retrieval.retrievers import ScoredCandidate, collapse

# One entry per chunk in ranked order: (page, text).
layouts = st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abcdef")), max_size=16)


def collapsed(layout: list[tuple[int, str]], max_per_doc: int, depth: int = 100) -> list[tuple[int, tuple[int, ...]]]:
    """The numbers of the candidates kept, each with those of its repeats."""
    candidates = [
        ScoredCandidate(0.9, 1.0, n, 1, page, text.encode(), 0.5, 1.0) for n, (page, text) in enumerate(layout)
    ]
    kept = collapse(candidates, max_per_doc=max_per_doc, depth=depth)
    return [(candidate.chunk_id, tuple(same_text)) for candidate, same_text in kept.items()]


@pytest.mark.requirement("repeated-passages-are-one-hit")
def test_verbatim_repeats_are_ranked_behind_the_best_of_them() -> None:
    assert collapsed([(1, "a"), (2, "b"), (3, "a"), (4, "a")], 1) == [(0, (2, 3)), (1, ())]


@pytest.mark.requirement("max-per-doc-counts-pages")
def test_sections_of_one_page_share_its_places() -> None:
    assert collapsed([(1, "a"), (1, "b"), (2, "c"), (1, "d")], 2) == [(0, ()), (1, ()), (2, ())]


def test_a_repeated_text_does_not_use_up_a_place_of_its_page() -> None:
    assert collapsed([(1, "a"), (2, "a"), (2, "b")], 1) == [(0, (1,)), (2, ())]


def test_a_repeat_of_a_hit_that_was_left_out_is_shown() -> None:
    assert collapsed([(1, "a"), (1, "b"), (2, "b")], 1) == [(0, ()), (2, ())]


def test_places_are_limited_by_the_depth_and_repeats_beyond_it_are_still_collapsed() -> None:
    assert collapsed([(1, "a"), (2, "b"), (3, "c"), (4, "a")], 1, depth=2) == [(0, (3,)), (1, ())]


@given(layouts, st.integers(1, 3))
def test_collapsing_keeps_the_order_shows_no_text_twice_and_drops_nothing_that_has_room(
    layout: list[tuple[int, str]], max_per_doc: int
) -> None:
    kept = collapsed(layout, max_per_doc)
    ids = [chunk_id for chunk_id, _ in kept]
    assert ids == sorted(ids)
    texts = [layout[n][1] for n in ids]
    assert len(texts) == len(set(texts))
    pages = [layout[n][0] for n in ids]
    assert all(pages.count(page) <= max_per_doc for page in pages)
    for n, (page, text) in enumerate(layout):
        assert text in texts or pages.count(page) == max_per_doc, f"{n} had room"
