"""The tiers of an answer where words fail."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from tests.support.in_memory_services import ME, NOW
from tests.unit.answering.papers import document

from citemark.answering.numbered_documents import Document
from citemark.model.completeness import ALL_READ
from citemark.model.completions import Completion, Generated, NotGenerated
from citemark.model.scope import ResolvedContext
from citemark.model.stated_dates import Occasion
from citemark.services.answer_evidence import EvidenceSet
from citemark.services.answer_requests import AnswerRequest
from citemark.services.answers import AnswerService, Extractive
from citemark.services.responses import ResponseMeta


class Collected:
    """Finds the same documents for every question."""

    def __init__(self, *documents: Document) -> None:
        self._documents = documents

    async def find(self, *_: object) -> EvidenceSet:
        meta = ResponseMeta.of(ME, ResolvedContext(as_of=NOW), reading=ALL_READ)
        return EvidenceSet(self._documents, (), meta, today="Wednesday 25 November 2026 (Europe/Berlin)")


class Saying:
    """A configured model that always writes the same."""

    name = "provider"

    def __init__(self, words: str) -> None:
        self._words = words
        self.prompts: list[str] = []

    async def generate(self, asked: Completion) -> Generated:
        self.prompts.append(asked.prompt)
        return Generated(self._words, "model")


def answering(*documents: Document, provider: Saying | None = None) -> AnswerService:
    nobody = cast("Any", None)
    return AnswerService(
        collector=cast("Any", Collected(*documents)),
        embedder=lambda: None,
        state=nobody,
        provider=cast("Any", provider),
        hint="",
        rephrasing=nobody,
    )


async def test_documents_without_quotable_text_are_shown_without_an_answer() -> None:
    blank = document(1, "---")
    answered = await answering(blank).answer(ME, AnswerRequest("When does it open?"))
    assert (answered.way, answered.checked, answered.documents) == (None, None, (blank,))
    assert [failure.reason for failure in answered.failures] == ["unsupported"]


async def test_without_anything_quotable_there_is_no_answer() -> None:
    with pytest.raises(NotGenerated):
        await Extractive(["When?"], [document(1, "---")], lambda: None).generate(Completion("", 100, ""))


async def test_a_question_too_long_for_a_prompt_is_answered_by_quotations() -> None:
    opening = document(1, "The library opens at nine on weekdays.")
    answered = await answering(opening).answer(ME, AnswerRequest("When does the library open? " + "Tell me. " * 4_000))
    assert answered.way == "extractive"
    assert answered.checked is not None
    assert "opens at nine" in answered.checked.text


@pytest.mark.requirement("not-knowing-is-no-answer")
@pytest.mark.parametrize(
    "words",
    [
        "I do not know.",
        "The documents do not say when the library opens.",
        "Die Dokumente sagen nicht, wann die Bibliothek öffnet.",
        "I'm sorry, but I could not find anything about that in the excerpts.",
    ],
)
async def test_quotes_stand_in_the_place_of_a_model_that_does_not_know(words: str) -> None:
    opening = document(1, "The library opens at nine on weekdays.")
    answered = await answering(opening, provider=Saying(words)).answer(ME, AnswerRequest("When does the library open?"))
    assert answered.way == "extractive"
    assert answered.checked is not None
    assert "opens at nine" in answered.checked.text
    assert [(failure.way, failure.reason) for failure in answered.failures] == [("provider", "no_answer")]


@pytest.mark.requirement("not-knowing-is-no-answer")
async def test_where_a_model_does_not_know_and_nothing_can_be_quoted_there_is_no_answer_and_both_are_told() -> None:
    answered = await answering(document(1, "---"), provider=Saying("I do not know.")).answer(ME, AnswerRequest("When?"))
    assert (answered.way, answered.checked) == (None, None)
    failed = [(failure.way, failure.reason) for failure in answered.failures]
    assert failed == [("provider", "no_answer"), ("extractive", "unsupported")]


async def test_what_a_model_claims_is_its_answer() -> None:
    model = Saying("It opens at nine [1].")
    answered = await answering(document(1, "The library opens at nine."), provider=model).answer(
        ME, AnswerRequest("When?")
    )
    assert answered.way == "provider"


@pytest.mark.requirement("answers-know-today")
async def test_the_prompt_names_the_day_of_the_reader_and_when_dated_documents_are() -> None:
    begins = datetime(2026, 11, 23, 9, tzinfo=UTC)
    past = Occasion(begins, begins, "2026-11-23T09:00:00Z", "past")
    model = Saying("It was on Monday [1].")
    papers = replace(document(1, "Dentist, check-up.", doc_type="calendar_event"), occasion=past)
    await answering(papers, provider=model).answer(ME, AnswerRequest("When is my next dentist appointment?"))
    assert "Today is Wednesday 25 November 2026 (Europe/Berlin)." in model.prompts[0]
    assert "When: past (2026-11-23T09:00:00Z)" in model.prompts[0]
