"""Composes the services over the stores of one index."""

from collections.abc import Callable

from citemark.answering.provider import Provider, chat_model_of
from citemark.answering.state import PURPOSE, SealedState, StateCodec
from citemark.embedding.contract import Embedder
from citemark.model.clock import Clock
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.verification import AccessCheck
from citemark.services.accounts.search import AccountSearchService
from citemark.services.accounts.sync_status import AccountAccess, AccountSyncService
from citemark.services.answer_evidence import EvidenceCollector
from citemark.services.answers import AnswerService
from citemark.services.architecture.context import ModelContextService
from citemark.services.architecture.model_diff import ModelDiffService
from citemark.services.architecture.model_queries import Cursors, ModelListingService
from citemark.services.architecture.search import ElementSearchService
from citemark.services.architecture.visible_models import ModelReader
from citemark.services.bundle import Services
from citemark.services.catalog import SourceCatalog
from citemark.services.document_diff import DocumentDiffService
from citemark.services.evidence import EvidenceService
from citemark.services.graph.exploration import GraphService
from citemark.services.graph.impact import ImpactService
from citemark.services.graph.open_graph import GraphReaders
from citemark.services.graph.section_texts import SectionTextService
from citemark.services.handles import Handles
from citemark.services.named_states import BaselineService
from citemark.services.passage_handles import PassageService
from citemark.services.quote_check import QuoteCheckService
from citemark.services.reopening import ReopenService
from citemark.services.rephrasing import RephraseService
from citemark.services.scoping import Scoping
from citemark.services.search import SearchService
from citemark.services.state_pairs import StatePairs
from citemark.settings import Settings
from citemark.sources.kinds import SourceKinds
from citemark.store.stores import Stores


def services_over(
    stores: Stores,
    pipeline: Pipeline,
    access: AccessCheck,
    scoping: Scoping,
    clock: Clock,
    embedder: Callable[[], Embedder | None],
    accounts: AccountAccess,
    kinds: SourceKinds,
) -> Services:
    """The services of one index.

    Args:
        stores: of the index.
        pipeline: ranks and verifies for all of them.
        access: asks sources about the documents of quotations.
        scoping: the limits that calls run under.
        clock: for the expiry of handles.
        embedder: returns the model that reranks spans for quotes, or None for no reranking.
        accounts: lets people connect accounts, and asks servers about refused passwords.
        kinds: the kinds of sources.
    """
    handles = Handles(stores.passages, clock)
    search = SearchService(pipeline, stores.sources, handles, scoping)
    passages = PassageService(pipeline, stores.sources, stores.search, handles, scoping)
    pairs = StatePairs(stores.sources, pipeline.contexts, scoping, handles)
    reader = ModelReader(pipeline, stores.sources, stores.search, stores.architecture, scoping)
    readers = GraphReaders(stores.graph, stores.search, pipeline, access, handles)
    graph = GraphService(readers, stores.sources, pipeline.contexts, scoping, passages)
    listing = ModelListingService(reader, Cursors(handles))
    return Services(
        search=search,
        passages=passages,
        evidence=EvidenceService(search, passages, pipeline, handles, embedder),
        quotes=QuoteCheckService(pipeline, stores.sources, stores.documents, access, scoping),
        catalog=SourceCatalog(pipeline, stores.sources, scoping, kinds),
        element_search=ElementSearchService(reader, handles),
        model_context=ModelContextService(reader),
        model_listing=listing,
        account_search=AccountSearchService(pipeline, stores.sources, stores.accounts, handles, scoping),
        account_sync=AccountSyncService(stores.accounts, stores.ledger, pipeline.contexts, accounts, clock),
        connecting=accounts.connecting,
        baselines=BaselineService(stores.baselines, stores.sources, stores.horizon, scoping, clock),
        document_diff=DocumentDiffService(pairs, stores.changes, stores.search, access),
        model_diff=ModelDiffService(pairs, stores.changes, reader),
        reopening=ReopenService(pipeline.contexts, stores.sources, stores.documents, access, scoping),
        graph=graph,
        impact=ImpactService(graph, readers, listing),
        section_texts=SectionTextService(graph, stores.documents, access),
        statements_within=stores.database.within,
    )


def answers_over(
    settings: Settings,
    stores: Stores,
    pipeline: Pipeline,
    scoping: Scoping,
    embedder: Callable[[], Embedder | None],
    codec: Callable[[bytes], StateCodec],
    clock: Clock,
) -> AnswerService:
    """The service that generates answers from the same evidence that the other services show.

    Args:
        settings: name the provider, if there is one.
        stores: of the index.
        pipeline: ranks and verifies.
        scoping: the limits that calls run under.
        embedder: returns the model that reranks spans for quotes, or None for no reranking.
        codec: seals the state of a call between its two rounds.
        clock: for the expiry of that state.

    Raises:
        ConfigurationError: a setting that the provider needs is missing or malformed.
    """
    chat = chat_model_of(settings)
    state = SealedState(lambda: stores.shared_keys.of(PURPOSE), codec, clock)
    provider = None if chat is None else Provider(chat, settings.tool_timeout)
    hint = settings.answer_model or ""
    return AnswerService(
        collector=EvidenceCollector(
            pipeline=pipeline,
            sources=stores.sources,
            search=stores.search,
            accounts=stores.accounts,
            scoping=scoping,
        ),
        embedder=embedder,
        state=state,
        provider=provider,
        hint=hint,
        rephrasing=RephraseService(state, provider, hint),
    )
