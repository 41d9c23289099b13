"""An open index as faces see it; the composition root makes one."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from citemark.embedding.contract import Embedder
from citemark.indexing.follower import FollowEvent
from citemark.indexing.indexer import WorkDone
from citemark.indexing.sync import Progress, SyncReport
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.retrieval.pipeline import Pipeline
from citemark.services.answers import AnswerService
from citemark.services.bundle import Services
from citemark.settings import Settings
from citemark.sources.contract import Connector
from citemark.store.stores import Stores


class AppContext(Protocol):
    """The use cases of one index, and what lies under them."""

    @property
    def settings(self) -> Settings:
        """The settings it was opened with."""
        ...

    @property
    def stores(self) -> Stores:
        """Its stores."""
        ...

    @property
    def embedder(self) -> Embedder:
        """Its model."""
        ...

    @property
    def pipeline(self) -> Pipeline:
        """Ranks for every entry point."""
        ...

    @property
    def services(self) -> Services:
        """What answers questions."""
        ...

    @property
    def answers(self) -> AnswerService:
        """Answers questions in words."""
        ...

    async def unlisted_tools(self) -> Sequence[str]:
        """The tools of its servers that a full list leaves out."""
        ...

    async def sync(
        self,
        sources: Mapping[SourceId, Source],
        progress: Callable[[Progress], None] = ...,
        connectors: Mapping[SourceId, Connector] | None = None,
    ) -> SyncReport:
        """Bring the index up to its sources; `connectors` stand in for those of the sources' kinds."""
        ...

    async def keep_password(self, source: Source, login: str, password: str) -> None:
        """Keep, encrypted, what a source logs in with; it takes the place of what was kept before."""
        ...

    async def revoke_password(self, source: Source) -> None:
        """Have the server of an account forget what it logs in with; a CitemarkError says why it could not."""
        ...

    async def keep(
        self,
        names: Collection[str] | None = None,
        *,
        watch: bool = True,
        heard: Callable[[FollowEvent], None] = ...,
        worked: Callable[[WorkDone], None] = ...,
    ) -> None:
        """Keep the index up until cancelled; `heard` is told of scans, `worked` of what was read and embedded."""
        ...


class OpenIndex(Protocol):
    """Opens the index of some settings, or another database on the same server."""

    def __call__(self, settings: Settings, database: str | None = None) -> AbstractAsyncContextManager[AppContext]:
        """The open index; closed when the context ends."""
        ...
