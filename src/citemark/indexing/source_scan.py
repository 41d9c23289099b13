"""One scan of one source: list it, plan what changed, and record that in the ledger. The workers do the rest.

Two pure functions make the plan, one for what a listing contains and one for what it lacks.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import assert_never

import structlog

from citemark.indexing.page_builder import TEXT_VERSION
from citemark.model.clock import Clock
from citemark.model.documents import Listed, Problem, ScanEnd, TooLarge
from citemark.model.errors import BackendUnavailable, CitemarkError, SourceError
from citemark.model.ids import LONGEST_ID, NativeId, SourceId
from citemark.model.ledger import Change, Gone, ItemKey, LedgerEntry, Miss, Outdated, Want
from citemark.model.left_out import LeftOut, LeftOutReason
from citemark.model.readers import TextVersion
from citemark.sources.contract import Connector
from citemark.store.ledger import Ledger
from citemark.store.sources import SourceStore

_BATCH = 1000
"""Listed documents that are recorded in one transaction, after which the lease is renewed."""

_LEASE_SECONDS = 120.0
"""A dead process holds up the next scan of its source no longer than this; a batch takes far less."""

_LEASE_LOST = "The scan lost its lease on the source, so it stopped; the next scan lists the source again."

_MOST_PROBLEMS = 2_000
"""Problems of a scan that are recorded one by one: nobody reads more. A model alone may report half as many."""

_SHOWN_OF_ID = 100
"""Characters at each end of a longer id that a problem shows."""

_STAYS = "It was read before and stays in the index as it was read."
_STAGE = "scan"
_REMARK = "remark"
"""The stage of what a listing remarks on documents that are read."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class DeletionPolicy:
    """When an absence counts as a deletion.

    Attributes:
        grace: how long a document must be missing.
        believe_empty_after: how many empty listings in a row it takes before a source is believed to be empty.
        count_empty: whether this scan counts as one of them; scans triggered by events follow each other too fast.
    """

    grace: timedelta = timedelta(0)
    believe_empty_after: int = 3
    count_empty: bool = True


def key_of(listed: Listed) -> ItemKey:
    """The ledger key of a listed document."""
    return listed.doc_type, listed.native_id


def checked(entry: Listed | Problem | ScanEnd) -> Listed | Problem | ScanEnd:
    """The entry of a listing, or a problem in place of a document whose id an index cannot hold."""
    if not isinstance(entry, Listed):
        return entry
    if "\0" in entry.native_id:
        return Problem(entry.native_id, "Its path or id contains a NUL character; rename it, or leave it out.")
    if (size := _bytes_of(entry.native_id)) <= LONGEST_ID:
        return entry
    return Problem(
        entry.native_id,
        f"Its path or id has {size:,} bytes, more than the {LONGEST_ID:,} that are indexed; "
        "shorten it, or leave it out.",
    )


def _bytes_of(native_id: NativeId) -> int:
    return len(native_id.encode("utf-8", "surrogatepass"))


def plan_wanted(
    listed: Iterable[Listed],
    known: Mapping[ItemKey, LedgerEntry],
    text_version: int = 0,
    versions: Mapping[str, int] = MappingProxyType({}),
) -> list[Change]:
    """Changes for documents that are new, changed, back after an absence, or made by older code.

    Args:
        listed: documents of the listing.
        known: the ledger.
        text_version: the version of what every text goes through.
        versions: those of the source's readers, by name.
    """
    changes: list[Change] = []
    for entry in listed:
        before = known.get(key_of(entry))
        if before is None or before.wanted != entry.version or before.missing_since is not None:
            changes.append(Want(entry, TextVersion.of(text_version, entry.readers, versions).readers))
        elif not before.waits:
            today = TextVersion.of(text_version, (*entry.readers, *before.tried_with.readers), versions)
            if not before.tried_with.covers(today):
                changes.append(Outdated(key_of(entry), TextVersion.of(text_version, entry.readers, versions).readers))
    return changes


def plan_missing(
    seen: frozenset[ItemKey] | set[ItemKey],
    known: Mapping[ItemKey, LedgerEntry],
    end: ScanEnd,
    policy: DeletionPolicy,
    *,
    empty_streak: int,
    now: datetime,
) -> list[Change]:
    """What a finished listing says about the documents it lacks: nothing, unless it is complete and believable.

    Args:
        seen: the documents in the listing.
        known: the documents in the ledger.
        end: how the listing ended.
        policy: when an absence counts as a deletion.
        empty_streak: how many empty listings there have been in a row, including this one.
        now: the time of the scan.
    """
    if not end.complete:
        return []
    if not seen and not settled_empty(end) and empty_streak < policy.believe_empty_after:
        return []
    changes: list[Change] = []
    for key in sorted(known.keys() - seen):
        before = known[key]
        if before.wanted is None or key[0] in end.unlisted:
            continue
        waited = timedelta(0) if before.missing_since is None else now - before.missing_since
        if waited >= policy.grace:
            changes.append(Gone(key))
        elif before.missing_since is None:
            changes.append(Miss(key))
    return changes


