"""Puts the services of the core and those of the features together over the stores of one index."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from types import MappingProxyType
from typing import Any

from citemark.embedding.contract import Embedder
from citemark.feature import Core, Feature, IndexingPorts, Maker
from citemark.model.clock import Clock
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.verification import AccessCheck
from citemark.services.bundle import (
    CATALOG,
    EVIDENCE,
    HANDLES,
    LISTED_BASELINES,
    PASSAGES,
    PIPELINE,
    QUOTES,
    REOPENING,
    SEARCH,
    STATE_PAIRS,
    TOKENS,
    ServiceKey,
    Services,
)
from citemark.services.catalog import SourceCatalog
from citemark.services.evidence import EvidenceService
from citemark.services.handles import Handles
from citemark.services.listed_baselines import ListedBaselines
from citemark.services.passage_handles import PassageService
from citemark.services.people.access_tokens import AccessTokens
from citemark.services.quote_check import QuoteCheckService
from citemark.services.reopening import ReopenService
from citemark.services.scoping import Scoping
from citemark.services.search import SearchService
from citemark.services.state_pairs import StatePairs
from citemark.settings import Settings
from citemark.sources.kinds import SourceKinds
from citemark.store.stores import Stores


def core_over(
    features: Sequence[Feature],
    settings: Settings,
    stores: Stores,
    pipeline: Callable[[], Pipeline],
    access: AccessCheck,
    scoping: Scoping,
    kinds: SourceKinds,
    clock: Clock,
    quoting: Callable[[], Embedder | None],
    indexing: IndexingPorts,
    closing: AsyncExitStack,
) -> Core:
    """The core of one index with its services, none of which is made yet; of two features' makers the later one counts.

    `pipeline` makes what ranks; the other arguments are as in `Core`.
    """
    makers: dict[ServiceKey[Any], Maker] = {**_CORE, PIPELINE: lambda _: pipeline()}
    for feature in features:
        makers.update(feature.services)
    bound: dict[ServiceKey[Any], Callable[[], object]] = {}
    core = Core(
        settings,
        stores,
        access,
        scoping,
        kinds,
        clock,
        quoting,
        indexing,
        Services(bound, stores.database.within),
        closing,
    )
    bound.update({key: partial(maker, core) for key, maker in makers.items()})
    return core


def _handles(core: Core) -> Handles:
    return Handles(core.stores.passages, core.clock)


def _search(core: Core) -> SearchService:
    return SearchService(core.pipeline, core.stores.sources, core.handles, core.scoping)


def _passages(core: Core) -> PassageService:
    return PassageService(core.pipeline, core.stores.sources, core.stores.search, core.handles, core.scoping)


def _evidence(core: Core) -> EvidenceService:
    services = core.services
    return EvidenceService(services.search, services.passages, core.pipeline, core.handles, core.quoting)


def _quotes(core: Core) -> QuoteCheckService:
    return QuoteCheckService(core.pipeline, core.stores.sources, core.stores.documents, core.access, core.scoping)


def _catalog(core: Core) -> SourceCatalog:
    return SourceCatalog(core.pipeline, core.stores.sources, core.scoping, core.kinds)


def _tokens(core: Core) -> AccessTokens:
    return AccessTokens(core.stores.tokens, core.clock)


def _reopening(core: Core) -> ReopenService:
    return ReopenService(core.pipeline.contexts, core.stores.sources, core.stores.documents, core.access, core.scoping)


def _listed_baselines(core: Core) -> ListedBaselines:
    stores = core.stores
    return ListedBaselines(stores.baselines, stores.sources, stores.horizon, core.scoping)


def _state_pairs(core: Core) -> StatePairs:
    return StatePairs(core.stores.sources, core.pipeline.contexts, core.scoping, core.handles)


_CORE: Mapping[ServiceKey[Any], Maker] = MappingProxyType(
    {
        HANDLES: _handles,
        SEARCH: _search,
        PASSAGES: _passages,
        EVIDENCE: _evidence,
        QUOTES: _quotes,
        CATALOG: _catalog,
        TOKENS: _tokens,
        REOPENING: _reopening,
        LISTED_BASELINES: _listed_baselines,
        STATE_PAIRS: _state_pairs,
    }
)
