"""Answers made of quotations only."""

from dataclasses import replace

import pytest
from tests.unit.answering.papers import document

from citemark.answering.checking import check
from citemark.answering.extractive import extractive_answer, own_citations
from citemark.evidence.budget import count_tokens
from citemark.model.text import Span

_DOCUMENTS = [
    document(5, "The library opens at nine and closes at six on weekdays. Dogs wait outside."),
    document(2, "The house is old. Its roof was renewed in 1998.\n\n| room | floor |\n|---|---|\n| archive | second |"),
]


@pytest.mark.requirement("quoting-is-always-possible")
def test_an_extractive_answer_quotes_word_for_word_with_the_number_of_the_document_and_the_same_each_time() -> None:
    answer = extractive_answer(["When does the library open?"], _DOCUMENTS)
    assert answer is not None
    assert answer.startswith("> The library opens at nine and closes at six on weekdays.")
    assert "[5]" in answer
    assert answer == extractive_answer(["When does the library open?"], _DOCUMENTS)


@pytest.mark.parametrize("question", ["When does the library open?", "Which floor is the archive on?", "Old roof?"])
def test_its_own_check_finds_every_quotation_supported(question: str) -> None:
    answer = extractive_answer([question], _DOCUMENTS)
    assert answer is not None
    checked = check(answer, _DOCUMENTS, own_citations(answer), quotes=True)
    assert checked.text == answer
    assert not checked.out_of_range
    assert not checked.unsupported_claims
    assert {sentence.standing for sentence in checked.sentences} <= {"supported", "no_claim"}


def test_an_extractive_answer_keeps_to_its_budget() -> None:
    long = [document(1, " ".join(f"The library opens hall {number} at nine." for number in range(200)))]
    answer = extractive_answer(["When does the library open?"], long, most_tokens=150)
    assert answer is not None
    assert count_tokens(answer) <= 150


@pytest.mark.parametrize("texts", [[], [""], ["\n \n"]])
def test_without_words_there_is_no_answer(texts: list[str]) -> None:
    documents = [document(number, text) for number, text in enumerate(texts, start=1)]
    assert extractive_answer(["When?"], documents) is None


def test_an_element_is_quoted_once_from_its_defining_line_within_the_budget() -> None:
    near = "\n".join(
        f"It is served by: Desk {number} (BusinessRole), Hall {number} (Facility)." for number in range(30)
    )
    short = document(1, "Shop is a BusinessRole.\nIt serves Portal (BusinessRole).", doc_type="element")
    long = document(2, f"Portal is a BusinessRole.\n{near}\nIt serves Depot (BusinessRole).", doc_type="element")
    answer = extractive_answer(["Who serves the portal and the depot?"], [short, long], most_tokens=200)
    assert answer is not None
    assert "> Shop is a BusinessRole.\n> It serves Portal (BusinessRole). [1]" in answer.split("\n\n")
    of_portal = next(block for block in answer.split("\n\n") if block.endswith("[2]"))
    assert of_portal.startswith("> Portal is a BusinessRole.\n")
    assert "It serves Depot (BusinessRole)." in of_portal
    assert len(answer.split("\n\n")) == 2
    assert count_tokens(answer) <= 200


@pytest.mark.requirement("headings-are-never-unsupported")
def test_rows_come_with_the_header_of_their_table_and_no_heading_is_without_support() -> None:
    rows = document(1, "| archive | second floor |\n| shop | first floor |")
    documents = [replace(rows, header="| room | floor |"), document(2, "## Rooms\n\nThe archive is upstairs.")]
    answer = extractive_answer(["Where is the archive?"], documents)
    assert answer is not None
    assert "> | room | floor |\n> |---|---|\n> | archive | second floor |" in answer
    assert "> ## Rooms" in answer
    checked = check(answer, documents, own_citations(answer), quotes=True)
    assert not checked.uncited_sentences
    assert {sentence.standing for sentence in checked.sentences} <= {"supported", "no_claim"}


@pytest.mark.requirement("extractive-answer-keeps-order")
def test_steps_of_one_document_keep_their_order() -> None:
    cite = _DOCUMENTS[0].citation
    later = replace(document(1, "3. Close the valve of the pump."), citation=replace(cite, span=Span(90, 120)))
    first = replace(document(2, "1. Open the pump. 2. Fill it."), citation=replace(cite, span=Span(10, 50)))
    documents = [later, document(3, "Nothing of that."), replace(first, native_id=later.native_id)]
    answer = extractive_answer(["How do I close the valve of the pump?"], documents)
    assert answer is not None
    assert answer.index("Open the pump") < answer.index("Close the valve") < answer.index("Nothing")


@pytest.mark.requirement("extractive-answer-keeps-order")
def test_versions_of_one_passage_are_quoted_once() -> None:
    text = "The pump opens at nine, see [hours](/{0}/hours) for the rest of the year."
    answer = extractive_answer(["When does the pump open?"], [document(1, text.format(1)), document(2, text.format(2))])
    assert answer is not None
    assert answer.count("The pump opens") == 1


@pytest.mark.requirement("evidence-stops")
def test_documents_that_are_much_less_relevant_are_not_quoted_after_the_right_one() -> None:
    texts = ["The pump opens at nine.", "The pump is red.", "The pump of the other hall opens at ten."]
    documents = [
        replace(document(number, text), relevance=relevance)
        for number, (text, relevance) in enumerate(zip(texts, (0.9, 0.5, 0.85), strict=True), start=1)
    ]
    answer = extractive_answer(["When does the pump open?"], documents)
    assert answer is not None
    assert "[1]" in answer
    assert "[2]" not in answer
    assert "[3]" in answer
    events = [replace(each, doc_type="calendar_event") for each in documents]
    assert "[2]" in (extractive_answer(["When does the pump open?"], events) or "")
