"""The pages that measure: questions with their known answers, which are asked again, and what came of it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from markupsafe import Markup

from citemark.folders import data_dir
from citemark.model.architecture import ELEMENT
from citemark.model.errors import InvalidArgument
from citemark.services.requests import CitationRef
from citemark.text.citation_line import line_of
from citemark.web.asked import Asked
from citemark.web.begun_work import Begun, Work
from citemark.web.rendering import Page

if TYPE_CHECKING:  # a server that measures nothing loads nothing of it
    from citemark.evaluation.comparison import Comparison, Moved, SavedRow, SavedRun
    from citemark.evaluation.kept import KeptEvaluation, KeptRun, QuestionSet
    from citemark.services.app_context import AppContext

_RUN = "evaluate"
"""The name under which questions are asked."""

_MOST_ANSWER = 2_000
"""Characters of a passage that are offered as the answer, to be shortened to the words that answer."""

_FIGURES: Mapping[str, str] = MappingProxyType(
    {
        "document_hit_at_5": "A right document is among the first five hits",
        "evidence_hit_at_5": "The quotes contain the answer",
        "mrr": "How far up the first right document stands (MRR)",
        "ndcg_at_10": "How well the first ten are ordered (nDCG)",
        "recall_at_100": "Right documents among the first hundred",
        "abstained": "Questions without an answer that were rejected",
        "wrongly_abstained": "Questions with an answer that were rejected",
        "bytes_median": "Bytes of what an agent gets for a question (median)",
    }
)

_FACTUAL, _UNANSWERABLE = "factual", "unanswerable"


async def evaluate(asked: Asked) -> Page:
    """The questions that are kept, their evaluations, and a form that keeps another one."""
    if not asked.is_owner:
        return Page("evaluate", {"owner": False})
    app, begun = await asked.index.app(), asked.work.begun(_RUN)
    running = begun is not None and not begun.ended
    sets = await asyncio.to_thread(_sets, _kept(app))
    return Page(
        "evaluate",
        {
            "owner": True,
            "keeping": None if asked.part == "live" else await _keeping(asked),
            "sets": sets,
            "running": {"done": begun.done, "total": begun.total} if begun is not None and running else None,
            "failed": "" if begun is None else begun.failed,
        },
    )


async def report(asked: Asked) -> Page:
    """An evaluation with its plots, compared with an earlier one if that is named."""
    if not asked.is_owner:
        return Page("report", {"owner": False})
    kept = _kept(await asked.index.app())
    name, against = asked.text("run"), asked.text("against")
    now, before, others = await asyncio.to_thread(_runs_asked, kept, name, against)
    from citemark.evaluation.comparison import compare, figures  # noqa: PLC0415
    from citemark.evaluation.html_page import LESS_IS_BETTER, charts, kinds, missed  # noqa: PLC0415

    compared = None if before is None else compare(before, now)
    drawn = await asyncio.to_thread(charts, now, before)
    return Page(
        "report",
        {
            "owner": True,
            "run": name,
            "against": against,
            "at": _at(name, others),
            "others": [_run(each) for each in others if each.name != name],
            "questions": now.questions,
            "answerable": now.answerable,
            "figures": [
                {
                    "name": _FIGURES[figure],
                    "figure": figure,
                    "before": old,
                    "now": new,
                    "less": figure in LESS_IS_BETTER,
                }
                for figure, old, new in figures(before or now, now)
            ],
            "kinds": kinds(now.rows),
            "comparison": None if compared is None else _compared(compared),
            "misses": [_miss(row) for row in now.rows if missed(row)],
            "rows": [{"id": row.id, "question": row.question, "rank": row.first_rank} for row in now.rows],
        },
        looks={"charts": [(caption, Markup(svg)) for caption, svg in drawn]},  # noqa: S704 - drawn and escaped by us
    )


async def keep_question(asked: Asked, _: Work) -> str:
    """Keep a question with what answers it, or as one that nothing answers; where to go next.

    Raises:
        InvalidArgument: nothing was asked, the answer does not stand in the document, or it cannot be kept.
    """
    question = asked.question()
    if not question:
        raise InvalidArgument("There is no question to keep.")
    kept = _kept(await asked.index.app())
    if asked.text("nothing"):
        await asyncio.to_thread(kept.keep, "documents", question, _UNANSWERABLE, ())
    else:
        answer = await _answer(asked)
        kind = asked.text("kind") or _FACTUAL
        await asyncio.to_thread(kept.keep, answer.questions, question, kind, (answer.entry,))
    return "/evaluate"


async def run_questions(asked: Asked, work: Work) -> str:
    """Begin to ask the questions that are kept; where to go next.

    Raises:
        InvalidArgument: none is kept.
    """
    app = await asked.index.app()
    kept = _kept(app)
    which: QuestionSet = "elements" if asked.text("set") == "elements" else "documents"
    if not await asyncio.to_thread(kept.questions, which):
        raise InvalidArgument("No question is kept yet; a hit of a search keeps one.")

    async def run(begun: Begun) -> None:
        from citemark.evaluation.golden_run import run_golden  # noqa: PLC0415

        found = await run_golden(app, kept.file(which), heard=begun.hear)
        await asyncio.to_thread(kept.save, which, found.as_dict(), datetime.now(UTC))

    work.begin_as(_RUN, run)
    return "/evaluate"


@dataclass(frozen=True, slots=True)
class _Answer:
    """What answers a question, in the form of a file of golden questions."""

    questions: "QuestionSet"
    entry: Mapping[str, str]


async def _answer(asked: Asked) -> _Answer:
    """The document in a form with the words of it that answer.

    Raises:
        InvalidArgument: there is no such document, or the words do not stand in it.
    """
    from citemark.evaluation.golden import stands_in  # noqa: PLC0415

    app = await asked.index.app()
    opened = await app.services.reopening.document(asked.caller, _ref(asked))
    words, citation = asked.text("answer"), opened.citation
    if not stands_in(words, [opened.body]):
        raise InvalidArgument("The answer must be words of the document, as they stand there; copy them from it.")
    source = await app.sources.named(citation.source)
    if citation.doc_type == ELEMENT:
        entry = {"element_id": citation.document_id, "name": citation.title, "answer": words}
        return _Answer("elements", entry)
    if citation.doc_type in app.kinds.of(source).doc_types:
        return _Answer("documents", {"doc_type": citation.doc_type, "native": opened.page_id, "answer": words})
    return _Answer("documents", {"path": opened.page_id, "answer": words})


async def _keeping(asked: Asked) -> dict[str, Any] | None:
    """The form that keeps the question in the address; None if there is none."""
    question = asked.question()
    if not question:
        return None
    fields = asked.fields("source", "document", "revision", "start", "end")
    form: dict[str, Any] = {"q": question, **fields, "title": "", "cited": "", "answer": ""}
    if not (fields["source"] and fields["document"]):
        return form
    opened = await (await asked.index.services()).reopening.document(asked.caller, _ref(asked))
    words = opened.citation.span.of(opened.body)[:_MOST_ANSWER]
    return {**form, "title": opened.citation.title, "cited": line_of(opened.citation), "answer": words.strip()}


def _ref(asked: Asked) -> CitationRef:
    return CitationRef(
        asked.text("source"),
        asked.values.get("document", ""),
        asked.text("revision") or None,
        asked.whole("start"),
        asked.whole("end"),
    )


def _kept(app: "AppContext") -> "KeptEvaluation":
    from citemark.evaluation.kept import KeptEvaluation  # noqa: PLC0415

    return KeptEvaluation(data_dir(app.settings.data_dir) / "evaluation")


def _sets(kept: "KeptEvaluation") -> list[dict[str, Any]]:
    from citemark.evaluation.kept import SETS  # noqa: PLC0415

    return [
        {
            "name": which,
            "file": str(kept.file(which)),
            "questions": [
                {
                    "id": each.question_id,
                    "question": each.question,
                    "kind": each.kind,
                    "expected": [entry.element or entry.label for entry in each.expected],
                }
                for each in kept.questions(which)
            ],
            "runs": [_run(each) for each in kept.runs(which)],
        }
        for which in SETS
    ]


def _runs_asked(kept: "KeptEvaluation", name: str, against: str) -> "tuple[SavedRun, SavedRun | None, list[KeptRun]]":
    """The run that is shown, the one that it is compared with, and all of the same questions, newest first."""
    now = kept.read(name)
    which: QuestionSet = "elements" if name.startswith("elements") else "documents"
    return now, kept.read(against) if against else None, kept.runs(which)


def _run(run: "KeptRun") -> dict[str, Any]:
    return {"name": run.name, "at": run.at, "open": "/report?" + urlencode({"run": run.name})}


def _at(name: str, runs: "list[KeptRun]") -> datetime | None:
    return next((each.at for each in runs if each.name == name), None)


def _compared(comparison: "Comparison") -> dict[str, Any]:
    def moved(each: "Moved") -> dict[str, Any]:
        return {"question": each.question, "before": each.before, "after": each.after}

    return {
        "measure": comparison.measure.replace("_", " "),
        "common": comparison.common,
        "only_before": comparison.only_before,
        "only_after": comparison.only_after,
        "gained": [moved(each) for each in comparison.gained],
        "lost": [moved(each) for each in comparison.lost],
        "chance": comparison.chance,
    }


def _miss(row: "SavedRow") -> dict[str, Any]:
    return {
        "id": row.id,
        "question": row.question,
        "why": _why_missed(row),
        "expected": list(row.expected),
        "shown": [{"name": hit.name, "score": hit.score} for hit in row.shown],
        "quotes": list(row.quotes),
        "search": "/search?" + urlencode({"q": row.question}),
    }


def _why_missed(row: "SavedRow") -> str:
    """Why a question did not get what it expects, in a sentence."""
    if row.abstained and row.withheld:
        return f"{row.withheld} hits were withheld: their source could not vouch for them."
    if not row.answerable:
        return "Something was shown, although nothing answers it."
    if row.abstained:
        return f"Lost to the threshold; the best score was {row.top_score:.2f}."
    if row.document_hit:
        return "The document is shown; the answer is not among the quotes."
    return (
        f"The first right document has rank {row.first_rank}." if row.first_rank else "It is not among the first 100."
    )
