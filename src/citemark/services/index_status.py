"""Progress and contents of the index of the person at this machine."""

from citemark.model.scope import Principal
from citemark.model.status import DatabaseStatus, SourceStatus
from citemark.model.vectors import EmbeddingSet, VectorBacklog
from citemark.store.status import StatusStore
from citemark.store.vectors import VectorStore


class IndexStatus:
    """Counts sources, vectors and bytes."""

    def __init__(self, status: StatusStore, vectors: VectorStore) -> None:
        self._status = status
        self._vectors = vectors

    async def sources(self) -> list[SourceStatus]:
        """The status of each source, by name; its vectors are those of the set that answers questions."""
        active = next((entry for entry in await self.sets() if entry.active), None)
        return await self._status.sources(Principal.local().tenant, 0 if active is None else active.set_id)

    async def database(self) -> DatabaseStatus:
        """The server's versions, and the size of the index."""
        return await self._status.database()

    async def sets(self) -> list[EmbeddingSet]:
        """The embedding set that answers questions and the one that is being built, as far as they exist."""
        return await self._vectors.sets()

    async def backlog(self, entry: EmbeddingSet) -> VectorBacklog:
        """The number of chunks that wait for a vector of a set, and of those that its model refused."""
        return await self._vectors.backlog(entry.set_id)
