"""Passages by handle: opened for callers who may read them now, then read further or expanded within a budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from citemark.evidence.budget import BYTES_PER_TOKEN, LimitReason, bytes_len
from citemark.evidence.excerpt import MAX_BYTES, expand, read, read_bullets
from citemark.evidence.excerpt import bullets as as_bullets
from citemark.evidence.readable import as_read, part_as_read
from citemark.model.candidates import StoredChunk
from citemark.model.errors import BackendUnavailable, InvalidArgument, ScopeViolation, UnknownPassage
from citemark.model.ids import PassageId, SessionId
from citemark.model.scope import Principal, ReadContext, RequestScope, ResolvedContext
from citemark.model.sources import AllowedSources, Source
from citemark.model.text import Span, lines_of
from citemark.retrieval.access import Access
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SearchIndex, SourceReader
from citemark.retrieval.question import age_notes
from citemark.services.handles import Handles
from citemark.services.requests import Caller, CitationRef
from citemark.services.responses import UNCUT, Cut, Excerpt, Onward, ResponseMeta, Scratch, cite, title_of
from citemark.services.scoping import Scoping

_NOW = ReadContext()


@dataclass(frozen=True, slots=True)
class OpenPassage:
    """A passage that its caller may read now.

    `best` is the span of the chunk's text that answers best. `vouched` means that the source confirmed the whole
    document, not just the passage. `pinned` is the past state that the passage was found in, or None for HEAD.
    `remembered` is the age in seconds of the oldest verdict among the passages opened together, 0 if all are new.
    """

    passage_id: PassageId
    best: Span
    chunk: StoredChunk
    source: Source
    allowed: AllowedSources
    vouched: bool
    pinned: ResolvedContext | None = None
    remembered: float = 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        """What a result says of how the passage was checked."""
        return age_notes(self.remembered)


class PassageService:
    """Opens passages and cuts excerpts from them."""

    def __init__(
        self, pipeline: Pipeline, sources: SourceReader, search: SearchIndex, handles: Handles, scoping: Scoping
    ) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._search = search
        self._handles = handles
        self._scoping = scoping

    async def open(self, caller: Caller, passage_ids: Sequence[str], scope: RequestScope) -> list[OpenPassage]:
        """The passages behind handles, in the order given, each just vouched for by its source.

        Raises:
            UnknownPassage: a passage belongs to another caller, has expired, is unknown, or is gone at its source, or
                the source is not the caller's any more.
            ScopeViolation: a passage is outside the scope.
            BackendUnavailable: the source of a passage cannot vouch for it right now.
        """
        scope, _ = await self._scoping.settle(caller.principal, scope)
        passages = await self._handles.find(caller, passage_ids)
        allowed = await self._sources.allowed(caller.principal, scope)
        chunks = await self._search.read(allowed, [passage.chunk_id for passage in passages])
        states = {passage.context for passage in passages}
        deadline = self._pipeline.deadline()
        access: dict[ResolvedContext | None, Mapping[int, Access]] = {}
        for state in states:
            chunks_in_state = [
                chunks[passage.chunk_id]
                for passage in passages
                if passage.context == state and passage.chunk_id in chunks
            ]
            in_state = _state_of(allowed, state)
            access[state] = await self._pipeline.access(caller.principal, in_state, chunks_in_state, deadline)
        opened: list[OpenPassage] = []
        for passage in passages:
            chunk, source = chunks.get(passage.chunk_id), allowed.source(passage.source_id)
            if source is None:
                everything = await self._sources.allowed(caller.principal, self._scoping.project)
                if everything.source(passage.source_id) is None:  # it was revoked or removed since
                    raise UnknownPassage(passage.passage_id)
                raise ScopeViolation(
                    "The passage is outside the scope of this call; use the scope of the search that found it.",
                    passage_id=passage.passage_id,
                )
            verdict = Access.DROPPED if chunk is None else access[passage.context][chunk.chunk_id]
            if chunk is None or verdict is Access.DROPPED:
                raise UnknownPassage(passage.passage_id)
            if verdict is Access.WITHHELD:
                raise BackendUnavailable(
                    "The passage's document changed or cannot be checked at its source right now; search again.",
                    passage_id=passage.passage_id,
                )
            vouched = verdict is Access.SHOWN
            allowed_in_state = _state_of(allowed, passage.context)
            chunk = verdict.vouched(chunk)
            opened.append(
                OpenPassage(
                    passage.passage_id,
                    passage.span,
                    chunk,
                    source,
                    allowed_in_state,
                    vouched,
                    passage.context,
                    deadline.remembered,
                )
            )
        return opened

    async def context_of(self, opened: Sequence[OpenPassage], wanted: ReadContext) -> ResolvedContext:
        """The state to read passages in, which is the one they were found in.

        Raises:
            InvalidArgument: they were found in different states, or `wanted` names another state.
        """
        pinned = {entry.pinned for entry in opened}
        if len(pinned) > 1:
            raise InvalidArgument("The passages were found in different states; ask for those of one state at a time.")
        (state,) = pinned or {None}
        if state is not None:
            if wanted != ReadContext() and wanted not in {
                ReadContext(state.baseline_id),
                ReadContext(as_of=state.as_of),
            }:
                raise _other_state(opened)
            return state
        if not opened or wanted == ReadContext():
            return await self._pipeline.contexts.head()
        allowed = opened[0].allowed.among({entry.source.source_id for entry in opened})
        found = await self._pipeline.contexts.open(wanted, allowed)
        for entry in opened if not found.context.head else ():
            moment = found.context.moment
            if not await self._pipeline.past.lived(entry.source.source_id, entry.chunk.chunk_id, moment):
                raise _other_state(opened)
        return found.context

    async def cited(self, principal: Principal, passage_id: str, session_id: SessionId | None = None) -> CitationRef:
        """What a passage of any session of a person cites: its best span, else all of it.

        Raises:
            UnknownPassage: the passage belongs to another person or session, has expired or is unknown.
            BackendUnavailable: the source of the passage cannot vouch for it right now.
        """
        session = session_id or await self._handles.session_of(principal, passage_id)
        (opened,) = await self.open(Caller(principal, session), [passage_id], RequestScope())
        chunk, best = opened.chunk, opened.best
        start, end = chunk.span.start + best.start, chunk.span.start + best.end
        if start >= end:
            start, end = chunk.span.start, chunk.span.end
        return CitationRef(opened.source.name, chunk.section_native_id, str(chunk.revision_id), start, end)

    async def text(self, caller: Caller, session_id: str, passage_id: str) -> Scratch:
        """The whole text of a passage, by its scratch address.

        Raises:
            UnknownPassage: the passage belongs to another caller, has expired, is unknown, or is of another session;
                the four cases look the same.
        """
        if session_id != caller.session_id:
            raise UnknownPassage(passage_id[:64])
        (opened,) = await self.open(caller, [passage_id], RequestScope())
        return Scratch(as_read(opened.chunk.text), opened.chunk.modified_at, opened.chunk.size_bytes)

    async def read(
        self,
        caller: Caller,
        passage_id: str,
        *,
        start_char: int,
        max_tokens: int,
        bullets: bool,
        scope: RequestScope,
        read_context: ReadContext = _NOW,
    ) -> Excerpt:
        """A bounded piece of a document, starting at a character of a passage's text, and where reading continues.

        It goes on over the passages that follow, as long as the source vouches for each of them.

        Raises:
            UnknownPassage, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        (opened,) = await self.open(caller, [passage_id], scope)
        chunk = await self._with_following(caller, opened, start_char, max_tokens)
        cut = (read_bullets if bullets else read)(chunk.text, start_char, max_tokens)
        context = await self.context_of([opened], read_context)
        reason: LimitReason = "none" if cut.next_start_char is None else "token_cap"
        return Excerpt(
            passage_id=opened.passage_id,
            text=cut.text,
            start_char=cut.start_char,
            truncated=cut.truncated,
            onward=await self._onward(caller, opened, chunk.span.start + cut.end_char),
            of="passage",
            citation=cite(chunk, opened.source, context, Span(cut.start_char, cut.end_char)),
            doc_tag=opened.source.doc_tag,
            size_bytes=opened.chunk.size_bytes,
            last_modified=opened.chunk.modified_at,
            meta=ResponseMeta.of(caller, context, reading=opened.allowed.reading, cut=Cut(reason), notes=opened.notes),
        )

    async def expand(
        self,
        caller: Caller,
        passage_id: str,
        *,
        before_tokens: int,
        after_tokens: int,
        bullets: bool,
        scope: RequestScope,
        read_context: ReadContext = _NOW,
    ) -> Excerpt:
        """The passage's best span with text around it, which may extend beyond the passage but not beyond its revision.

        Raises:
            UnknownPassage, ScopeViolation, BackendUnavailable.
        """
        (opened,) = await self.open(caller, [passage_id], scope)
        chunk = opened.chunk
        body = await self._search.body(chunk.source_id, chunk.revision_id)
        if body is None:
            raise UnknownPassage(passage_id)
        best = Span(chunk.span.start + opened.best.start, chunk.span.start + opened.best.end)
        cut = expand(body, best, before_tokens, after_tokens)
        around = await self._readable(caller, opened, body, Span(cut.start_char, cut.end_char))
        context = await self.context_of([opened], read_context)
        text = around.of(body)
        truncated = around.start > 0 or around.end < len(body)
        lines = lines_of(body, Span(around.start, around.start))
        cited = replace(chunk, span=around, text=text, lines=lines)
        return Excerpt(
            passage_id=opened.passage_id,
            text=as_bullets(text) if bullets else part_as_read(body, around),
            start_char=around.start,
            truncated=truncated,
            onward=await self._onward(caller, opened, around.end),
            of="revision",
            citation=cite(cited, opened.source, context, Span(0, len(text))),
            doc_tag=opened.source.doc_tag,
            size_bytes=chunk.size_bytes,
            last_modified=chunk.modified_at,
            meta=ResponseMeta.of(
                caller,
                context,
                reading=opened.allowed.reading,
                cut=Cut("token_cap") if truncated else UNCUT,
                notes=opened.notes,
            ),
        )

    async def _with_following(
        self, caller: Caller, opened: OpenPassage, start_char: int, max_tokens: int
    ) -> StoredChunk:
        """The passage, longer by those after it that fill the budget and that its source vouches for as well."""
        chunk = opened.chunk
        if start_char > len(chunk.text):
            return chunk
        room = min(max_tokens * BYTES_PER_TOKEN, MAX_BYTES) - bytes_len(chunk.text[start_char:])
        following = await self._following(opened, room)
        body = await self._search.body(chunk.source_id, chunk.revision_id) if following else None
        if body is None:
            return chunk
        access = await self._pipeline.access(caller.principal, opened.allowed, following)
        end = chunk.span.end
        for follow in following:
            # What stands between two passages was never checked on its own.
            if not access[follow.chunk_id].shown or body[end : follow.span.start].strip():
                break
            end = follow.span.end
        longer = Span(chunk.span.start, end)
        return replace(chunk, span=longer, text=longer.of(body))

    async def _following(self, opened: OpenPassage, room: int) -> Sequence[StoredChunk]:
        """The passages after this one in its document that hold `room` bytes together, and fewer where it ends."""
        found: list[StoredChunk] = []
        end = opened.chunk.span.end
        while room >= 0 and (follow := await self._search.reaching(opened.allowed, opened.chunk, end)) is not None:
            found.append(follow)
            room -= bytes_len(follow.text)
            end = follow.span.end
        return found

    async def _readable(self, caller: Caller, opened: OpenPassage, body: str, around: Span) -> Span:
        """Return `around`, cut down to the passage itself if the source has changed the text next to it."""
        chunk = opened.chunk
        wider = replace(chunk, text=around.of(body))
        access = await self._pipeline.access(caller.principal, opened.allowed, [wider])
        if access[chunk.chunk_id].shown:
            return around
        low, high = max(around.start, chunk.span.start), min(around.end, chunk.span.end)
        return Span(low, max(low, high))

    async def _onward(self, caller: Caller, opened: OpenPassage, offset: int) -> Onward | None:
        """Where the revision continues after character `offset` of its body, possibly still within the passage."""
        follow = await self._search.reaching(opened.allowed, opened.chunk, offset)
        if follow is None:
            return None
        passage_id = opened.passage_id
        if follow.chunk_id != opened.chunk.chunk_id:
            context = opened.pinned or await self._pipeline.contexts.head()
            (passage_id,) = await self._handles.offer(caller, [(follow, Span(0, 0))], context)
        title = title_of(follow) if opened.vouched else None
        return Onward(passage_id, max(0, offset - follow.span.start), follow.lines, title)


def _state_of(allowed: AllowedSources, context: ResolvedContext | None) -> AllowedSources:
    """The sources, to be read in the state that a passage was found in."""
    return allowed if context is None else replace(allowed, read_at=context.read_at)


def _other_state(opened: Sequence[OpenPassage]) -> InvalidArgument:
    return InvalidArgument(
        "A passage_id is read in the state that it was found in, and read_context names another; leave it out, or "
        "search again with it.",
        passage_ids=[entry.passage_id for entry in opened],
    )
