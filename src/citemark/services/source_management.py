"""The sources of the person at this machine: listed, added, changed and removed, and what scans report about them."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from citemark.model.ids import SourceId
from citemark.model.left_out import LeftOut
from citemark.model.scope import Principal
from citemark.model.sources import NewSource, Source
from citemark.model.status import BrokenLink, Notice, ReportedProblem
from citemark.store.database import Database
from citemark.store.sources import SourceStore, owner_grant
from citemark.store.status import LinkStore
from citemark.store.vectors import VectorStore

_PROBLEMS = 100
"""Problems shown per source by default: a person reads no more, and `citemark problems` has --limit."""


class SourceManager:
    """Manages the sources that the person at this machine added."""

    def __init__(
        self,
        database: Database,
        sources: SourceStore,
        vectors: VectorStore,
        links: LinkStore,
        examine: Callable[[str, Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """Keep the stores.

        Args:
            database: knows the languages of the server.
            sources: configurations and reports.
            vectors: the embedding sets that a removed source is deleted from.
            links: the links between documents.
            examine: reads what a new source names, in processes with limits.
        """
        self._database = database
        self._examine = examine
        self._sources = sources
        self._vectors = vectors
        self._links = links

    async def all(self) -> list[Source]:
        """Every source, by name."""
        return await self._sources.all(Principal.local().tenant)

    async def named(self, name: str) -> Source:
        """The source with this name.

        Raises:
            InvalidArgument: it does not exist; the message lists the existing ones.
        """
        return await self._sources.named(Principal.local().tenant, name)

    async def add(self, new: NewSource) -> Source:
        """Record a source that its owner, the person at this machine, may read; `AppContext.sync` indexes it.

        Raises:
            InvalidArgument: there is already a source of that name.
        """
        return await self._sources.add(new, grantee=owner_grant())

    async def examine(self, kind: str, config: Mapping[str, Any]) -> None:
        """Read what a new source names once, so that something wrong is refused before it becomes a source.

        Raises:
            FatalSourceError: it is not what a source of its kind reads; the message says what it is instead.
            RetriableSourceError: it cannot be read now.
        """
        await self._examine(kind, config)

    async def change(self, source: Source) -> None:
        """Record other settings of a source; the next sync follows them.

        Raises:
            InvalidArgument: another source has its name.
        """
        await self._sources.change(source)

    async def pause(self, source: Source) -> None:
        """Have a source neither listed nor read until it goes on; what it has is found as before."""
        await self._sources.pause(source.source_id)

    async def resume(self, source: Source) -> None:
        """Have a paused source listed and read again."""
        await self._sources.resume(source.source_id)

    async def remove(self, source: Source) -> None:
        """Delete a source with its texts, vectors and history."""
        sets = [entry.set_id for entry in await self._vectors.sets()]
        await self._sources.remove(source.source_id, sets)

    async def problems(self, source_id: SourceId, limit: int = _PROBLEMS) -> list[ReportedProblem]:
        """The problems found by the last scan and by reading its documents, at most `limit`."""
        return await self._sources.problems(source_id, limit)

    async def notices(self, source_id: SourceId, limit: int = _PROBLEMS) -> list[Notice]:
        """What to know about documents that were read, but not whole or not as plain UTF-8; at most `limit`."""
        return await self._sources.notices(source_id, limit)

    async def broken_links(self, source_id: SourceId, limit: int) -> tuple[list[BrokenLink], int]:
        """At most `limit` of the links that lead nowhere, and the number of all of them."""
        return await self._links.broken(source_id, limit)

    async def skipped(self, source_id: SourceId) -> dict[str, int]:
        """How many files the last scan left out because of their type, by suffix."""
        return await self._sources.skipped(source_id)

    async def left_out(self, source_id: SourceId) -> LeftOut | None:
        """What a source held and did not index at its last scan; None if that was not counted."""
        return await self._sources.left_out(source_id)

    async def tell_once(self, source_id: SourceId) -> bool:
        """Whether the person was not told yet about the rules of new sources; from now on they were."""
        return await self._sources.tell_once(source_id)

    async def language_named(self, name: str) -> str:
        """The language with this code or name.

        Raises:
            InvalidArgument: it does not exist; the message lists the existing ones.
        """
        return await self._database.language_named(name)
