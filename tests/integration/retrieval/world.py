"""A small index with the real model, sources in memory, and everything above them up to the services."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, cast

from tests.support.index import Index
from tests.support.kinds import KINDS
from tests.support.memory_source import MemorySource

from citemark.app.features import FEATURES
from citemark.app.services import makers_of
from citemark.embedding.minilm import MiniLM
from citemark.feature import Core, Feature
from citemark.features.nextcloud.declaration import ACCOUNTS
from citemark.features.nextcloud.services.connecting import AccountConnecting
from citemark.features.nextcloud.source.calendar.series_dates import CalendarSeries
from citemark.features.nextcloud.store.pending_logins import PendingLoginStore
from citemark.model.candidates import RetrieverHits
from citemark.model.clock import Clock, system_clock
from citemark.model.ids import SessionId
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import Source
from citemark.model.vectors import Vector
from citemark.retrieval.occasions import Occasions
from citemark.retrieval.pipeline import Pipeline, QuestionModels
from citemark.retrieval.ports import IndexReaders
from citemark.retrieval.question import Question, Ranking
from citemark.retrieval.retrievers import CandidateFinder, Fusion
from citemark.retrieval.search_notices import SearchNotices
from citemark.retrieval.verification import AccessCheck
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchPage
from citemark.services.scoping import Scoping
from citemark.settings import Settings
from citemark.sources.contract import Connector
from citemark.store.database import Database

ME = Principal.local()
CALLER = Caller(ME, SessionId("s_test"))


@dataclass
class UnaskedServers:
    """Accounts whose servers are not asked whether they accept a password again."""

    connecting: AccountConnecting

    async def try_again(self, source: Source) -> None:
        assert source.kind == "nextcloud"

    def trouble(self, source: Source) -> str:
        assert source.kind == "nextcloud"
        return ""


@dataclass
class World:
    """Sources by name, what they hold, and the way questions take."""

    database: Database
    model: MiniLM
    memory: dict[int, MemorySource] = field(default_factory=dict[int, MemorySource])
    rrf_only: bool = False
    clock: Clock = system_clock
    defaults: RequestScope = field(default_factory=lambda: RequestScope("default"))

    def __post_init__(self) -> None:
        self.index = Index(self.database)
        stores = self.index.stores
        self.candidates = CandidateFinder(stores.search, self.model.calibration, Fusion(self.rrf_only))
        self.access = AccessCheck(self._connector, stores.ledger, deadline=2, memory=0)
        self.pipeline = Pipeline(
            IndexReaders(stores.sources, stores.search, stores.vectors, stores.horizon, stores.baselines, stores.past),
            QuestionModels(lambda _: self.model, self.model.calibration),
            self.access,
            Occasions(CalendarSeries(), self.clock, UTC),
            SearchNotices(stores.vectors, "test"),
            Fusion(self.rrf_only),
        )
        self.scoping = Scoping(self.defaults, stores.scoping, self._model_languages, KINDS)
        connecting = AccountConnecting(
            None, cast("Any", None), stores.of(PendingLoginStore), cast("Any", None), self.clock
        )
        unasked = Feature("unasked", services={ACCOUNTS: lambda _: UnaskedServers(connecting)})
        self.core = Core(
            Settings(),
            stores,
            self.access,
            self.scoping,
            KINDS,
            self.clock,
            self._quoting_model,
            cast("Any", None),
            AsyncExitStack(),
            makers_of((*FEATURES, unasked), lambda: self.pipeline),
        )
        self.services = self.core.services

    def _quoting_model(self) -> MiniLM:
        return self.model

    async def _model_languages(self) -> Sequence[str]:
        return self.model.identity.languages

    def _connector(self, source: Source) -> Connector:
        return self.memory[source.source_id].connector()

    async def source(self, name: str, texts: dict[str, str], *, embedded: bool = True, **fields: Any) -> Source:
        """A source that is indexed: its words, and its vectors unless told otherwise."""
        made = await self.index.source(name, **fields)
        self.memory[made.source_id] = MemorySource()
        await self.write(made, texts, embedded=embedded)
        return made

    async def write(
        self, source: Source, texts: dict[str, str], *, embedded: bool = True, language: str = "english"
    ) -> None:
        target = await self.index.stores.vectors.ensure(self.model.identity)
        for native_id, text in texts.items():
            self.memory[source.source_id].texts[native_id] = text
            await self.index.put(source, native_id, text, language=language)
        await self.index.stores.segments.flush()
        if embedded:
            await self.index.embed(target, self._embed)
        await self.scanned(source)

    async def scanned(self, source: Source, error: str = "") -> None:
        """Let a source look as after a scan that listed all of it, or failed."""
        await self.index.rows(
            "UPDATE scan SET wanted = false, reason = %s,"
            " last_complete_at = CASE WHEN %s = '' THEN clock_timestamp() ELSE last_complete_at END"
            " WHERE source_id = %s",
            error,
            error,
            source.source_id,
        )

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        return self.model.embed_documents(texts).tolist()

    async def rank(self, query: str, *, principal: Principal = ME, **fields: Any) -> Ranking:
        scope = fields.pop("scope", RequestScope(project_id="default"))
        return await self.pipeline.rank(Question(principal, query, scope=scope, **fields))

    async def found(self, query: str, **fields: Any) -> list[str]:
        """Native ids of the pages of a ranking, in order."""
        ranking = await self.rank(query, **fields)
        chunks = await self.index.stores.search.read(
            ranking.allowed, [candidate.chunk_id for candidate in ranking.candidates]
        )
        return [chunks[place.chunk_id].native_id for place in ranking.candidates]

    async def by_words(self, query: str) -> RetrieverHits:
        allowed = await self.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
        (hits,) = await self.candidates.sparse_hits(await self.candidates.words(allowed, [query]), 100, None)
        return hits

    async def page(self, query: str, **fields: Any) -> SearchPage:
        """A page of hits, with every score shown."""
        fields.setdefault("min_score", 0.0)
        return await self.services.search.find(CALLER, SearchRequest(query, **fields))
