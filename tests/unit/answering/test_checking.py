"""What a check says of each sentence, and of what no document says."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.answering.papers import document

from citemark.answering.checking import check

_DOCUMENTS = [
    document(
        1, "The library opens at nine. It is closed on 24 December 2025.\n\n- Loans last three weeks.", title="House"
    ),
    document(2, "Late fees are not charged to members. Guests pay 2.50 EUR for each day.", title="Fees"),
]


def test_a_column_name_is_not_an_unsupported_claim() -> None:
    rows = replace(document(1, "| archive | second |\n| shop | first |"), header="| Room | Fire Code B7 |")
    answer = "The archive has the Fire Code B7 second [1]."
    assert not check(answer, [rows]).unsupported_claims
    assert check(answer, [replace(rows, header="")]).unsupported_claims


@pytest.mark.requirement("unsupported-sentences-are-marked")
@pytest.mark.parametrize(
    ("sentence", "standing"),
    [
        ("The library opens at nine [1].", "supported"),
        ("Loans last three weeks. [1]", "supported"),
        ("Late fees are charged to members [2].", "unsupported"),
        ("The library opens at nine [2].", "unsupported"),
        ("Loans last five weeks [1].", "unsupported"),
        ("The library opens at nine and serves free coffee to every visitor [1].", "unsupported"),
        ("The library opens at nine.", "uncited"),
        ("The library opens at nine [7].", "no_such_document"),
        ("Doors unlock each morning [1].", "unproven"),
        ("I hope this helps!", "no_claim"),
        ("Here is a short overview.", "no_claim"),
        ("Would you like to know more?", "no_claim"),
        ("The documents do not mention parking.", "no_claim"),
        ("*Would you like to know more?*", "no_claim"),
        ("**I hope this helps!**", "no_claim"),
        ("Doors unlock.", "no_claim"),
        ("Doors unlock now.", "uncited"),
        ("Doors: 9.", "uncited"),
    ],
)
def test_each_sentence_gets_its_standing(sentence: str, standing: str) -> None:
    checked = check(sentence, _DOCUMENTS)
    assert [entry.standing for entry in checked.sentences] == [standing]
    assert bool(checked.uncited_sentences) == (standing not in {"supported", "no_claim"})


def test_support_names_the_document_and_the_supporting_words() -> None:
    (sentence,) = check("Guests pay 2.50 EUR a day [1][2].", _DOCUMENTS).sentences
    assert sentence.support is not None
    assert (sentence.support.document, sentence.cited) == (2, (1, 2))
    assert sentence.support.span.of(_DOCUMENTS[1].text) == "Guests pay 2.50 EUR for each day."
    assert 0.5 <= sentence.support.score <= 1


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("One is so [1]. [2] Two is so. [1][2]", [("One is so [1]. [2]", (1, 2)), ("Two is so. [1][2]", (1, 2))]),
        ("One is so.[1] Two is so.[2]", [("One is so.[1]", (1,)), ("Two is so.[2]", (2,))]),
        ("[1] says one thing. It is so.", [("[1] says one thing.", (1,)), ("It is so.", ())]),
        (
            "- First is this [1]\n- Second is that [2]\n",
            [("- First is this [1]", (1,)), ("- Second is that [2]", (2,))],
        ),
    ],
)
def test_a_citation_belongs_to_the_sentence_before_it(answer: str, texts: list[tuple[str, tuple[int, ...]]]) -> None:
    checked = check(answer, _DOCUMENTS)
    assert [entry.cited for entry in checked.sentences] == [cited for _, cited in texts]


@pytest.mark.requirement("unsourced-numbers-and-names-listed")
@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("It is closed on December 24, 2025 [1].", ()),
        ("It is closed on 2025-12-24 [1].", ()),
        ("It is closed on March 15, 2026 [1].", ("March 15, 2026",)),
        ("Loans last 21 days [1].", ()),
        ("Loans last 3 days [1].", ("3 days",)),
        ("Loans last five weeks [1].", ("five weeks",)),
        ("Guests pay 4.50 EUR [2].", ("4.50",)),
        ("Late fees go to Amazon and `pay.example` [2].", ("Amazon", "pay.example")),
        ("Late fees go to Acme Cloud [2].", ("Acme Cloud",)),
        ("The House has rules [1].", ()),
        ("It cools down to -40 degrees [1].", ("-40",)),
        ("It cools down to 5-40 degrees [1].", ("40", "5")),
        ("See table A-40 [1].", ("40",)),
        ("Die Leihfrist beträgt drei Wochen [1].", ()),
        ("Die Bibliothek ist für die Besucher der Stadt offen [1].", ()),
    ],
)
def test_numbers_dates_and_names_of_no_document_are_listed(sentence: str, claims: tuple[str, ...]) -> None:
    assert tuple(sorted(check(sentence, _DOCUMENTS).unsupported_claims)) == tuple(sorted(claims))


@pytest.mark.requirement("unsupported-sentences-are-marked", "unsourced-numbers-and-names-listed")
@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("Thanks to Bob Miller, the fee is 4711 euros.", ("4711", "Bob Miller")),
        ("Feel free to use vinegar at 95 degrees.", ("95",)),
        ("Documents do not expire before 900 days.", ("900 days",)),
        ("The auditor could not find fraud in 2031, says Bob Miller.", ("2031", "Bob Miller")),
    ],
)
def test_what_sounds_polite_or_like_something_missing_is_checked(sentence: str, claims: tuple[str, ...]) -> None:
    checked = check(sentence, _DOCUMENTS)
    assert [entry.standing for entry in checked.sentences] == ["uncited"]
    assert tuple(sorted(checked.unsupported_claims)) == claims


@pytest.mark.requirement("unsupported-sentences-are-marked")
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The pressure is 15 bar.", "5 bar. [1]"),
        ("The pressure is 1.5 bar.", "5 bar. [1]"),
        ("Do not use vinegar.", "use vinegar. [1]"),
    ],
)
def test_words_that_a_document_has_only_as_a_part_of_something_else_do_not_support_a_sentence(
    text: str, answer: str
) -> None:
    source = document(1, text)
    assert [entry.standing for entry in check(answer, [source]).sentences] == ["unsupported"]


def test_words_that_a_document_denies_are_supported_only_in_an_answer_made_of_quotations() -> None:
    source = document(1, "Do not use vinegar.")
    assert [entry.standing for entry in check("> use vinegar. [1]", [source], quotes=True).sentences] == ["supported"]
    assert [entry.standing for entry in check("> use vinegar. [1]", [source]).sentences] == ["unsupported"]


@pytest.mark.requirement("unsourced-numbers-and-names-listed")
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It ends in APR\u0130L 2024.", "It ends in April 2024 [1]."),
        ("It takes 5 M\u0130N.", "It takes 5 minutes [1]."),
        ("It takes 5 m\u0131n.", "It takes five minutes [1]."),
        ("It is ONE F\u0130FTH of the fee.", "It is one fifth of the fee [1]."),
        ("It takes 5 day\u017f and 2 wee\u212as.", "It takes 5 days and 14 days [1]."),
        (f"It takes {'9' * 4_299} days.", f"It takes {'9' * 4_299} days [1]."),
        ("ACME \u0130STANBUL opens at nine.", "Acme Istanbul opens at nine [1]."),
    ],
)
def test_letters_in_an_unusual_case_and_long_numbers_are_compared_like_others(text: str, answer: str) -> None:
    for said, source in ((answer, document(1, text)), (f"{text} [1]", document(1, answer.replace("[1]", "")))):
        checked = check(said, [source])
        assert not checked.unsupported_claims
        assert checked.sentences


@pytest.mark.requirement("citations-of-no-document-removed")
def test_a_citation_of_no_document_is_gone_from_the_text_and_counted() -> None:
    checked = check("The library opens at nine [1][8]. It is so [9]. Also [9].", _DOCUMENTS)
    assert checked.text == "The library opens at nine [1]. It is so. Also."
    assert (checked.out_of_range, checked.removed) == ((8, 9), 3)
    assert [entry.missing for entry in checked.sentences] == [(8,), (9,), (9,)]


@pytest.mark.parametrize("answer", ["", " \n", "[1]", "[[[[", "`" * 9, "…" * 50, "a" * 100_000, "x. " * 10_000])
def test_no_answer_makes_the_check_fail(answer: str) -> None:
    checked = check(answer, _DOCUMENTS)
    assert checked.text == answer


@given(st.text(alphabet=st.sampled_from("ab. ,[]()0123456789`\n*-DocumentsA")), st.integers(0, 2))
def test_the_spans_of_sentences_point_to_their_text(answer: str, count: int) -> None:
    checked = check(answer, _DOCUMENTS[:count])
    assert all(entry.span.of(checked.text) == entry.text for entry in checked.sentences)
    assert all(number <= count for entry in checked.sentences for number in entry.cited)


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize(
    ("said", "unsupported"),
    [
        ("The tank holds 10⁶ litres [1].", ()),
        ("The tank holds 10^6 litres [1].", ()),
        ("The tank holds 106 litres [1].", ("106",)),
        ("The tank holds 10⁷ litres [1].", ("10⁷",)),
        ("The pressure is 15 bar [1].", ()),
        ("The pressure is 151 bar [1].", ("151",)),
        ("It measures CO2 [1].", ()),
        ("It measures CO3 [1].", ("CO3",)),
    ],
)
def test_a_number_that_only_looks_alike_is_not_supported(said: str, unsupported: tuple[str, ...]) -> None:
    source = document(1, "The tank holds 10⁶ litres. The pressure is 15¹ bar. It measures CO₂.")
    assert check(said, [source]).unsupported_claims == unsupported
