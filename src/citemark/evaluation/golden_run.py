"""Asks the questions of a golden file as an agent would, over documents or over architecture models."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from citemark.evaluation.found_elements import ELEMENT_QUESTIONS, FoundElement, FoundElements
from citemark.evaluation.golden import Expected, GoldenQuestion, load_golden, stands_in
from citemark.evaluation.outcome import NO_HIT, GoldenRow, ShownHit, golden_curve, golden_summary
from citemark.evaluation.phrasings import load_phrasings, phrased, without_golden_words
from citemark.evaluation.rankings import (
    DEPTH,
    RankedPassage,
    collapsed_ranking,
    ndcg,
    rank_all,
    recall,
    reciprocal_rank,
)
from citemark.evaluation.report import GoldenReport
from citemark.evidence.budget import bytes_len, json_bytes
from citemark.model.architecture import ELEMENT
from citemark.model.citation import Citation
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.retrieval.absence import Told
from citemark.services.app_context import AppContext
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import Evidence, SearchPage
from citemark.tools.kb.evidence_tools import evidence_reply
from citemark.tools.reply import ReplyPacker


class ModelRun:
    """Asks questions about the architecture models of one index, as one caller."""

    def __init__(self, app: AppContext, sources: Sequence[Source]) -> None:
        """Prepare to ask about the models among `sources`.

        Raises:
            InvalidArgument: there is no model.
        """
        if not any(ELEMENT in app.kinds.of(source).doc_types for source in sources):
            raise InvalidArgument("The questions are about elements, and the index holds no architecture model.")
        self._app = app
        self._source_ids = {source.name: source.source_id for source in sources}
        self._caller = Caller.local()

    async def ask(self, question: GoldenQuestion) -> GoldenRow:
        """Ask one question; an element counts as shown if it is a hit or if the text of a hit names it."""
        started = perf_counter()
        found = await self._find(question, SHOWN)
        hits = found.elements
        milliseconds = (perf_counter() - started) * 1000
        all_hits = (await self._find(question, DEPTH, min_score=0.0)).elements
        texts = [hit.text for hit in hits]
        expected = tuple(dict.fromkeys(entry.path for entry in question.expected))
        ranked_ids = [[element_id for element_id in hit.ids if element_id in expected] for hit in all_hits]
        ranking, grades = collapsed_ranking(ranked_ids, expected)
        covered = [element_id for element_id in expected if any(element_id in hit_ids for hit_ids in ranked_ids)]
        return GoldenRow(
            question_id=question.question_id,
            question=question.question,
            kind=question.kind,
            answerable=question.answerable,
            abstained=not hits,
            document_hit=question.answerable
            and all(any(_is_element_shown(entry, hits, texts) for entry in group) for group in question.groups),
            evidence_hit=question.answerable and any(stands_in(entry.answer, texts) for entry in question.expected),
            rank=next((rank for rank, label in enumerate(ranking, start=1) if label in grades), None),
            reciprocal_rank=reciprocal_rank(ranking, grades),
            ndcg_at_10=ndcg(ranking, grades, 10),
            recall_at_100=recall(covered, dict.fromkeys(expected, 1), len(expected)) if expected else 0.0,
            top_score=all_hits[0].score if all_hits else NO_HIT,
            confidence=None,
            evidence_bytes=json_bytes({"contexts": texts}),
            section_bytes=await self._whole_bytes(hits),
            milliseconds=milliseconds,
            expected=expected,
            shown=tuple(ShownHit(hit.element_id, hit.name, hit.score) for hit in hits),
            quotes=tuple(texts),
            told="unsaid" if found.in_doubt else "",
        )

    async def _find(self, question: GoldenQuestion, most: int, min_score: float | None = None) -> FoundElements:
        questions = self._app.services.get(ELEMENT_QUESTIONS)
        return await questions.find(self._caller, question.question, question.also, most=most, min_score=min_score)

    async def _whole_bytes(self, hits: Sequence[FoundElement]) -> int:
        """The size of the full texts of the hits, in bytes."""
        total = 0
        for hit in hits:
            source_id = SourceId(self._source_ids[hit.source])
            stored = await self._app.rankings.document(source_id, hit.element_id, ELEMENT)
            total += bytes_len(hit.text if stored is None else stored.body)
        return total


def _is_element_shown(entry: Expected, hits: Sequence[FoundElement], texts: Sequence[str]) -> bool:
    return any(entry.path in hit.ids for hit in hits) or stands_in(entry.element or "", texts)


SHOWN = 5
"""How many hits an agent gets if it does not specify a number."""


Heard = Callable[[int, int], None]
"""Told how many of how many questions were asked."""


def _unheard(_done: int, _total: int) -> None:
    """Nobody waits for the questions one by one."""


async def run_golden(
    app: AppContext, file: Path, phrasings: Path | None = None, heard: Heard = _unheard
) -> GoldenReport:
    """Ask every question of `file` and compare what comes back with what it expects.

    With phrasings, the report is about the questions asked with them. Beside it are the figures for the questions
    alone, and for the questions without those phrasings that contain words of the answer.

    Args:
        app: the open index; the documents that the questions are about must be in it.
        file: golden questions in YAML.
        phrasings: further phrasings of the questions in YAML, if they are to be asked with them.
        heard: told after each question; with phrasings, the questions are asked three times.

    Raises:
        InvalidArgument: a file does not have the expected form, or the index has no source.
    """
    questions = load_golden(file)
    if phrasings is None:
        return await _report_on(app, questions, heard)
    questions = phrased(questions, load_phrasings(phrasings))
    report = await _report_on(app, questions, heard)
    alone = await _report_on(app, [replace(question, also=()) for question in questions], heard)
    honest = await _report_on(app, [without_golden_words(question) for question in questions], heard)
    return replace(report, beside={"alone": alone.summary, "without_golden_words": honest.summary})


async def _report_on(app: AppContext, questions: Sequence[GoldenQuestion], heard: Heard) -> GoldenReport:
    sources = await _sources(app)
    about_models = any(entry.element for question in questions for entry in question.expected)
    asks = ModelRun(app, sources).ask if about_models else _Run(app, sources).ask
    rows: list[GoldenRow] = []
    for question in questions:
        rows.append(await asks(question))
        heard(len(rows), len(questions))
    return GoldenReport(golden_summary(rows), tuple(rows), golden_curve(rows), app.settings.min_score)


async def _sources(app: AppContext) -> Sequence[Source]:
    sources = await app.sources.all()
    if not sources:
        raise InvalidArgument("The index holds no source yet; add the documents that the questions are about first.")
    return sources


class _Run:
    """Asks questions about the documents of one index, as one caller."""

    def __init__(self, app: AppContext, sources: Sequence[Source]) -> None:
        self._app = app
        self._source_ids = {source.name: source.source_id for source in sources}
        self._caller = Caller.local()

    async def ask(self, question: GoldenQuestion) -> GoldenRow:
        """Ask one question through search, evidence and the whole ranking."""
        request = SearchRequest(
            query=question.question,
            also=question.also,
            top_k=SHOWN,
            page_size=SHOWN,
            min_score=self._app.settings.min_score,
        )
        started = perf_counter()
        evidence = await self._app.services.evidence.retrieve(self._caller, request)
        milliseconds = (perf_counter() - started) * 1000
        page = await self._app.services.search.find(self._caller, request)
        ranked = await rank_all(self._app, question.question, also=question.also)
        places = ranked.places
        expected = tuple(dict.fromkeys(entry.label for entry in question.expected))
        ranking, grades = collapsed_ranking([_labels(place, question.expected) for place in places], expected)
        shown = [ShownHit(_page_of(hit.section_id), hit.section_id, hit.score) for hit in page.hits]
        return GoldenRow(
            question_id=question.question_id,
            question=question.question,
            kind=question.kind,
            answerable=question.answerable,
            abstained=not page.hits,
            document_hit=_every_group(question, lambda entry: _is_shown(entry, page)),
            evidence_hit=_every_group(question, lambda entry: _is_quoted(entry, evidence)),
            rank=next((rank for rank, label in enumerate(ranking, start=1) if label in grades), None),
            reciprocal_rank=reciprocal_rank(ranking, grades),
            ndcg_at_10=ndcg(ranking, grades, 10),
            recall_at_100=_covered(places, question.expected),
            top_score=places[0].score if places else NO_HIT,
            confidence=ranked.confidence,
            evidence_bytes=await self._sent_bytes(evidence),
            section_bytes=await self._section_bytes(page),
            milliseconds=milliseconds,
            expected=expected,
            shown=tuple(shown),
            quotes=tuple(quote.quote for quote in evidence.quotes),
            told=told_by(evidence),
            withheld=page.meta.withheld_unverified,
        )

    async def _sent_bytes(self, evidence: Evidence) -> int:
        """The bytes that kb.retrieve_evidence sends for this evidence: its text and its structured content."""
        files = await self._app.services.catalog.local_files(self._caller)
        packed = ReplyPacker(structured=self._app.settings.structured_output_enabled).pack_with_files(
            evidence_reply(evidence), files
        )
        return bytes_len(packed.text) + (json_bytes(packed.structured) if packed.structured else 0)

    async def _section_bytes(self, page: SearchPage) -> int:
        """The size of the full sections of the hits, in bytes."""
        total = 0
        for hit in page.hits:
            source_id = self._source_ids.get(hit.citation.source)
            if source_id is None:
                continue
            document = await self._app.rankings.document(SourceId(source_id), hit.section_id)
            total += bytes_len(hit.text if document is None else document.span.of(document.body))
        return total


def told_by(evidence: Evidence) -> Told:
    """What the first line of evidence tells about absence; "" if quotes are shown without a word."""
    unsaid = evidence.meta.empty is not None and evidence.meta.empty.says_absent
    return evidence.meta.told_of or ("unsaid" if unsaid else "")


def _every_group(question: GoldenQuestion, holds: Callable[[Expected], bool]) -> bool:
    return question.answerable and all(any(map(holds, group)) for group in question.groups)


def _is_shown(entry: Expected, page: SearchPage) -> bool:
    return any(_is_of(entry, hit.citation, hit.section_id, hit.also_in) for hit in page.hits)


def _is_quoted(entry: Expected, evidence: Evidence) -> bool:
    quotes = [
        quote.quote for quote in evidence.quotes if _is_of(entry, quote.citation, quote.section_id, quote.also_in)
    ]
    return stands_in(entry.answer, quotes)


def _is_of(entry: Expected, citation: Citation, section_id: str, also_in: Sequence[str]) -> bool:
    """True when a passage is from the expected document, or its text appears there too."""
    sections = [section_id, *also_in]
    return any(entry.is_document(_page_of(section), citation.doc_type, citation.title) for section in sections)


def _page_of(section_id: str) -> str:
    return section_id.partition("#")[0]


def _labels(place: RankedPassage, expected: Sequence[Expected]) -> list[str]:
    """The expected documents that a passage represents."""
    entries = [entry for entry in expected if any(entry.is_document(*document) for document in place.documents)]
    return list(dict.fromkeys(entry.label for entry in entries))


def _covered(places: Sequence[RankedPassage], expected: Sequence[Expected]) -> float:
    """The share of the expected documents that the first hundred passages represent."""
    labels = dict.fromkeys((entry.label for entry in expected), 1)
    covered = [label for label in labels if any(label in _labels(place, expected) for place in places[:DEPTH])]
    return recall(covered, labels, len(labels)) if labels else 0.0
