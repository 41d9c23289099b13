"""The use cases of accounts. Every face calls these."""

from citemark.evidence.accounts.searching import AccountSearching
from citemark.evidence.accounts.syncing import AccountSyncing
from citemark.evidence.handles import Handles
from citemark.evidence.scoping import Scoping
from citemark.retrieval.pipeline import Pipeline
from citemark.store.accounts import AccountStore
from citemark.store.ledger import Ledger
from citemark.store.sources import SourceStore


class AccountDesk:
    """Answers callers over the accounts of one index: `searching` finds documents, `syncing` tells how far they are."""

    def __init__(
        self,
        pipeline: Pipeline,
        sources: SourceStore,
        accounts: AccountStore,
        ledger: Ledger,
        handles: Handles,
        scoping: Scoping,
    ) -> None:
        self.searching = AccountSearching(pipeline, sources, accounts, handles, scoping)
        self.syncing = AccountSyncing(accounts, ledger)
