"""Follows one source: scans it whenever something may have changed, and now and then in any case."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import timedelta
from math import inf

import structlog

from citemark.indexing.plan import DeletionPolicy
from citemark.indexing.source_scan import ScanReport, SourceScan
from citemark.model.errors import BackendUnavailable, UnwatchableSource
from citemark.model.sources import Source
from citemark.sources.contract import Connector, Watcher

_QUIET = 0.15
_MOST = 1.0
_SHARE = 2.0


@dataclass(slots=True)
class ScanScheduler:
    """The times of one source's scans, in seconds of one clock that only goes forward.

    A scan follows a change once nothing changed for `quiet` seconds, and no later than `most` seconds after the first
    change: a folder that is written to all the time is indexed too. After a scan follow `share` times its own duration
    of rest, so that a large tree leaves time for other things. The first scan is due at `start`, and is none of the
    regular ones that follow every `interval`.
    """

    interval: float
    start: float
    quiet: float = _QUIET
    most: float = _MOST
    share: float = _SHARE
    _first: float = inf
    _last: float = inf
    _rested: float = 0.0
    _asked: list[float] = field(init=False)
    _regular: float = field(init=False)

    def __post_init__(self) -> None:
        self._asked = [self.start]
        self._regular = self.start + self.interval

    def changed(self, now: float) -> None:
        """Something may have changed."""
        self._first = min(self._first, now)
        self._last = now

    def ask(self, at: float) -> None:
        """Scan at that time or soon after, for another reason than a change; an earlier scan does not do."""
        self._asked.append(at)

    def due(self) -> float:
        """When to begin the next scan."""
        change = max(min(self._last + self.quiet, self._first + self.most), self._rested)
        return min(change, self._regular, *self._asked)

    def begun(self, now: float) -> bool:
        """A scan begins and answers for all changes so far; True when it is one of the regular ones."""
        self._first = self._last = inf
        self._asked = [at for at in self._asked if at > now]
        if now < self._regular:
            return False
        self._regular = now + self.interval
        return True

    def ended(self, began: float, now: float) -> None:
        """The scan is over."""
        self._rested = now + self.share * (now - began)


_GRACE = timedelta(seconds=1)
_CONFIRM = 1.1
_CONFIRM_SHARE = 2.0
_TAKEN = 0.5
_RETRY = 2.0
_POLL = 10.0
_POLL_SHARE = 20.0
_LISTEN_AGAIN = 0.5

EVENTS = "events of the file system"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FollowEvent:
    """What a follower tells: a finished scan, or by which means it follows from now on."""

    source: Source
    report: ScanReport | None = None
    watching: str = ""


class SourceFollower:
    """One source, one scan at a time.

    Every scan looks at the whole source: it costs a stat per file, and no list of changed paths can be trusted to be
    complete. What a scan misses is deleted when a second one, a moment later, misses it too: an editor that saves by
    renaming leaves no file for an instant. Only the regular scans count towards believing that a source is empty.
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
        self._pace = ScanScheduler(interval, asyncio.get_running_loop().time())
        self._wake = asyncio.Event()
        self._told = ""
        self._deaf = False

    def ask(self) -> None:
        """Scan at once: somebody asked, or time passed that nobody heard of."""
        self._pace.ask(self._now())
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
                elif listening is None or ((listening.done() or watcher.outdated()) and (regular or not self._deaf)):
                    await _end(listening)
                    listening = asyncio.create_task(self._listen(watcher))
        finally:
            await _end(listening)

    async def _until_due(self) -> None:
        while (wait := self._pace.due() - self._now()) > 0:
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), wait)
            except TimeoutError:
                return

    async def _look(self) -> bool:
        """Scan; True when it was one of the regular scans."""
        began = self._now()
        regular = self._pace.begun(began)
        grace = self._connector.grace
        policy = DeletionPolicy(grace=_GRACE if grace is None else grace, count_empty=regular)
        try:
            report = await self._scan.run(self._source.source_id, self._connector, policy)
        except BackendUnavailable as error:
            _log.warning("scan_broken_off", source=self._source.name, reason=error.message, action="follow")
            self._pace.ask(self._now() + _RETRY)
            return regular
        now = self._now()
        self._pace.ended(began, now)
        if report.elsewhere:
            self._pace.ask(now + _TAKEN)
        elif report.absent and grace is None:
            self._pace.ask(now + max(_CONFIRM, _CONFIRM_SHARE * (now - began)))
        if self._deaf:
            self._pace.ask(now + max(_POLL, _POLL_SHARE * (now - began)))
        await self._tell(FollowEvent(self._source, report))
        return regular

    async def _listen(self, watcher: Watcher) -> None:
        """Hear of changes until that has to be begun anew; what changed before it began is found by a scan."""
        try:
            async with aclosing(watcher.changes()) as changes:
                async for _ in changes:
                    self._deaf = False
                    self._pace.changed(self._now())
                    self._wake.set()
                    await self._say(EVENTS)
        except UnwatchableSource as error:
            if not self._deaf:
                _log.warning("scanning_at_intervals", source=self._source.name, reason=error.message, action="follow")
            self._deaf = True
            await self._say(f"scans every {_POLL:.0f} s: {error.message}")
        self._pace.ask(self._now() + (_POLL if self._deaf else _LISTEN_AGAIN))
        self._wake.set()

    async def _say(self, watching: str) -> None:
        """Tell by which means the source is followed, once."""
        if watching != self._told:
            self._told = watching
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