def stays(problem: TooLarge, known: Mapping[ItemKey, LedgerEntry]) -> bool:
    """Whether a document that is too large to be read now is indexed as it is: a lower limit takes nothing away."""
    entry, version = known.get(key_of(problem.document)), problem.document.version
    return entry is not None and entry.missing_since is None and entry.wanted == entry.indexed == version


def without_kept(end: ScanEnd, kept: Collection[NativeId]) -> ScanEnd:
    """The end of a listing in which documents that stay, by their problems' ids, do not count as left out."""
    left_out = end.left_out
    return replace(end, left_out=left_out.without(LeftOutReason.TOO_LARGE, kept)) if kept and left_out else end


def settled_empty(end: ScanEnd) -> bool:
    """Whether a listing without documents is explained: there are files, and the settings leave out all of them."""
    return end.left_out is not None and end.left_out.by_settings.any


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan saw and what it gave the workers to do.

    Attributes:
        listed: documents in the listing.
        wanted: those that are new or changed.
        outdated: those that did not change but are to be read again by newer code.
        gone: documents that are to leave the index.
        absent: documents that are missing for the first time and are not believed to be gone yet.
        problems: documents that the source could not list.
        complete: whether the listing reached its end.
        reason: why it did not, or why an empty listing was not believed.
        elsewhere: whether another process holds the source's scan, so that this one did nothing.
        skipped: files of types that are not read, by suffix.
        left_out: the files that are not listed, by reason; None if the source does not count them.
    """

    listed: int = 0
    wanted: int = 0
    outdated: int = 0
    gone: int = 0
    absent: int = 0
    problems: int = 0
    complete: bool = False
    reason: str = ""
    elsewhere: bool = False
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    left_out: LeftOut | None = None


class _Problems:
    """The problems of one scan: the first ones in full, of the others their number."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[Problem] = []

    def add(self, problem: Problem) -> None:
        """Keep or count a problem; an id that the index cannot hold is changed: shortened, without NUL."""
        self.count += 1
        if len(self._first) < _MOST_PROBLEMS:
            native_id = NativeId(problem.native_id.replace("\0", "\ufffd"))
            if _bytes_of(native_id) > LONGEST_ID:
                native_id = NativeId(f"{native_id[:_SHOWN_OF_ID]}…{native_id[-_SHOWN_OF_ID:]}")
            self._first.append(replace(problem, native_id=native_id))

    def recorded(self) -> list[Problem]:
        """The problems to record: those kept, and one that says how many there are besides."""
        more = self.count - len(self._first)
        if not more:
            return self._first
        told = f"{more:,} more problems are not listed; solve the others, then sync again."
        return [*self._first, Problem(NativeId("(more)"), told, remark=all(each.remark for each in self._first))]


class _Listing:
    """What a scan has listed so far, and how it ended."""

    def __init__(self, known: Mapping[ItemKey, LedgerEntry]) -> None:
        self.seen: set[ItemKey] = set()
        self.problems = _Problems()
        self.batch: dict[ItemKey, Listed] = {}  # what changes while it is listed may be listed twice
        self._known = known
        self._kept: set[NativeId] = set()
        self._end = ScanEnd(complete=False, reason="the listing broke off")

    @property
    def end(self) -> ScanEnd:
        """The end of the listing."""
        return without_kept(self._end, self._kept)

    def take(self, entry: Listed | Problem | ScanEnd) -> None:
        """Take in the next entry."""
        found = checked(entry)
        match found:
            case Listed():
                self.seen.add(key_of(found))
                self.batch[key_of(found)] = found
            case TooLarge() if stays(found, self._known):
                self.seen.add(key_of(found.document))
                self._kept.add(found.native_id)
                self.problems.add(replace(found, message=f"{found.message} {_STAYS}", remark=True))
            case Problem():
                self.problems.add(found)
            case ScanEnd():
                self._end = found
            case _:
                assert_never(found)

    def broke_off(self, reason: str) -> None:
        """Note that the listing ended early."""
        self._end = ScanEnd(complete=False, reason=reason)


