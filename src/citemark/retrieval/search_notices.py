"""Lets the indexers of all processes know that somebody searches, so that they give way."""

import asyncio
from time import monotonic

import structlog

from citemark.model.errors import BackendUnavailable
from citemark.retrieval.ports import EmbeddingSets

_log = structlog.get_logger(__name__)

_EVERY = 0.5
"""Seconds between notes: indexing gives way for two seconds after each."""


class SearchNotices:
    """Leaves a note in the database at most twice a second, alongside the search and without delaying it."""

    def __init__(self, vectors: EmbeddingSets, server: str) -> None:
        self._vectors = vectors
        self._server = server
        self._noted = float("-inf")
        self._task: asyncio.Task[None] | None = None

    def searching(self) -> None:
        """Note that a search begins now."""
        if monotonic() - self._noted < _EVERY:
            return
        self._noted = monotonic()
        self._task = asyncio.create_task(self._note())

    async def _note(self) -> None:
        try:
            await self._vectors.note_search(self._server)
        except BackendUnavailable:
            _log.info("search_not_noted", action="search")
