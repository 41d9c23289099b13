"""Answers: the check held against golden answers, quotes and prompts against golden questions."""

import asyncio
from statistics import median
from time import perf_counter

from tests.bench.locations import GOLDEN
from tests.bench.quality import documentation_index

from citemark.answering.checking import check
from citemark.answering.extractive import extractive_answer
from citemark.answering.numbered_documents import Document
from citemark.answering.prompt import build_prompt
from citemark.app.open_index import open_app
from citemark.evaluation.answers_checked import load_answers, run_answers
from citemark.evaluation.golden import load_golden, stands_in
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchHit
from citemark.settings import load_settings

_FILE = GOLDEN / "citations-dev.yaml"
_LATE = 0.95


async def checked() -> dict[str, object]:
    """What the check finds in golden answers, and how long one takes in a thread."""
    report = await asyncio.to_thread(run_answers, _FILE)
    took: list[float] = []
    for case in load_answers(_FILE):
        began = perf_counter()
        await asyncio.to_thread(check, case.answer, case.sources)
        took.append((perf_counter() - began) * 1000)
    took.sort()
    return {
        **report.as_dict(),
        "p50_ms": round(median(took), 1),
        "p95_ms": round(took[int(len(took) * _LATE)], 1),
    }


async def quoted() -> dict[str, object]:
    """How many extractive answers hold the golden span, and what prompts weigh, for the five passages of an answer."""
    holds = answerable = 0
    tokens: list[int] = []
    settings = load_settings().model_copy(update={"data_dir": await documentation_index(), "watch": False})
    async with open_app(settings) as app:
        for question in load_golden(GOLDEN / "docs-dev.yaml"):
            request = SearchRequest(query=question.question, min_score=settings.min_score)
            page = await app.services.search.find(Caller.local(), request)
            documents = [_document(number, hit) for number, hit in enumerate(page.hits, start=1)]
            if documents:
                tokens.append(build_prompt(question.question, documents).tokens)
            if question.answerable:
                answerable += 1
                text = extractive_answer(question.question, documents, embedder=app.embedder) or ""
                holds += any(stands_in(entry.answer, [text]) for entry in question.expected)
    return {
        "answerable": answerable,
        "holds": holds,
        "prompt_median": round(median(tokens)),
        "prompt_most": max(tokens),
    }


def _document(number: int, hit: SearchHit) -> Document:
    return Document(
        number=number,
        doc_type=hit.citation.doc_type,
        native_id=hit.section_id,
        title=hit.title,
        text=hit.text,
        score=hit.score,
        citation=hit.citation,
        url=hit.citation.url,
        relevance=hit.why.relevance,
    )
