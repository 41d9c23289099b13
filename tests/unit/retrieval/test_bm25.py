"""The weights of a question and the split into rare and frequent words."""

from dataclasses import replace
from math import isclose, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.model.candidates import QueryTerm, SparsePlan
from citemark.model.ids import SourceId
from citemark.model.sources import MOST_CONFIGURATIONS, AllowedSources, Lexicon, Source
from citemark.retrieval.question_words import K1, idf, idle_words, plan_sparse

counts = st.lists(st.integers(0, 60_000), min_size=1, max_size=8)


def allowed(chunks: int, mean: int = 50, sources: int = 1) -> AllowedSources:
    found = tuple(Source(SourceId(number), "local", f"s{number}", "docs") for number in range(1, sources + 1))
    return AllowedSources(found, chunks, chunks * mean, (lexicon(chunks, mean),))


def lexicon(chunks: int, mean: int = 50, configuration: str = "english") -> Lexicon:
    return Lexicon(SourceId(1), configuration, 1, chunks, chunks * mean)


def terms(dfs: list[int], source_id: int = 1, configuration: str = "english", first_id: int = 1) -> list[QueryTerm]:
    return [QueryTerm(f"w{n}", SourceId(source_id), n + first_id, df, configuration) for n, df in enumerate(dfs)]


def test_idf_is_the_textbooks_and_never_negative() -> None:
    assert idf(100, 1) == pytest.approx(log(1 + 99.5 / 1.5))
    assert idf(100, 100) > 0
    assert idf(0, 5) > 0  # statistics may lag behind the postings


@given(st.integers(1, 100_000), st.integers(0, 100_000), st.integers(0, 100_000))
def test_a_rarer_word_weighs_more(chunks: int, one: int, two: int) -> None:
    low, high = sorted((min(one, chunks), min(two, chunks)))
    assert idf(chunks, low) >= idf(chunks, high)


def test_a_question_without_a_known_word_has_no_plan() -> None:
    assert plan_sparse(terms([0, 0]), allowed(10)) is None
    assert plan_sparse([], allowed(10)) is None
    assert plan_sparse(terms([1]), allowed(0)) is None


@given(counts)
@pytest.mark.requirement("two-phase-ranking-equals-full-ranking")
def test_every_known_word_is_in_exactly_one_phase_and_rare_ones_come_first(dfs: list[int]) -> None:
    plan = plan_sparse(terms(dfs), allowed(100_000))
    known = {n + 1: df for n, df in enumerate(dfs) if df > 0}
    if plan is None:
        assert not known
        return
    assert sorted([*plan.rare.ids, *plan.often.ids]) == sorted(known)
    assert plan.rare.ids, "at least one word finds candidates"
    assert all(known[rare] <= known[often] for rare in plan.rare.ids for often in plan.often.ids)
    found = sum(known[number] for number in plan.rare.ids)
    assert found <= 10_000 or len(plan.rare.ids) == 1


def rare_and_often(dfs: list[int], chunks: int) -> tuple[list[int], list[int]]:
    plan = plan_sparse(terms(dfs, first_id=0), allowed(chunks))
    assert plan is not None
    return sorted(dfs[number] for number in plan.rare.ids), sorted(dfs[number] for number in plan.often.ids)


@pytest.mark.requirement("known-survivors-are-killed")
def test_words_are_rare_until_they_have_ten_thousand_postings_together() -> None:
    assert rare_and_often([4_000, 6_000, 6_001], 100_000) == ([4_000, 6_000], [6_001])
    assert rare_and_often([4_000, 6_001], 100_000) == ([4_000], [6_001])


def test_in_a_large_index_words_are_rare_until_they_occur_in_8_of_100_chunks_together() -> None:
    assert rare_and_often([30_000, 50_000, 50_001], 1_000_000) == ([30_000, 50_000], [50_001])
    assert rare_and_often([30_000, 50_001], 1_000_000) == ([30_000], [50_001])


def test_a_word_that_is_frequent_by_itself_finds_candidates_where_there_is_no_rarer_one() -> None:
    assert rare_and_often([60_000, 70_000], 100_000) == ([60_000], [70_000])


@given(counts, st.data())
def test_no_chunk_can_score_more_than_the_upper_bound(dfs: list[int], data: st.DataObject) -> None:
    plan = plan_sparse(terms(dfs), allowed(100_000))
    if plan is None:
        return
    length = data.draw(st.integers(1, 32_767))
    tfs = [data.draw(st.integers(0, 256)) for _ in plan.every.ids]
    assert bm25(plan, tfs, length) <= plan.upper_bound * (1 + 1e-12)


def bm25(plan: SparsePlan, tfs: list[int], length: int) -> float:
    every = plan.every
    return sum(
        weight * tf * (K1 + 1) / (tf + K1 * (0.25 + 0.75 * length / mean))
        for weight, mean, tf in zip(every.idf, every.mean_lengths, tfs, strict=True)
    )


