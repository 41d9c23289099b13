"""Leases of processes that died: on one machine nobody has to wait until they run out."""

import os
import socket
from contextlib import suppress

from citemark.store.database import Database
from citemark.store.ledger import Ledger

_MARK = "@"


def worker_name(number: str) -> str:
    """A name for this process's workers that tells others where to look whether it lives."""
    return f"{os.getpid()}{_MARK}{socket.gethostname()}/{number}"


def died(worker: str) -> bool:
    """Whether a worker was of a process of this machine that exists no more; False when that cannot be told."""
    pid, mark, rest = worker.partition(_MARK)
    if not mark or not pid.isdigit() or rest.partition("/")[0] != socket.gethostname():
        return False
    with suppress(PermissionError):
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
    return False


class Leases:
    """Looks over everybody's leases."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def release_dead(self) -> int:
        """Give back what processes of this machine held when they were killed; how many workers that were."""
        holders = [row["leased_by"] for row in await self._database.fetch("lease_holders")]
        dead = [worker for worker in holders if died(worker)]
        for worker in dead:
            for statement in ("scan_release", "tasks_release"):
                await self._database.fetch(statement, {"worker": worker})
        if dead:
            await Ledger(self._database).lost(workers=dead)
        return len(dead)
