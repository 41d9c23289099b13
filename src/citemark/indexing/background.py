"""Keeps an index up beside something else: follows the sources, reads what changed, embeds what was read."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic

import structlog

from citemark.embedding.failures import EmbeddingFailed
from citemark.indexing.follower import Followed
from citemark.indexing.indexer import Indexer
from citemark.indexing.watching import Present, Watching
from citemark.model.errors import BackendUnavailable
from citemark.model.ids import SourceId
from citemark.model.vectors import EmbeddingSet

_IDLE = 1.0
_TELL_EVERY = 5.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Worked:
    """What was done since this was told last: a few seconds' work, or all until nothing waited."""

    documents: int = 0
    chunks: int = 0
    failed: int = 0
    vectors: int = 0


@dataclass(slots=True)
class Background:
    """The three loops of a process that keeps an index. Text goes before vectors, and waits for none of them.

    `present` and `targets` are asked again and again, so that a new source or model is taken up; `worked` and `failed`
    are told what happens. Without a `watching` nothing is scanned.
    """

    indexer: Indexer
    watching: Watching | None
    present: Callable[[], Awaitable[Present]]
    targets: Callable[[], Awaitable[Sequence[EmbeddingSet]]]
    revive: Callable[[], Awaitable[object]]
    worked: Callable[[Worked], None] = lambda _: None
    failed: Callable[[EmbeddingSet, EmbeddingFailed], None] = lambda _set, _error: None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _read: asyncio.Event = field(default_factory=asyncio.Event)
    _unsettled: dict[SourceId, bool] = field(default_factory=dict[SourceId, bool])
    _known: set[SourceId] = field(default_factory=set[SourceId])

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._lasting(self._read_on))
                group.create_task(self._lasting(self._embed_on))
                if self.watching is not None:
                    group.create_task(self.watching.run(self.present))
        finally:
            await asyncio.shield(self.indexer.release())

    def follow(self, followed: Followed) -> None:
        """A scan ended: what it recorded is worked on now, not at the next look."""
        report = followed.report
        if report is not None and (report.wanted or report.outdated or report.gone):
            self._changed.set()

    async def _lasting(self, loop: Callable[[], Awaitable[None]]) -> None:
        """A loop that outlasts the database's absences; leases make it safe to begin again."""
        while True:
            try:
                await loop()
            except BackendUnavailable as error:
                _log.warning("waiting_for_database", reason=error.message, action="background")
                await asyncio.sleep(_IDLE)
                await self.revive()

    async def _read_on(self) -> None:
        tally = _Tally(self.worked)
        while True:
            self._changed.clear()
            there = await self.present()
            # Whoever worked on a source before may have died over it.
            self._unsettled |= dict.fromkeys(there.sources.keys() - self._known, True)
            self._known = set(there.sources)
            texts = await self.indexer.read(there.sources, there.connectors)
            self._unsettled |= dict.fromkeys(texts.sources, True)
            if texts.documents or texts.failed:
                # Reading that waits for another machine leaves this one free for vectors.
                self._read.set() if texts.remote else self._read.clear()
                tally.add(Worked(texts.documents, texts.chunks, texts.failed))
                continue
            await self._follow_renames()
            tally.tell()
            self._read.set()
            await _within(self._changed, _IDLE)

    async def _embed_on(self) -> None:
        tally = _Tally(self.worked)
        while True:
            await self._read.wait()
            vectors = await self.indexer.embed(await self.targets(), self.failed)
            if vectors:
                tally.add(Worked(vectors=vectors))
                continue
            tally.tell()
            await asyncio.sleep(_IDLE)

    async def _follow_renames(self) -> None:
        """Find out what became of pages that ended, again until no other half of a rename can come."""
        for source_id, changed in list(self._unsettled.items()):
            if await self.indexer.follow_renames(source_id, changed=changed):
                del self._unsettled[source_id]
            else:
                self._unsettled[source_id] = False


@dataclass(slots=True)
class _Tally:
    """Adds up what is done, and tells it every few seconds and at the end."""

    told: Callable[[Worked], None]
    _done: Worked = Worked()
    _told_at: float = field(default_factory=monotonic)

    def add(self, more: Worked) -> None:
        done = self._done
        self._done = Worked(
            done.documents + more.documents,
            done.chunks + more.chunks,
            done.failed + more.failed,
            done.vectors + more.vectors,
        )
        if monotonic() - self._told_at > _TELL_EVERY:
            self.tell()

    def tell(self) -> None:
        done, self._done, self._told_at = self._done, Worked(), monotonic()
        if done != Worked():
            self.told(done)


async def _within(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
