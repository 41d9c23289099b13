"""Follows one source: scans it soon after something may have changed, and at intervals in any case."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import timedelta
from math import inf

import structlog

from citemark.indexing.pauses import within
from citemark.indexing.source_scan import DeletionPolicy, ScanReport, SourceScan
from citemark.model.errors import BackendUnavailable, UnwatchableSource
from citemark.model.sources import Source
from citemark.sources.contract import Connector, Watcher

EVENTS = "events of the file system"

_QUIET_SECONDS = 0.15
"""Programs save a file in several steps, which follow each other within some tens of milliseconds."""

_LONGEST_DELAY_SECONDS = 1.0
"""A change is searchable within about two seconds (docs/following.md), even in a folder that never stops changing."""

_REST_SHARE = 2.0
"""Scanning takes a third of the time at most, so that a large tree leaves two thirds to everything else."""

_GRACE = timedelta(seconds=1)
"""An editor that saves by renaming leaves no file for a moment; an absence counts once it has lasted this long."""

_CONFIRM_SECONDS = 1.1
"""When to check a first absence again: just after its grace, since an earlier scan could not believe it either."""

_CONFIRM_SHARE = 2.0
"""An absence in a large tree is checked no sooner than twice the time of the last scan, as after any other scan."""

_TAKEN_SECONDS = 0.5
"""Another process is scanning the source; what changes after that scan began is found by our own scan soon after."""

_RETRY_SECONDS = 2.0
"""After the database was lost: an embedded one is up again within a second or two."""

_POLL_SECONDS = 10.0
"""Time between scans of a folder that cannot be watched: users do not wait longer for an edit to be found."""

_POLL_SHARE = 20.0
"""Polling takes a twentieth of the time at most, since perhaps nothing is being changed."""

_LISTEN_AGAIN_SECONDS = 0.5
"""A watcher that ended is started again after a scan that looks for what it missed."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class ScanScheduler:
    """Debounces changes: decides when one source is scanned next, in seconds of a monotonic clock.

    A scan follows a change once nothing has changed for `quiet` seconds, and no later than `longest_delay` seconds
    after the first change. After a scan the scheduler rests for `rest_share` times the duration of that scan. The first
    scan is due at `start`; the regular ones follow every `interval` seconds, whatever changes were reported.
    """

    interval: float
    start: float
    quiet: float = _QUIET_SECONDS
    longest_delay: float = _LONGEST_DELAY_SECONDS
    rest_share: float = _REST_SHARE
    _first: float = inf
    _last: float = inf
    _rested: float = 0.0
    _asked: list[float] = field(init=False)
    _regular: float = field(init=False)

    def __post_init__(self) -> None:
        self._asked = [self.start]
        self._regular = self.start + self.interval

    def changed(self, now: float) -> None:
        """Note that something may have changed."""
        self._first = min(self._first, now)
        self._last = now

    def ask(self, at: float) -> None:
        """Request a scan at that time or soon after, for a reason other than a change; earlier scans do not count."""
        self._asked.append(at)

    def due(self) -> float:
        """When to begin the next scan."""
        change = max(min(self._last + self.quiet, self._first + self.longest_delay), self._rested)
        return min(change, self._regular, *self._asked)

    def begun(self, now: float) -> bool:
        """Note that a scan begins, which covers all changes so far; returns True if it is one of the regular scans."""
        self._first = self._last = inf
        self._asked = [at for at in self._asked if at > now]
        if now < self._regular:
            return False
        self._regular = now + self.interval
        return True

    def ended(self, began: float, now: float) -> None:
        """Note that the scan is over."""
        self._rested = now + self.rest_share * (now - began)


@dataclass(frozen=True, slots=True)
class FollowEvent:
    """What a follower reports: a finished scan, or the means by which it follows from now on."""

    source: Source
    report: ScanReport | None = None
    watching: str = ""


class SourceFollower:
    """Follows one source, one scan at a time.

    Every scan covers the whole source: it costs one stat per file, and no list of changed paths can be trusted to be
    complete. What is missing from a scan is deleted if it is also missing from a second one, a moment later. Only the
    regular scans count towards believing that a source is empty.
    """

    def __init__(
        self,
        source: Source,
        connector: Connector,
        scan: SourceScan,
        interval: float,
        tell: Callable[[FollowEvent], Awaitable[None]],
    ) -> None:
        self._source = source
        self._connector = connector
        self._scan = scan
        self._interval = interval
        self._tell = tell
        self._scheduler = ScanScheduler(interval, asyncio.get_running_loop().time())
        self._wake = asyncio.Event()
        self._reported = ""
        self._polling = False

    def ask(self) -> None:
        """Scan now, because a scan was requested, or because the machine slept and events may be lost."""
        self._scheduler.ask(self._now())
        self._wake.set()

    async def run(self) -> None:
        """Follow until cancelled."""
        listening: asyncio.Task[None] | None = None
        watcher = self._connector.watcher
        try:
            while True:
                await self._until_due()
                regular = await self._look()
                if watcher is None:
                    await self._say(f"scans every {self._interval:.0f} s")
                elif listening is None or ((listening.done() or watcher.outdated()) and (regular or not self._polling)):
                    await _end(listening)
                    listening = asyncio.create_task(self._listen(watcher))
        finally:
            await _end(listening)

    async def _until_due(self) -> None:
        while (wait := self._scheduler.due() - self._now()) > 0:
            self._wake.clear()
            if not await within(self._wake, wait):
                return

    async def _look(self) -> bool:
        """Scan once; returns True if it was one of the regular scans."""
        began = self._now()
        regular = self._scheduler.begun(began)
        grace = self._connector.grace
        policy = DeletionPolicy(grace=_GRACE if grace is None else grace, count_empty=regular)
        try:
            report = await self._scan.run(self._source.source_id, self._connector, policy)
        except BackendUnavailable as error:
            _log.warning("scan_broken_off", source=self._source.name, reason=error.message, action="follow")
            self._scheduler.ask(self._now() + _RETRY_SECONDS)
            return regular
        now = self._now()
        self._scheduler.ended(began, now)
        if report.elsewhere:
            self._scheduler.ask(now + _TAKEN_SECONDS)
        elif report.absent and grace is None:
            self._scheduler.ask(now + max(_CONFIRM_SECONDS, _CONFIRM_SHARE * (now - began)))
        if self._polling:
            self._scheduler.ask(now + max(_POLL_SECONDS, _POLL_SHARE * (now - began)))
        await self._tell(FollowEvent(self._source, report))
        return regular

    async def _listen(self, watcher: Watcher) -> None:
        """Listen for changes until the watcher ends; a scan finds what changed before it started."""
        try:
            async with aclosing(watcher.changes()) as changes:
                async for _ in changes:
                    self._polling = False
                    self._scheduler.changed(self._now())
                    self._wake.set()
                    await self._say(EVENTS)
        except UnwatchableSource as error:
            if not self._polling:
                _log.warning("scanning_at_intervals", source=self._source.name, reason=error.message, action="follow")
            self._polling = True
            await self._say(f"scans every {_POLL_SECONDS:.0f} s: {error.message}")
        self._scheduler.ask(self._now() + (_POLL_SECONDS if self._polling else _LISTEN_AGAIN_SECONDS))
        self._wake.set()

    async def _say(self, watching: str) -> None:
        """Report the means by which the source is followed, if it has changed."""
        if watching != self._reported:
            self._reported = watching
            await self._tell(FollowEvent(self._source, watching=watching))

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


async def _end(task: asyncio.Task[None] | None) -> None:
    if task is None:
        return
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("listening_failed", action="follow", exc_info=error)