def test_words_that_occur_nowhere_raise_the_bound() -> None:
    known, strange = plan_sparse(terms([3]), allowed(100)), plan_sparse(terms([3, 0]), allowed(100))
    assert known is not None
    assert strange is not None
    assert strange.upper_bound > known.upper_bound


def test_a_word_of_several_sources_is_weighed_by_all_of_them_together() -> None:
    plan = plan_sparse([*terms([3]), *terms([5], source_id=2)], allowed(100, sources=2))
    assert plan is not None
    assert list(zip(plan.every.sources, plan.every.ids, strict=True)) == [(1, 1), (2, 1)]
    assert all(isclose(weight, idf(100, 8)) for weight in plan.every.idf)


def mixed(english: list[int], german: list[int], german_chunks: int = 200) -> SparsePlan | None:
    """A question as both languages of one source read it; German terms have ids from 100 on."""
    allowed = AllowedSources(
        (Source(SourceId(1), "local", "s", "docs"),),
        100_000 + german_chunks,
        5_000_000 + german_chunks * 80,
        (lexicon(100_000), lexicon(german_chunks, 80, "german")),
    )
    return plan_sparse([*terms(english), *terms(german, configuration="german", first_id=100)], allowed)


@given(counts, st.lists(st.integers(0, 200), min_size=1, max_size=8), st.data())
@pytest.mark.requirement("word-counts-once-in-all-readings")
def test_a_chunk_of_any_language_reaches_the_bound_at_most_and_counts_each_word_once(
    english: list[int], german: list[int], data: st.DataObject
) -> None:
    plan = mixed(english, german)
    if plan is None:
        return
    is_german = data.draw(st.booleans())
    length = data.draw(st.integers(1, 32_767))
    # A chunk stands in the lexicon of its own language alone.
    tfs = [data.draw(st.integers(0, 256)) if (number >= 100) == is_german else 0 for number in plan.every.ids]
    assert bm25(plan, tfs, length) <= plan.upper_bound * (1 + 1e-9)


@given(counts, st.lists(st.integers(0, 200), max_size=8), st.data())
@pytest.mark.requirement("word-counts-once-in-all-readings")
def test_a_chunk_has_the_share_that_an_index_of_its_language_alone_would_give_it(
    english: list[int], german: list[int], data: st.DataObject
) -> None:
    alone, beside = plan_sparse(terms(english), allowed(100_000)), mixed(english, german)
    if alone is None or beside is None:
        return
    tf_of = {number: data.draw(st.integers(0, 9)) for number in alone.every.ids}

    def share(plan: SparsePlan) -> float:
        return bm25(plan, [tf_of.get(number, 0) for number in plan.every.ids], 70) / plan.upper_bound

    assert share(beside) == pytest.approx(share(alone))


@pytest.mark.requirement("word-counts-once-in-all-readings")
def test_the_bound_is_that_of_the_best_reading_and_no_sum_of_readings() -> None:
    english, german = plan_sparse(terms([3, 9]), allowed(100_000)), mixed([0], [5, 5])
    both = mixed([3, 9], [5, 5])
    assert english is not None
    assert german is not None
    assert both is not None
    assert both.upper_bound == pytest.approx(max(english.upper_bound, german.upper_bound))


def test_a_question_is_read_in_a_handful_of_languages_at_most_the_largest() -> None:
    lexicons = [lexicon(n, configuration=f"l{n:02}") for n in range(1, 30)]
    asked = AllowedSources((), 0, 0, tuple(lexicons)).asked
    assert len(asked) == MOST_CONFIGURATIONS
    assert {entry.configuration for entry in asked} == {f"l{n:02}" for n in range(29, 29 - MOST_CONFIGURATIONS, -1)}


@pytest.mark.requirement("grammar-is-not-missing")
def test_words_that_only_ask_or_belong_to_the_other_language_do_not_count_as_missing() -> None:
    def read(word: str, *found: tuple[str, int]) -> list[QueryTerm]:
        return [QueryTerm(word, SourceId(1), 1, df, configuration) for configuration, df in found]

    readings = {
        "did": read("did", ("german", 0)),  # a stop word in English
        "Wann": read("wann", ("english", 0), ("german", 3)),
        "WHO": read("who", ("english", 2), ("german", 2)),
        "airport": read("airport", ("english", 0), ("german", 0)),
        "paper": read("paper", ("german", 2)),
    }
    idle = idle_words(readings, {"english", "german"})
    assert idle == {("german", "did"), ("english", "wann"), ("german", "wann")}
    asked = [term for word in ("did", "airport", "paper") for term in readings[word]]
    without, all_words = plan_sparse(asked, _both(), idle), plan_sparse(asked, _both())
    assert without is not None
    assert all_words is not None
    assert without.upper_bound < all_words.upper_bound


def test_a_question_of_nothing_but_words_that_ask_is_looked_up_as_it_is() -> None:
    asked = terms([3])
    assert plan_sparse(asked, allowed(100), {(term.configuration, term.lexeme) for term in asked}) is not None


def _both() -> AllowedSources:
    lexicons = (lexicon(100), lexicon(100, configuration="german"))
    return replace(allowed(200), lexicons=lexicons)
