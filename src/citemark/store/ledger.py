"""The ledger: what each source lists, how much of it is indexed, and the text queue, which is the difference."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import assert_never

import structlog

from citemark.model.documents import DocumentRef
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.ledger import Backlog, Change, Claim, Gone, ItemKey, LedgerEntry, Miss, Outdated, Want
from citemark.model.readers import TextVersion, readers_from_text, readers_text
from citemark.store.database import Database

_MAX_TRIES = 5
"""Failures, or deaths of a worker, after which a document is parked at its version."""

_MEGABYTE = 2**20
"""Bytes from which a document is read after all smaller ones: reading it takes seconds, for which they would wait."""

_LOST = f"The process that read it died or hung, {_MAX_TRIES} times; it is read again once it changes."

_log = structlog.get_logger(__name__)


class Ledger:
    """Scan leases and leased text work."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._told: list[Callable[[], None]] = []

    @contextmanager
    def telling(self, recorded: Callable[[], None]) -> Generator[None]:
        """While the block runs, call `recorded` whenever this object has recorded text work in the database."""
        self._told.append(recorded)
        try:
            yield
        finally:
            self._told.remove(recorded)

    async def claim_scan(self, source_id: SourceId, worker: str, lease: float) -> int | None:
        """Become the source's scanner; returns the streak of empty listings, or None if it may not scan now."""
        row = await self._database.one("scan_claim", {"source_id": source_id, "worker": worker, "lease": lease})
        return None if row is None else int(row["empty_streak"])

    async def renew_scan(self, source_id: SourceId, worker: str, lease: float) -> bool:
        """Keep the scan lease; False when it was lost."""
        params = {"source_id": source_id, "worker": worker, "lease": lease}
        return bool(await self._database.heartbeat("scan_renew", params))

    async def finish_scan(
        self, source_id: SourceId, worker: str, *, listed: int, complete: bool, empty_streak: int, reason: str
    ) -> None:
        """Record the end of a scan and give the lease back."""
        await self._database.fetch(
            "scan_finish",
            {
                "source_id": source_id,
                "worker": worker,
                "listed": listed,
                "complete": complete,
                "empty_streak": empty_streak,
                "reason": reason,
            },
        )

    async def release_scans(self, worker: str) -> None:
        """Give back every scan that this worker did not finish."""
        await self._database.fetch("scan_release", {"worker": worker})

    async def wake(self, source_id: SourceId) -> None:
        """Ask for a scan soon."""
        await self._database.fetch("scan_wake", {"source_id": source_id})

    async def known(self, source_id: SourceId) -> dict[ItemKey, LedgerEntry]:
        """Everything that the ledger has on a source, by item."""
        rows = await self._database.fetch("items_known", {"source_id": source_id})
        # Most documents of a source have the same readers.
        versions = {text: readers_from_text(text) for text in {row["readers"] for row in rows}}
        return {
            (row["doc_type"], row["native_id"]): LedgerEntry(
                row["wanted_version"],
                row["indexed_version"],
                row["missing_since"],
                row["parked"],
                TextVersion(row["text_version"], versions[row["readers"]]),
            )
            for row in rows
        }

    async def record(self, source_id: SourceId, changes: Sequence[Change]) -> None:
        """Record a plan durably in one transaction; from then on the queue holds it."""
        wants, others = _by_statement(changes)
        queries = self._database.queries
        async with self._database.transaction() as connection:
            # Lock the source first, as its removal does: a source that is gone takes no more documents.
            cursor = await connection.execute(queries["source_hold"], {"source_id": source_id})
            if await cursor.fetchone() is None:
                return
            if wants:
                params = _wanted_params(source_id, wants)
                await connection.execute(queries["items_linking"], params)
                await connection.execute(queries["items_wanted"], params)
            for name, changed in others.items():
                if changed:
                    await connection.execute(queries[name], _changed_params(source_id, changed))
            if others["items_gone"]:
                params = _changed_params(source_id, others["items_gone"])
                await connection.execute(queries["items_never_indexed_gone"], params)
        self._tell()

    async def mark_stale(self, source_id: SourceId, ref: DocumentRef, version: str | None) -> None:
        """Queue a document whose version at the source has changed; version None removes it."""
        params = {
            "source_id": source_id,
            "doc_type": ref.doc_type,
            "native_id": ref.native_id,
            "version": version,
        }
        await self._database.fetch("item_stale", params)
        self._tell()

    def _tell(self) -> None:
        for recorded in self._told:
            recorded()

    async def claim(
        self, source_ids: Sequence[int], worker: str, *, limit: int, lease: float, text_version: int = 0
    ) -> list[Claim]:
        """Lease waiting documents, to be read as of `text_version`; no other worker gets them until the lease runs out.

        What is new or changed comes first. Large documents, those that failed before, and unchanged ones that are read
        again are late: they are leased while nothing else waits. A document on which a worker died (a suspect) is
        leased alone, and only if no other is waiting.
        """
        params = {
            "source_ids": list(source_ids),
            "worker": worker,
            "limit": limit,
            "lease": lease,
            "text_version": text_version,
        }
        rows = await self._database.fetch("items_claim", params)
        if not rows:
            await self.lost(source_ids=source_ids)
            rows = await self._database.fetch("suspect_claim", params)
        claims = [
            Claim(
                source_id=SourceId(row["source_id"]),
                doc_type=row["doc_type"],
                native_id=NativeId(row["native_id"]),
                wanted=_version(row["wanted_version"]),
                indexed=_version(row["indexed_version"]),
                tries=row["tries"],
                readers=tuple(readers_from_text(row["readers"])),
                late=row["late"],
            )
            for row in rows
        ]
        return sorted(claims, key=lambda claim: (claim.source_id, claim.native_id))

    async def lost(self, *, workers: Sequence[str] = (), source_ids: Sequence[int] = ()) -> None:
        """Take back what dead workers hold, and expired leases in these sources; each one counts as a try."""
        params = {
            "workers": list(workers),
            "source_ids": list(source_ids),
            "error": _LOST,
            "max_tries": _MAX_TRIES,
        }
        for row in await self._database.fetch("items_lost", params):
            _log.warning("document_parked", source_id=row["source_id"], document=row["native_id"], action="text")

    async def renew(self, worker: str, lease: float) -> None:
        """Extend the leases that this worker still holds."""
        await self._database.heartbeat("items_renew", {"worker": worker, "lease": lease})

    async def failed(
        self,
        claim: Claim,
        worker: str,
        *,
        error: str,
        park: bool,
        delay: float,
        counted: bool = True,
        readers: Mapping[str, int] | None = None,
    ) -> bool:
        """Give a claim back with its error; True if it is now parked until its version or that of a reader changes.

        A failure that is not `counted` is the source's, and is not one of the document's five tries. `readers` are the
        readers that gave it up; None leaves those it was listed for.
        """
        row = await self._database.one(
            "item_failed",
            {
                "source_id": claim.source_id,
                "doc_type": claim.doc_type,
                "native_id": claim.native_id,
                "worker": worker,
                "error": error,
                "park": park,
                "delay": delay,
                "max_tries": _MAX_TRIES,
                "counted": counted,
                "readers": None if readers is None else readers_text(readers),
            },
        )
        return bool(row and row["parked"])

    async def release(self, worker: str) -> None:
        """Give back everything that this worker holds."""
        await self._database.fetch("items_release", {"worker": worker})

    async def backlog(self, source_ids: Sequence[int]) -> Backlog:
        """The amount of text work that is waiting."""
        row = await self._database.one("items_waiting", {"source_ids": list(source_ids)})
        if row is None:
            return Backlog(0, 0, None)
        next_at = row["next_at"]
        return Backlog(row["waiting"], row["parked"], next_at if isinstance(next_at, datetime) else None)


