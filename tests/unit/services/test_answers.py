"""The tiers of an answer where words fail."""

from typing import Any, cast

import pytest
from tests.support.in_memory_services import ME, NOW
from tests.unit.answering.papers import document

from citemark.answering.numbered_documents import Document
from citemark.answering.ways import Completion, NotGenerated
from citemark.model.completeness import ALL_READ
from citemark.model.scope import ResolvedContext
from citemark.services.answer_evidence import EvidenceSet
from citemark.services.answer_requests import AnswerRequest
from citemark.services.answers import AnswerService, Extractive
from citemark.services.responses import ResponseMeta


class Collected:
    """Finds the same documents for every question."""

    def __init__(self, *documents: Document) -> None:
        self._documents = documents

    async def find(self, *_: object) -> EvidenceSet:
        return EvidenceSet(self._documents, (), ResponseMeta.of(ME, ResolvedContext(as_of=NOW), reading=ALL_READ))


def answering(*documents: Document) -> AnswerService:
    nobody = cast("Any", None)
    return AnswerService(
        collector=cast("Any", Collected(*documents)),
        embedder=lambda: None,
        state=nobody,
        provider=None,
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
