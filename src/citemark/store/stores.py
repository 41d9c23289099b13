"""Every store over one database."""

from dataclasses import dataclass
from datetime import timedelta

from citemark.model.ids import SourceId
from citemark.store.accounts import AccountStore
from citemark.store.architecture import ArchitectureStore
from citemark.store.baselines import BaselineStore
from citemark.store.candidate_search import SearchStore
from citemark.store.changes import ChangeStore
from citemark.store.database import Database
from citemark.store.documents import DocumentStore
from citemark.store.grants import GrantStore
from citemark.store.graph import GraphStore
from citemark.store.history import HistoryStore
from citemark.store.leases import WatchLeases
from citemark.store.ledger import Ledger
from citemark.store.mentions import MentionStore
from citemark.store.page_renames import RenameStore
from citemark.store.pages import PageStore
from citemark.store.passages import PassageStore
from citemark.store.past_search import PastStates
from citemark.store.pending_logins import PendingLoginStore
from citemark.store.repository_pages import RepositoryPages
from citemark.store.scope import ScopeStore
from citemark.store.secret_store import SecretStore, SharedKeys
from citemark.store.segments import SegmentStore
from citemark.store.sources import HorizonStore, ScanStateStore, SourceStore
from citemark.store.status import LinkStore, StatusStore
from citemark.store.token_digests import AccessTokenStore
from citemark.store.vectors import RandomPairs, VectorStore


@dataclass(frozen=True, slots=True)
class Stores:
    """Every store over one database."""

    database: Database
    sources: SourceStore
    ledger: Ledger
    pages: PageStore
    renames: RenameStore
    vectors: VectorStore
    search: SearchStore
    segments: SegmentStore
    passages: PassageStore
    status: StatusStore
    documents: DocumentStore
    horizon: HorizonStore
    baselines: BaselineStore
    repository_pages: RepositoryPages
    past: PastStates
    history: HistoryStore
    changes: ChangeStore
    watches: WatchLeases
    random_pairs: RandomPairs
    links: LinkStore
    accounts: AccountStore
    pending_logins: PendingLoginStore
    architecture: ArchitectureStore
    secrets: SecretStore
    shared_keys: SharedKeys
    scoping: ScopeStore
    tokens: AccessTokenStore
    grants: GrantStore
    graph: GraphStore
    mentions: MentionStore

    def scan_state(self, source_id: SourceId) -> ScanStateStore:
        """The state that the scanners of a source keep between scans."""
        return ScanStateStore(self.database, source_id)

    @classmethod
    def over(cls, database: Database, passage_ttl: timedelta) -> "Stores":
        """Make every store over `database`.

        Args:
            database: an open pool.
            passage_ttl: how long handles and ranked lists live.
        """
        sources = SourceStore(database)
        baselines = BaselineStore(database)
        return cls(
            database=database,
            sources=sources,
            ledger=Ledger(database),
            pages=PageStore(database),
            renames=RenameStore(database),
            vectors=VectorStore(database),
            search=SearchStore(database),
            segments=SegmentStore(database),
            passages=PassageStore(database, passage_ttl),
            status=StatusStore(database),
            documents=DocumentStore(database),
            horizon=HorizonStore(database),
            baselines=baselines,
            repository_pages=RepositoryPages(database, baselines),
            past=PastStates(database),
            history=HistoryStore(database),
            changes=ChangeStore(database),
            watches=WatchLeases(database),
            random_pairs=RandomPairs(database),
            links=LinkStore(database),
            accounts=AccountStore(database, sources),
            pending_logins=PendingLoginStore(database),
            architecture=ArchitectureStore(database),
            secrets=SecretStore(database),
            shared_keys=SharedKeys(database),
            scoping=ScopeStore(database),
            tokens=AccessTokenStore(database),
            grants=GrantStore(database),
            graph=GraphStore(database),
            mentions=MentionStore(database),
        )
