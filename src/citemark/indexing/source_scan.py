"""One scan of one source: list, plan, record. The queue does the rest."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog

from citemark.indexing.page_builder import TEXT_VERSION
from citemark.indexing.plan import DeletionPolicy, key_of, plan_missing, plan_wanted
from citemark.model.clock import Clock
from citemark.model.documents import Listed, Problem, ScanEnd
from citemark.model.errors import BackendUnavailable, CitemarkError, SourceError
from citemark.model.ids import SourceId
from citemark.model.ledger import Change, Gone, ItemKey, LedgerEntry, Outdated, Want
from citemark.sources.contract import Connector
from citemark.store.ledger import Ledger
from citemark.store.sources import SourceStore

_BATCH = 1000
_LEASE = 120.0
_STAGE = "scan"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan saw and set in motion; `elsewhere` when another process holds the source's scan.

    `absent` counts documents that were missed for the first time and are not believed to be gone yet, `outdated` those
    that did not change but are to be read again by newer code. `skipped` counts, by suffix, the files that are of no
    type that is read.
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
        """Scan one source unless another process does.

        Raises:
            BackendUnavailable: the database was lost, or the scan lease was.
        """
        streak = await self._ledger.claim_scan(source_id, self._worker, _LEASE)
        if streak is None:
            return ScanReport(elsewhere=True, reason="another process is scanning this source")
        known = await self._ledger.known(source_id)
        seen: set[ItemKey] = set()
        problems: list[Problem] = []
        batch: list[Listed] = []
        marked: Counter[type[Change]] = Counter()
        end = ScanEnd(complete=False, reason="the listing broke off")
        try:
            async for entry in connector.scanner.scan():
                match entry:
                    case Listed():
                        seen.add(key_of(entry))
                        batch.append(entry)
                    case Problem():
                        problems.append(entry)
                    case ScanEnd():
                        end = entry
                if len(batch) >= _BATCH:
                    marked += await self._record(source_id, batch, known)
                    batch = []
        except SourceError as error:
            end = ScanEnd(complete=False, reason=error.message)
        except CitemarkError:
            raise
        except Exception as error:  # noqa: BLE001 - what no connector foresaw ends its own listing and nothing else
            _log.exception("listing_failed", source_id=source_id, action="scan")
            end = ScanEnd(complete=False, reason=f"listing it failed unforeseen ({type(error).__name__}); see the log")
        marked += await self._record(source_id, batch, known)
        return await self._finish(source_id, seen, known, end, policy, problems, marked=marked, streak=streak)

    async def release(self) -> None:
        """Give back the scans that were broken off, so that the next one need not wait for their leases."""
        await self._ledger.release_scans(self._worker)

    async def _record(
        self, source_id: SourceId, batch: list[Listed], known: dict[ItemKey, LedgerEntry]
    ) -> Counter[type[Change]]:
        changes = plan_wanted(batch, known, self._text_version)
        if changes:
            await self._ledger.record(source_id, changes)
        if batch and not await self._ledger.renew_scan(source_id, self._worker, _LEASE):
            raise BackendUnavailable("The scan took so long that another process took it over.")
        return Counter(type(change) for change in changes)

    async def _finish(
        self,
        source_id: SourceId,
        seen: set[ItemKey],
        known: dict[ItemKey, LedgerEntry],
        end: ScanEnd,
        policy: DeletionPolicy,
        problems: list[Problem],
        *,
        marked: Counter[type[Change]],
        streak: int,
    ) -> ScanReport:
        expected = any(doc_type not in end.unlisted for doc_type, _ in known)
        if end.complete:
            streak = streak + policy.count_empty if expected and not seen else 0
        missing = plan_missing(seen, known, end, policy, empty_streak=streak, now=self._clock())
        if missing:
            # Who lost the lease has an old listing, and an old listing deletes nothing.
            if not await self._ledger.renew_scan(source_id, self._worker, _LEASE):
                raise BackendUnavailable("The scan took so long that another process took it over.")
            await self._ledger.record(source_id, missing)
        gone = sum(isinstance(change, Gone) for change in missing)
        reason = end.reason
        if end.complete and expected and not seen and not missing:
            reason = (
                f"the source is suddenly empty; its {len(known)} documents stay until it was seen empty "
                f"{policy.believe_empty_after} times in a row ({streak} so far)"
            )
        await self._sources.clear(source_id, _STAGE)
        await self._sources.report(source_id, _STAGE, problems)
        if end.skipped is not None:
            await self._sources.note_skipped(source_id, end.skipped)
        await self._ledger.finish_scan(
            source_id, self._worker, listed=len(seen), complete=end.whole, empty_streak=streak, reason=reason
        )
        return ScanReport(
            listed=len(seen),
            wanted=marked[Want],
            outdated=marked[Outdated],
            gone=gone,
            absent=len(missing) - gone,
            problems=len(problems),
            complete=end.whole,
            reason=reason,
            skipped=end.skipped or {},
        )
