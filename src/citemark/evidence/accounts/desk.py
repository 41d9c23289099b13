"""The use cases of accounts. Every face calls these."""

from citemark.evidence.accounts.searching import AccountSearching
from citemark.evidence.accounts.syncing import AccountSyncing
from citemark.evidence.scoping import Scoping
from citemark.retrieval.pipeline import Pipeline
from citemark.store.accounts import AccountStore
from citemark.store.ledger import Ledger


class AccountDesk:
    """Answers askers over the accounts of one index: `searching` finds documents, `syncing` tells how far they are."""

    def __init__(self, pipeline: Pipeline, accounts: AccountStore, ledger: Ledger, scoping: Scoping) -> None:
        self.searching = AccountSearching(pipeline, accounts, scoping)
        self.syncing = AccountSyncing(accounts, ledger)
