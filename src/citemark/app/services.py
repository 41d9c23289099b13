"""Puts the services of the core and those of the features together over the stores of one index."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from citemark.feature import Core, Feature, Maker
from citemark.retrieval.pipeline import Pipeline
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
)
from citemark.services.catalog import SourceCatalog
from citemark.services.evidence import EvidenceService
from citemark.services.handles import Handles
from citemark.services.listed_baselines import ListedBaselines
from citemark.services.passage_handles import PassageService
from citemark.services.people.access_tokens import AccessTokens
from citemark.services.quote_check import QuoteCheckService
from citemark.services.reopening import ReopenService
from citemark.services.search import SearchService
from citemark.services.state_pairs import StatePairs


def makers_of(features: Sequence[Feature], pipeline: Callable[[], Pipeline]) -> Mapping[ServiceKey[Any], Maker]:
    """What makes the services of the core and of features; of two features' makers of one service the later counts.

    `pipeline` makes what ranks.
    """
    makers: dict[ServiceKey[Any], Maker] = {**_CORE, PIPELINE: lambda _: pipeline()}
    for feature in features:
        makers.update(feature.services)
    return makers


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
