import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.operations import operations
from tests.unit.evidence.material import texts

from citemark.evidence.verify import locate
from citemark.model.text import Span

BODY = "Intro words stand here. The registry refuses metadata above 4096 bytes of JSON, always. Closing words end it."
QUOTE = "The registry refuses metadata above 4096 bytes of JSON, always."
PLACE = Span(BODY.index(QUOTE), BODY.index(QUOTE) + len(QUOTE))


@pytest.mark.requirement("tools-kb-verify-verdicts")
def test_the_same_words_at_the_cited_place_are_exact() -> None:
    assert locate(QUOTE, BODY, PLACE).holds == "exact"
    assert locate("metadata above 4096 bytes", BODY, PLACE).holds == "exact"
    assert locate(QUOTE, BODY).holds == "exact"


def test_other_white_space_is_still_exact_and_found_at_the_right_characters() -> None:
    body = BODY.replace("refuses metadata", "refuses\n   metadata")
    found = locate(QUOTE, body, Span(PLACE.start, PLACE.end + 3))
    assert found.holds == "exact"
    assert found.span is not None
    assert found.span.of(body).split() == QUOTE.split()


@pytest.mark.requirement("tools-kb-verify-verdicts")
def test_the_same_words_elsewhere_have_moved() -> None:
    found = locate(QUOTE, "A new paragraph above it all, with some length. " * 3 + BODY, PLACE)
    assert found.holds == "moved"
    assert found.span is not None


def test_the_occurrence_nearest_to_the_citation_is_found() -> None:
    body = "one limit. " * 10
    assert locate("one limit.", body, Span(44, 54)).span == Span(44, 54)


@pytest.mark.requirement("tools-kb-verify-verdicts")
@pytest.mark.parametrize(("old", "new"), [("4096", "8192"), ("refuses", "rejects"), ("of JSON, always", "of JSON")])
def test_slightly_other_words_have_changed(old: str, new: str) -> None:
    body = BODY.replace(old, new)
    found = locate(QUOTE, body, PLACE)
    assert found.holds == "changed"
    assert found.span is not None
    assert new in found.span.of(body)
    assert len(found.span) < len(QUOTE) * 1.3


def test_a_changed_sentence_in_a_dense_script_is_found() -> None:
    assert (
        locate("検索はとても速いと言われている。", "天気。検索はとても早いと言われている。終わり。").holds == "changed"
    )


@pytest.mark.requirement("tools-kb-verify-verdicts")
@pytest.mark.parametrize("body", ["", "Entirely different matters are told in this place, about ships and the sea."])
def test_words_that_occur_nowhere_are_gone(body: str) -> None:
    assert locate(QUOTE, body, PLACE).holds == "gone"
    assert locate(QUOTE, body, PLACE).span is None


def test_an_empty_quote_is_gone() -> None:
    assert locate("  ", BODY, PLACE).holds == "gone"


