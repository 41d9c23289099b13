"""Gives way to searches: fewer workers while anybody searches, and threads that yield the processor to all others."""

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from citemark.store.vectors import VectorStore

_QUIET_SECONDS = 2.0
"""Without a search for this long nobody searches: an agent's next question would have come by now."""

_LOWEST_PRIORITY = 19
"""The highest nice value that Linux has."""


class IndexThrottle:
    """Says how many workers may run: one of each kind while anybody searches this database, otherwise all."""

    def __init__(self, vectors: VectorStore, workers: int) -> None:
        """Args: `vectors` knows the time of the last search, `workers` is the configured number."""
        self._vectors = vectors
        self._workers = workers

    async def allowed(self) -> int:
        """How many embedding workers may run now: one, or the configured number."""
        return self._workers if await self.quiet() else 1

    async def quiet(self) -> bool:
        """Whether nobody, in any process, has searched within the last two seconds."""
        age = await self._vectors.seconds_since_search()
        return age is None or age >= _QUIET_SECONDS

    async def rest(self, worked: float) -> None:
        """After `worked` seconds of load on the database, leave it alone for as long if anybody searches."""
        if not await self.quiet():
            await asyncio.sleep(min(worked, _QUIET_SECONDS))


def low_priority_pool(workers: int) -> ThreadPoolExecutor:
    """A pool whose threads run at the lowest priority, on systems that have one per thread (Linux)."""
    return ThreadPoolExecutor(workers, thread_name_prefix="citemark-index", initializer=_lower_priority)


def _lower_priority() -> None:
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOWEST_PRIORITY)
