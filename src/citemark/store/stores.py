"""The stores over one database, each made when it is first asked for."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from citemark.model.ids import SourceId
from citemark.store.baselines import BaselineStore
from citemark.store.candidate_search import SearchStore
from citemark.store.database import Database
from citemark.store.documents import DocumentStore
from citemark.store.grants import GrantStore
from citemark.store.leases import WatchLeases
from citemark.store.ledger import Ledger
from citemark.store.page_renames import RenameStore
from citemark.store.pages import PageStore
from citemark.store.passages import PassageStore
from citemark.store.past_search import PastStates
from citemark.store.scope import ScopeStore
from citemark.store.secret_store import SecretStore, SharedKeys
from citemark.store.segment_cache import SegmentCache
from citemark.store.segments import SegmentStore
from citemark.store.sources import HorizonStore, ScanStateStore, SourceStore
from citemark.store.status import LinkStore, StatusStore
from citemark.store.token_digests import AccessTokenStore
from citemark.store.vectors import RandomPairs, VectorStore

Store = TypeVar("Store")
Parts = ParamSpec("Parts")


class Stores:
    """The stores over one database. Those of the core have names here; features name the classes of theirs."""

    def __init__(self, database: Database, passage_ttl: timedelta) -> None:
        self.database = database
        self._passage_ttl = passage_ttl
        self._segment_cache = SegmentCache()
        self._made: dict[Callable[..., Any], object] = {}

    @classmethod
    def over(cls, database: Database, passage_ttl: timedelta) -> "Stores":
        """The stores over `database`.

        Args:
            database: an open pool.
            passage_ttl: how long handles and ranked lists live.
        """
        return cls(database, passage_ttl)

    def of(
        self, store: Callable[Concatenate[Database, Parts], Store], *parts: Parts.args, **named: Parts.kwargs
    ) -> Store:
        """The one store of a class; the first call makes it over the database, with `parts`."""
        if store not in self._made:
            self._made[store] = store(self.database, *parts, **named)
        return cast("Store", self._made[store])

    @property
    def made(self) -> frozenset[Callable[..., Any]]:
        """The classes of the stores that were used so far."""
        return frozenset(self._made)

    def scan_state(self, source_id: SourceId) -> ScanStateStore:
        """The state that the scanners of a source keep between scans."""
        return ScanStateStore(self.database, source_id)

    @property
    def passages(self) -> PassageStore:
        """Handles and ranked lists."""
        return self.of(PassageStore, self._passage_ttl)

    @property
    def sources(self) -> SourceStore:
        """Sources and their settings."""
        return self.of(SourceStore)

    @property
    def ledger(self) -> Ledger:
        """What is known of each document, and the queue of texts."""
        return self.of(Ledger)

    @property
    def pages(self) -> PageStore:
        """Pages with their texts and chunks."""
        return self.of(PageStore)

    @property
    def renames(self) -> RenameStore:
        """Pages that moved."""
        return self.of(RenameStore)

    @property
    def vectors(self) -> VectorStore:
        """Embedding sets and their vectors."""
        return self.of(VectorStore)

    @property
    def search(self) -> SearchStore:
        """Ranks candidates."""
        return self.of(SearchStore, self._segment_cache)

    @property
    def segments(self) -> SegmentStore:
        """Posting lists."""
        return self.of(SegmentStore)

    @property
    def status(self) -> StatusStore:
        """How far indexing has come."""
        return self.of(StatusStore)

    @property
    def documents(self) -> DocumentStore:
        """Whole documents."""
        return self.of(DocumentStore)

    @property
    def horizon(self) -> HorizonStore:
        """The newest state that can be read."""
        return self.of(HorizonStore)

    @property
    def baselines(self) -> BaselineStore:
        """States that have names."""
        return self.of(BaselineStore)

    @property
    def past(self) -> PastStates:
        """What was there at a moment."""
        return self.of(PastStates)

    @property
    def watches(self) -> WatchLeases:
        """Who follows which source."""
        return self.of(WatchLeases)

    @property
    def random_pairs(self) -> RandomPairs:
        """Distances of random pairs."""
        return self.of(RandomPairs)

    @property
    def links(self) -> LinkStore:
        """Links between documents."""
        return self.of(LinkStore)

    @property
    def secrets(self) -> SecretStore:
        """Encrypted credentials."""
        return self.of(SecretStore)

    @property
    def shared_keys(self) -> SharedKeys:
        """Keys that all processes share."""
        return self.of(SharedKeys)

    @property
    def scoping(self) -> ScopeStore:
        """What lies within a scope."""
        return self.of(ScopeStore)

    @property
    def tokens(self) -> AccessTokenStore:
        """Digests of access tokens."""
        return self.of(AccessTokenStore)

    @property
    def grants(self) -> GrantStore:
        """Who may read what."""
        return self.of(GrantStore)
