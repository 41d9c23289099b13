"""The loops that drive an indexer: readers for every group of sources, and embedders for what was read.

A server runs them until it ends (`WorkLoops.run`), a sync until nothing is waiting (`WorkLoops.run_until_idle`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, Protocol

import structlog

from citemark.embedding.contract import EmbeddingFailed
from citemark.indexing.follower_pool import ConnectedSources
from citemark.indexing.indexer import Indexer, WorkDone
from citemark.indexing.pauses import Bell, Pauses, within
from citemark.indexing.rename_detector import PendingRenames
from citemark.model.errors import BackendUnavailable, DiskFull
from citemark.model.ids import EmbeddingSetId, SourceId
from citemark.model.ledger import Claim
from citemark.model.sources import Source
from citemark.model.vectors import EmbeddingSet
from citemark.sources.contract import Connector

_RECOVERY_SECONDS = 1.0
"""Time between two tries while the database is lost: an embedded one is up again within a second or two."""

_GIVING_WAY_SECONDS = 1.0
"""Time before a worker that gave way to searches checks again; half of the time that counts as quiet."""

_log = structlog.get_logger(__name__)


class WorkReport(Protocol):
    """Receives what one loop has done."""

    async def add(self, done: WorkDone, target: EmbeddingSet | None = None) -> None:
        """Called when a round of reading, or a batch of vectors for the set `target`, has ended."""
        ...

    def idle(self) -> None:
        """Called when nothing is waiting for the loop at the moment."""
        ...


@dataclass(frozen=True, slots=True)
class LoopPolicy:
    """The number of readers, the pauses, and the tries while the database is lost.

    Attributes:
        readers: the number for each group of sources; those beyond the first work only while no search is running.
        idle_seconds: how long a loop without work waits before it looks again.
        longest_idle: how long it waits at most: the pauses double for as long as there is nothing to do.
        recovery_tries: attempts of a step while the database is lost, one a second; None for no limit. With a limit, a
            full disk ends the work at once: steps that write little would succeed in between, and never reach it.
    """

    readers: int
    idle_seconds: float
    longest_idle: float
    recovery_tries: int | None = None


@dataclass(slots=True, eq=False)
class _Group:
    """Sources that share readers: all sources on this machine, or a single one on another machine (`remote`).

    So a server that answers late, or byte by byte, holds up only its own documents. `over` is set when the first reader
    has found that nothing is waiting and nothing more will be listed.
    """

    remote: SourceId | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def of(self, there: ConnectedSources) -> Mapping[SourceId, Source]:
        """The sources of this group among those that exist."""
        return {
            key: source
            for key, source in there.sources.items()
            if (key == self.remote if there.connectors[key].remote else self.remote is None)
        }


@dataclass(slots=True, eq=False)
class _ReadLoop:
    """One text worker at work on a group."""

    group: _Group
    place: int
    report: WorkReport
    pauses: Pauses
    idle: bool = False


@dataclass(slots=True, eq=False)
class _EmbedLoop:
    """One vector worker; `gave_up` holds the sets whose model failed it when nothing was left to read."""

    place: int
    report: WorkReport
    pauses: Pauses
    gave_up: set[EmbeddingSetId] = field(default_factory=set[EmbeddingSetId])


class WorkLoops:
    """Readers and embedders over one indexer. Text goes before vectors: both need the processor of this machine.

    Vectors are made while texts come from other machines, and while the only texts left are late: reading a large
    document keeps nothing else from being found by meaning.
    """

    def __init__(
        self,
        indexer: Indexer,
        policy: LoopPolicy,
        *,
        present: Callable[[], Awaitable[ConnectedSources]],
        targets: Callable[[], Awaitable[Sequence[EmbeddingSet]]],
        reports: Callable[[], WorkReport],
        failed: Callable[[EmbeddingSet, EmbeddingFailed], None] = lambda _set, _error: None,
    ) -> None:
        """Create the loops without starting them.

        Args:
            indexer: the indexer whose steps are run.
            policy: how the steps are run.
            present: returns the sources to read; called before every round, so that a new one is taken up.
            targets: returns the embedding sets to fill, the most urgent first; called before every batch.
            reports: returns the object that a loop reports to; called once for each loop.
            failed: called when a set's model cannot be asked; the other sets continue.
        """
        self._indexer = indexer
        self._policy = policy
        self._present = present
        self._targets = targets
        self._reports = reports
        self._failed = failed
        self._groups: dict[SourceId | None, _Group] = {}
        self._renames = PendingRenames(indexer.renames)
        self._remote_readers: dict[SourceId, asyncio.Task[None]] = {}
        self._reading_here: set[_ReadLoop] = set()
        self._may_embed = asyncio.Event()
        self._recorded = Bell()
        self._read_something = Bell()
        self._starting = self._pauses()
        self._failed_at: dict[EmbeddingSetId, float] = {}
        self._listing: asyncio.Task[None] | None = None
        self._texts_done = asyncio.Event()
        self._vectors_done = asyncio.Event()
        self._failures: dict[EmbeddingSetId, EmbeddingFailed] = {}

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            loops = [self._read(self._group(None)), self._repeat(self._start_remote_readers)]
            await all_of([*loops, *self._embedders()])
        finally:
            readers = list(self._remote_readers.values())
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)

    async def run_until_idle(self, listing: asyncio.Task[None]) -> None:
        """Work until `listing` has ended and nothing is waiting, or what is waiting cannot be done now.

        What is listed is read while the listing continues, and a source whose listing takes long holds up no other.
        Vectors are made while reading waits for other machines, and after it.

        Raises:
            EmbeddingFailed: the texts are done and searchable, but a model cannot be asked for all vectors.
        """
        self._listing = listing
        listing.add_done_callback(lambda _: self.wake())
        await all_of([self._read_until_idle(listing), *self._embedders()])
        await self._repeat(self._finish_sets)
        if self._failures:
            raise next(iter(self._failures.values()))

    def wake(self) -> None:
        """Look for documents now rather than at the next interval: some have been recorded to be read."""
        self._recorded.ring()
        for group in self._groups.values():
            group.changed.set()

    @property
    def texts_done(self) -> bool:
        """Whether all texts that can be read have been read, so that only vectors are left."""
        return self._texts_done.is_set()

    async def repeat(self, step: Callable[[], Awaitable[object]]) -> None:
        """Run a step once, and again as long as it is interrupted by the loss of the database."""

        async def once() -> bool:
            await step()
            return True

        await self._repeat(once)

    async def _repeat(self, step: Callable[[], Awaitable[bool]]) -> None:
        """Run a step until it returns True, repeating it while the database recovers: leases make repeating safe.

        Raises:
            DiskFull: the database has no room, and the policy does not wait for ever.
            BackendUnavailable: the database was unavailable for longer than the policy allows.
        """
        limit = self._policy.recovery_tries
        failures = 0
        while True:
            try:
                if await step():
                    return
                failures = 0
            except BackendUnavailable as error:
                failures += 1
                if failures == limit or (limit is not None and isinstance(error, DiskFull)):
                    raise
                _log.warning("waiting_for_database", reason=error.message, action="index")
                await asyncio.sleep(_RECOVERY_SECONDS)
                await self._indexer.revive()
                # The step may have written something before it was interrupted, and told nobody.
                self.wake()
                self._read_something.ring()

    def _pauses(self) -> Pauses:
        return Pauses(self._policy.idle_seconds, self._policy.longest_idle)

    def _group(self, remote: SourceId | None) -> _Group:
        return self._groups.setdefault(remote, _Group(remote))

    async def _read_until_idle(self, listing: asyncio.Task[None]) -> None:
        there = await self._present()
        remote = [key for key, connector in there.connectors.items() if connector.remote]
        await all_of([self._read(self._group(key)) for key in (None, *remote)])
        await asyncio.wait([listing])  # not `await listing`: cancelling this would then cancel it too
        listing.result()
        self._renames.note_changed(there.sources)
        await self.repeat(lambda: self._renames.settle(there.sources))
        await self._repeat(partial(self._link_all, there.sources))
        self._texts_done.set()
        self._may_embed.set()
        self._read_something.ring()

    async def _link_all(self, sources: Collection[SourceId]) -> bool:
        """Link some pages to new names; returns True when there are no more to link."""
        return not await self._indexer.draw_later_edges(sources, now=True)

    async def _start_remote_readers(self) -> bool:
        """Give each source on another machine a reader of its own, and replace readers that have failed."""
        struck = self._recorded.struck
        there = await self._present()
        for key, connector in there.connectors.items():
            reader = self._remote_readers.get(key)
            if reader is not None and reader.done() and (error := reader.exception()) is not None:
                _log.error("reading_failed", source_id=key, error_type=type(error).__name__, action="text")
            if connector.remote and (reader is None or reader.done()):
                self._remote_readers[key] = asyncio.create_task(self._read(self._group(key)))
        await self._starting.wait(struck)
        return False

    async def _read(self, group: _Group) -> None:
        """Read the waiting documents of a group, until it is over or its source is gone."""
        readers = [_ReadLoop(group, place, self._reports(), self._pauses()) for place in range(self._policy.readers)]
        await all_of([self._repeat(partial(self._read_step, reader)) for reader in readers])

    async def _read_step(self, reader: _ReadLoop) -> bool:
        """One round of a reader, or a pause; returns True when the reader has no more to do."""
        group, listed = reader.group, self._listing is not None and self._listing.done()
        if reader.place == 0:
            group.changed.clear()
        there = await self._present()
        sources = group.of(there)
        if group.remote is not None and not sources:
            return True
        self._renames.note_present(sources, there.sources)
        if reader.place > 0 and (pause := await self._pause_of(reader, sources)):
            if group.over.is_set() or (reader.idle and listed):
                return True
            await within(group.over, pause)
            return False
        began = monotonic()
        claimed = partial(self._note_claims, reader, there.connectors)
        done = await self._indexer.read(sources, there.connectors, reader.place, claimed)
        worked = monotonic() - began
        reader.idle = done.idle
        self._renames.note_changed(done.sources)
        if not done.idle:
            reader.pauses.end()
            self._read_something.ring()
            counts = WorkDone(done.documents, done.chunks, done.failed, removed=done.removed)
            await reader.report.add(counts)
            await self._indexer.throttle.rest(worked)
            return False
        return await self._nothing_to_read(reader, sources, listed=listed)

    async def _pause_of(self, reader: _ReadLoop, sources: Mapping[SourceId, Source]) -> float:
        """Seconds that an additional reader waits before its next round: if a search is running, or nothing is left."""
        if not await self._indexer.throttle.quiet():
            return _GIVING_WAY_SECONDS
        if reader.idle and not await self._indexer.texts_waiting(sources):
            return self._policy.idle_seconds
        return 0.0

    def _note_claims(
        self, reader: _ReadLoop, connectors: Mapping[SourceId, Connector], claims: Sequence[Claim]
    ) -> None:
        """Note what a reader begins with: vectors wait for texts of this machine, unless these are late themselves."""
        if all(claim.late or connectors[claim.source_id].remote for claim in claims):
            self._reading_here.discard(reader)
        else:
            self._reading_here.add(reader)
        if self._reading_here:
            self._may_embed.clear()
        else:
            self._may_embed.set()

    async def _nothing_to_read(self, reader: _ReadLoop, sources: Mapping[SourceId, Source], *, listed: bool) -> bool:
        """End or pause after a round without work; `listed`: the listing had already ended when the round began."""
        if reader.place == 0:
            reader.group.over.set() if listed else reader.group.over.clear()
        if listed:
            return True
        if reader.place > 0:
            await asyncio.sleep(self._policy.idle_seconds)
            return False
        await self._renames.settle(sources)
        if await self._indexer.draw_later_edges(sources):
            return False
        reader.report.idle()
        await reader.pauses.wait(reader.group.changed)
        return False

    def _embedders(self) -> Sequence[Coroutine[Any, Any, None]]:
        embedders = [_EmbedLoop(place, self._reports(), self._pauses()) for place in range(self._indexer.embedders)]
        return [self._repeat(partial(self._embed_step, embedder)) for embedder in embedders]

    async def _embed_step(self, embedder: _EmbedLoop) -> bool:
        """One batch for the first set that lacks vectors, or a pause; returns True when no vectors are left to make."""
        await self._may_embed.wait()
        struck = self._read_something.struck
        last = self._texts_done.is_set()
        if embedder.place >= await self._indexer.throttle.allowed():
            if self._vectors_done.is_set():
                return True
            await within(self._vectors_done, _GIVING_WAY_SECONDS)
            return False
        for target in await self._targets():
            if target.set_id in embedder.gave_up:
                continue
            settled = await self._embed(embedder, target, last=last)
            if settled:
                embedder.pauses.end()
                await embedder.report.add(WorkDone(vectors=settled), target)
                return False
        embedder.report.idle()
        if embedder.place == 0:
            self._vectors_done.set() if last else self._vectors_done.clear()
            if self._listing is None:
                await self._indexer.drop_retired_sets()
        if not last:
            await embedder.pauses.wait(struck)
        return last

    async def _embed(self, embedder: _EmbedLoop, target: EmbeddingSet, *, last: bool) -> int:
        """One batch of a set; returns 0 if no chunk is waiting for it or its model cannot be asked."""
        began = monotonic()
        try:
            settled = await self._indexer.embed(target, embedder.place)
        except EmbeddingFailed as error:
            if last:
                embedder.gave_up.add(target.set_id)
                self._failures.setdefault(target.set_id, error)
            if began >= self._failed_at.get(target.set_id, 0.0):  # not one that another worker met at the same time
                self._failed(target, error)
                self._failed_at[target.set_id] = monotonic()
            return 0
        if not settled and embedder.place == 0 and self._listing is None and self._indexer.may_finish(target):
            await self._indexer.finish(target)
        return settled

    async def _finish_sets(self) -> bool:
        """After the last batch of a sync: finish every set whose model did not fail."""
        for target in await self._targets():
            if target.set_id not in self._failures:
                await self._indexer.finish(target)
        await self._indexer.drop_retired_sets()
        return True


async def all_of(loops: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run loops concurrently until all have ended; the first that fails ends the others, and its error is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for loop in loops:
                group.create_task(loop)
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
