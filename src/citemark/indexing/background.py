"""Keeps an index up beside something else: follows the sources, reads what changed, embeds what was read."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

import structlog

from citemark.embedding.contract import EmbeddingFailed
from citemark.indexing.follower import FollowEvent
from citemark.indexing.follower_pool import ConnectedSources, FollowerPool
from citemark.indexing.indexer import Indexer
from citemark.model.errors import BackendUnavailable
from citemark.model.ids import SourceId
from citemark.model.vectors import EmbeddingSet

_IDLE = 1.0
_TELL_EVERY = 5.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WorkDone:
    """What was done since this was told last: a few seconds' work, or all until nothing waited."""

    documents: int = 0
    chunks: int = 0
    failed: int = 0
    vectors: int = 0
    removed: int = 0


@dataclass(slots=True)
class Background:
    """The three loops of a process that keeps an index. Text goes before vectors, and waits for none of them.

    `present` and `targets` are asked again and again, so that a new source or model is taken up; `worked` and `failed`
    are told what happens. Without a `watching` nothing is scanned.
    """

    indexer: Indexer
    watching: FollowerPool | None
    present: Callable[[], Awaitable[ConnectedSources]]
    targets: Callable[[], Awaitable[Sequence[EmbeddingSet]]]
    revive: Callable[[], Awaitable[object]]
    worked: Callable[[WorkDone], None] = lambda _: None
    failed: Callable[[EmbeddingSet, EmbeddingFailed], None] = lambda _set, _error: None
    _changed: dict[SourceId | None, asyncio.Event] = field(default_factory=dict[SourceId | None, asyncio.Event])
    _readers: dict[SourceId, asyncio.Task[None]] = field(default_factory=dict[SourceId, asyncio.Task[None]])
    _read: asyncio.Event = field(default_factory=asyncio.Event)
    _unsettled: dict[SourceId, bool] = field(default_factory=dict[SourceId, bool])
    _known: set[SourceId] = field(default_factory=set[SourceId])

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._lasting(self._read_on))
                group.create_task(self._lasting(self._read_far))
                group.create_task(self._lasting(self._embed_on))
                if self.watching is not None:
                    group.create_task(self.watching.run(self.present))
        finally:
            await asyncio.shield(self.indexer.release())

    def follow(self, followed: FollowEvent) -> None:
        """A scan ended: what it recorded is worked on now, not at the next look."""
        report = followed.report
        if report is not None and (report.wanted or report.outdated or report.gone):
            for changed in self._changed.values():
                changed.set()

    async def _lasting(self, loop: Callable[[], Awaitable[None]], *, once: bool = False) -> None:
        """A loop that outlasts the database's absences; leases make it safe to begin again.

        `once`: when it ends by itself, it has nothing to do any more.
        """
        while True:
            try:
                await loop()
                if once:
                    return
            except BackendUnavailable as error:
                _log.warning("waiting_for_database", reason=error.message, action="background")
                await asyncio.sleep(_IDLE)
                await self.revive()

    async def _read_on(self, far: SourceId | None = None) -> None:
        """Read what waits of this machine's sources, or of one on another machine as long as that is there."""
        tally = _Tally(self.worked)
        changed = self._changed.setdefault(far, asyncio.Event())
        while True:
            changed.clear()
            there = await self.present()
            sources = {
                key: source
                for key, source in there.sources.items()
                if (key == far if there.connectors[key].remote else far is None)
            }
            if far is not None and not sources:
                return
            # Whoever worked on a source before may have died over it.
            self._unsettled |= dict.fromkeys(sources.keys() - self._known, True)
            self._known = self._known & there.sources.keys() | sources.keys()
            texts = await self.indexer.read(sources, there.connectors)
            self._unsettled |= dict.fromkeys(texts.sources, True)
            if far is None:
                # Reading that waits for another machine leaves this one free for vectors.
                self._read.set() if texts.idle else self._read.clear()
            if not texts.idle:
                tally.add(WorkDone(texts.documents, texts.chunks, texts.failed, removed=texts.removed))
                continue
            await self._follow_renames(sources)
            tally.tell()
            await _within(changed, _IDLE)

    async def _read_far(self) -> None:
        """Have a reader for each source on another machine: one that answers late holds up no other."""
        try:
            while True:
                there = await self.present()
                for key, connector in there.connectors.items():
                    reader = self._readers.get(key)
                    if reader is not None and reader.done() and (error := reader.exception()) is not None:
                        _log.error("reading_failed", source_id=key, error_type=type(error).__name__, action="text")
                    if connector.remote and (reader is None or reader.done()):
                        self._readers[key] = asyncio.create_task(self._lasting(partial(self._read_on, key), once=True))
                await asyncio.sleep(_IDLE)
        finally:
            readers = list(self._readers.values())
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)

    async def _embed_on(self) -> None:
        tally = _Tally(self.worked)
        while True:
            await self._read.wait()
            vectors = await self.indexer.embed(await self.targets(), self.failed)
            if vectors:
                tally.add(WorkDone(vectors=vectors))
                continue
            tally.tell()
            await asyncio.sleep(_IDLE)

    async def _follow_renames(self, sources: Collection[SourceId]) -> None:
        """Find out what became of pages that ended, again until no other half of a rename can come."""
        for source_id, changed in list(self._unsettled.items()):
            if source_id not in sources:
                continue
            if await self.indexer.follow_renames(source_id, changed=changed):
                del self._unsettled[source_id]
            else:
                self._unsettled[source_id] = False


@dataclass(slots=True)
class _Tally:
    """Adds up what is done, and tells it every few seconds and at the end."""

    told: Callable[[WorkDone], None]
    _done: WorkDone = WorkDone()
    _told_at: float = field(default_factory=monotonic)

    def add(self, more: WorkDone) -> None:
        done = self._done
        self._done = WorkDone(
            done.documents + more.documents,
            done.chunks + more.chunks,
            done.failed + more.failed,
            done.vectors + more.vectors,
            done.removed + more.removed,
        )
        if monotonic() - self._told_at > _TELL_EVERY:
            self.tell()

    def tell(self) -> None:
        done, self._done, self._told_at = self._done, WorkDone(), monotonic()
        if done != WorkDone():
            self.told(done)


async def _within(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
