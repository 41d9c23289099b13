"""Gives way to searches: fewer workers while a search runs, and threads that yield the processor to all others."""

import asyncio
import os
import sys
import threading
from concurrent.futures import Executor, ThreadPoolExecutor

from citemark.store.vectors import VectorStore

_QUIET_SECONDS = 2.0
"""After this long without a search, no one is searching: an agent's next question would have come by now."""

_LOWEST_PRIORITY = 19
"""The highest nice value that Linux has."""

_FOREGROUND_PRIORITY = 5
"""The nice value of the processes that read files: behind what users do at the same time, but never at a standstill."""


class IndexThrottle:
    """Decides how many workers may run: one of each kind while this database is being searched, otherwise all."""

    def __init__(self, vectors: VectorStore, workers: int) -> None:
        """Args: `vectors` knows the time of the last search; `workers` is the configured number."""
        self._vectors = vectors
        self._workers = workers

    async def allowed(self) -> int:
        """How many embedding workers may run now: one, or the configured number."""
        return self._workers if await self.quiet() else 1

    async def quiet(self) -> bool:
        """Whether no process has run a search within the last two seconds."""
        age = await self._vectors.seconds_since_search()
        return age is None or age >= _QUIET_SECONDS

    async def rest(self, worked: float) -> None:
        """After `worked` seconds of load on the database, leave it alone for as long if it is being searched."""
        if not await self.quiet():
            await asyncio.sleep(min(worked, _QUIET_SECONDS))


class EmbeddingThreads:
    """Threads that embed: at the lowest priority, unless a user is waiting for the index and no search is running.

    Next to programs that keep the processor busy, a sync at the lowest priority takes eight times as long. Threads
    cannot raise their priority again without root privileges, so there are two pools, whose threads start when they are
    needed.
    """

    def __init__(self, workers: int) -> None:
        """Args: `workers` is how many batches are embedded at a time."""
        self._background = _pool(workers, _LOWEST_PRIORITY)
        self._foreground = _pool(workers, _FOREGROUND_PRIORITY)

    async def chosen(self, throttle: IndexThrottle, *, foreground: bool) -> Executor:
        """The threads for one batch; `foreground`: a user is waiting until the index is up to date."""
        return self._foreground if foreground and await throttle.quiet() else self._background

    def close(self) -> None:
        """Start no more batches, and do not wait for those that are running."""
        for pool in (self._background, self._foreground):
            pool.shutdown(wait=False, cancel_futures=True)


def _pool(workers: int, nice: int) -> ThreadPoolExecutor:
    """A pool whose threads run at the given priority, on systems that have one per thread (Linux)."""
    return ThreadPoolExecutor(workers, thread_name_prefix="citemark-index", initializer=_set_priority, initargs=(nice,))


def _set_priority(nice: int) -> None:
    if sys.platform == "linux":
        own = os.getpriority(os.PRIO_PROCESS, 0)  # raised if the process was started with `nice`
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), max(nice, own))
