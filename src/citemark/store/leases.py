"""Leases of watched sources, and those of processes that died: on one machine these need not run out first."""

import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from citemark.model.ids import SourceId
from citemark.store.database import Database
from citemark.store.ledger import Ledger

_MARK = "@"
"""Separates pid and machine in the name of a worker; neither can contain it."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_PID_NAMESPACE = Path("/proc/self/ns/pid")


def worker_name(number: str) -> str:
    """A name for a worker of this process, from which other processes can see whether this one lives."""
    return f"{os.getpid()}{_MARK}{_machine()}/{number}"


def died(worker: str) -> bool:
    """Whether a worker belonged to a process of this machine that has ended; False if that cannot be known.

    Processes of containers and clones of a machine may share its host name, but their pids mean nothing here.
    """
    pid, mark, rest = worker.partition(_MARK)
    if not mark or not pid.isdigit() or rest.partition("/")[0] != _machine():
        return False
    with suppress(PermissionError):
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
    return False


def machine_of(worker: str) -> str:
    """The host name of the machine that a worker runs on; "" if its name does not tell."""
    return worker.partition(_MARK)[2].partition("/")[0].partition(":")[0]


def _machine() -> str:
    """A name for everything that numbers its processes as this one does: one PID namespace of one running machine."""
    host = socket.gethostname()
    try:
        identity = f"{_BOOT_ID.read_text()}{_PID_NAMESPACE.stat().st_ino}"
    except OSError:  # not Linux: there are no such namespaces
        return host
    return f"{host}:{blake2b(identity.encode(), digest_size=8).hexdigest()}"


class Leases:
    """The leases of every worker on this index."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def release_dead(self) -> int:
        """Release what dead processes of this machine still hold.

        Returns:
            The number of workers whose leases were released.
        """
        holders = [row["leased_by"] for row in await self._database.fetch("lease_holders")]
        dead = [worker for worker in holders if died(worker)]
        for worker in dead:
            for statement in ("scan_release", "tasks_release"):
                await self._database.fetch(statement, {"worker": worker})
        if dead:
            await Ledger(self._database).lost(workers=dead)
        return len(dead)


@dataclass(frozen=True, slots=True)
class Watched:
    """Who follows the sources that were asked for; one whose row is being written just now may be in none of the sets.

    Attributes:
        sources: those that this process follows.
        wanted: those among them for which a scan was requested.
        others: those that another living process follows.
    """

    sources: frozenset[SourceId]
    wanted: frozenset[SourceId]
    others: frozenset[SourceId]


class WatchLeases:
    """Which process follows the changes of a source: at most one per source."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def hold(self, source_ids: Sequence[SourceId], worker: str, lease: float) -> Watched:
        """Take the leases of these sources that are free, and renew those of this worker, for `lease` seconds.

        Writes only when half of a lease has passed or one has become free, so an idle index stays idle.
        """
        rows = await self._database.heartbeat("watch_state", {"source_ids": list(source_ids), "lease": lease})
        dead = sorted({row["watched_by"] for row in rows if row["held"] and died(row["watched_by"])})
        due = [row["source_id"] for row in rows if not row["held"] or row["watched_by"] in dead]
        mine = {row["source_id"] for row in rows if row["held"] and row["watched_by"] == worker}
        due += [row["source_id"] for row in rows if row["source_id"] in mine and not row["fresh"]]
        if dead:
            # The dead also held scans and documents; others need not wait for those either.
            await Leases(self._database).release_dead()
        if due:
            params = {"source_ids": due, "worker": worker, "lease": lease, "dead": dead}
            taken = {row["source_id"] for row in await self._database.heartbeat("watch_hold", params)}
            mine = (mine - set(due)) | taken
        wanted = {row["source_id"] for row in rows if row["wanted"]}
        others = {row["source_id"] for row in rows if row["held"] and row["watched_by"] not in {worker, *dead}}
        return Watched(*(frozenset(map(SourceId, each)) for each in (mine, mine & wanted, others)))

    async def describe(self, source_id: SourceId, worker: str, watching: str) -> None:
        """Record how this process follows a source, for `status` to show."""
        await self._database.fetch("watch_describe", {"source_id": source_id, "worker": worker, "watching": watching})

    async def release(self, worker: str, source_id: SourceId | None = None) -> None:
        """Release the lease of one source, or of all that this worker follows."""
        await self._database.fetch("watch_release", {"worker": worker, "source_id": source_id})
