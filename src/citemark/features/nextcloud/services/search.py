"""Search in the documents of accounts: the common pipeline, over the document types of a Nextcloud."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, TypeVar

from citemark.features.nextcloud.services.requests import AccountSearch
from citemark.features.nextcloud.services.responses import AccountHit, AccountHits
from citemark.features.nextcloud.store.accounts import AccountStore
from citemark.model.ids import PassageId, RevisionId, SourceId
from citemark.model.scope import ResolvedContext
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SourceReader
from citemark.retrieval.question import Question, VerifiedPage
from citemark.services.empty import Arguments
from citemark.services.handles import Handles, cursor_of
from citemark.services.question_search import Found, OfferedHit, Search, SearchSpec, offered
from citemark.services.requests import Caller
from citemark.services.responses import cite
from citemark.services.scoping import Scoping
from citemark.store.documents import DocumentStore

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
    from citemark.extraction.calendar.occurrences import dates_within

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
        self,
        pipeline: Pipeline,
        sources: SourceReader,
        accounts: AccountStore,
        documents: DocumentStore,
        handles: Handles,
        scoping: Scoping,
    ) -> None:
        self._accounts = accounts
        self._documents = documents
        self._handles = handles
        self._search = Search(pipeline, sources, scoping)

    async def find(self, caller: Caller, request: AccountSearch) -> AccountHits:
        """One page of the documents that reach the score, each vouched for by its server a moment ago.

        Raises:
            InvalidArgument: the read context asks for a state that is not kept.
            UnknownCursor: the cursor is not of this caller and question.
            BackendUnavailable: the database does not answer.
        """
        found, list_id, start, shown_before = await self._found(caller, request)
        dates = await self._dates(found, request)
        found = await self._search.dated(found)
        page, candidates = found.page, found.candidates
        confirmed = shown_before + len(page.hits)
        cursor = None
        if page.next_start is not None and not found.ranking.absence.central:
            list_id = list_id or await self._handles.keep_candidates(caller, request.digest, candidates)
            cursor = cursor_of(list_id, page.next_start, confirmed)
        keys = [(hit.chunk.source_id, hit.chunk.revision_id) for hit in page.hits]
        vouched = [key for key, hit in zip(keys, page.hits, strict=True) if hit.vouched]
        metadata = await self._documents.metadata(found.ranking.allowed, vouched)
        offers = await offered(self._handles, caller, found)
        context = found.ranking.read_context
        hits = tuple(
            _account_hit(offer, context, metadata.get(key, {}), dates.get(key, ()))
            for key, offer in zip(keys, offers, strict=True)
        )
        # Candidates before this page that were not shown may have been withheld.
        whole = page.whole and start == shown_before and len(candidates) < _DEEPEST
        empty = None if hits else await self._search.explain_empty(found)
        meta = found.meta(caller, cursor=cursor, whole=whole, empty=empty)
        return AccountHits(hits, meta, confirmed + _unasked(request, page, len(candidates)))

    async def _dates(self, found: Found, request: AccountSearch) -> Mapping[Revision, Sequence[str]]:
        """The dates of the recurring documents of a page within the requested days; none if no days are."""
        if request.date_from is None and request.date_to is None:
            return {}
        keys = [(hit.chunk.source_id, hit.chunk.revision_id) for hit in found.page.hits if hit.vouched]
        return await dates_of(await self._accounts.series(found.ranking.allowed, keys), request)

    async def _found(self, caller: Caller, request: AccountSearch) -> tuple[Found, str | None, int, int]:
        """A page, the id of its list if that is stored, where the page starts, and how many documents were shown."""
        question = Question(
            principal=caller.principal,
            query=request.query,
            also=request.also,
            filters=request.filters,
            read_context=request.read_context,
            depth=_DEEPEST,
            max_per_doc=1,
            min_score=request.min_score,
            nearest=True,
        )
        spec = SearchSpec(question, request.limit, arguments=_ARGUMENTS)
        if request.cursor is None:
            return await self._search.run(caller, spec), None, 0, 0
        list_id, start, shown, candidates = await self._handles.candidates(caller, request.digest, request.cursor)
        question, ranking = await self._search.reopened(caller, question, candidates)
        found = await self._search.page(caller, replace(spec, question=question), ranking, start=start)
        return found, list_id, start, shown


def _account_hit(
    offer: OfferedHit, context: ResolvedContext, metadata: Mapping[str, str], dates: Sequence[str]
) -> AccountHit:
    hit, chunk = offer.hit, offer.hit.chunk
    return AccountHit(
        native_id=chunk.native_id,
        doc_type=chunk.doc_type,
        title=chunk.title,
        text=chunk.text,
        spans=tuple(offer.spans),
        score=hit.candidate.score,
        metadata=in_order(metadata, dates),
        citation=cite(chunk, hit.source, context),
        passage_id=PassageId(offer.passage_id),
        occasion=hit.occasion,
    )


def _unasked(request: AccountSearch, page: VerifiedPage, candidates: int) -> int:
    """The documents after a page that reach the score. With days asked for, only a look at each tells if it counts."""
    if page.next_start is None or request.date_from is not None or request.date_to is not None:
        return 0
    return candidates - page.next_start
