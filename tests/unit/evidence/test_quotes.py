from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evidence.material import questions, texts

from citemark.evidence.budget import QuoteLimits, count_tokens
from citemark.evidence.quotes import MAX_QUOTE_CHARS, choose_quotes
from citemark.evidence.readable import Unpadded
from citemark.evidence.scoring import rank_all, rerank
from citemark.evidence.verify import locate

limits_drawn = st.builds(
    QuoteLimits,
    max_quotes=st.integers(1, 12),
    max_quote_tokens=st.integers(1, 200),
    include_context_tokens=st.integers(0, 200),
)
passages = st.lists(texts, min_size=1, max_size=4)


def quoted(question: str, *passage_texts: str, **limits: int) -> list[str]:
    return [
        quote.text for quote in choose_quotes(rank_all(question, passage_texts), passage_texts, QuoteLimits(**limits))
    ]


@pytest.mark.requirement("quotes-cut-at-500-characters", "evidence-tools-return-only-quotes")
@given(questions, passages, limits_drawn)
def test_quotes_are_verbatim_within_every_cap_and_disjoint(
    question: str, passage_texts: list[str], limits: QuoteLimits
) -> None:
    quotes = choose_quotes(rank_all(question, passage_texts), passage_texts, limits)
    assert len(quotes) <= limits.max_quotes
    for quote in quotes:
        assert quote.text == Unpadded(passage_texts[quote.passage]).show(quote.span)
        assert quote.text.strip()
        assert count_tokens(quote.text) <= limits.max_quote_tokens
        assert len(quote.text) <= MAX_QUOTE_CHARS
        assert quote.span.contains(quote.core)
        assert locate(quote.text, passage_texts[quote.passage], quote.span).holds == "exact"
    for passage in range(len(passage_texts)):
        spans = sorted(quote.span for quote in quotes if quote.passage == passage)
        assert all(one.end <= other.start for one, other in pairwise(spans))
    assert quotes == choose_quotes(rank_all(question, passage_texts), passage_texts, limits)


@pytest.mark.requirement("quotes-cut-at-500-characters", "known-survivors-are-killed")
def test_a_quote_of_a_longer_sentence_is_cut_at_500_characters() -> None:
    (quote,) = quoted("limit", "limit " * 400, max_quotes=1, max_quote_tokens=2_000, include_context_tokens=0)
    assert 490 < len(quote) <= 500


@pytest.mark.requirement("quotes-cut-at-500-characters")
def test_context_stops_at_500_characters() -> None:
    around = " ".join(f"Sentence {number} says little." for number in range(100))
    (quote,) = quoted(
        "limit",
        f"{around} The limit is four. {around}",
        max_quotes=1,
        max_quote_tokens=2_000,
        include_context_tokens=2_000,
    )
    assert "The limit is four." in quote
    assert 460 < len(quote) <= 500


@pytest.mark.requirement("quote-contains-the-matching-span")
@given(questions, passages, limits_drawn)
def test_a_quote_contains_a_matched_word_of_its_span_when_one_fits(
    question: str, passage_texts: list[str], limits: QuoteLimits
) -> None:
    ranked = rank_all(question, passage_texts)
    for quote in choose_quotes(ranked, passage_texts, limits):
        hits = [
            token
            for span in ranked
            if span.passage == quote.passage and span.piece.span.contains(quote.core)
            for token in span.hits
        ]
        room = limits.max_quote_tokens * 4
        if any(
            len(passage_texts[quote.passage][hit.start : hit.end].encode("utf-8", "replace")) <= room for hit in hits
        ):
            assert any(quote.span.start <= hit.start and hit.end <= quote.span.end for hit in hits)


@pytest.mark.requirement("quote-contains-the-matching-span")
def test_the_window_of_a_long_span_holds_the_matched_words() -> None:
    text = "padding " * 100 + "the relegation happens after four weeks " + "padding " * 100
    (quote,) = quoted("relegation weeks", text, max_quote_tokens=20, include_context_tokens=0)
    assert "the relegation happens after four weeks" in quote


def test_context_is_added_up_to_a_sentence_border() -> None:
    text = "Before it. The limit is four. After it. A much longer sentence that is out of reach entirely."
    assert quoted("limit", text, include_context_tokens=5) == ["Before it. The limit is four. After it."]
    assert quoted("limit", text, include_context_tokens=0) == ["The limit is four."]


def test_an_announced_list_is_quoted_with_its_announcement() -> None:
    text = "We support these registries:\n\n- Docker Hub\n- Quay\n\nOther matters follow here."
    assert quoted("which registries", text, include_context_tokens=0) == [
        "We support these registries:\n\n- Docker Hub\n- Quay"
    ]


def test_the_same_words_are_quoted_once() -> None:
    assert quoted("limit", "The limit is four.", "the limit\nis  four.", include_context_tokens=0) == [
        "The limit is four."
    ]


@pytest.mark.requirement("best-spans-across-all-passages")
def test_equal_matches_are_dealt_over_the_passages() -> None:
    first = " ".join(f"A limit {letter}." for letter in "abcdefgh")
    quotes = choose_quotes(
        rank_all("limit", [first, "The limit.", "B limit z."]),
        [first, "The limit.", "B limit z."],
        QuoteLimits(max_quotes=3, include_context_tokens=0),
    )
    assert {quote.passage for quote in quotes} == {0, 1, 2}


@pytest.mark.requirement("tools-kb-confidence")
def test_confidence_is_the_overlap_even_after_reranking() -> None:
    texts_given = ["The size limit. Something else entirely."]
    ranked = rerank(rank_all("size limit", texts_given), [0.0, 1.0])
    quotes = choose_quotes(ranked, texts_given, QuoteLimits(include_context_tokens=0))
    assert [quote.confidence for quote in quotes] == [1.0, 0.0]


def test_spans_without_a_match_are_left_out_where_others_match() -> None:
    assert quoted("limit", "A limit. Nothing. Nobody.", include_context_tokens=0) == ["A limit."]


@pytest.mark.parametrize(("length", "whole"), [(8_000, True), (8_001, False)])
def test_a_range_up_to_sixteen_times_its_visible_length_is_quoted_and_no_longer_one(length: int, whole: bool) -> None:
    text = ("The limit is four" + "<i></i>" * 1_139).ljust(length - 1, "x") + "."
    assert len(text) == length
    (quote,) = choose_quotes(rank_all("limit", [text]), [text], QuoteLimits(max_quote_tokens=2_000))
    assert (quote.cut is None) == whole


def test_the_matching_part_of_an_overlong_line_of_code_is_quoted() -> None:
    text = "```sh\nfirst line\n" + "--option " * 40 + "--relegation " + "--option " * 40 + "\nlast line\n```"
    (quote,) = quoted("relegation", text, max_quote_tokens=20, include_context_tokens=0)
    assert "--relegation" in quote
    assert "\n" not in quote


@pytest.mark.requirement("evidence-stops")
def test_quotes_end_where_spans_answer_much_less_well_than_the_best() -> None:
    text = "The kiln burns oak at 900 degrees. The kiln is made of brick. Rain fell on the roof of the kiln."
    ranked = rank_all("At which degrees does the kiln burn oak?", [text])
    cosines = [0.8 if "900" in span.piece.span.of(text) else 0.1 for span in ranked]
    few = choose_quotes(rerank(ranked, cosines), [text], QuoteLimits(include_context_tokens=0))
    assert [quote.text for quote in few] == ["The kiln burns oak at 900 degrees."]
    every = choose_quotes(rerank(ranked, None), [text], QuoteLimits(include_context_tokens=0))
    assert len(every) == 3
