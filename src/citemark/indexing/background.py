"""Keeps an index up to date in the background: follows the sources, reads what changed, embeds what was read."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from citemark.embedding.contract import EmbeddingFailed
from citemark.indexing.follower_pool import ConnectedSources, FollowerPool
from citemark.indexing.indexer import Indexer, WorkDone
from citemark.indexing.work_loops import LoopPolicy, WorkLoops, all_of
from citemark.model.vectors import EmbeddingSet

_POLICY = LoopPolicy(readers=1, idle_seconds=1.0, longest_idle=8.0)
"""A server answers questions at the same time, so one reader for each group of sources is enough; it outlasts any
absence of its database. What this process records wakes the loops; the pauses are for what others recorded: looking
every second cost 1.2 % to 1.6 % of a core, these pauses cost 0.4 %."""

_REPORT_SECONDS = 5.0
"""Time between two reports of work that continues: a line for each batch would say little."""


class Background:
    """The work loops and the followers of one process, which run until it ends.

    Without `followers` nothing is scanned: only work that is already recorded gets done.
    """

    def __init__(
        self,
        indexer: Indexer,
        present: Callable[[], Awaitable[ConnectedSources]],
        targets: Callable[[], Awaitable[Sequence[EmbeddingSet]]],
        *,
        worked: Callable[[WorkDone], None] = lambda _: None,
        failed: Callable[[EmbeddingSet, EmbeddingFailed], None] = lambda _set, _error: None,
    ) -> None:
        """Create the loops without starting them.

        Args:
            indexer: this process's workers.
            present: returns the sources to maintain; called again and again, so that a new one is taken up.
            targets: returns the embedding sets to fill; called again and again, too.
            worked: called every few seconds, and when nothing is waiting, with what was done since the last call.
            failed: called when a set's model cannot be asked.
        """
        self.followers: FollowerPool | None = None
        self._indexer = indexer
        self._present = present
        self._loops = WorkLoops(
            indexer, _POLICY, present=present, targets=targets, reports=lambda: _Tally(worked), failed=failed
        )

    async def run(self) -> None:
        """Work until cancelled, then give the leases back."""
        try:
            following = [] if self.followers is None else [self.followers.run(self._present)]
            with self._indexer.telling(self._loops.wake):
                await all_of([self._loops.run(), *following])
        finally:
            await asyncio.shield(self._indexer.release())


@dataclass(slots=True)
class _Tally:
    """Adds up what a loop does, and reports it every few seconds and when nothing is waiting."""

    worked: Callable[[WorkDone], None]
    _done: WorkDone = field(default_factory=WorkDone)
    _reported_at: float = field(default_factory=monotonic)

    async def add(self, done: WorkDone, target: EmbeddingSet | None = None) -> None:
        """Count a step."""
        _ = target
        self._done += done
        if monotonic() - self._reported_at > _REPORT_SECONDS:
            self.idle()

    def idle(self) -> None:
        """Report what has not been reported yet, if anything."""
        done, self._done, self._reported_at = self._done, WorkDone(), monotonic()
        if done != WorkDone():
            self.worked(done)
