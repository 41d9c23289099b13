"""Ranking and services over stores in memory; the sources answer as they are told."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any, cast

from tests.support.in_memory_stores import NOW, InMemoryStores
from tests.support.kinds import KINDS

from citemark.embedding.contract import Embedder
from citemark.evidence.budget import EvidenceLimits
from citemark.features.nextcloud.source.calendar.series_dates import CalendarSeries
from citemark.model.documents import DocumentRef, Fetched, Verdict
from citemark.model.ids import SessionId, SourceId
from citemark.model.scope import Principal, RequestScope, ScopeLimit
from citemark.model.sources import AllowedSources, Source
from citemark.model.status import SourceState
from citemark.model.vectors import Calibration, Vector
from citemark.retrieval.occasions import Occasions
from citemark.retrieval.pipeline import Pipeline, QuestionModels
from citemark.retrieval.ports import IndexReaders
from citemark.retrieval.question import Question, Ranking
from citemark.retrieval.reranking import Judge
from citemark.retrieval.search_notices import SearchNotices
from citemark.retrieval.verification import AccessCheck
from citemark.services.evidence import EvidenceService
from citemark.services.handles import Handles
from citemark.services.passage_handles import PassageService
from citemark.services.question_search import Search
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import Evidence, SearchPage
from citemark.services.scoping import Scoping
from citemark.services.search import SearchService
from citemark.sources.contract import Connector, Verdicts
from citemark.store.scope import ScopeStore

ME = Caller(Principal.local(), SessionId("s_me"))
SOMEBODY = Caller(Principal("elsewhere", "somebody", frozenset()), SessionId("s_somebody"))
PLAIN = Calibration(fused=((0.0, 0.0), (2.0, 1.0)), lexical=((0.0, 0.0), (1.0, 1.0)))

_INDEXED = SourceState(
    documents=1,
    languages={"english": 1},
    texts_waiting=0,
    vectors_waiting=0,
    problems=0,
    scanning=False,
    last_complete_scan=NOW,
    scan_error="",
    refused="",
)


class Told:
    """A source that answers for each document as it is told, and is content with all others.

    `asked` has the number of documents of each question.
    """

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.verdicts: dict[str, Verdict] = {}
        self.remote = False

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        self.asked.append(len(refs))
        for ref in refs:
            yield ref, self.verdicts.get(ref.native_id, Verdict.OK)

    async def fetch(self, *_: object) -> Fetched | None:
        return None


class Scopes:
    """Knows every limit, and every source as indexed to the end."""

    async def known(self, *asked: Any) -> dict[ScopeLimit, tuple[str, ...]]:
        return {limit: (limit.value,) for limit in asked[-1]}

    async def states(self, allowed: AllowedSources, *, contents: bool) -> Mapping[SourceId, SourceState]:
        del contents
        return {source.source_id: _INDEXED for source in allowed.sources}

    async def stop_words(self, _: str) -> dict[str, int]:
        return {}


class InMemoryWorld:
    """One index in memory. `texts` are put into the source `docs` of this machine's person.

    `memory`: for how many seconds verdicts of other machines are remembered.
    """

    def __init__(
        self,
        texts: Mapping[str, str] | None = None,
        *,
        judge: Judge | None = None,
        stores: InMemoryStores | None = None,
        embedder: Embedder | None = None,
        memory: float = 0.0,
    ) -> None:
        self.stores = stores or InMemoryStores(active=None)
        self.told = Told()
        self.docs = self.stores.source("docs")
        self.chunks = {name: self.stores.put(self.docs, name, text) for name, text in (texts or {}).items()}
        access = AccessCheck(self._connector, self.stores, deadline=1.0, memory=memory)
        self.pipeline = Pipeline(
            IndexReaders(*[self.stores] * 6),
            QuestionModels(lambda _: embedder, PLAIN, judge),
            access,
            Occasions(CalendarSeries(), lambda: NOW, UTC),
            SearchNotices(self.stores, "tests"),
        )
        self.handles = handles = Handles(self.stores, lambda: NOW)
        scoping = Scoping(RequestScope("default"), cast("ScopeStore", Scopes()), self._every_language, KINDS)
        self.one_search = Search(self.pipeline, self.stores, scoping)
        self.search = SearchService(self.pipeline, self.stores, handles, scoping)
        self.passages = PassageService(self.pipeline, self.stores, self.stores, handles, scoping)
        self.evidence = EvidenceService(self.search, self.passages, self.pipeline, handles, lambda: None)

    async def rank(self, query: str, caller: Caller = ME, **fields: Any) -> Ranking:
        return await self.pipeline.rank(Question(caller.principal, query, scope=RequestScope(), **fields))

    async def ranked(self, query: str, caller: Caller = ME, **fields: Any) -> list[str]:
        """Native ids of a ranking, in order."""
        ranking = await self.rank(query, caller, **fields)
        chunks = await self.stores.read(ranking.allowed, [each.chunk_id for each in ranking.candidates])
        return [chunks[each.chunk_id].native_id for each in ranking.candidates]

    async def find(self, query: str, caller: Caller = ME, **fields: Any) -> SearchPage:
        fields.setdefault("min_score", 0.0)
        return await self.search.find(caller, SearchRequest(query, **fields))

    async def quote(self, query: str, **limits: Any) -> Evidence:
        return await self.evidence.retrieve(ME, SearchRequest(query, min_score=0.0), EvidenceLimits(**limits))

    def _connector(self, _: Source) -> Connector:
        told = cast("Any", self.told)
        return Connector(told, told, told, remote=self.told.remote)

    async def _every_language(self) -> Sequence[str]:
        return ()


def vector(cosine: float) -> Vector:
    """A unit vector of two dimensions with this cosine to the first axis."""
    return [cosine, (1 - cosine * cosine) ** 0.5]
