"""The text queue's worker: fetches, cuts and writes documents, after which their words can be searched."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, TypeAlias, TypeVar

import structlog

from citemark.embedding.contract import Tokenizer
from citemark.indexing.language_detector import LanguageDetector
from citemark.indexing.page_builder import TEXT_VERSION, build_page
from citemark.indexing.page_edges import KnownEnds, PageEdges
from citemark.model.documents import Fetched, Problem
from citemark.model.errors import (
    BackendUnavailable,
    CitemarkError,
    FatalSourceError,
    RetriableSourceError,
    SkippableSourceError,
)
from citemark.model.ids import SourceId
from citemark.model.ledger import Claim
from citemark.model.pages import Page
from citemark.model.readers import TextVersion
from citemark.model.sources import Source
from citemark.sources.contract import Connector
from citemark.store.ledger import Ledger
from citemark.store.new_pages import MOST_ROWS, rows_of, written_together
from citemark.store.pages import LostLease, OutdatedNames, PageStore
from citemark.store.segments import SegmentStore
from citemark.store.sources import SourceStore

_CLAIM = 16
"""Documents per round: a killed worker holds up no more than these, and each claim costs a statement."""

_AHEAD = 6
"""Documents on other machines that are fetched concurrently; their bytes stay in memory until they are read."""

_LEASE_SECONDS = 120.0
"""Renewed every third of this time, however long a document takes; after it, others take over from a dead worker."""

_STAGE = "text"
_BACKOFF_SECONDS = 5.0
"""Delay before the second try of a document; doubled with each further try."""

_SOON_SECONDS = 0.25
"""The same if the server says when to come back; the longer of the two delays counts."""

_LONGEST_BACKOFF_SECONDS = 900.0
"""The limit, however often a document failed: a server that is back is noticed within a quarter of an hour."""

_COUNTED_FAILURES = 4
"""Failures of a source count against its document up to this number, one fewer than it takes to give it up."""

_TOGETHER_SECONDS = 0.25
"""A text is read in some milliseconds; one that takes longer than this is worth a transaction of its own."""

_FLUSH_SECONDS = 1.0
"""Minimum time between two flushes of new words while documents are read: each rewrites a row per word."""

_FLUSH_SHARE = 20.0
"""A flush waits this many times the duration of the last one, so that a large load spends a twentieth on it."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TextRound:
    """What one round did.

    Attributes:
        documents: how many were read.
        chunks: how many were written.
        failed: documents that could not be read.
        sources: the sources of the documents that were read or removed.
        removed: documents that are gone, according to the listing or because they could not be found when read.
        lost: documents whose lease was lost while they were read, so that they are read again.
    """

    documents: int = 0
    chunks: int = 0
    failed: int = 0
    sources: frozenset[SourceId] = frozenset()
    removed: int = 0
    lost: int = 0

    @property
    def idle(self) -> bool:
        """Whether there was nothing to do."""
        return not (self.documents or self.removed or self.failed or self.lost)


@dataclass(frozen=True, slots=True)
class _Built:
    """A document that was read and is ready to be written: what it was built from, and the page."""

    claim: Claim
    source: Source
    fetched: Fetched
    made_with: TextVersion
    page: Page

    @property
    def new(self) -> bool:
        """Whether nothing of it was indexed before, as far as its claim tells, and it is not large."""
        return self.claim.indexed is None and rows_of(self.page) <= MOST_ROWS


@dataclass(frozen=True, slots=True)
class _Settled:
    """The result of a claim that did not fail: chunks written, the document removed, or the lease lost."""

    chunks: int = 0
    removed: bool = False
    lost: bool = False


_Result = TypeVar("_Result")

Coming: TypeAlias = Callable[[], Awaitable[Fetched | None]]
"""Waits for a document that is being fetched; returns None if it is gone."""