class SourceScan:
    """Lists sources and records what changed."""

    def __init__(
        self,
        ledger: Ledger,
        sources: SourceStore,
        worker: str,
        clock: Clock,
        *,
        text_version: int = TEXT_VERSION,
    ) -> None:
        self._text_version = text_version
        self._ledger = ledger
        self._sources = sources
        self._worker = worker
        self._clock = clock

    async def run(self, source_id: SourceId, connector: Connector, policy: DeletionPolicy) -> ScanReport:
        """Scan one source, unless another process is doing so.

        Raises:
            BackendUnavailable: the database or the scan lease was lost.
        """
        streak = await self._ledger.claim_scan(source_id, self._worker, _LEASE_SECONDS)
        if streak is None:
            return ScanReport(elsewhere=True, reason="another process is scanning this source, or it is switched off")
        known = await self._ledger.known(source_id)
        listing = _Listing(known)
        marked: Counter[type[Change]] = Counter()
        try:
            async for entry in connector.scanner.scan():
                listing.take(entry)
                if len(listing.batch) >= _BATCH:
                    marked += await self._record(source_id, listing, known, connector.reader_versions)
        except SourceError as error:
            listing.broke_off(error.message)
        except CitemarkError:
            raise
        except Exception as error:  # noqa: BLE001 - a connector's bug ends its own listing and nothing else
            _log.exception("listing_failed", source_id=source_id, action="scan")
            listing.broke_off(f"listing it failed unexpectedly ({type(error).__name__}); see the log")
        marked += await self._record(source_id, listing, known, connector.reader_versions)
        return await self._finish(source_id, listing, known, policy, marked=marked, streak=streak)

    async def release(self) -> None:
        """Give back the leases of scans that were interrupted, so that the next scan need not wait for them."""
        await self._ledger.release_scans(self._worker)

    async def _record(
        self,
        source_id: SourceId,
        listing: _Listing,
        known: dict[ItemKey, LedgerEntry],
        versions: Mapping[str, int],
    ) -> Counter[type[Change]]:
        """Record what the batch of a listing changes, and begin another batch."""
        batch, listing.batch = list(listing.batch.values()), {}
        changes = plan_wanted(batch, known, self._text_version, versions)
        if changes:
            await self._ledger.record(source_id, changes)
        if batch and not await self._ledger.renew_scan(source_id, self._worker, _LEASE_SECONDS):
            raise BackendUnavailable(_LEASE_LOST)
        return Counter(type(change) for change in changes)

    async def _finish(
        self,
        source_id: SourceId,
        listing: _Listing,
        known: dict[ItemKey, LedgerEntry],
        policy: DeletionPolicy,
        *,
        marked: Counter[type[Change]],
        streak: int,
    ) -> ScanReport:
        seen, end, problems = listing.seen, listing.end, listing.problems
        expected = any(doc_type not in end.unlisted for doc_type, _ in known)
        if end.complete:
            streak = streak + policy.count_empty if expected and not seen and not settled_empty(end) else 0
        missing = plan_missing(seen, known, end, policy, empty_streak=streak, now=self._clock())
        if missing:
            # Without the lease this listing may be older than another process's, and an old one must delete nothing.
            if not await self._ledger.renew_scan(source_id, self._worker, _LEASE_SECONDS):
                raise BackendUnavailable(_LEASE_LOST)
            await self._ledger.record(source_id, missing)
        gone = sum(isinstance(change, Gone) for change in missing)
        reason = end.reason
        if end.complete and end.left_out is not None and settled_empty(end) and not seen:
            reason = f"everything is left out ({end.left_out.text}), so it has no documents"
        elif end.complete and expected and not seen and not missing:
            reason = (
                f"the source is suddenly empty; its {len(known)} documents stay until it was seen empty "
                f"{policy.believe_empty_after} times in a row ({streak} so far)"
            )
        recorded = problems.recorded()
        for stage, remark in ((_STAGE, False), (_REMARK, True)):
            await self._sources.clear(source_id, stage)
            await self._sources.report(source_id, stage, [each for each in recorded if each.remark is remark])
        if end.skipped is not None:
            await self._sources.note_skipped(source_id, end.skipped)
        if end.left_out is not None:
            await self._sources.note_left_out(source_id, end.left_out)
        await self._ledger.finish_scan(
            source_id, self._worker, listed=len(seen), complete=end.whole, empty_streak=streak, reason=reason
        )
        return ScanReport(
            listed=len(seen),
            wanted=marked[Want],
            outdated=marked[Outdated],
            gone=gone,
            absent=len(missing) - gone,
            problems=problems.count,
            complete=end.whole,
            reason=reason,
            skipped=end.skipped or {},
            left_out=end.left_out,
        )
