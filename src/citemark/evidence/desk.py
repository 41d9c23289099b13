"""The use cases: search, read on, cut evidence, check a quotation. Every face calls these."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citemark.evidence.accounts.desk import AccountDesk
from citemark.evidence.architecture.desk import ArchitectureDesk
from citemark.evidence.budget import LimitReason, Usage
from citemark.evidence.citing import cite, slug_of, title_of
from citemark.evidence.empty import EmptyResult, no_source, nothing_in_passages
from citemark.evidence.excerpt import bullets as as_bullets
from citemark.evidence.excerpt import expand, read, read_bullets
from citemark.evidence.handles import Handles, cursor_of
from citemark.evidence.local_files import LocalFiles
from citemark.evidence.preview import preview_of
from citemark.evidence.quoting import Material, Quoting
from citemark.evidence.requests import Caller, CitationRef, QuoteLimits, SearchRequest
from citemark.evidence.results import (
    Evidence,
    Excerpt,
    Onward,
    ResponseMeta,
    Scratch,
    SearchHit,
    SearchPage,
    SourceList,
    Verification,
)
from citemark.evidence.scoping import Scoping
from citemark.evidence.scoring import rank_spans
from citemark.evidence.verifying import QuoteCheck
from citemark.model.candidates import StoredChunk
from citemark.model.errors import BackendUnavailable, ScopeViolation, UnknownCursor, UnknownPassage
from citemark.model.passages import Passage
from citemark.model.scope import Principal, ReadContext, RequestScope, ResolvedContext
from citemark.model.sources import AllowedSources, Source
from citemark.model.text import Span
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.question import PermittedPage, Question, Ranking
from citemark.retrieval.verification import Access
from citemark.store.search import SearchStore
from citemark.store.sources import SourceStore

_RESERVE = 3
"""How many places per wanted hit are kept, so that hits withheld at the source can be replaced."""

_DEEPEST = 60
_NOW = ReadContext()
_NO_GRAPH = "There is no graph yet: hybrid_local searched as vector_only does."


@dataclass(frozen=True, slots=True)
class _PendingSection:
    """A passage that its caller may read now."""

    passage: Passage
    chunk: StoredChunk
    source: Source
    allowed: AllowedSources
    vouched: bool


class Desk:
    """Answers callers over one pipeline."""

    def __init__(
        self,
        *,
        pipeline: Pipeline,
        sources: SourceStore,
        search: SearchStore,
        handles: Handles,
        quoting: Quoting,
        quote_check: QuoteCheck,
        scoping: Scoping,
        architecture: ArchitectureDesk,
        accounts: AccountDesk,
    ) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._search = search
        self._handles = handles
        self.quoting = quoting
        self._quote_check = quote_check
        self.scoping = scoping
        self.architecture = architecture
        self.accounts = accounts

    async def search(self, caller: Caller, request: SearchRequest) -> SearchPage:
        """One page of hits with previews and handles.

        Raises:
            UnknownCursor: the cursor is not of this caller and question.
        """
        request = await self._settled(caller, request)
        if request.cursor is None:
            ranking = await self._rank(caller, request)
            list_id, start, shown = None, 0, 0
        else:
            list_id, start, shown, places = await self._handles.ranking(caller, request, request.cursor)
            allowed = await self._sources.allowed(caller.principal, request.scope)
            context = await self._pipeline.resolve(request.read_context, allowed.ids)
            ranking = Ranking(tuple(places), allowed, context)
        size = min(request.page_size, request.top_k - shown)
        page = await self._pipeline.page(caller.principal, ranking.allowed, ranking.candidates, start=start, size=size)
        shown_now = shown + len(page.hits)
        cursor = None
        if page.next_start is not None and shown_now < request.top_k and page.hits:
            list_id = list_id or await self._handles.keep_ranking(caller, request, ranking.candidates)
            cursor = cursor_of(list_id, page.next_start, shown_now)
        hits = await self._offer(caller, request, page, ranking.read_context, first_rank=shown + 1)
        meta = _meta(caller, ranking.read_context, page, cursor, "none" if cursor is None else "page_size")
        empty = None if hits or request.cursor is not None else await self._explain_empty(request, ranking, page)
        notes = (*ranking.notes, _NO_GRAPH) if request.mode == "hybrid_local" else ranking.notes
        return SearchPage(hits=tuple(hits), meta=replace(meta, notes=notes, empty=empty))

    async def read_excerpt(
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
        """A bounded piece of one passage, from a character of its text on, and where reading goes on.

        Raises:
            UnknownPassage, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        (opened,) = await self._open(caller, [passage_id], scope)
        text = opened.chunk.text
        cut = (read_bullets if bullets else read)(text, start_char, max_tokens)
        context = await self._pipeline.resolve(read_context, [opened.source.source_id])
        reason: LimitReason = "none" if cut.next_start_char is None else "token_cap"
        onward = await self._onward(caller, opened, opened.chunk.span.start + cut.end_char)
        return Excerpt(
            passage_id=opened.passage.passage_id,
            text=cut.text,
            start_char=cut.start_char,
            truncated=cut.truncated,
            onward=onward,
            of="passage",
            citation=cite(opened.chunk, opened.source, context, Span(cut.start_char, cut.end_char)),
            doc_tag=opened.source.doc_tag,
            size_bytes=opened.chunk.size_bytes,
            last_modified=opened.chunk.modified_at,
            meta=_meta(caller, context, None, None, reason),
        )

    async def expand_excerpt(
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
        """The passage's best span with text around it; it may leave the passage, never its revision.

        Raises:
            UnknownPassage, ScopeViolation, BackendUnavailable.
        """
        (opened,) = await self._open(caller, [passage_id], scope)
        chunk, best = opened.chunk, opened.passage.span
        body = await self._search.body(chunk.source_id, chunk.revision_id)
        if body is None:
            raise UnknownPassage(passage_id)
        span = Span(chunk.span.start + best.start, chunk.span.start + best.end)
        cut = expand(body, span, before_tokens, after_tokens)
        around = Span(cut.start_char, cut.end_char)
        wider = replace(chunk, text=around.of(body))
        access = await self._pipeline.access(caller.principal, opened.allowed, [wider])
        if not access[chunk.chunk_id].shown:
            # The passage still stands in its source but what surrounds it does not any more.
            low, high = max(cut.start_char, chunk.span.start), min(cut.end_char, chunk.span.end)
            around = Span(low, max(low, high))
        context = await self._pipeline.resolve(read_context, [opened.source.source_id])
        text = around.of(body)
        truncated = around.start > 0 or around.end < len(body)
        relative = Span(0, len(text))
        lines_before = body.count("\n", 0, around.start)
        cited = replace(
            chunk,
            span=around,
            text=text,
            lines=replace(chunk.lines, start=lines_before + 1, end=lines_before + 1),
        )
        return Excerpt(
            passage_id=opened.passage.passage_id,
            text=as_bullets(text) if bullets else text,
            start_char=around.start,
            truncated=truncated,
            onward=await self._onward(caller, opened, around.end),
            of="revision",
            citation=cite(cited, opened.source, context, relative),
            doc_tag=opened.source.doc_tag,
            size_bytes=chunk.size_bytes,
            last_modified=chunk.modified_at,
            meta=_meta(caller, context, None, None, "token_cap" if truncated else "none"),
        )

    async def _onward(self, caller: Caller, opened: _PendingSection, offset: int) -> Onward | None:
        """Where the revision goes on behind character `offset` of its body, perhaps still in the passage itself."""
        follow = await self._search.reaching(opened.allowed, opened.chunk, offset)
        if follow is None:
            return None
        passage_id = opened.passage.passage_id
        if follow.chunk_id != opened.chunk.chunk_id:
            (passage_id,) = await self._handles.offer(caller, [(follow, Span(0, 0))])
        title = title_of(follow) if opened.vouched else None
        return Onward(passage_id, max(0, offset - follow.span.start), follow.lines, title)

    async def extract_evidence(
        self,
        caller: Caller,
        question: str,
        passage_ids: Sequence[str],
        limits: QuoteLimits,
        *,
        scope: RequestScope,
        read_context: ReadContext = _NOW,
    ) -> Evidence:
        """The quotes of given passages that answer a question.

        Raises:
            UnknownPassage, ScopeViolation, BackendUnavailable.
        """
        opened = await self._open(caller, list(dict.fromkeys(passage_ids)), scope)
        context = await self._pipeline.resolve(read_context, [entry.source.source_id for entry in opened])
        material = [Material(entry.passage.passage_id, entry.chunk, entry.source) for entry in opened]
        quotes = await self.quoting.quotes(question, material, limits, context)
        meta = _meta(caller, context, None, None, "none")
        return Evidence(tuple(quotes), meta if quotes else replace(meta, empty=nothing_in_passages()))

    async def retrieve_evidence(self, caller: Caller, request: SearchRequest, limits: QuoteLimits) -> Evidence:
        """Search and cut evidence in one call: only quotes and citations come back."""
        request = replace(await self._settled(caller, request), page_size=request.top_k, cursor=None)
        ranking = await self._rank(caller, request)
        page = await self._pipeline.page(
            caller.principal, ranking.allowed, ranking.candidates, start=0, size=request.top_k
        )
        handles = await self._handles.offer(caller, [(hit.chunk, Span(0, 0)) for hit in page.hits])
        material = [
            Material(handle, hit.chunk, hit.source, hit.candidate.why.relevance)
            for handle, hit in zip(handles, page.hits, strict=True)
        ]
        quotes = await self.quoting.quotes(request.query, material, limits, ranking.read_context)
        meta = _meta(caller, ranking.read_context, page, None, "none")
        empty = None if quotes else await self._explain_empty(request, ranking, page)
        return Evidence(tuple(quotes), replace(meta, notes=ranking.notes, empty=empty))

    async def verify_quote(self, caller: Caller, ref: CitationRef, quote: str) -> Verification:
        """Whether a quotation still stands at HEAD where it was cited, moved, changed or is gone."""
        allowed = await self._sources.allowed(caller.principal, self.scoping.apply(RequestScope()))
        context = await self._pipeline.resolve(_NOW)
        found = await self._quote_check.check(allowed, ref, quote, context)
        return Verification(
            holds=found.holds,
            cited_revision=found.cited,
            reason=found.reason,
            found_at=found.citation,
            current_revision_id=found.revision_id,
            meta=replace(_meta(caller, context, None, None, "none"), notes=found.notes),
        )

    async def local_files(self, caller: Caller) -> LocalFiles:
        """The files on this machine that citations stand in; none for anybody but the person whose machine it is."""
        if caller.principal.key != Principal.local().key:
            return LocalFiles({})
        return LocalFiles.among(await self._sources.all(caller.principal.tenant))

    async def list_sources(self, caller: Caller, cursor: str | None = None) -> SourceList:
        """The sources of this server's project that the caller may read, by name; `cursor` is the last one seen.

        Raises:
            UnknownCursor: no source is called so.
        """
        allowed = await self._sources.allowed(caller.principal, self.scoping.project)
        sources = sorted(await self.scoping.states(allowed), key=lambda each: each.source.name)
        names = [each.source.name for each in sources]
        if cursor is not None and cursor not in names:
            raise UnknownCursor
        left = sources if cursor is None else sources[names.index(cursor) + 1 :]
        meta = _meta(caller, await self._pipeline.resolve(_NOW), None, None, "none")
        return SourceList(tuple(left), meta if sources else replace(meta, empty=no_source()))

    async def read_passage(self, caller: Caller, session_id: str, passage_id: str) -> Scratch:
        """A passage's whole text by its scratch address.

        Raises:
            UnknownPassage: foreign, expired, unknown, or of another session: the four look the same.
        """
        if session_id != caller.session_id:
            raise UnknownPassage(passage_id[:64])
        (opened,) = await self._open(caller, [passage_id], RequestScope())
        return Scratch(opened.chunk.text, opened.chunk.modified_at, opened.chunk.size_bytes)

    async def _settled(self, caller: Caller, request: SearchRequest) -> SearchRequest:
        """The request within the limits that it runs under; those of a later page were looked up for the first."""
        if request.cursor is not None:
            return replace(request, scope=self.scoping.apply(request.scope))
        scope, filters = await self.scoping.settle(caller.principal, request.scope, request.filters)
        return replace(request, scope=scope, filters=filters)

    async def _rank(self, caller: Caller, request: SearchRequest) -> Ranking:
        return await self._pipeline.rank(
            Question(
                principal=caller.principal,
                query=request.query,
                scope=request.scope,
                filters=request.filters,
                read_context=request.read_context,
                depth=min(request.top_k * _RESERVE, _DEEPEST),
                max_per_doc=request.max_per_doc,
                min_score=request.min_score,
            )
        )

    async def _explain_empty(self, request: SearchRequest, ranking: Ranking, page: PermittedPage) -> EmptyResult:
        return await self.scoping.explain_empty(
            ranking.allowed, request.query, scope=request.scope, withheld=page.withheld, filters=request.filters
        )

    async def _open(self, caller: Caller, passage_ids: Sequence[str], scope: RequestScope) -> list[_PendingSection]:
        scope, _ = await self.scoping.settle(caller.principal, scope)
        passages = await self._handles.find(caller, passage_ids)
        allowed = await self._sources.allowed(caller.principal, scope)
        chunks = await self._search.read(allowed, [passage.chunk_id for passage in passages])
        access = await self._pipeline.access(caller.principal, allowed, list(chunks.values()))
        opened: list[_PendingSection] = []
        for passage in passages:
            chunk, source = chunks.get(passage.chunk_id), allowed.source(passage.source_id)
            if source is None:
                raise ScopeViolation(
                    "The passage lies outside the scope of this call; use the scope of the search that found it.",
                    passage_id=passage.passage_id,
                )
            verdict = Access.DROPPED if chunk is None else access[chunk.chunk_id]
            if chunk is None or verdict is Access.DROPPED:
                raise UnknownPassage(passage.passage_id)
            if verdict is Access.WITHHELD:
                raise BackendUnavailable(
                    "The passage's document changed or cannot be checked at its source right now; search again.",
                    passage_id=passage.passage_id,
                )
            opened.append(_PendingSection(passage, chunk, source, allowed, vouched=verdict is Access.SHOWN))
        return opened

    async def _offer(
        self, caller: Caller, request: SearchRequest, page: PermittedPage, context: ResolvedContext, *, first_rank: int
    ) -> list[SearchHit]:
        spans = [rank_spans(request.query, hit.chunk.text) for hit in page.hits]
        best = [ranked[0].piece.span if ranked else Span(0, 0) for ranked in spans]
        handles = await self._handles.offer(
            caller, [(hit.chunk, span) for hit, span in zip(page.hits, best, strict=True)]
        )
        return [
            SearchHit(
                rank=rank,
                passage_id=handle,
                section_id=hit.chunk.section_native_id,
                doc_tag=hit.source.doc_tag,
                title=title_of(hit.chunk),
                score=hit.candidate.score,
                origin=hit.candidate.why.origin,
                preview=preview_of(ranked, hit.chunk.text, request.max_snippet_chars),
                size_bytes=hit.chunk.size_bytes,
                anchor=slug_of(hit.chunk),
                citation=cite(hit.chunk, hit.source, context),
                also_in=hit.other_sections,
                why=hit.candidate.why,
                text=hit.chunk.text,
                context=hit.chunk.context,
                last_modified=hit.chunk.modified_at,
            )
            for rank, (hit, handle, ranked) in enumerate(zip(page.hits, handles, spans, strict=True), start=first_rank)
        ]


def _meta(
    caller: Caller, context: ResolvedContext, page: PermittedPage | None, cursor: str | None, reason: LimitReason
) -> ResponseMeta:
    return ResponseMeta(
        session_id=caller.session_id,
        read_context=context,
        partial=reason != "none",
        limit_reason=reason,
        next_cursor=cursor,
        withheld_unverified=0 if page is None else page.withheld,
        usage=Usage.of_bytes(0),
    )
