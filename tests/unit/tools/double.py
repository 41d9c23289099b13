"""Use cases over three passages in memory, for tests of shape and protocol only."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Any, cast

from tests.support.kinds import KINDS

from citemark.evidence.budget import EvidenceLimits, LimitReason, QuoteLimits, Usage
from citemark.model.citation import Anchor, Citation
from citemark.model.completeness import ALL_READ
from citemark.model.errors import ScopeViolation, UnknownCursor, UnknownPassage
from citemark.model.ids import PassageId, new_passage_id
from citemark.model.scope import ReadContext, RequestScope, ResolvedContext
from citemark.model.sources import Source
from citemark.model.text import Lines, Span
from citemark.retrieval.question import Why
from citemark.services.bundle import CATALOG, EVIDENCE, LISTED_BASELINES, PASSAGES, QUOTES, SEARCH, ServiceKey, Services
from citemark.services.catalog import LocalFiles
from citemark.services.empty import nothing_answers
from citemark.services.listed_baselines import ShownBaseline
from citemark.services.requests import Caller, CitationRef, SearchRequest
from citemark.services.responses import (
    Evidence,
    Excerpt,
    Onward,
    Quote,
    ResponseMeta,
    Scratch,
    SearchHit,
    SearchPage,
    SourceList,
    Verification,
)

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)

TEXTS = (
    "The server listens on port 8080 unless CITEMARK_PORT says otherwise. A second line follows.",
    "Backups run every night at two. They are kept for thirty days.",
    "Ports below 1024 need a privileged user on most systems.",
)


def _same(service: object) -> object:
    return service


class NoBaselines:
    """No state of the past has a name."""

    async def list(self, _: Caller) -> Sequence[ShownBaseline]:
        """None."""
        return ()


class DoubleServices(Services):
    """Answers every question with its passages, in order. `texts` may be anything."""

    def __init__(
        self,
        texts: Sequence[str] = TEXTS,
        title: str = "Guide > Ports",
        page: str = "guide",
        withheld: int = 0,
        url: str | None = None,
        others: Mapping[ServiceKey[Any], object] = MappingProxyType({}),
    ) -> None:
        it = cast("Any", self)
        given = {
            **dict.fromkeys((SEARCH, PASSAGES, EVIDENCE, QUOTES, CATALOG), it),
            LISTED_BASELINES: NoBaselines(),
            **others,
        }
        super().__init__({key: partial(_same, service) for key, service in given.items()})
        self.texts = texts
        self.title = title
        self.page = page
        self.withheld = withheld
        self.url = url
        self.known: dict[str, tuple[str, int]] = {}
        self.searches: list[SearchRequest] = []
        self.sources: Sequence[Source] = ()

    async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
        self.searches.append(request)
        _own_project(request.scope)
        start = 0
        if request.cursor is not None:
            if not request.cursor.isdigit():
                raise UnknownCursor
            start = int(request.cursor)
        last = min(start + request.page_size, request.top_k, len(self.texts))
        hits = tuple(self._hit(caller, index, request.max_snippet_chars) for index in range(start, last))
        more = last < min(request.top_k, len(self.texts))
        meta = self._meta(caller, reason="page_size" if more else "none", cursor=str(last) if more else None)
        return SearchPage(hits, meta)

    async def read(
        self,
        caller: Caller,
        passage_id: str,
        *,
        start_char: int,
        max_tokens: int,
        bullets: bool,
        scope: RequestScope,
        read_context: ReadContext,
    ) -> Excerpt:
        _own_project(scope)
        index = self._find(caller, passage_id)
        end = min(len(self.texts[index]), start_char + max_tokens * 4)
        return self._excerpt(caller, passage_id, index, Span(start_char, max(start_char, end)))

    async def expand(
        self,
        caller: Caller,
        passage_id: str,
        *,
        before_tokens: int,
        after_tokens: int,
        bullets: bool,
        scope: RequestScope,
        read_context: ReadContext,
    ) -> Excerpt:
        index = self._find(caller, passage_id)
        end = min(len(self.texts[index]), (before_tokens + after_tokens) * 4)
        return self._excerpt(caller, passage_id, index, Span(0, end))

    async def extract(
        self,
        caller: Caller,
        question: str,
        passage_ids: Sequence[str],
        limits: QuoteLimits,
        *,
        also: Sequence[str],
        scope: RequestScope,
        read_context: ReadContext,
    ) -> Evidence:
        quotes = [self._quote(passage_id, self._find(caller, passage_id), limits) for passage_id in passage_ids]
        return Evidence(tuple(quotes[: limits.max_quotes]), self._meta(caller))

    async def retrieve(self, caller: Caller, request: SearchRequest, limits: EvidenceLimits) -> Evidence:
        page = await self.find(caller, request)
        room = QuoteLimits(max_quote_tokens=limits.max_quote_tokens or 200)
        quotes = [self._quote(hit.passage_id, index, room) for index, hit in enumerate(page.hits)]
        return Evidence(tuple(quotes[: limits.max_quotes]), self._meta(caller))

    async def verify(self, caller: Caller, ref: CitationRef, quote: str) -> Verification:
        found = next((index for index, text in enumerate(self.texts) if quote in text), None)
        if found is None:
            return Verification("gone", "known", "words_gone", None, "7", self._meta(caller))
        place = self._citation(found, Span(0, len(quote)))
        return Verification("exact", "known", None, place, "7", self._meta(caller))

    async def local_files(self, caller: Caller) -> LocalFiles:
        return LocalFiles.among(self.sources if caller.principal.key == "local/owner" else (), KINDS)

    async def list_sources(self, caller: Caller, cursor: str | None = None) -> SourceList:
        if cursor is not None:
            raise UnknownCursor
        return SourceList((), self._meta(caller))

    async def text(self, caller: Caller, session_id: str, passage_id: str) -> Scratch:
        text = self.texts[self._find(caller, passage_id)]
        return Scratch(text, NOW, len(text.encode()))

    def _find(self, caller: Caller, passage_id: str) -> int:
        owner, index = self.known.get(passage_id, ("", -1))
        if owner != caller.session_id:
            raise UnknownPassage(passage_id[:64])
        return index

    def _offer(self, caller: Caller, index: int) -> PassageId:
        passage_id = new_passage_id()
        self.known[passage_id] = (caller.session_id, index)
        return passage_id

    def _hit(self, caller: Caller, index: int, snippet: int) -> SearchHit:
        text = self.texts[index]
        return SearchHit(
            rank=index + 1,
            passage_id=self._offer(caller, index),
            section_id=f"{self.page}-{index}.md#ports",
            doc_tag="guides",
            title=self.title,
            score=0.9 - index / 100,
            origin="hybrid",
            preview=text[:snippet],
            size_bytes=len(text.encode()),
            anchor="ports",
            citation=self._citation(index, Span(0, len(text))),
            also_in=(),
            why=Why(1, 2, 0.5, 3.0, 9.0, 0.8, 0.03),
            found_by="ports",
            text=text,
            context=self.title,
            last_modified=NOW,
        )

    def _quote(self, passage_id: str, index: int, limits: QuoteLimits) -> Quote:
        quote = self.texts[index][: limits.max_quote_tokens * 4][:500]
        span = Span(0, len(quote))
        return Quote(
            quote, PassageId(passage_id), f"{self.page}-{index}.md#ports", self.title, 0.75, self._citation(index, span)
        )

    def _excerpt(self, caller: Caller, passage_id: str, index: int, span: Span) -> Excerpt:
        text = self.texts[index]
        more = span.end < len(text)
        return Excerpt(
            passage_id=PassageId(passage_id),
            text=span.of(text),
            start_char=span.start,
            truncated=more,
            onward=Onward(PassageId(passage_id), span.end, Lines(3, 4), self.title) if more else None,
            of="passage",
            citation=self._citation(index, span),
            doc_tag="handbook",
            size_bytes=len(text.encode()),
            last_modified=NOW,
            meta=self._meta(caller, reason="token_cap" if more else "none"),
        )

    def _citation(self, index: int, span: Span) -> Citation:
        return Citation(
            source="handbook",
            doc_type="docs_section",
            document_id=f"{self.page}-{index}.md#ports",
            revision_id="7",
            baseline_id=None,
            as_of=NOW,
            anchor=Anchor("ports", Lines(3, 4), span),
            span=span,
            title=self.title,
            url=self.url,
        )

    def _meta(self, caller: Caller, reason: LimitReason = "none", cursor: str | None = None) -> ResponseMeta:
        return ResponseMeta(
            session_id=caller.session_id,
            read_context=ResolvedContext(NOW),
            partial=reason != "none",
            limit_reason=reason,
            next_cursor=cursor,
            withheld_unverified=self.withheld,
            usage=Usage.of_bytes(0),
            reading=ALL_READ.withholding(self.withheld),
            empty=None if self.texts else nothing_answers(),
        )


def _own_project(scope: RequestScope) -> None:
    if scope.project_id not in {None, "default"}:
        raise ScopeViolation("This server answers for project 'default' only.", project_id=scope.project_id)
