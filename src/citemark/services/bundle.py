"""The services of one index: what the tools, the command line and the evaluation call. Each is made on first use."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from citemark.model.errors import ConfigurationError

if TYPE_CHECKING:  # a server lists its tools before it loads what answers them
    from citemark.retrieval.pipeline import Pipeline
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

Service = TypeVar("Service")


@dataclass(frozen=True, slots=True, eq=False)
class ServiceKey(Generic[Service]):
    """Names a service and its type, without loading its module; two keys with one name are two services."""

    name: str


class NoSuchService(ConfigurationError):
    """The feature that makes a service is not part of this program."""

    def __init__(self, key: ServiceKey[Any]) -> None:
        super().__init__(f"This program was put together without {key.name}; use one that has it.")


def _unlimited(_: float) -> AbstractContextManager[None]:
    return nullcontext()


PIPELINE: ServiceKey["Pipeline"] = ServiceKey("ranking")
HANDLES: ServiceKey["Handles"] = ServiceKey("handles")
SEARCH: ServiceKey["SearchService"] = ServiceKey("search")
PASSAGES: ServiceKey["PassageService"] = ServiceKey("passages")
EVIDENCE: ServiceKey["EvidenceService"] = ServiceKey("evidence")
QUOTES: ServiceKey["QuoteCheckService"] = ServiceKey("checks of quotes")
CATALOG: ServiceKey["SourceCatalog"] = ServiceKey("the catalog of sources")
TOKENS: ServiceKey["AccessTokens"] = ServiceKey("access tokens")
REOPENING: ServiceKey["ReopenService"] = ServiceKey("reopening of citations")
LISTED_BASELINES: ServiceKey["ListedBaselines"] = ServiceKey("the list of baselines")
STATE_PAIRS: ServiceKey["StatePairs"] = ServiceKey("pairs of states")


class Services:
    """The services of one index. Those of the core have names here; features have keys for theirs.

    While a context of `statements_within` is open, the database cancels each statement after that many seconds. Once
    the index is `closed`, the services answer nothing any more.
    """

    def __init__(
        self,
        makers: Mapping[ServiceKey[Any], Callable[[], object]],
        statements_within: Callable[[float], AbstractContextManager[None]] = _unlimited,
    ) -> None:
        self._makers = makers
        self._made: dict[ServiceKey[Any], object] = {}
        self.statements_within = statements_within
        self.closed = False

    def get(self, key: ServiceKey[Service]) -> Service:
        """The service that a key names; the first call makes it.

        Raises:
            NoSuchService: no feature of this program makes it.
        """
        if key not in self._made:
            if key not in self._makers:
                raise NoSuchService(key)
            self._made[key] = self._makers[key]()
        return cast("Service", self._made[key])

    def optional(self, key: ServiceKey[Service]) -> Service | None:
        """The service that a key names; None if no feature of this program makes it."""
        return self.get(key) if key in self._made or key in self._makers else None

    @property
    def made(self) -> frozenset[ServiceKey[Any]]:
        """The keys of the services that were used so far."""
        return frozenset(self._made)

    @property
    def search(self) -> "SearchService":
        """Finds passages."""
        return self.get(SEARCH)

    @property
    def passages(self) -> "PassageService":
        """Reads passages that were found."""
        return self.get(PASSAGES)

    @property
    def evidence(self) -> "EvidenceService":
        """Finds quotes that answer a question."""
        return self.get(EVIDENCE)

    @property
    def quotes(self) -> "QuoteCheckService":
        """Checks quotes against their sources."""
        return self.get(QUOTES)

    @property
    def catalog(self) -> "SourceCatalog":
        """Lists sources."""
        return self.get(CATALOG)

    @property
    def reopening(self) -> "ReopenService":
        """Opens what citations name."""
        return self.get(REOPENING)
