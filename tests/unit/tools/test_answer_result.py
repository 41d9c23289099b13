"""Answers with more documents than a result holds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from tests.unit.answering.papers import document
from tests.unit.tools.clients import connected, text_of

from citemark.answering.checking import check
from citemark.answering.numbered_documents import Document
from citemark.evidence.budget import Usage
from citemark.model.clock import system_clock
from citemark.model.ids import SessionId
from citemark.model.scope import ResolvedContext
from citemark.retrieval.absence import Told
from citemark.services.answer_requests import Answered
from citemark.services.answers import AnswerService
from citemark.services.responses import ResponseMeta


class Fixed:
    """Has one answer to everything."""

    def __init__(self, answered: Answered) -> None:
        self._answered = answered

    async def answer(self, *_: object) -> Answered:
        return self._answered


META = ResponseMeta(SessionId("s"), ResolvedContext(system_clock()), False, "none", None, 0, Usage.of_bytes(0))


async def _answered(
    question: str, documents: Sequence[Document], said: str, meta: ResponseMeta = META, **asked: object
) -> tuple[Any, str]:
    """The fields and the text of a result."""
    answered = Answered(question, tuple(documents), meta, "client_sampling", check(said, documents))
    async with connected(answers=cast("AnswerService", Fixed(answered))) as client:
        result = await client.call_tool("kb.answer", {"question": question, **asked})
    return result.structured_content, text_of(result)


async def test_the_excerpt_of_a_row_names_its_columns() -> None:
    row = replace(document(1, "| archive | second |"), header="| room | floor |")
    found, _ = await _answered("Which floor is the archive on?", [row], "The archive is on the second floor [1].")
    assert found["sources"][0]["excerpt"] == "room: archive | floor: second"


@pytest.mark.requirement("asked-thing-unmentioned")
@pytest.mark.parametrize(
    ("told", "told_of", "answered"),
    [
        ("No document here mentions nuts. Nearest passages:", "things", True),
        ("The documents do not say (confidence 0.20). Nearest passages:", "unsaid", False),
    ],
)
async def test_an_answer_in_other_words_than_the_question_counts_as_one(
    told: str, told_of: Told, *, answered: bool
) -> None:
    note = document(1, "Lea is allergic to hazelnut.")
    meta = replace(META, told=told, told_of=told_of)
    found, text = await _answered("Which nuts is Lea allergic to?", [note], "Lea is allergic to hazelnut [1].", meta)
    assert told in text
    assert found["answered"] is answered


async def test_cited_documents_are_listed_before_uncited_ones() -> None:
    wide = {f"Note {number}": "n" * 290 for number in range(8)}
    documents = tuple(document(number, f"Pump {number} is blue.", metadata=wide) for number in range(1, 51))
    said = "Pump 50 is blue [50]. Pump 2 is blue [2]."
    found, text = await _answered("Which pumps are blue?", documents, said, limit=50)
    numbers = [source["number"] for source in found["sources"]]
    assert (found["partial"], found["limit_reason"]) == (True, "byte_cap")
    assert numbers == sorted(numbers)
    assert {2, 50} < set(numbers) < set(range(1, 51))
    assert [cited["number"] for cited in found["citations"]] == [2, 50]
    assert "[50] Notes" in text
