"""All services of one index: what the tools, the command line and the evaluation call."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a server lists its tools before it loads what answers them
    from citemark.services.accounts.connecting import AccountConnecting
    from citemark.services.accounts.search import AccountSearchService
    from citemark.services.accounts.sync_status import AccountSyncService
    from citemark.services.architecture.context import ModelContextService
    from citemark.services.architecture.model_diff import ModelDiffService
    from citemark.services.architecture.model_queries import ModelListingService
    from citemark.services.architecture.search import ElementSearchService
    from citemark.services.catalog import SourceCatalog
    from citemark.services.document_diff import DocumentDiffService
    from citemark.services.evidence import EvidenceService
    from citemark.services.graph.exploration import GraphService
    from citemark.services.graph.impact import ImpactService
    from citemark.services.graph.section_texts import SectionTextService
    from citemark.services.named_states import BaselineService
    from citemark.services.passage_handles import PassageService
    from citemark.services.quote_check import QuoteCheckService
    from citemark.services.reopening import ReopenService
    from citemark.services.search import SearchService


def _unlimited(_: float) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(kw_only=True)
class Services:
    """The services of one index, composed in `citemark.app.services`.

    While a context of `statements_within` is open, the database cancels each statement after that many seconds. Once
    the index is `closed`, the services answer nothing any more.
    """

    search: "SearchService"
    passages: "PassageService"
    evidence: "EvidenceService"
    quotes: "QuoteCheckService"
    catalog: "SourceCatalog"
    element_search: "ElementSearchService"
    model_context: "ModelContextService"
    model_listing: "ModelListingService"
    account_search: "AccountSearchService"
    account_sync: "AccountSyncService"
    connecting: "AccountConnecting"
    baselines: "BaselineService"
    document_diff: "DocumentDiffService"
    model_diff: "ModelDiffService"
    reopening: "ReopenService"
    graph: "GraphService"
    impact: "ImpactService"
    section_texts: "SectionTextService"
    statements_within: Callable[[float], AbstractContextManager[None]] = _unlimited
    closed: bool = False
