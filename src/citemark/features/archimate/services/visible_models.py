"""The models that one call reads: its allowed sources and moment, and which rows may be shown."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

from citemark.evidence.budget import LimitReason
from citemark.features.archimate.services.requests import Metadata, QueryScope
from citemark.features.archimate.services.responses import LinkCard, PartCard
from citemark.features.archimate.store import ArchitectureStore
from citemark.model.architecture import ARCHIMATE, ELEMENT, StoredLink, StoredPart
from citemark.model.candidates import StoredChunk
from citemark.model.citation import Citation
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Filters, RequestScope, ResolvedContext
from citemark.model.sources import AllowedSources
from citemark.model.text import Span
from citemark.retrieval.absence import NOTHING_ABSENT, Absence
from citemark.retrieval.access import Access
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SearchIndex, SourceReader
from citemark.services.empty import EmptyResult
from citemark.services.requests import Caller
from citemark.services.responses import Cut, NotShown, ResponseMeta, cite
from citemark.services.scoping import Scoping

AnyRow = TypeVar("AnyRow", StoredPart, StoredLink)
AnyCard = TypeVar("AnyCard", PartCard, LinkCard)

_MOST_NAMED = 20
"""The most models listed if one is unknown, the most similar names first."""

_ROUNDS = 5
_MOST_SECONDS = 2.0
"""How often, and for how many seconds, a page that verification thinned is refilled."""


@dataclass(frozen=True, slots=True)
class ShownCards(Generic[AnyCard]):
    """The cards that may be shown, how many rows were withheld, and the last row that was looked at if more follow."""

    cards: tuple[AnyCard, ...]
    withheld: int = 0
    last: Any = None


@dataclass(frozen=True, slots=True)
class ModelReader:
    """Opens models for a caller; holds the stores that the model services read."""

    pipeline: Pipeline
    sources: SourceReader
    search: SearchIndex
    models: ArchitectureStore
    scoping: Scoping

    async def read(
        self, caller: Caller, query_scope: QueryScope, at: datetime | None = None, metadata: Metadata = ()
    ) -> "OpenModels":
        """Open the models that the caller may read.

        Args:
            caller: who makes the call.
            query_scope: which models, and which state of them.
            at: the moment that an earlier page of the list read.
            metadata: conditions on elements.

        Raises:
            ScopeViolation: the scope names another project.
            InvalidArgument: there is no such model, the read context asks for a state that is not kept, or no
                element has a value that is named.
        """
        model_scope = replace(query_scope.scope, kind=ARCHIMATE, source=query_scope.model)
        if query_scope.model is not None:
            await self.require(caller, query_scope.model, self.scoping.apply(query_scope.scope).project_id)
        filters = Filters(doc_types=(ELEMENT,) if metadata else (), metadata=metadata)
        scope, filters = await self.scoping.settle(caller.principal, model_scope, filters, query_scope.read_context)
        allowed = await self.sources.allowed(caller.principal, scope)
        state = await self.pipeline.contexts.open(query_scope.read_context, allowed)
        context = state.context
        if at is not None and context.head:
            context = replace(context, as_of=at)
        return OpenModels(self, caller, scope, state.allowed, context, filters.metadata, state.notes)

    async def require(self, caller: Caller, model: str, project_id: str | None) -> None:
        """Make sure that the caller has a model of this name, current or former.

        Raises:
            InvalidArgument: there is no such model; the message lists the caller's own, nearest first.
        """
        allowed = await self.sources.allowed(caller.principal, RequestScope(project_id, kind=ARCHIMATE))
        if allowed.named(model) is None:
            near = get_close_matches(model, [source.name for source in allowed.sources], _MOST_NAMED, 0)
            names = ", ".join(near) or "none"
            raise InvalidArgument(f"/model: no model is called {model[:80]!r}; yours: {names}.", models=near)


@dataclass(frozen=True, slots=True)
class OpenModels:
    """The models that one call reads; turns rows into cards, and keeps those that their source confirms.

    `metadata` are the conditions on elements, with values as the models spell them; `notes` are about the state.
    """

    reader: ModelReader
    caller: Caller
    scope: RequestScope
    allowed: AllowedSources
    context: ResolvedContext
    metadata: Metadata = ()
    notes: tuple[str, ...] = ()

    @property
    def at(self) -> datetime:
        """The recorded moment that is read."""
        return self.context.moment

    async def chunks(self, wanted: Iterable[int]) -> Mapping[int, tuple[StoredChunk, Access]]:
        """Chunks with the verdict of their source, by id."""
        found = await self.reader.search.read(self.allowed, sorted(set(wanted)))
        access = await self.reader.pipeline.access(self.caller.principal, self.allowed, list(found.values()))
        return {chunk_id: (chunk, access[chunk_id]) for chunk_id, chunk in found.items()}

    async def parts(self, rows: Sequence[StoredPart]) -> ShownCards[PartCard]:
        """Those of the parts that may be shown."""
        chunks = await self.chunks(row.chunk_id for row in rows)
        cards: list[PartCard] = []
        withheld = 0
        for row in rows:
            chunk, verdict = chunks.get(row.chunk_id, (None, Access.DROPPED))
            if chunk is not None and verdict.shown:
                cards.append(self.card(row, chunk))
            withheld += verdict is Access.WITHHELD
        return ShownCards(tuple(cards), withheld)

    async def links(self, rows: Sequence[StoredLink]) -> ShownCards[LinkCard]:
        """Those of the relationships whose two ends may both be shown."""
        ends = [[end.chunk_id for end in (row.start, row.end) if end.chunk_id is not None] for row in rows]
        chunks = await self.chunks(chunk_id for chunk_ids in ends for chunk_id in chunk_ids)
        cards: list[LinkCard] = []
        withheld = 0
        for row, chunk_ids in zip(rows, ends, strict=True):
            verdicts = {chunks[chunk_id][1] if chunk_id in chunks else Access.DROPPED for chunk_id in chunk_ids}
            start = chunks.get(row.start.chunk_id or 0)
            if start is not None and all(verdict.shown for verdict in verdicts):
                cards.append(LinkCard(row, self.cite(start[0], row.text_span)))
            withheld += Access.WITHHELD in verdicts
        return ShownCards(tuple(cards), withheld)

    def card(self, part: StoredPart, chunk: StoredChunk) -> PartCard:
        """A part with its citation."""
        return PartCard(part, self.cite(chunk))

    def cite(self, chunk: StoredChunk, span: Span | None = None) -> Citation:
        """The citation of a chunk, or of what it says in `span`, counted in its revision's body."""
        source = self.allowed.source(chunk.source_id)
        assert source is not None  # noqa: S101 - chunks are read inside the allowed sources
        low = max(span.start, chunk.span.start) if span else 0
        high = min(span.end, chunk.span.end) if span else 0
        part = Span(low - chunk.span.start, high - chunk.span.start) if low < high else None
        return cite(chunk, source, self.context, part)

    async def explain_empty(
        self, phrasings: Sequence[str], filters: Filters, withheld: int, absence: Absence = NOTHING_ABSENT
    ) -> EmptyResult:
        """Why a question to these models shows nothing."""
        return await self.reader.scoping.explain_empty(
            self.allowed, phrasings, scope=self.scope, withheld=withheld, filters=filters, absence=absence
        )

    async def explain_absence(self, nothing: EmptyResult, withheld: int) -> EmptyResult:
        """Why a list of what these models state shows nothing; `nothing` if they could be read completely."""
        return await self.reader.scoping.explain_absence(self.allowed, nothing, scope=self.scope, withheld=withheld)

    def meta(
        self,
        *,
        withheld: int = 0,
        reason: LimitReason = "none",
        notes: tuple[str, ...] = (),
        empty: EmptyResult | None = None,
        absence: Absence = NOTHING_ABSENT,
    ) -> ResponseMeta:
        """The metadata of a response; `absence` is what was found to be absent of what a question asks for."""
        all_notes = tuple(dict.fromkeys((*notes, *self.notes)))
        return ResponseMeta.of(
            self.caller,
            self.context,
            reading=self.allowed.reading,
            cut=Cut(reason),
            not_shown=NotShown(withheld, empty, absence),
            notes=all_notes,
        )


async def fill(
    fetch: Callable[[Any, int], Awaitable[Sequence[AnyRow]]],
    show: Callable[[Sequence[AnyRow]], Awaitable[ShownCards[AnyCard]]],
    size: int,
    after: Any,
) -> ShownCards[AnyCard]:
    """Up to `size` cards of the rows after `after`; what verification takes away is replaced by what follows.

    Args:
        fetch: returns the rows after a key, at most the given number.
        show: returns those of them that may be shown.
        size: cards wanted.
        after: the key of the row to continue after, None at the beginning.
    """
    cards: list[AnyCard] = []
    withheld = 0
    clock = asyncio.get_running_loop().time
    deadline = clock() + _MOST_SECONDS
    for _ in range(_ROUNDS):
        room = size - len(cards)
        rows = await fetch(after, room + 1)
        shown = await show(rows[:room])
        cards += shown.cards
        withheld += shown.withheld
        if len(rows) <= room:
            return ShownCards(tuple(cards), withheld)
        after = rows[room - 1].key
        if len(cards) == size or clock() > deadline:
            break
    return ShownCards(tuple(cards), withheld, after)
