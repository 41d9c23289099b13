"""The page that answers: every sentence with its footnotes, or visibly without support."""

from typing import Any, assert_never

from citemark.answering.checked import CheckedAnswer, Standing
from citemark.answering.numbered_documents import Document
from citemark.services.answer_keys import ANSWERS
from citemark.services.answer_requests import Answered, AnswerRequest
from citemark.services.asked_states import state_asked
from citemark.services.empty import Arguments
from citemark.text.citation_line import line_of
from citemark.web.asked import Asked
from citemark.web.page_addresses import address_of_citation
from citemark.web.rendering import Page
from citemark.web.search_page import found_data, highlights

FIELDS = ("q", "also", "as_of")

_ARGUMENTS = Arguments(also="Other words", threshold="")
_MOST_SHOWN = 4_000
"""Characters of a passage that a footnote shows; its link opens the rest."""


async def ask(asked: Asked) -> Page:
    """An answer to a question, and the passages that it is made from."""
    question = asked.question()
    data: dict[str, Any] = {**asked.fields(*FIELDS), "answer": None, "found": None}
    if not question:
        return Page("ask", data)
    request = AnswerRequest(
        question=question,
        also=asked.phrasings(),
        read_context=state_asked(asked.text("as_of") or None, None),
        arguments=_ARGUMENTS,
    )
    answers = (await asked.index.services()).get(ANSWERS)
    answered = await answers.answer(asked.caller, request, wrote=asked.wrote)
    return Page("ask", {**data, "answer": _answer(answered), "found": found_data(answered.meta)})


def _answer(answered: Answered) -> dict[str, Any]:
    checked = answered.checked
    cited = frozenset(checked.cited) if checked else frozenset[int]()
    shown = [each for each in answered.documents if each.number in cited or checked is None]
    return {
        "written_by": _written_by(answered),
        "sentences": [] if checked is None else _sentences(checked),
        "unsupported_claims": [] if checked is None else list(checked.unsupported_claims),
        "removed": 0 if checked is None else checked.removed,
        "cut": answered.cut,
        "not_available": [f"{failure.way} ({failure.reason})" for failure in answered.failures],
        "footnotes": [_footnote(each, checked, answered.question) for each in shown],
    }


def _sentences(checked: CheckedAnswer) -> list[dict[str, Any]]:
    """The answer in pieces: each sentence with what stands before it, and whether documents support it."""
    pieces: list[dict[str, Any]] = []
    at = 0
    for each in checked.sentences:
        gap = checked.text[at : each.span.start]
        text = each.span.of(checked.text)
        remark = remark_on(each.standing)
        pieces.append({"before": gap, "text": text, "standing": each.standing, "remark": remark, "cites": each.cited})
        at = each.span.end
    return pieces


def remark_on(standing: Standing) -> str:
    """What a reader should know about a sentence; "" if all is well."""
    match standing:
        case "supported" | "no_claim":
            return ""
        case "unproven":
            return "The cited passages share too few words with this to show that they say it."
        case "unsupported":
            return "The cited passages do not say this."
        case "uncited":
            return "No passage is cited for this."
        case "no_such_document":
            return "What was cited for this does not exist."
        case _:
            assert_never(standing)


def _footnote(document: Document, checked: CheckedAnswer | None, question: str) -> dict[str, Any]:
    supports = [
        each.support.span
        for each in (checked.sentences if checked else ())
        if each.support is not None and each.support.document == document.number
    ]
    text = document.text[:_MOST_SHOWN]
    spans = _apart([(span.start, min(span.end, len(text))) for span in supports if span.start < len(text)])
    return {
        "number": document.number,
        "title": document.title,
        "text": text,
        "evidence": spans or highlights(document.found_by or question, text),
        "open": address_of_citation(document.citation),
        "cited": line_of(document.citation),
        "citation": document.citation.as_dict(),
    }


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that touch joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _written_by(answered: Answered) -> str:
    match answered.way:
        case "provider":
            return f"Written by {answered.model}, and then checked sentence by sentence against the passages."
        case "extractive":
            return "Quoted from the documents; no model wrote this."
        case "client_sampling":
            return "Written by the model of the client."
        case None:
            return ""
        case _:
            assert_never(answered.way)
