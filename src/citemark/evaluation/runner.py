"""Asks a golden file of the product, question by question, as an agent would."""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

from citemark.evaluation.answers import stands_in
from citemark.evaluation.golden import Expected, GoldenQuestion, load_golden, same_page
from citemark.evaluation.metrics import folded, ndcg, recall, reciprocal_rank
from citemark.evaluation.models import ModelRun
from citemark.evaluation.outcome import NO_HIT, Found, GoldenRow, golden_curve, golden_summary
from citemark.evaluation.ranking import DEPTH, Place, rank_all
from citemark.evaluation.report import GoldenReport
from citemark.evidence.budget import json_bytes
from citemark.evidence.requests import Caller, QuoteLimits, SearchRequest
from citemark.evidence.results import Evidence, SearchPage
from citemark.evidence.tokens import bytes_len
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import Source
from citemark.services.app_context import AppContext

SHOWN = 5
"""How many hits an agent gets when it names no number."""


async def run_golden(app: AppContext, file: Path, progress: Callable[[int, int], None] | None = None) -> GoldenReport:
    """Ask every question of `file` and hold what comes back against what it expects.

    Args:
        app: the open index; the documents that the questions are about must be in it.
        file: golden questions in YAML.
        progress: told how many questions are done, of how many.

    Raises:
        InvalidArgument: the file is not of the form, or the index holds no source.
    """
    questions = load_golden(file)
    sources = await _sources(app)
    about_models = any(entry.element for question in questions for entry in question.expected)
    asks = ModelRun(app, sources).ask if about_models else _Run(app, sources).ask
    rows: list[GoldenRow] = []
    for question in questions:
        rows.append(await asks(question))
        if progress is not None:
            progress(len(rows), len(questions))
    return GoldenReport(golden_summary(rows), tuple(rows), golden_curve(rows), app.settings.min_score)


async def _sources(app: AppContext) -> Sequence[Source]:
    sources = await app.stores.sources.all(Principal.local().tenant)
    if not sources:
        raise InvalidArgument("The index holds no source yet; add the documents that the questions are about first.")
    return sources


class _Run:
    """One caller over one index."""

    def __init__(self, app: AppContext, sources: Sequence[Source]) -> None:
        self._app = app
        self._source_ids = {source.name: source.source_id for source in sources}
        self._caller = Caller.local()

    async def ask(self, question: GoldenQuestion) -> GoldenRow:
        """One question through search, evidence and the whole ranking."""
        request = SearchRequest(
            query=question.question, top_k=SHOWN, page_size=SHOWN, min_score=self._app.settings.min_score
        )
        began = perf_counter()
        evidence = await self._app.desk.retrieve_evidence(self._caller, request, QuoteLimits())
        took = (perf_counter() - began) * 1000
        page = await self._app.desk.search(self._caller, request)
        places = await rank_all(self._app, question.question)
        expected = tuple(dict.fromkeys(entry.path for entry in question.expected))
        ranking, grades = folded([_paths(place, expected) for place in places], expected)
        shown = [Found(_page_of(hit.section_id), hit.section_id, hit.score) for hit in page.hits]
        return GoldenRow(
            question_id=question.question_id,
            question=question.question,
            kind=question.kind,
            answerable=question.answerable,
            abstained=not page.hits,
            document_hit=_every_group(question, lambda entry: _is_shown(entry, page)),
            evidence_hit=_every_group(question, lambda entry: _is_quoted(entry, page, evidence)),
            rank=next((rank for rank, label in enumerate(ranking, start=1) if label in grades), None),
            reciprocal_rank=reciprocal_rank(ranking, grades),
            ndcg_at_10=ndcg(ranking, grades, 10),
            recall_at_100=_covered(places, expected),
            top_score=places[0].score if places else NO_HIT,
            evidence_bytes=_evidence_bytes(evidence),
            section_bytes=await self._section_bytes(page),
            milliseconds=took,
            expected=expected,
            shown=tuple(shown),
            quotes=tuple(quote.quote for quote in evidence.quotes),
        )

    async def _section_bytes(self, page: SearchPage) -> int:
        """What the full sections of the hits would weigh."""
        total = 0
        for hit in page.hits:
            source_id = self._source_ids.get(hit.citation.source)
            if source_id is None:
                continue
            found = await self._app.stores.documents.find(SourceId(source_id), hit.section_id)
            total += bytes_len(hit.text if found is None else found.span.of(found.body))
        return total


def _every_group(question: GoldenQuestion, holds: Callable[[Expected], bool]) -> bool:
    return question.answerable and all(any(map(holds, group)) for group in question.groups)


def _is_shown(entry: Expected, page: SearchPage) -> bool:
    return any(_matches(entry.path, [hit.section_id, *hit.also_in]) for hit in page.hits)


def _is_quoted(entry: Expected, page: SearchPage, evidence: Evidence) -> bool:
    repeats = {hit.section_id: hit.also_in for hit in page.hits}
    quotes = [
        quote.quote
        for quote in evidence.quotes
        if _matches(entry.path, [quote.section_id, *repeats.get(quote.section_id, ())])
    ]
    return stands_in(entry.answer, quotes)


def _matches(path: str, sections: Sequence[str]) -> bool:
    return any(same_page(path, _page_of(section)) for section in sections)


def _page_of(section_id: str) -> str:
    return section_id.partition("#")[0]


def _paths(place: Place, expected: Sequence[str]) -> list[str]:
    """The expected pages that a place stands for."""
    return [path for path in expected if any(same_page(path, page) for page in place.pages)]


def _covered(places: Sequence[Place], expected: Sequence[str]) -> float:
    """Share of the expected pages that the first hundred places stand for."""
    found = [path for path in expected if any(_paths(place, [path]) for place in places[:DEPTH])]
    return recall(found, dict.fromkeys(expected, 1), len(expected)) if expected else 0.0


def _evidence_bytes(evidence: Evidence) -> int:
    return json_bytes(
        {
            "quotes": [
                {
                    "quote": quote.quote,
                    "passage_id": quote.passage_id,
                    "section_id": quote.section_id,
                    "title": quote.title,
                    "confidence": quote.confidence,
                    "citation": quote.citation.as_dict(),
                }
                for quote in evidence.quotes
            ]
        }
    )
