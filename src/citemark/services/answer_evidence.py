"""The evidence of an answer: found once, pinned by id, and reopened only while its caller may still read it."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from datetime import datetime
from typing import Any

from citemark.answering.numbered_documents import Document
from citemark.model.accounts import DATED
from citemark.model.candidates import StoredChunk
from citemark.model.scope import ResolvedContext
from citemark.model.sources import AllowedSources, Source
from citemark.retrieval.absence import NOTHING_ABSENT, Absence
from citemark.retrieval.access import Access
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SearchIndex, SourceReader
from citemark.retrieval.question import HitCollapser, Question, Ranking, VerifiedPage, phrasings_of
from citemark.retrieval.retrievers import CANDIDATES
from citemark.services.answer_requests import AnswerRequest
from citemark.services.evidence import in_reading_order, newer_first, show_whole_tables
from citemark.services.question_search import Found, Search, SearchSpec
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta, cite, title_of
from citemark.services.scoping import Scoping
from citemark.store.documents import DocumentStore

_RESERVE = 3
"""Candidates looked for per wanted document, so that those withheld by their source can be replaced."""

_MAX_PER_DOC = 2
"""The most passages of one document, the same as in a search."""

_CATEGORY = "category"


@dataclass(frozen=True, slots=True)
class PinnedPassage:
    """One passage of the first round: which number it had, and how well it was ranked."""

    number: int
    source_id: int
    chunk_id: int
    score: float
    relevance: float
    phrasing: int = 0


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """The documents of an answer as the caller may read them now, and the pins that identify them."""

    documents: tuple[Document, ...]
    pins: tuple[PinnedPassage, ...]
    meta: ResponseMeta
    also: tuple[str, ...] = ()
    today: str = ""
    confidence: float | None = None
    notes: tuple[str, ...] = ()
    absence: Absence = NOTHING_ABSENT
    further: int = 0

    def state(self) -> dict[str, Any]:
        """The state that another round needs to open the same evidence: JSON with ids and no text."""
        return {
            "as_of": self.meta.read_context.as_of.isoformat(),
            "baseline_id": self.meta.read_context.baseline_id,
            "read_at": self.meta.read_context.read_at and self.meta.read_context.read_at.isoformat(),
            "notes": list(self.notes),
            "absence": asdict(self.absence),
            "whole": self.meta.whole,
            "also": list(self.also),
            "confidence": self.confidence,
            "further": self.further,
            "pins": [list(astuple(pin)) for pin in self.pins],
        }


class EvidenceCollector:
    """Finds evidence and reopens it."""

    def __init__(
        self,
        *,
        pipeline: Pipeline,
        sources: SourceReader,
        search: SearchIndex,
        documents: DocumentStore,
        scoping: Scoping,
    ) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._index = search
        self._documents = documents
        self._scoping = scoping
        self._search = Search(pipeline, sources, scoping)

    async def find(self, caller: Caller, request: AnswerRequest) -> EvidenceSet:
        """The best documents for a question.

        Raises:
            ScopeViolation, InvalidArgument, BackendUnavailable.
        """
        depth = request.limit * _RESERVE
        collapser = HitCollapser(phrasings_of(request.question, request.also))
        question = Question(
            principal=caller.principal,
            query=request.question,
            also=request.also,
            scope=request.scope,
            filters=request.filters,
            read_context=request.read_context,
            depth=depth,
            needed=request.limit * _MAX_PER_DOC,
            most=CANDIDATES,
            max_per_doc=_MAX_PER_DOC,
            min_score=request.min_score,
        )
        spec = SearchSpec(
            question, request.limit, collapser, lambda ranking: in_reading_order(ranking, depth), request.arguments
        )
        found = await self._search.run(caller, spec)
        ranking = found.ranking
        await show_whole_tables(self._pipeline, ranking.allowed, found.page.hits, collapser)
        page = replace(found.page, hits=tuple(collapser.hits))
        pins = [
            PinnedPassage(
                number,
                hit.chunk.source_id,
                hit.chunk.chunk_id,
                hit.candidate.score,
                hit.candidate.why.relevance,
                hit.candidate.why.phrasing,
            )
            for number, hit in enumerate(
                page.hits if ranking.in_time else newer_first(page.hits, request.question), start=1
            )
        ]
        chunks = {int(hit.chunk.chunk_id): hit.chunk for hit in page.hits}
        whole = page.whole and len(ranking.candidates) < depth
        empty = None if pins else await self._search.explain_empty(found)
        meta = found.meta(caller, whole=whole, empty=empty)
        vouched = {int(hit.chunk.chunk_id) for hit in page.hits if hit.vouched}
        opened = await self._opened(request, ranking.allowed, pins, chunks, vouched, meta)
        shown = {hit.chunk.page_id for hit in page.hits} | {hit.candidate.page_id for hit in page.hits}
        ends = page.next_start is None or ranking.absence.central
        rest = () if ends else found.candidates[page.next_start :]
        return replace(
            opened,
            notes=ranking.notes,
            absence=ranking.absence,
            confidence=ranking.confidence,
            further=len({each.page_id for each in rest} - shown),
        )

    async def reopen(self, caller: Caller, request: AnswerRequest, state: Mapping[str, Any]) -> EvidenceSet:
        """The documents that were pinned, except those that the caller may no longer read.

        Raises:
            ScopeViolation, BackendUnavailable.
        """
        pins = [PinnedPassage(*entry) for entry in state["pins"]]
        scope = self._scoping.apply(request.scope)
        context = _context_of(state)
        allowed = replace(await self._sources.allowed(caller.principal, scope), read_at=context.read_at)
        chunks = await self._index.read(allowed, [pin.chunk_id for pin in pins])
        deadline = self._pipeline.deadline()
        access = await self._pipeline.access(caller.principal, allowed, list(chunks.values()), deadline)
        shown = {int(key): access[key].vouched(chunk) for key, chunk in chunks.items() if access[key].shown}
        vouched = {int(key) for key in chunks if access[key] is Access.SHOWN}
        withheld = sum(access[key] is Access.WITHHELD for key in chunks)
        whole = bool(state.get("whole")) and not withheld
        notes = tuple(map(str, state["notes"]))
        checked = VerifiedPage((), None, withheld, remembered=deadline.remembered)
        absence = _absence_of(state)
        question = Question(
            caller.principal, request.question, scope, request.filters, request.read_context, also=request.also
        )
        found = Found(question, Ranking((), allowed, context, notes, absence=absence), (), checked, request.arguments)
        meta = found.meta(caller, whole=whole, empty=None if shown else await self._search.explain_empty(found))
        kept = [pin for pin in pins if pin.chunk_id in shown]
        opened = await self._opened(request, allowed, kept, shown, vouched, meta)
        return replace(
            opened,
            notes=notes,
            absence=absence,
            confidence=state.get("confidence"),
            further=int(state.get("further", 0)),
        )

    async def _opened(
        self,
        request: AnswerRequest,
        allowed: AllowedSources,
        pins: Sequence[PinnedPassage],
        chunks: Mapping[int, StoredChunk],
        vouched: Container[int],
        meta: ResponseMeta,
    ) -> EvidenceSet:
        revisions = [(chunk.source_id, chunk.revision_id) for number, chunk in chunks.items() if number in vouched]
        metadata = await self._documents.metadata(allowed, revisions) if pins else {}
        dated = [int(chunk.page_id) for chunk in chunks.values() if chunk.doc_type in DATED]
        asked = phrasings_of(request.question, request.also)
        occasions = await self._pipeline.occasions(allowed, dated, asked) if dated and pins else {}
        opened = [(pin, chunks[pin.chunk_id], allowed.source(chunks[pin.chunk_id].source_id)) for pin in pins]
        kept = [(pin, chunk, source) for pin, chunk, source in opened if source is not None]
        return EvidenceSet(
            documents=tuple(
                replace(
                    _document(
                        pin, chunk, source, metadata.get((chunk.source_id, chunk.revision_id), {}), meta.read_context
                    ),
                    found_by=asked[pin.phrasing],
                    occasion=occasions.get(int(chunk.page_id)),
                )
                for pin, chunk, source in kept
            ),
            pins=tuple(pin for pin, _, _ in kept),
            meta=meta,
            also=request.also,
            today=self._pipeline.today(),
        )


def _absence_of(state: Mapping[str, Any]) -> Absence:
    """What was found to be absent when the documents were pinned."""
    absence: dict[str, Any] = state["absence"]
    lists: dict[str, Any] = {"names": tuple(absence["names"]), "words": tuple(absence["words"])}
    return Absence(**{**absence, **lists})


def _context_of(state: Mapping[str, Any]) -> ResolvedContext:
    """The state that was read when the documents were pinned."""
    read_at = state.get("read_at")
    return ResolvedContext(
        datetime.fromisoformat(state["as_of"]),
        state.get("baseline_id"),
        None if read_at is None else datetime.fromisoformat(read_at),
    )


def _document(
    pin: PinnedPassage, chunk: StoredChunk, source: Source, metadata: Mapping[str, str], context: ResolvedContext
) -> Document:
    citation = cite(chunk, source, context)
    return Document(
        number=pin.number,
        doc_type=chunk.doc_type,
        native_id=chunk.native_id,
        title=title_of(chunk),
        text=chunk.text,
        score=pin.score,
        citation=citation,
        url=citation.url,
        category=metadata.get(_CATEGORY),
        relevance=pin.relevance,
        metadata={name: value for name, value in metadata.items() if name != _CATEGORY},
        header=chunk.table_header,
    )
