"""Answers with more documents than a result holds."""

from typing import cast

from tests.unit.answering.papers import document
from tests.unit.tools.clients import connected, text_of

from citemark.answering.checking import check
from citemark.evidence.budget import Usage
from citemark.model.clock import system_clock
from citemark.model.ids import SessionId
from citemark.model.scope import ResolvedContext
from citemark.services.answer_requests import Answered
from citemark.services.answers import AnswerService
from citemark.services.responses import ResponseMeta


class Fixed:
    """Has one answer to everything."""

    def __init__(self, answered: Answered) -> None:
        self._answered = answered

    async def answer(self, *_: object) -> Answered:
        return self._answered


async def test_cited_documents_are_listed_before_uncited_ones() -> None:
    wide = {f"Note {number}": "n" * 290 for number in range(8)}
    documents = tuple(document(number, f"Pump {number} is blue.", metadata=wide) for number in range(1, 51))
    meta = ResponseMeta(SessionId("s"), ResolvedContext(system_clock()), False, "none", None, 0, Usage.of_bytes(0))
    said = check("Pump 50 is blue [50]. Pump 2 is blue [2].", documents)
    answered = Answered("Which pumps are blue?", documents, meta, "client_sampling", said)
    async with connected(answers=cast("AnswerService", Fixed(answered))) as client:
        result = await client.call_tool("kb.answer", {"question": "Which pumps are blue?", "limit": 50})
    found = result.structured_content
    numbers = [source["number"] for source in found["sources"]]
    assert (found["partial"], found["limit_reason"]) == (True, "byte_cap")
    assert numbers == sorted(numbers)
    assert {2, 50} < set(numbers) < set(range(1, 51))
    assert [cited["number"] for cited in found["citations"]] == [2, 50]
    assert "[50] Notes" in text_of(result)