class TextWorker:
    """Reads the waiting documents of the sources it is given, a few in each round."""

    def __init__(
        self,
        ledger: Ledger,
        pages: PageStore,
        segments: SegmentStore,
        sources: SourceStore,
        tokenizer: Tokenizer,
        detector: LanguageDetector,
        worker: str,
        *,
        text_version: int = TEXT_VERSION,
        edges: PageEdges | None = None,
        together: float = _TOGETHER_SECONDS,
    ) -> None:
        """Take the stores, and what pages are built with.

        `together`: for how many seconds pages that are ready wait for the next document, to be written with it.
        """
        self._together = together
        self._text_version = text_version
        self._edges = edges
        self._ledger = ledger
        self._pages = pages
        self._segments = segments
        self._sources = sources
        self._tokenizer = tokenizer
        self._detector = detector
        self._worker = worker
        self._flush_at = 0.0
        self._unflushed = True

    async def round(
        self,
        sources: Mapping[SourceId, Source],
        connectors: Mapping[SourceId, Connector],
        claimed: Callable[[Sequence[Claim]], None] = lambda _: None,
    ) -> TextRound:
        """Claim a few documents and read, remove or give back each; an idle round means that nothing is waiting here.

        The documents of a folder that is not on this machine wait for one that has it. `claimed` is told of the
        documents before the first of them is read.
        """
        claims = await self._ledger.claim(
            await _here(sources, connectors),
            self._worker,
            limit=_CLAIM,
            lease=_LEASE_SECONDS,
            text_version=self._text_version,
        )
        claimed(claims)
        documents = chunks = failed = removed = lost = 0
        done: Counter[SourceId] = Counter()
        async with self._leases_renewed(), _fetching(claims, connectors) as coming:
            async for source_id, settled in self._settled(claims, sources, connectors, coming):
                if settled is None:
                    failed += 1
                elif settled.lost:
                    lost += 1
                else:
                    documents += not settled.removed
                    removed += settled.removed
                    chunks += settled.chunks
                    done[source_id] += settled.chunks
        for source_id, amount in done.items():
            await self._pages.record_work(source_id, "text", amount)
        # A flush rewrites a row per word seen: once a second at most, and at the end.
        # A killed worker may have left some words unflushed, so a round without work flushes too.
        self._unflushed = self._unflushed or documents + removed > 0
        if not claims or (self._unflushed and monotonic() > self._flush_at):
            began = monotonic()
            self._unflushed = not await self._segments.flush(wait=not claims)
            now = monotonic()
            # After a round without work there was little to flush, and the next change shows its new words right away.
            self._flush_at = now + (max(_FLUSH_SECONDS, _FLUSH_SHARE * (now - began)) if claims else 0.0)
        return TextRound(documents, chunks, failed, frozenset(done), removed, lost)

    async def release(self) -> None:
        """Give back what is leased, on a clean stop."""
        await self._ledger.release(self._worker)

    @asynccontextmanager
    async def _leases_renewed(self) -> AsyncGenerator[None, None]:
        """Renew the leases while the block runs, however long a document takes."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(_LEASE_SECONDS / 3)
                with suppress(BackendUnavailable):
                    await self._ledger.renew(self._worker, _LEASE_SECONDS)

        renewing = asyncio.create_task(renew())
        try:
            yield
        finally:
            renewing.cancel()

    async def _settled(
        self,
        claims: Sequence[Claim],
        sources: Mapping[SourceId, Source],
        connectors: Mapping[SourceId, Connector],
        coming: Mapping[Claim, Coming],
    ) -> AsyncGenerator[tuple[SourceId, _Settled | None], None]:
        """Read or remove each document; None stands for one that failed and was given back with the reason.

        New pages are written together with those before them, unless reading the next document takes long.
        """
        built: list[_Built] = []
        for claim in claims:
            source, versions = sources[claim.source_id], connectors[claim.source_id].reader_versions
            work = partial(self._read, claim, source, coming[claim], versions)
            reading = asyncio.create_task(self._or_failed(claim, source, versions, work))
            try:
                if built and not await self._ended_soon(reading):
                    for settled in await self._write(built, connectors):
                        yield settled
                    built = []
                found = await reading
            finally:
                reading.cancel()
            if not isinstance(found, _Built):
                yield claim.source_id, found
                continue
            ready, built = _grouped(built, found)
            for group in ready:
                for settled in await self._write(group, connectors):
                    yield settled
        for settled in await self._write(built, connectors):
            yield settled

    async def _ended_soon(self, reading: asyncio.Task[Any]) -> bool:
        await asyncio.wait([reading], timeout=self._together)
        return reading.done()

    async def _write(
        self, built: Sequence[_Built], connectors: Mapping[SourceId, Connector]
    ) -> list[tuple[SourceId, _Settled | None]]:
        """Write pages, together if that is possible."""
        if len(built) > 1 and await self._written_together(built):
            return [(each.claim.source_id, _Settled(len(each.page.chunks))) for each in built]
        done: list[tuple[SourceId, _Settled | None]] = []
        for each in built:
            versions = connectors[each.claim.source_id].reader_versions
            settled = await self._or_failed(each.claim, each.source, versions, partial(self._apply, each))
            done.append((each.claim.source_id, settled))
        return done

    async def _written_together(self, built: Sequence[_Built]) -> bool:
        """Write new pages together; False if one of them has to be written by itself, and nothing was written.

        Whatever is wrong with one of them is found again then, and told of that one alone.
        """
        try:
            return await self._pages.apply_new([each.page for each in built], self._worker) is not None
        except CitemarkError:
            raise
        except Exception:  # noqa: BLE001 - what is wrong with one document must not stop the others
            _log.info("not_written_together", count=len(built), action="text", exc_info=True)
            return False

    async def _or_failed(
        self, claim: Claim, source: Source, versions: Mapping[str, int], work: Callable[[], Awaitable[_Result]]
    ) -> _Result | _Settled | None:
        """What became of a document; None if it failed and was given back with the reason.

        `versions` are those of the readers of its source.
        """
        try:
            return await work()
        except LostLease:
            _log.info("lease_lost", source=source.name, action="text")
            return _Settled(lost=True)
        except SkippableSourceError as error:
            made_with = self._made_with(claim, error.readers, versions)
            await self._fail(claim, source, error.message, park=True, delay=0.0, readers=made_with.readers)
        except FatalSourceError as error:
            await self._fail(claim, source, error.message, delay=60.0, counted=False)
        except RetriableSourceError as error:
            # Documents of a source that keeps failing are not given up: after some tries they only wait longer.
            wait = _BACKOFF_SECONDS if error.retry_after is None else _SOON_SECONDS
            delay = max(error.retry_after or 0.0, min(wait * 2**claim.tries, _LONGEST_BACKOFF_SECONDS))
            await self._fail(claim, source, error.message, delay=delay, counted=claim.tries < _COUNTED_FAILURES)
        except CitemarkError:
            raise
        except Exception as error:  # noqa: BLE001 - a document that breaks its parser must not stop the others
            _log.exception("document_unreadable", source=source.name, action="text")
            message = f"{type(error).__name__} while it was read"
            await self._fail(claim, source, message, delay=_BACKOFF_SECONDS * 2**claim.tries)
        return None

    def _made_with(self, claim: Claim, readers: Iterable[str], versions: Mapping[str, int]) -> TextVersion:
        return TextVersion.of(self._text_version, (*claim.readers, *readers), versions)

    async def _read(
        self, claim: Claim, source: Source, coming: Coming, versions: Mapping[str, int]
    ) -> "_Built | _Settled":
        """Build the page of a document, or remove a document that is gone."""
        fetched = await coming()
        if fetched is None:
            await self._pages.remove(claim, self._worker)
            return _Settled(removed=True)
        made_with = self._made_with(claim, fetched.extracted.readers, versions)
        ends = None if self._edges is None else await self._edges.of(source.source_id)
        page = await asyncio.to_thread(self._prepare, fetched, source, ends, made_with)
        return _Built(claim, source, fetched, made_with, page)

    async def _apply(self, built: _Built) -> _Settled:
        """Write one page, which is built again if it knows too few names."""
        page, source = built.page, built.source
        while True:
            try:
                applied = await self._pages.apply(page, self._worker)
            except OutdatedNames:
                # Another linking pass of this source has begun since; there are only a few of those an hour.
                ends = None if self._edges is None else await self._edges.newest(source.source_id)
                page = await asyncio.to_thread(self._prepare, built.fetched, source, ends, built.made_with)
            else:
                return _Settled(applied.chunks)

    def _prepare(self, fetched: Fetched, source: Source, ends: KnownEnds | None, made_with: TextVersion) -> Page:
        language = self._detector.language_of(fetched.extracted, source)
        return build_page(
            fetched,
            source.source_id,
            self._tokenizer,
            language=language,
            made_with=made_with,
            ends=ends,
        )

    async def _fail(
        self,
        claim: Claim,
        source: Source,
        message: str,
        *,
        delay: float,
        park: bool = False,
        counted: bool = True,
        readers: Mapping[str, int] | None = None,
    ) -> None:
        parked = await self._ledger.failed(
            claim, self._worker, error=message, park=park, delay=delay, counted=counted, readers=readers
        )
        await self._sources.report(claim.source_id, _STAGE, [Problem(claim.native_id, message)])
        _log.warning("document_failed", source=source.name, document=claim.native_id, parked=parked, action="text")


def _grouped(built: list[_Built], found: _Built) -> tuple[list[list[_Built]], list[_Built]]:
    """The groups of pages that are to be written now that a page was built, and those that wait for the next one."""
    if not found.new:
        return [built, [found]], []
    if written_together([*(each.page for each in built), found.page]):
        return [], [*built, found]
    return [built], [found]


async def _here(sources: Iterable[SourceId], connectors: Mapping[SourceId, Connector]) -> list[SourceId]:
    """The sources that this machine can read: all but those whose folder or file is not there at the moment."""

    def found() -> list[SourceId]:
        watchers = {source_id: connectors[source_id].watcher for source_id in sources}
        return [key for key, watcher in watchers.items() if watcher is None or watcher.root_identity() is not None]

    return await asyncio.to_thread(found)


@asynccontextmanager
async def _fetching(
    claims: Sequence[Claim], connectors: Mapping[SourceId, Connector]
) -> AsyncGenerator[Mapping[Claim, Coming], None]:
    """A function to get each document: a few of those on other machines are fetched ahead, all others in turn."""
    room = asyncio.Semaphore(_AHEAD)
    asked: dict[Claim, asyncio.Task[Fetched | None]] = {}

    async def ask(claim: Claim) -> Fetched | None:
        await room.acquire()
        return await connectors[claim.source_id].processor.fetch(claim.doc_type, claim.native_id)

    async def coming(claim: Claim) -> Fetched | None:
        if claim.wanted is None:
            return None
        if claim not in asked:
            return await connectors[claim.source_id].processor.fetch(claim.doc_type, claim.native_id)
        try:
            return await asked[claim]
        finally:
            # Released only now, so that no more than a few documents are held in memory.
            room.release()

    try:
        for claim in claims:
            if claim.wanted is not None and connectors[claim.source_id].remote:
                asked[claim] = asyncio.create_task(ask(claim))
        yield {claim: partial(coming, claim) for claim in claims}
    finally:
        for task in asked.values():
            task.cancel()
        await asyncio.gather(*asked.values(), return_exceptions=True)
