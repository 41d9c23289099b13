"""Search in the documents of accounts: the common pipeline, over the document types of a Nextcloud."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, TypeVar

from citemark.evidence.preview import best_first
from citemark.model.ids import RevisionId, SourceId
from citemark.model.scope import Filters, RequestScope
from citemark.model.text import Span
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SourceReader
from citemark.retrieval.question import Question, Ranking, VerifiedPage, phrasings_of
from citemark.services.accounts.requests import AccountSearch
from citemark.services.accounts.responses import AccountHit, AccountHits
from citemark.services.empty import Arguments
from citemark.services.handles import Handles, cursor_of
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta, cite
from citemark.services.scoping import Scoping
from citemark.store.accounts import AccountStore

if TYPE_CHECKING:
    from citemark.extraction.calendar.occurrences import Occurrence


Key = TypeVar("Key")

_MOST = 3
"""The most dates that a hit shows; its recurrence rule says whether there are others."""

_ORDER = ("Occurrence", "Start", "End", "Due", "Zone", "Recurrence", "State", "Progress", "Priority", "Location")
"""The order in which metadata of a document is shown: when, how far, where, then the rest by name."""


async def dates_of(series: Mapping[Key, str], request: AccountSearch) -> dict[Key, Sequence[str]]:
    """The first dates of each series within the requested days.

    A series without a date in these days has an empty list; one whose dates cannot be computed is left out.
    """
    found: dict[Key, Sequence[str]] = {}
    for key, written in series.items():
        dates = await asyncio.to_thread(_within, written, request.date_from, request.date_to)
        if dates is not None:
            found[key] = [_occurrence_text(each) for each in dates]
    return found


def in_order(metadata: Mapping[str, str], dates: Sequence[str] = ()) -> dict[str, str]:
    """The metadata of a document in reading order, with the dates of a series, one per line."""
    fields = {**metadata, "Occurrence": "\n".join(dates)} if dates else dict(metadata)
    positions = {name: position for position, name in enumerate(_ORDER)}
    return {name: fields[name] for name in sorted(fields, key=lambda name: (positions.get(name, len(positions)), name))}


def _within(series: str, first: date | None, last: date | None) -> "list[Occurrence] | None":
    # The calendar reader is large, and most questions name no days.
    from citemark.extraction.calendar.occurrences import dates_within  # noqa: PLC0415

    start = None if first is None else datetime.combine(first, time.min)
    end = None if last is None else datetime.combine(last, time.min) + timedelta(days=1)
    return dates_within(series, start, end, _MOST)


def _occurrence_text(occurrence: "Occurrence") -> str:
    """One date in its stored form, with what was set by hand."""
    end = "" if occurrence.end is None else f" to {occurrence.end.stored}"
    notes = (occurrence.summary, "changed" if occurrence.changed else "", "cancelled" if occurrence.cancelled else "")
    details = ", ".join(note for note in notes if note)
    return f"{occurrence.start.stored}{end}{f': {details}' if details else ''}"


Revision = tuple[SourceId, RevisionId]

_ARGUMENTS = Arguments(threshold="score_threshold")
_DEEPEST = 150
"""The most documents that a question reaches over all its pages: three of the largest pages."""


class AccountSearchService:
    """Ranks, verifies and shows documents of accounts."""

    def __init__(
        self, pipeline: Pipeline, sources: SourceReader, accounts: AccountStore, handles: Handles, scoping: Scoping
    ) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._accounts = accounts
        self._handles = handles
        self._scoping = scoping

    async def find(self, caller: Caller, request: AccountSearch) -> AccountHits:
        """One page of the documents that reach the score, each vouched for by its server a moment ago.

        Raises:
            InvalidArgument: the read context asks for a state that is not kept.
            UnknownCursor: the cursor is not of this caller and question.
            BackendUnavailable: the database does not answer.
        """
        scope, filters = await self._scoping.settle(
            caller.principal, RequestScope(), request.filters, request.read_context
        )
        list_id, start, shown_before, ranking = await self._ranked(caller, request, scope, filters)
        candidates = ranking.candidates
        page, dates = await self._page(caller, request, ranking, start)
        phrasings = phrasings_of(request.query, request.also)
        page = replace(page, hits=await self._pipeline.dated(ranking.allowed, page.hits, phrasings))
        confirmed = shown_before + len(page.hits)
        cursor = None
        if page.next_start is not None and not ranking.absence.central:
            list_id = list_id or await self._handles.keep_candidates(caller, request.digest, candidates)
            cursor = cursor_of(list_id, page.next_start, confirmed)
        keys = [(hit.chunk.source_id, hit.chunk.revision_id) for hit in page.hits]
        vouched = [key for key, hit in zip(keys, page.hits, strict=True) if hit.vouched]
        metadata = await self._accounts.metadata(ranking.allowed, vouched)
        spans = [best_first(phrasings[hit.candidate.why.phrasing], hit.chunk.text) for hit in page.hits]
        handles = await self._handles.offer(
            caller,
            [
                (hit.chunk, best[0].piece.span if best else Span(0, 0))
                for hit, best in zip(page.hits, spans, strict=True)
            ],
            ranking.read_context,
        )
        hits = tuple(
            AccountHit(
                native_id=hit.chunk.native_id,
                doc_type=hit.chunk.doc_type,
                title=hit.chunk.title,
                text=hit.chunk.text,
                spans=tuple(best),
                score=hit.candidate.score,
                metadata=in_order(metadata.get(key, {}), dates.get(key, ())),
                citation=cite(hit.chunk, hit.source, ranking.read_context),
                passage_id=passage_id,
                occasion=hit.occasion,
            )
            for key, hit, best, passage_id in zip(keys, page.hits, spans, handles, strict=True)
        )
        meta = ResponseMeta.of(
            caller,
            ranking.read_context,
            reading=ranking.allowed.reading,
            reason="none" if cursor is None else "page_size",
            cursor=cursor,
            withheld=page.withheld,
            notes=(*ranking.notes, *page.notes),
            absence=ranking.absence,
            arguments=_ARGUMENTS,
            # Candidates before this page that were not shown may have been withheld.
            whole=page.whole and start == shown_before and len(candidates) < _DEEPEST,
            empty=None
            if hits
            else await self._scoping.explain_empty(
                ranking.allowed,
                phrasings_of(request.query, request.also),
                scope=scope,
                withheld=page.withheld,
                filters=filters,
                absence=ranking.absence,
                arguments=_ARGUMENTS,
                denied=page.denied,
            ),
        )
        return AccountHits(hits, meta, confirmed + _unasked(request, page, len(candidates)))

    async def _page(
        self, caller: Caller, request: AccountSearch, ranking: Ranking, start: int
    ) -> tuple[VerifiedPage, Mapping[Revision, Sequence[str]]]:
        """The documents of a page, and the dates of recurring ones within the requested days."""
        size = min(request.limit, ranking.absence.most_shown or request.limit)
        page = await self._pipeline.page(caller.principal, ranking.allowed, ranking.candidates, start=start, size=size)
        if request.date_from is None and request.date_to is None:
            return page, {}
        keys = [(hit.chunk.source_id, hit.chunk.revision_id) for hit in page.hits if hit.vouched]
        return page, await dates_of(await self._accounts.series(ranking.allowed, keys), request)

    async def _ranked(
        self, caller: Caller, request: AccountSearch, scope: RequestScope, filters: Filters
    ) -> tuple[str | None, int, int, Ranking]:
        """The id of the list if it is stored, where the page starts, how many documents were shown, and the list."""
        if request.cursor is not None:
            list_id, start, shown, candidates = await self._handles.candidates(caller, request.digest, request.cursor)
            allowed = await self._sources.allowed(caller.principal, scope)
            state = await self._pipeline.contexts.open(request.read_context, allowed)
            return list_id, start, shown, Ranking(tuple(candidates), state.allowed, state.context, state.notes)
        ranking = await self._pipeline.rank(
            Question(
                principal=caller.principal,
                query=request.query,
                also=request.also,
                scope=scope,
                filters=filters,
                read_context=request.read_context,
                depth=_DEEPEST,
                max_per_doc=1,
                min_score=request.min_score,
                nearest=True,
            )
        )
        return None, 0, 0, ranking


def _unasked(request: AccountSearch, page: VerifiedPage, candidates: int) -> int:
    """The documents after a page that reach the score. With days asked for, only a look at each tells if it counts."""
    if page.next_start is None or request.date_from is not None or request.date_to is not None:
        return 0
    return candidates - page.next_start