def _version(value: str | None) -> Version | None:
    return None if value is None else Version(value)


def _by_statement(changes: Sequence[Change]) -> tuple[list[Want], Mapping[str, list[Outdated | Miss | Gone]]]:
    """The wanted documents, and all other changes by the statement that records them."""
    wants: list[Want] = []
    others: dict[str, list[Outdated | Miss | Gone]] = {"items_outdated": [], "items_missing": [], "items_gone": []}
    for change in changes:
        match change:
            case Want():
                wants.append(change)
            case Outdated():
                others["items_outdated"].append(change)
            case Miss():
                others["items_missing"].append(change)
            case Gone():
                others["items_gone"].append(change)
            case _:
                assert_never(change)
    return wants, others


def _changed_params(source_id: SourceId, changes: Sequence[Outdated | Miss | Gone]) -> dict[str, object]:
    outdated = [change for change in changes if isinstance(change, Outdated)]
    return {
        "source_id": source_id,
        "doc_types": [change.key[0] for change in changes],
        "native_ids": [change.key[1] for change in changes],
        "readers": [readers_text(change.readers) for change in outdated],
    }


def _wanted_params(source_id: SourceId, changes: Sequence[Want]) -> dict[str, object]:
    wants = [change.listed for change in changes]
    return {
        "readers": [readers_text(change.readers) for change in changes],
        "source_id": source_id,
        "doc_types": [listed.doc_type for listed in wants],
        "native_ids": [listed.native_id for listed in wants],
        "versions": [listed.version for listed in wants],
        "modified": [listed.modified_at for listed in wants],
        "megabytes": [listed.size // _MEGABYTE for listed in wants],
    }
