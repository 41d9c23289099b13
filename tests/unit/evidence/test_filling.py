"""A budget of bytes is filled with whole passages and whole spans, the best first."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evidence.material import split_spans

from citemark.evidence.budget import EvidenceLimits
from citemark.evidence.cutting import WHOLE_BYTES, Filled, Rate
from citemark.evidence.filling import PassageText, alternated, fill_by_words
from citemark.evidence.filling import fill as fill_passages
from citemark.evidence.scoring import question_tokens, tokens_among

LONG = " ".join(
    f"Sentence number {number} says that valve {number} opens at {number} bar." for number in range(400, 440)
)
TABLE = "| valve | opens at |\n|---|---|\n" + "".join(f"| V{number} | {number} bar |\n" for number in range(400, 480))


def fill(texts: Sequence[str], budget: int, rate: Rate, **limits: int) -> list[Filled]:
    return fill_passages([PassageText(text) for text in texts], replace(EvidenceLimits(budget), **limits), rate)


def rated(question: str) -> "Rater":
    return Rater(question)


class Rater:
    """Rates spans by the words of a question, and keeps which passages were rated."""

    def __init__(self, question: str) -> None:
        self._wanted = question_tokens(question)
        self.asked: list[int] = []

    def __call__(self, passage: int, spans: Sequence[str]) -> list[float]:
        self.asked.append(passage)
        return [float(len({token.text for token in tokens_among(span, self._wanted)})) for span in spans]


def shown(texts: Sequence[str], filled: Sequence[Filled]) -> list[str]:
    return [each.span.of(texts[each.passage]) for each in filled]


@pytest.mark.requirement("evidence-fills-a-byte-budget")
def test_short_passages_are_quoted_whole_in_the_order_given_until_the_budget_is_full() -> None:
    texts = [f"{letter * 400}.\n" for letter in "abcdef"]
    assert shown(texts, fill(texts, 2_000, rated(""))) == [f"{letter * 400}." for letter in "abcd"]


def test_passages_that_are_quoted_whole_are_not_rated() -> None:
    rate = rated("valve 417")
    fill(["A short passage.", LONG], 2_000, rate)
    assert rate.asked == [1]


def test_the_best_span_of_a_long_passage_is_quoted_with_its_better_neighbours() -> None:
    (quote,) = shown([LONG], fill([LONG], 800, rated("when does valve 417 open")))
    assert "valve 417 opens at 417 bar." in quote
    assert quote.startswith("Sentence number ")
    assert quote.endswith(" bar.")
    assert WHOLE_BYTES - 80 < len(quote) <= WHOLE_BYTES


def test_rows_of_a_table_bring_its_header() -> None:
    text = "Valves.\n\n" + TABLE
    (filled,) = fill([text], 300, rated("V461"))
    assert filled.header == "| valve | opens at |"
    assert "| V461 | 461 bar |" in filled.span.of(text)
    assert filled.size <= 300


def test_a_run_never_ends_with_a_heading() -> None:
    text = LONG[:700] + "\n\n## Next\n\n" + LONG
    (quote,) = shown([text], fill([text], 800, rated("sentence number 405")))
    assert "## Next" not in quote.splitlines()[-1]


def test_a_passage_without_a_span_that_has_room_is_cut_at_a_word_only_when_it_is_the_best() -> None:
    unbroken = "word " * 400
    (filled,) = fill([unbroken, unbroken], 500, rated("word"))
    assert filled.cut
    assert filled.span.of(unbroken).endswith("word")
    assert filled.size <= 500
    beside = fill(["A first passage that is short.", unbroken], 500, rated("word"))
    assert [each.passage for each in beside] == [0]


def test_a_passage_without_text_is_left_out() -> None:
    assert shown([" \n", "Text."], fill([" \n", "Text."], 100, rated(""))) == ["Text."]


_LINES = st.sampled_from(
    [
        "# Head",
        "A sentence. Another one!",
        "- an item of a list",
        "| a | b |",
        "|---|---|",
        "| c | ü |",
        "",
        "```",
        "x" * 300,
    ]
)


@pytest.mark.requirement("table-rows-bring-their-header")
def test_rows_that_begin_a_passage_bring_the_header_that_indexing_repeats() -> None:
    rows = PassageText("| V400 | 400 bar |\n| V401 | 401 bar |", "| valve | opens at |")
    (filled,) = fill_passages([rows], EvidenceLimits(), rated(""))
    assert filled.header == "| valve | opens at |"
    assert not fill_passages([PassageText("Text.", "| a | b |")], EvidenceLimits(), rated(""))[0].header


@pytest.mark.requirement("column-padding-is-one-space")
def test_padding_of_columns_is_shown_as_one_space_and_that_of_code_is_kept() -> None:
    text = "| valve   |  opens at |\n|---------|-----------|\n| V1      |  1 bar    |\n\n```\na    | b\n```"
    (filled,) = fill([text], 2_000, rated(""))
    assert filled.shown == "| valve | opens at |\n|---|---|\n| V1 | 1 bar |\n\n```\na    | b\n```"
    assert filled.span.of(text) == text


@pytest.mark.requirement("given-limits-bind")
def test_limits_that_are_given_bind_too() -> None:
    texts = [LONG, LONG + " More.", "A short passage."]
    question = "when does valve 417 open"
    assert len(fill(texts, 8_000, rated(question), max_quotes=2)) == 2
    for quote in fill(texts, 8_000, rated(question), max_quote_tokens=40):
        assert quote.size <= 160
    (quote, *_) = shown(texts, fill(texts, 8_000, rated(question), include_context_tokens=20))
    assert quote.count("Sentence number") == 3
    (quote, *_) = shown(texts, fill(texts, 8_000, rated(question), include_context_tokens=0))
    assert quote == "Sentence number 417 says that valve 417 opens at 417 bar."


def test_a_sentence_longer_than_a_quote_may_be_is_cut_and_says_so() -> None:
    (filled,) = fill(["word " * 100 + "."], 2_000, rated("word"), max_quote_tokens=5)
    assert filled.cut
    assert filled.shown == "word word word word"


def test_a_span_is_not_cut_because_other_quotes_left_little_room() -> None:
    texts = ["word " * 60 + "ends.", "word " * 60 + "ends too."]
    filled = fill(texts, 500, rated("word"), max_quote_tokens=100)
    assert [(each.passage, each.cut) for each in filled] == [(0, False)]


def test_a_model_is_asked_only_about_passages_that_are_cut_and_share_no_word() -> None:
    asked: list[str] = []

    def near(spans: Sequence[str]) -> list[float]:
        asked.extend(spans)
        return [float("417" in span) for span in spans]

    texts = [PassageText("A short passage."), PassageText(LONG)]
    fill_by_words(["when does valve 417 open"], texts, EvidenceLimits(), near)
    assert not asked
    (_, filled) = fill_by_words(["mercury"], texts, EvidenceLimits(), near)
    assert asked == split_texts(LONG)[: len(asked)] != []
    assert "valve 417 opens" in filled.shown


def split_texts(text: str) -> list[str]:
    return [span.of(text) for span in split_spans(text)]


@pytest.mark.requirement("phrasings-take-turns")
def test_phrasings_take_turns_behind_the_best_of_all() -> None:
    assert alternated([]) == []
    assert alternated([(0.9, 0.1), (0.8, 0.2), (0.3, 0.7), (0.6, 0.0)]) == [0, 1, 2, 3]
    assert alternated([(0.9, 0.1), (0.8, 0.2), (0.7, 0.3), (0.1, 0.6)]) == [0, 1, 3, 2]


@given(st.lists(st.tuples(st.floats(0, 2), st.floats(0, 2), st.floats(0, 2)), max_size=12))
def test_taking_turns_leaves_nothing_out_and_begins_with_the_best(relevances: list[tuple[float, ...]]) -> None:
    order = alternated(relevances)
    assert sorted(order) == list(range(len(relevances)))
    assert order[:1] == list(range(len(relevances)))[:1]


@given(st.lists(st.lists(_LINES, max_size=30).map("\n".join), max_size=5), st.integers(120, 3_000))
def test_the_budget_is_never_passed_and_spans_are_whole(texts: list[str], budget: int) -> None:
    filled = fill(texts, budget, rated("sentence item c"))
    assert sum(each.size for each in filled) <= budget
    assert [each.passage for each in filled] == sorted({each.passage for each in filled})
    for each in filled:
        text = texts[each.passage]
        if not each.cut:
            assert each.span.of(text).strip() == each.span.of(text) != ""
            borders = [border for span in split_spans(text) for border in (span.start, span.end)]
            whole = (len(text) - len(text.lstrip()), len(text.rstrip()))
            assert each.span.start in {*borders, whole[0]}
            assert each.span.end in {*borders, whole[1]}


def test_a_label_that_is_quoted_for_want_of_anything_else_is_whole_where_it_fits() -> None:
    text = "# Valves\n\n" + "# Ducts\n\n" * 60
    (filled,) = fill([text], 100, rated("valves"))
    assert (filled.shown, filled.cut) == ("# Valves", False)


def test_nothing_is_quoted_if_not_one_character_fits() -> None:
    assert fill(["日本" * 100], 2, rated("")) == []


def test_a_neighbour_is_taken_by_its_own_rate() -> None:
    sentences = [f"{word} {'filler ' * 12}end." for word in ("Far", "Poor", "Best", "Good", "Far")]
    rates = [9.0, 1.0, 10.0, 2.0, 0.0]
    text = " ".join(sentences)
    (quote,) = shown([text], fill([text], 220, lambda _passage, _spans: rates))
    assert [word for word in ("Far", "Poor", "Best", "Good") if word in quote] == ["Best", "Good"]
    rates = [0.0, 2.0, 10.0, 1.0, 9.0]
    (quote,) = shown([text], fill([text], 220, lambda _passage, _spans: rates))
    assert [word for word in ("Far", "Poor", "Best", "Good") if word in quote] == ["Poor", "Best"]


@pytest.mark.parametrize(("around", "taken"), [(39, True), (40, False)])
def test_context_is_taken_up_to_what_was_asked_for(around: int, taken: bool) -> None:
    # The space between two sentences counts as context too: 1 + 39 bytes are ten tokens.
    after = "y" * (around - 1) + "."
    text = f"The valve opens. {after} {'More of it. ' * 100}"
    rates = Rater("valve opens")
    (quote,) = shown([text], fill([text], 8_000, rates, include_context_tokens=10))
    assert (after in quote) == taken


def passage(text: str, *relevances: float, document: str = "a", side: str = "") -> PassageText:
    return PassageText(text, relevances=relevances, document=document, side=side)


def numbers(passages: Sequence[PassageText], limits: EvidenceLimits | None = None, question: str = "") -> list[int]:
    return [each.passage for each in fill_passages(passages, limits or EvidenceLimits(), rated(question))]


@pytest.mark.requirement("evidence-stops")
def test_quotes_end_where_relevance_drops() -> None:
    assert numbers([passage("First.", 0.8), passage("Second.", 0.65), passage("Third.", 0.5)]) == [0, 1]
    assert numbers([passage("First.", 0.8), passage("Second.", 0.5)], EvidenceLimits(2_000)) == [0, 1]
    assert numbers([passage("First.", 0.8), passage("Second.", 0.5)], EvidenceLimits(2_000, fills=False)) == [0]


@pytest.mark.requirement("evidence-stops")
def test_one_document_gets_twelve_hundred_bytes_and_several_that_answer_alike_twice_as_many() -> None:
    less = [passage(LONG, 0.9), *(passage(LONG + str(number), 0.7) for number in range(9))]
    alike = [passage(LONG, 0.9), *(passage(LONG + str(number), 0.88, document=str(number)) for number in range(9))]

    def size(passages: Sequence[PassageText], limits: EvidenceLimits | None = None) -> int:
        return sum(each.size for each in fill_passages(passages, limits or EvidenceLimits(), rated("valve 417")))

    assert size(less) <= 1_200 < size(alike) <= 2_400
    assert size(alike, EvidenceLimits(1_000, fills=False)) <= 1_000
    assert len(numbers(alike)) > len(numbers(less))


@pytest.mark.requirement("both-sides")
def test_the_best_of_each_side_and_document_comes_before_a_second_of_any() -> None:
    passages = [
        passage("First of a.", 0.9, document="a", side="1.0"),
        passage("Second of a.", 0.9, document="a", side="1.0"),
        passage("First of b.", 0.85, document="b"),
        passage("Of the other side, far less relevant.", 0.2, document="c", side="2.0"),
        passage("Of no side.", 0.2, document="d"),
    ]
    assert numbers(passages) == [0, 3, 2, 1]


def test_a_passage_is_as_relevant_as_under_the_phrasing_that_suits_it() -> None:
    turns = [passage("First.", 0.9, 0.1), passage("Second.", 0.1, 0.8), passage("Third.", 0.3, 0.3)]
    assert numbers(turns) == [0, 1]
    guessed = [passage("First.", 0.9, 0.1), passage("Second.", 0.1, 0.4)]
    assert numbers(guessed) == [0]
    assert numbers([passage("First.", 0.0), passage("Second.", 0.0)]) == [0, 1]
    assert numbers([passage("First."), passage("Second.", 0.1), passage("Third.", 0.9)]) == [0, 2]


@pytest.mark.requirement("no-shreds")
def test_a_passage_that_does_not_fit_is_skipped_for_one_that_does() -> None:
    texts = ["x" * 300 + ".", "y" * 200 + ". Tiny.", "A whole one."]
    assert shown(texts, fill(texts, 400, rated("tiny"))) == [texts[0], texts[2]]


def test_rare_words_choose_the_span_that_is_quoted() -> None:
    text = (
        "The pump of the hall is old. " * 30
        + "The pump of the hall leaks at the flange. "
        + "The pump is in the hall. " * 30
    )
    (filled,) = fill_by_words(["flange of the pump in the hall"], [PassageText(text)], EvidenceLimits(200))
    assert "flange" in filled.shown


def test_hidden_characters_count_as_what_is_shown_of_them() -> None:
    text = "The pump is blue." + "\U000e0041" * 100
    (found,) = fill([text], 600, rated("pump"))
    assert found.size <= 600
    assert found.cut
