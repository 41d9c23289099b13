"""An open index as faces see it; the composition root makes one."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from citemark.embedding.contract import Embedder
from citemark.indexing.follower import FollowEvent
from citemark.indexing.indexer import WorkDone
from citemark.indexing.sync import Progress, SyncReport
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.services.bundle import Services
from citemark.services.full_ranking import FullRanking
from citemark.services.index_status import IndexStatus
from citemark.services.source_management import SourceManager
from citemark.services.source_preview import SourcePreview
from citemark.settings import Settings
from citemark.sources.contract import Connector
from citemark.sources.kinds import SourceKinds

if TYPE_CHECKING:
    from citemark.embedding.minilm import MiniLM
    from citemark.services.people.access_tokens import AccessTokens
    from citemark.services.people.source_grants import SourceGrants


class AppContext(Protocol):
    """The use cases of one index."""

    @property
    def settings(self) -> Settings:
        """The settings it was opened with."""
        ...

    @property
    def embedder(self) -> Embedder:
        """Its embedding model."""
        ...

    @property
    def bundled_model(self) -> "MiniLM":
        """The model that comes with the package; it measures chunks and weighs quotes even if another one embeds."""
        ...

    @property
    def kinds(self) -> SourceKinds:
        """The kinds of its sources."""
        ...

    @property
    def sources(self) -> SourceManager:
        """Lists and changes its sources."""
        ...

    @property
    def status(self) -> IndexStatus:
        """Reports how far indexing has come."""
        ...

    @property
    def tokens(self) -> "AccessTokens":
        """Manages the tokens of people and programs."""
        ...

    @property
    def grants(self) -> "SourceGrants":
        """Manages who besides the owner may read which source."""
        ...

    @property
    def rankings(self) -> FullRanking:
        """Whole rankings and documents, for measurements."""
        ...

    @property
    def services(self) -> Services:
        """The services that answer questions."""
        ...

    async def unlisted_tools(self) -> Sequence[str]:
        """The tools of its servers that a full list leaves out."""
        ...

    async def sync(
        self,
        sources: Mapping[SourceId, Source],
        progress: Callable[[Progress], None] = ...,
        connectors: Mapping[SourceId, Connector] | None = None,
        *,
        alone: bool = False,
    ) -> SyncReport:
        """Update the index from its sources; `connectors` replace those of the sources' kinds.

        If `alone`, nothing of other sources is embedded, so that their queues hold nothing up.
        """
        ...

    async def try_refused_logins(self) -> None:
        """Ask the servers whether they accept again the passwords that they refused, as often as a day allows."""
        ...

    async def preview(self, source: Source, login: object = None) -> SourcePreview:
        """What a sync would find with the settings that a source has in `source`; nothing is changed.

        `login`: how to log in to one whose password is not stored.
        """
        ...

    async def revoke_password(self, source: Source) -> None:
        """Have the server of an account revoke the password it logs in with; a CitemarkError says why it could not."""
        ...

    async def rotate_key(self) -> int:
        """Re-encrypt the passwords of all accounts with a new key; return their number."""
        ...

    async def keep(
        self,
        names: Collection[str] | None = None,
        *,
        watch: bool = True,
        heard: Callable[[FollowEvent], None] = ...,
        worked: Callable[[WorkDone], None] = ...,
    ) -> None:
        """Keep the index current until cancelled; `heard` is called for scans, `worked` for reading and embedding."""
        ...


class OpenIndex(Protocol):
    """Opens the index of some settings, or another database on the same server."""

    def __call__(self, settings: Settings, database: str | None = None) -> AbstractAsyncContextManager[AppContext]:
        """The open index; closed when the context ends."""
        ...
