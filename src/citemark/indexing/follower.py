"""Follows one source: scans it whenever something may have changed, and now and then in any case."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import timedelta

import structlog

from citemark.indexing.pace import Pace
from citemark.indexing.plan import DeletionPolicy
from citemark.indexing.scanning import Scan, ScanReport
from citemark.model.errors import BackendUnavailable, UnwatchableSource
from citemark.model.sources import Source
from citemark.sources.contract import Connector, Watcher

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
class Followed:
    """What a follower tells: a finished scan, or by which means it follows from now on."""

    source: Source
    report: ScanReport | None = None
    watching: str = ""


class Follower:
    """One source, one scan at a time.

    Every scan looks at the whole source: it costs a stat per file, and no list of changed paths can be trusted to be
    complete. What a scan misses is deleted when a second one, a moment later, misses it too: an editor that saves by
    renaming leaves no file for an instant. Only the regular scans count towards believing that a source is empty.
    """

    def __init__(
        self,
        source: Source,
        connector: Connector,
        scan: Scan,
        interval: float,
        tell: Callable[[Followed], Awaitable[None]],
    ) -> None:
        self._source = source
        self._connector = connector
        self._scan = scan
        self._interval = interval
        self._tell = tell
        self._pace = Pace(interval, asyncio.get_running_loop().time())
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
        await self._tell(Followed(self._source, report))
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
            await self._tell(Followed(self._source, watching=watching))

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


async def _end(task: asyncio.Task[None] | None) -> None:
    if task is None:
        return
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("listening_failed", action="follow", exc_info=error)
