import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evidence.material import questions, texts

from citemark.evidence.scoring import (
    RERANKED,
    overlap,
    question_tokens,
    rank_all,
    rank_spans,
    rerank,
    tokenise,
)
from citemark.evidence.spans import SpanKind


def best(question: str, text: str) -> str:
    return rank_spans(question, text)[0].piece.span.of(text)


@pytest.mark.requirement("span-score-is-word-overlap")
def test_the_score_is_the_share_of_question_words_found() -> None:
    text = "The registry has a size limit. Nothing here."
    assert rank_spans("size limit metadata registry", text)[0].overlap == 3 / 4


@pytest.mark.requirement("words-match-whole")
def test_words_match_whole() -> None:
    assert rank_spans("art", "We start here. The art is here.")[0].piece.span.start > 0
    assert rank_spans("art", "We start here.")[0].overlap == 0


@pytest.mark.requirement("shorter-then-earlier-span-wins")
def test_shorter_then_earlier_breaks_ties() -> None:
    assert best("limit", "The limit is long and wordy. A limit. B limit.") == "A limit."


@pytest.mark.requirement("bare-heading-does-not-win")
def test_a_bare_heading_never_wins() -> None:
    text = "The tier relegation rule is four weeks long.\n\n## Tier relegation"
    ranked = rank_spans("tier relegation", text)
    assert ranked[0].piece.kind is SpanKind.SENTENCE
    assert ranked[-1].piece.kind is SpanKind.HEADING


def test_a_header_row_does_not_win_over_a_row() -> None:
    assert "30 min" in best("Meeting frequency", "| Meeting | Frequency |\n|---|---|\n| Working meeting | 30 min |")


def test_a_question_as_heading_brings_its_answer() -> None:
    assert best(
        "Can I delete my server?", "Other words.\n\n### Can I delete my server?\n\nCurrently, no. Bye."
    ).endswith("Currently, no.")


@pytest.mark.requirement("bigrams-for-scripts-without-spaces")
def test_a_dense_script_matches_by_pairs() -> None:
    assert best("検索の速度", "天気がよい。検索は速い。") == "検索は速い。"


@pytest.mark.requirement("same-question-gives-same-quotes")
@given(questions, texts)
def test_ranking_is_repeatable_and_scores_stay_in_bounds(question: str, text: str) -> None:
    ranked = rank_spans(question, text)
    assert ranked == rank_spans(question, text)
    assert all(0 <= span.overlap <= 1 for span in ranked)
    content = [span.overlap for span in ranked if not span.label]
    assert content == sorted(content, reverse=True)


def test_equal_spans_keep_the_order_of_their_texts() -> None:
    assert [span.passage for span in rank_all("limit", ["A limit.", "A limit."])] == [0, 1]


@pytest.mark.requirement("embeddings-may-rerank-spans", "tools-kb-confidence")
def test_a_second_score_raises_paraphrases_and_leaves_the_overlap_unchanged() -> None:
    text = "The service stops at noon. Halt happens midday."
    ranked = rank_spans("when does the service stop", text)
    lifted = rerank(ranked, [0.1, 0.9])
    assert lifted[0].piece.span.of(text) == "Halt happens midday."
    assert lifted[0].overlap == ranked[1].overlap == 0


@pytest.mark.requirement("unrelated-filler-never-quoted")
def test_a_span_without_a_common_word_is_evidence_only_if_nearer_than_chance() -> None:
    text = "The service stops at noon. Halt happens midday. Elephants bathe."
    spans = rerank(rank_spans("service stops", text), [0.2, 0.7, 0.3], chance=0.56)
    assert {span.piece.span.of(text): span.answers for span in spans} == {
        "The service stops at noon.": True,
        "Halt happens midday.": False,
        "Elephants bathe.": True,
    }
    assert not any(span.answers for span in rank_spans("giraffe", text))


@pytest.mark.requirement("embeddings-may-rerank-spans")
@given(st.lists(st.floats(-1, 1), min_size=RERANKED, max_size=RERANKED))
def test_only_the_first_twenty_four_are_reordered(scores: list[float]) -> None:
    ranked = rank_spans("limit", " ".join(f"The limit number {number}." for number in range(40)))
    after = rerank(ranked, lambda spans: scores[: len(spans)])
    assert after[RERANKED:] == ranked[RERANKED:]
    assert {span.piece.span for span in after[:RERANKED]} == {span.piece.span for span in ranked[:RERANKED]}


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize("text", ["10⁶ litres", "10^6 litres", "10<sup>6</sup> litres"])
def test_a_power_is_a_token_of_its_own_in_every_notation(text: str) -> None:
    assert overlap([frozenset({"10⁶"})], text) == 1
    assert overlap([frozenset({"106"})], text) == 0
    assert "10⁶" in question_tokens("What holds 10^6 litres?")


@pytest.mark.requirement("names-compare-as-read")
def test_a_word_with_vowel_points_shares_its_token_with_the_one_without() -> None:
    assert overlap([question_tokens("המשאבה")], "הַמַּשְׁאֵבָה דּוֹלֶפֶת") == 1
    assert overlap([question_tokens("كليد")], "کلید زیر فرش") == 1


def test_a_note_leaves_the_number_and_a_formula_is_found_as_typed() -> None:
    assert {"2000", "2000¹"} <= {token.text for token in tokenise("2000¹ bar")}
    assert overlap([frozenset({"co2"})], "CO₂ falls") == 1
