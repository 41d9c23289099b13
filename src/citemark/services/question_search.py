"""The one search of search, answers and accounts, which say what they want and shape it; evidence ranks with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from citemark.evidence.preview import best_first_of
from citemark.evidence.scoring import ScoredSpan
from citemark.model.text import Span
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SourceReader
from citemark.retrieval.question import HitCollapser, Question, RankedCandidate, Ranking, VerifiedHit, VerifiedPage
from citemark.services.empty import TOOL_ARGUMENTS, Arguments, EmptyResult
from citemark.services.handles import Handles
from citemark.services.requests import Caller
from citemark.services.responses import UNCUT, Cut, NotShown, ResponseMeta
from citemark.services.scoping import Scoping

InOrder: TypeAlias = Callable[[Ranking], Sequence[RankedCandidate]]


def as_ranked(ranking: Ranking) -> Sequence[RankedCandidate]:
    """The candidates in the order of their ranks."""
    return ranking.candidates


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """What one search wants: a question, with the limits as its caller gave them, and a page of `size` hits.

    `order` gives the order in which candidates are verified; `collapser` decides which of them show the same.
    `arguments` are the names by which an empty result gives advice.
    """

    question: Question
    size: int
    collapser: HitCollapser | None = None
    order: InOrder = as_ranked
    arguments: Arguments = TOOL_ARGUMENTS


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: its question with settled limits, the ranking, and one verified page of `candidates`."""

    question: Question
    ranking: Ranking
    candidates: Sequence[RankedCandidate]
    page: VerifiedPage
    arguments: Arguments = TOOL_ARGUMENTS

    def meta(
        self,
        caller: Caller,
        *,
        cursor: str | None = None,
        notes: Sequence[str] = (),
        whole: bool = False,
        empty: EmptyResult | None = None,
    ) -> ResponseMeta:
        """The metadata of a response to `caller`; `notes` stand between those of the ranking and those of the page."""
        return ResponseMeta.of(
            caller,
            self.ranking.read_context,
            reading=self.ranking.allowed.reading,
            cut=UNCUT if cursor is None else Cut("page_size", cursor),
            not_shown=NotShown(self.page.withheld, empty, self.ranking.absence, self.arguments),
            notes=(*self.ranking.notes, *notes, *self.page.notes),
            whole=whole,
        )


@dataclass(frozen=True, slots=True)
class OfferedHit:
    """A hit under a handle that its caller may read on with, and the spans of it that answer best."""

    hit: VerifiedHit
    passage_id: str
    spans: Sequence[ScoredSpan]
    found_by: str


class Search:
    """Ranks questions and verifies what it shows."""

    def __init__(self, pipeline: Pipeline, sources: SourceReader, scoping: Scoping) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._scoping = scoping

    async def run(self, caller: Caller, spec: SearchSpec) -> Found:
        """The first page of what answers.

        Raises:
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        question, ranking = await self.ranked(caller, spec.question)
        return await self.page(caller, replace(spec, question=question), ranking)

    async def ranked(self, caller: Caller, question: Question) -> tuple[Question, Ranking]:
        """Settle the scope and the filters of a question and rank it; nothing is verified.

        Raises:
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        scope, filters = await self._scoping.settle(
            caller.principal, question.scope, question.filters, question.read_context
        )
        settled = replace(question, scope=scope, filters=filters)
        return settled, await self._pipeline.rank(settled)

    async def reopened(
        self, caller: Caller, question: Question, candidates: Sequence[RankedCandidate]
    ) -> tuple[Question, Ranking]:
        """A ranking that was kept for later pages, over what the caller may read by now.

        The limits were settled for the first page: the scope is applied again, but its values are not looked up again.

        Raises:
            ScopeViolation, BackendUnavailable.
        """
        question = replace(question, scope=self._scoping.apply(question.scope))
        sources = await self._sources.allowed(caller.principal, question.scope)
        state = await self._pipeline.contexts.open(question.read_context, sources)
        return question, Ranking(tuple(candidates), state.allowed, state.context, state.notes)

    async def page(self, caller: Caller, spec: SearchSpec, ranking: Ranking, *, start: int = 0) -> Found:
        """Verify a page of a ranking from candidate `start` on.

        Raises:
            BackendUnavailable.
        """
        candidates = spec.order(ranking)
        page = await self._pipeline.page(
            caller.principal,
            ranking.allowed,
            candidates,
            start=start,
            size=min(spec.size, ranking.absence.most_shown or spec.size),
            collapser=spec.collapser,
        )
        return Found(spec.question, ranking, candidates, page, spec.arguments)

    async def dated(self, found: Found) -> Found:
        """The same, its hits with the times of what they are about."""
        hits = await self._pipeline.dated(found.ranking.allowed, found.page.hits, found.question.phrasings)
        return replace(found, page=replace(found.page, hits=hits))

    async def explain_empty(self, found: Found) -> EmptyResult:
        """Why a search shows nothing."""
        return await self._scoping.explain_empty(
            found.ranking.allowed,
            found.question.phrasings,
            scope=found.question.scope,
            withheld=found.page.withheld,
            filters=found.question.filters,
            absence=found.ranking.absence,
            arguments=found.arguments,
            denied=found.page.denied,
        )


async def offered(handles: Handles, caller: Caller, found: Found) -> list[OfferedHit]:
    """The hits of a page, each under a handle at the span of it that answers best."""
    phrasings = found.question.phrasings
    asked = [phrasings[hit.candidate.why.phrasing] for hit in found.page.hits]
    spans = best_first_of(asked, [hit.chunk.text for hit in found.page.hits])
    places = [
        (hit.chunk, best[0].piece.span if best else Span(0, 0))
        for hit, best in zip(found.page.hits, spans, strict=True)
    ]
    passage_ids = await handles.offer(caller, places, found.ranking.read_context)
    return [
        OfferedHit(hit, passage_id, best, phrasing)
        for hit, passage_id, best, phrasing in zip(found.page.hits, passage_ids, spans, asked, strict=True)
    ]