@given(texts, st.data())
def test_any_piece_of_a_text_is_found_exactly(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    if text[start:end].strip():
        found = locate(text[start:end], text, Span(start, end))
        assert found.holds == "exact"
        assert found.span is not None
        assert found.span.of(text).split() == text[start:end].split()


@given(texts, texts)
def test_a_verdict_is_always_reached(quote: str, body: str) -> None:
    found = locate(quote, body, Span(3, 9))
    assert (found.span is None) == (found.holds == "gone")
    assert found.span is None or found.span.end <= len(body)


@pytest.mark.parametrize(
    "quote", ["some words of another sort repeat now and then " * 4, "words " * 500 + "zebra"], ids=["other", "long"]
)
def test_a_large_body_is_searched_with_work_in_proportion(quote: str) -> None:
    def work(count: int) -> int:
        body = "some words of the same kind repeat here and there " * count
        return operations(lambda: locate(quote, body, Span(0, 10)))

    assert work(1_200) < 4.5 * work(300)


@pytest.mark.requirement("column-padding-is-one-space")
def test_a_table_quoted_without_its_padding_still_holds() -> None:
    body = "Text.\n\n| valve   |  opens at |\n|---------|-----------|\n| V1      |  1 bar    |\n| V2 | - |\n"
    shown = "| valve | opens at |\n|---|---|\n| V1 | 1 bar |"
    found = locate(shown, body, Span(7, 70))
    assert found.holds == "exact"
    assert found.span is not None
    assert found.span.of(body).startswith("| valve   |")
    assert found.span.of(body).endswith("1 bar    |")
    assert locate("| V2 | -- |", body).holds != "exact"


MARKED = (
    '<Note>\nThe <a href="x">registry</a> refuses&nbsp;metadata above <strong>4096</strong> bytes &amp; more.'
    "<br/>Always.\n</Note>"
)


@pytest.mark.requirement("text-shown-without-markup")
@pytest.mark.parametrize(
    "quote",
    [
        "The registry refuses metadata above 4096 bytes & more. Always.",
        "The registry refuses metadata above 4096 bytes &amp; more.",
        "refuses metadata above <strong>4096</strong> bytes",
        "registry refuses metadata",
    ],
)
def test_words_hold_whether_they_are_quoted_with_tags_and_entities_or_as_they_are_read(quote: str) -> None:
    found = locate(quote, MARKED)
    assert found.holds == "exact"
    assert found.span is not None
    shown = found.span.of(MARKED)
    assert shown.startswith(("The <a", "registry", "refuses"))
    assert locate(quote, MARKED, Span(0, len(MARKED))).holds == "exact"
    assert locate(quote, f"Before it.\n{MARKED}", Span(0, 10)).holds == "moved"


@pytest.mark.requirement("text-shown-without-markup")
@pytest.mark.parametrize("quote", ["The registry refuses metadata above 4095 bytes", "a < b and c > d is e"])
def test_characters_that_are_not_markup_are_compared(quote: str) -> None:
    assert locate(quote, f"{MARKED}\na < b and c > d is f").holds != "exact"


@pytest.mark.requirement("text-shown-without-markup")
@pytest.mark.timeout(30)  # read again from each of its parts, each body takes longer
@pytest.mark.parametrize("body", ["<a " * 120_000, "&" * 400_000, "<a" + " x" * 180_000, "&nbsp;" * 80_000])
def test_markup_without_end_is_read_once(body: str) -> None:
    assert locate("nowhere to be found", body).holds == "gone"


def test_words_between_tags_or_entities_are_found_without_a_citation() -> None:
    assert locate("a big word", "It is a <b>big</b> word.").holds == "exact"
    assert locate("R&D is", "Our R&amp;D is here.").holds == "exact"


def test_a_quote_of_markup_that_occurs_nowhere_is_gone() -> None:
    assert locate("<br/>", "a < b, and nothing else").holds == "gone"


def test_a_very_long_quote_is_compared_by_its_words() -> None:
    words = [f"word{number}" for number in range(400)]
    body = "Before it. " + " ".join(words) + " After it."
    changed = " ".join("other" if number % 10 == 0 else word for number, word in enumerate(words))
    found = locate(changed, body)
    assert found.holds == "changed"
    assert found.span is not None
    assert "word1 " in found.span.of(body)
    assert "word399" in found.span.of(body)
    different = " ".join("other" if number % 4 == 0 else word for number, word in enumerate(words))
    assert locate(different, body).holds == "gone"


def test_a_quote_that_is_nowhere_in_a_long_text_is_looked_for_in_a_few_times_its_memory() -> None:
    body = " ".join(f"word{number}" for number in range(40_000))
    tracemalloc.start()
    assert locate("some words that the long text does not contain at all", body).holds == "gone"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * len(body)


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize("body", ["10⁶ litres", "10<sup>6</sup> litres", "10^6 litres", "10<sup>6 litres"])
def test_a_quote_with_another_number_is_never_exact(body: str) -> None:
    assert locate("The tank holds 106 litres", f"The tank holds {body} of brine.").holds != "exact"


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize("body", ["10⁶ litres", "10<sup>6</sup> litres", "10^6 litres", "10^{6} litres"])
@pytest.mark.parametrize("quote", ["10⁶ litres", "10^6 litres", "10<sup>6</sup> litres"])
def test_a_power_is_the_same_words_in_every_notation(quote: str, body: str) -> None:
    text = f"The <b>tank</b> holds {body} of brine."
    found = locate(quote, text)
    assert found.holds == "exact"
    assert found.span is not None
    assert found.span.of(text).startswith("10")


@pytest.mark.requirement("tags-are-in-no-answer")
@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ('<Card title="Pump care" icon="x">\nOil it weekly.\n</Card>', "Pump care\nOil it weekly."),
        ("Oil it %%or not%% weekly. ^oil-1\n\nMore.", "Oil it weekly."),
        ('Oil <a href="x" title="a > b">it</a> weekly.', "Oil it weekly."),
        ('Oil <a href="x">it</a> weekly.', 'Oil <a href="x">it</a> weekly.'),
    ],
)
def test_what_a_reader_of_the_page_sees_holds_exactly(body: str, quote: str) -> None:
    found = locate(quote, f"Before.\n\n{body}\n\nAfter.")
    assert found.holds == "exact"


HIDING = "The pump\u200b is \U000e0041blue, and its soft\u00adware runs. Write <U+200B> for it."


@pytest.mark.requirement("shown-quote-verified")
@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("The pump<U+200B> is <U+E0041>blue", "The pump\u200b is \U000e0041blue"),
        ("The pump\u200b is", "The pump\u200b is"),
        ("its software runs", "its soft\u00adware runs"),
        ("is <U+E0041>blue, and its software", "is \U000e0041blue, and its soft\u00adware"),
        ("Write <U+200B> for it", "Write <U+200B> for it"),
    ],
)
def test_a_quotation_with_hidden_characters_as_they_are_shown_is_exact(quote: str, words: str) -> None:
    found = locate(quote, HIDING, Span(0, len(HIDING)))
    assert found.holds == "exact"
    assert found.span is not None
    assert found.span.of(HIDING) == words


def test_a_quotation_that_claims_another_hidden_character_is_not_exact() -> None:
    assert locate("The pump<U+200C> is <U+E0041>blue", HIDING).holds == "changed"
