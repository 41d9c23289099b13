"""Answers: the check held against golden answers, quotes and prompts against golden questions."""

import asyncio
from statistics import median
from time import perf_counter

from tests.bench.locations import GOLDEN
from tests.bench.quality import documentation_index

from citemark.answering.checking import check
from citemark.answering.prompt import build_prompt
from citemark.app.open_index import open_app
from citemark.evaluation.answers_checked import load_answers, run_answers
from citemark.evaluation.golden import load_golden, stands_in
from citemark.services.answer_keys import ANSWERS
from citemark.services.answer_requests import AnswerRequest
from citemark.services.requests import Caller
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
            request = AnswerRequest(question.question, limit=5, min_score=settings.min_score)
            answered = await app.services.get(ANSWERS).answer(Caller.local(), request)
            if answered.documents:
                tokens.append(build_prompt(question.question, answered.documents).tokens)
            if question.answerable:
                answerable += 1
                text = "" if answered.checked is None else answered.checked.text
                holds += any(stands_in(entry.answer, [text]) for entry in question.expected)
    return {
        "answerable": answerable,
        "holds": holds,
        "prompt_median": round(median(tokens)),
        "prompt_most": max(tokens),
    }
