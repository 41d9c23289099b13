"""Follows every source whose lease this process holds, with one follower for each."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import structlog

from citemark.indexing.follower import FollowEvent, SourceFollower
from citemark.indexing.source_scan import DeletionPolicy, SourceScan
from citemark.model.clock import Clock
from citemark.model.errors import BackendUnavailable
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.sources.contract import Connector
from citemark.store.leases import WatchLeases

_TICK = 2.0
"""Seconds between two checks of sources and leases; within them a new source is followed and a scan request is seen."""

_LEASE_SECONDS = 30.0
"""Another process takes over from a dead one within half a minute; fifteen missed ticks are more than a hiccup."""

_JUMP_SECONDS = 10.0
"""If the clock moves this far against the event loop's, the machine slept or the clock was set; events may be lost."""

_ABSENT = "nothing"
_LONGEST_PAUSE = 300.0
"""Seconds; as long as the default interval of regular scans, so a broken source is tried as often as a sound one."""

_MOST_DOUBLINGS = 20
"""Keeps the power of two small; the longest pause is reached long before."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ConnectedSources:
    """The sources that exist now, each with its connector."""

    sources: Mapping[SourceId, Source]
    connectors: Mapping[SourceId, Connector]


@dataclass(slots=True)
class _Running:
    """A follower at work on one configuration of a source, whose folder or server is `place`."""

    source: Source
    place: str
    follower: SourceFollower
    task: asyncio.Task[None]


@dataclass(frozen=True, slots=True)
class _Pause:
    """How often following a source has failed in a row, and when to try again, by the event loop's clock."""

    failures: int
    until: float


@dataclass(slots=True)
class FollowerPool:
    """One process's followers.

    If several processes share an index, one of them follows each source; another takes over when it ends, dies or can
    no longer see the folder. A process that cannot see a source's folder leaves the source to others. `tell` is called
    with every scan.
    """

    watches: WatchLeases
    scan: SourceScan
    worker: str
    clock: Clock
    interval: float
    tell: Callable[[FollowEvent], None]
    _running: dict[SourceId, _Running] = field(default_factory=dict[SourceId, _Running])
    _others: set[SourceId] = field(default_factory=set[SourceId])
    _missed: set[SourceId] = field(default_factory=set[SourceId])
    _resting: dict[SourceId, "_Pause"] = field(default_factory=dict[SourceId, "_Pause"])
    _offset: float | None = None

    async def run(
        self,
        present: Callable[[], Awaitable[ConnectedSources]],
    ) -> None:
        """Follow the sources that `present` returns, which is called every two seconds, until cancelled."""
        try:
            while True:
                try:
                    there = await present()
                    await self._tick(there.sources, there.connectors)
                except BackendUnavailable as error:
                    _log.warning("waiting_for_database", reason=error.message, action="watch")
                await asyncio.sleep(_TICK)
        finally:
            for source_id in list(self._running):
                await self._stop(source_id)
            with suppress(BackendUnavailable):
                await asyncio.shield(self.watches.release(self.worker))

    async def _tick(self, sources: Mapping[SourceId, Source], connectors: Mapping[SourceId, Connector]) -> None:
        places = {key: await _place(connector) for key, connector in connectors.items()}
        for key, running in list(self._running.items()):
            if sources.get(key) != running.source or places.get(key) != running.place or running.task.done():
                await self._stop(key)
        absent = {key for key, place in places.items() if place == _ABSENT}
        held = await self.watches.hold([key for key in places if key not in absent], self.worker, _LEASE_SECONDS)
        for key in [key for key in self._running if key not in held.sources]:
            await self._stop(key)
        for key in held.sources - self._running.keys():
            if key not in self._resting or self._resting[key].until <= asyncio.get_running_loop().time():
                self._start(sources[key], places[key], connectors[key])
        self._tell_of_others({key: sources[key] for key in held.others})
        jumped = self._jumped()
        for key, running in self._running.items():
            if jumped or key in held.wanted:
                running.follower.ask()
        await self._report_absent(absent, connectors)

    def _start(self, source: Source, place: str, connector: Connector) -> None:
        follower = SourceFollower(source, connector, self.scan, self.interval, self._report)
        task = asyncio.create_task(follower.run())
        self._running[source.source_id] = _Running(source, place, follower, task)

    async def _stop(self, source_id: SourceId) -> None:
        task = self._running.pop(source_id).task
        task.cancel()
        await asyncio.wait([task])
        if task.cancelled() or (error := task.exception()) is None:
            self._resting.pop(source_id, None)
        else:
            failures = self._resting[source_id].failures + 1 if source_id in self._resting else 1
            until = asyncio.get_running_loop().time() + pause_after(failures)
            self._resting[source_id] = _Pause(failures, until)
            _log.error("following_failed", source_id=source_id, action="watch", exc_info=error)

    async def _report(self, followed: FollowEvent) -> None:
        if followed.watching:
            await self.watches.describe(followed.source.source_id, self.worker, followed.watching)
        self.tell(followed)

    def _tell_of_others(self, others: Mapping[SourceId, Source]) -> None:
        for key in others.keys() - self._others:
            self.tell(FollowEvent(others[key], watching="another process; this one stands by"))
        self._others = set(others)

    async def _report_absent(self, absent: set[SourceId], connectors: Mapping[SourceId, Connector]) -> None:
        """Run one scan to record why a source cannot be listed, unless another process follows it; then leave it."""
        for key in absent - self._missed:
            if key in (await self.watches.hold([key], self.worker, _LEASE_SECONDS)).sources:
                await self.scan.run(key, connectors[key], DeletionPolicy(count_empty=False))
                await self.watches.release(self.worker, key)
        self._missed = absent

    def _jumped(self) -> bool:
        """Whether the machine slept, or its clock was set, since the last tick."""
        offset = self.clock().timestamp() - asyncio.get_running_loop().time()
        before, self._offset = self._offset, offset
        return before is not None and abs(offset - before) > _JUMP_SECONDS


def pause_after(failures: int) -> float:
    """Seconds before a source is followed again after this number of failures in a row."""
    return min(_TICK * 2 ** min(failures, _MOST_DOUBLINGS), _LONGEST_PAUSE)


async def _place(connector: Connector) -> str:
    """A token that changes when another folder takes the place of a source's; "" for sources without a watcher."""
    if connector.watcher is None:
        return ""
    return await asyncio.to_thread(connector.watcher.root_identity) or _ABSENT
