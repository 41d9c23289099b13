"""The evidence of an answer: found once, pinned by name, and opened again only for whom and as long as it may be."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from citemark.answering.documents import Document
from citemark.answering.requests import AnswerRequest
from citemark.evidence.budget import Usage
from citemark.evidence.citing import cite, title_of
from citemark.evidence.requests import Asker
from citemark.evidence.results import Frame
from citemark.evidence.scoping import Scoping
from citemark.model.candidates import StoredChunk
from citemark.model.scope import RequestScope, ResolvedContext
from citemark.model.sources import Fence, Source
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.question import Question
from citemark.retrieval.verification import Access
from citemark.store.accounts import AccountStore
from citemark.store.search import SearchStore
from citemark.store.sources import SourceStore

_RESERVE = 3
"""How many places per wanted document are kept, so that those withheld at the source can be replaced."""

_CATEGORY = "category"


@dataclass(frozen=True, slots=True)
class Pin:
    """A place of the first round: which passage had which number, and how well it was found."""

    number: int
    source_id: int
    chunk_id: int
    score: float
    relevance: float


@dataclass(frozen=True, slots=True)
class Gathered:
    """The documents of an answer as the asker may read them now, and what names them."""

    documents: tuple[Document, ...]
    pins: tuple[Pin, ...]
    frame: Frame

    def state(self) -> dict[str, Any]:
        """What another round needs to open the same evidence; JSON, names only and no text."""
        return {
            "as_of": self.frame.read_context.as_of.isoformat(),
            "notes": list(self.frame.notes),
            "whole": self.frame.whole,
            "pins": [[pin.number, pin.source_id, pin.chunk_id, pin.score, pin.relevance] for pin in self.pins],
        }


class Gathering:
    """Finds evidence and opens it again."""

    def __init__(
        self,
        *,
        pipeline: Pipeline,
        sources: SourceStore,
        search: SearchStore,
        accounts: AccountStore,
        scoping: Scoping,
    ) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._search = search
        self._accounts = accounts
        self._scoping = scoping

    async def find(self, asker: Asker, request: AnswerRequest) -> Gathered:
        """The best documents for a question.

        Raises:
            ScopeViolation, InvalidArgument, BackendUnavailable.
        """
        scope, filters = await self._scoping.settle(asker.principal, request.scope, request.filters)
        depth = request.limit * _RESERVE
        ranking = await self._pipeline.rank(
            Question(
                principal=asker.principal,
                query=request.question,
                scope=scope,
                filters=filters,
                read_context=request.read_context,
                depth=depth,
                min_score=request.min_score,
            )
        )
        page = await self._pipeline.page(asker.principal, ranking.fence, ranking.places, start=0, size=request.limit)
        pins = [
            Pin(number, hit.chunk.source_id, hit.chunk.chunk_id, hit.place.score, hit.place.why.relevance)
            for number, hit in enumerate(page.hits, start=1)
        ]
        chunks = {int(hit.chunk.chunk_id): hit.chunk for hit in page.hits}
        whole = page.whole and len(ranking.places) < depth
        frame = _frame(asker, ranking.read_context, page.withheld, ranking.notes, whole=whole)
        if not pins:
            frame = await self._explained(frame, request, ranking.fence, scope)
        vouched = {int(hit.chunk.chunk_id) for hit in page.hits if hit.vouched}
        return await self._opened(ranking.fence, pins, chunks, vouched, frame)

    async def reopen(self, asker: Asker, request: AnswerRequest, state: Mapping[str, Any]) -> Gathered:
        """The documents that were pinned, but for those that the asker may not read any more.

        Raises:
            ScopeViolation, BackendUnavailable.
        """
        pins = [Pin(*entry) for entry in state["pins"]]
        scope = self._scoping.apply(request.scope)
        fence = await self._sources.fence(asker.principal, scope)
        chunks = await self._search.read(fence, [pin.chunk_id for pin in pins])
        access = await self._pipeline.access(asker.principal, fence, list(chunks.values()))
        shown = {int(key): chunk for key, chunk in chunks.items() if access[key].shown}
        vouched = {int(key) for key in chunks if access[key] is Access.SHOWN}
        withheld = sum(access[key] is Access.WITHHELD for key in chunks)
        context = ResolvedContext(datetime.fromisoformat(state["as_of"]))
        frame = _frame(asker, context, withheld, state["notes"], whole=bool(state.get("whole")) and not withheld)
        if not shown:
            frame = await self._explained(frame, request, fence, scope)
        return await self._opened(fence, [pin for pin in pins if pin.chunk_id in shown], shown, vouched, frame)

    async def _explained(self, frame: Frame, request: AnswerRequest, fence: Fence, scope: RequestScope) -> Frame:
        """The frame of an answer without documents, with the reason."""
        empty = await self._scoping.explain_empty(
            fence, request.question, scope=scope, withheld=frame.withheld_unverified, filters=request.filters
        )
        return replace(frame, empty=empty)

    async def _opened(
        self,
        fence: Fence,
        pins: Sequence[Pin],
        chunks: Mapping[int, StoredChunk],
        vouched: Container[int],
        frame: Frame,
    ) -> Gathered:
        wanted = [(chunk.source_id, chunk.revision_id) for number, chunk in chunks.items() if number in vouched]
        known = await self._accounts.metadata(fence, wanted) if pins else {}
        opened = [(pin, chunks[pin.chunk_id], fence.source(chunks[pin.chunk_id].source_id)) for pin in pins]
        kept = [(pin, chunk, source) for pin, chunk, source in opened if source is not None]
        return Gathered(
            documents=tuple(
                _document(pin, chunk, source, known.get((chunk.source_id, chunk.revision_id), {}), frame.read_context)
                for pin, chunk, source in kept
            ),
            pins=tuple(pin for pin, _, _ in kept),
            frame=frame,
        )


def _document(
    pin: Pin, chunk: StoredChunk, source: Source, metadata: Mapping[str, str], context: ResolvedContext
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
        metadata={name: said for name, said in metadata.items() if name != _CATEGORY},
    )


def _frame(
    asker: Asker, context: ResolvedContext, withheld: int, notes: Sequence[str], *, whole: bool = False
) -> Frame:
    return Frame(
        session_id=asker.session_id,
        read_context=context,
        partial=False,
        limit_reason="none",
        next_cursor=None,
        withheld_unverified=withheld,
        usage=Usage.of_bytes(0),
        notes=tuple(notes),
        whole=whole,
    )
