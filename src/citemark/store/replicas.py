"""Physical replicas of the database, and which of them has what a question is to see.

The primary tells how far its log is on the disk when it tells the read horizon. A replica that has replayed that far
holds everything that was recorded up to the horizon, and everything that a caller was told to be done before. One that
follows another primary than this, as after a failover, may be as far and hold something else: it is asked for its
timeline too, which it knows by its next restart point, minutes after the failover at most.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import structlog

from citemark.model.errors import BackendUnavailable, ConfigurationError

_log = structlog.get_logger(__name__)

_REST = 10.0
"""Seconds for which a replica that failed is left alone, so that few questions wait for a machine that is gone."""

_LONGEST_WAIT = 1.0
"""Seconds that a replica may take to say how far it is, a new connection to it included."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """A place in the log of a primary; each primary writes on a timeline of its own."""

    timeline: int
    lsn: str

    def reaches(self, other: "LogPosition") -> bool:
        """Whether a log that was read up to here was read up to another place."""
        return self.timeline == other.timeline and _byte(self.lsn) >= _byte(other.lsn)


def _byte(lsn: str) -> int:
    """The byte of the log that "16/B374D848" stands for."""
    high, low = lsn.split("/")
    return (int(high, 16) << 32) + int(low, 16)


class ReplicaPool(Protocol):
    """The connections to one replica."""

    async def open_lazily(self) -> None:
        """Be ready to connect, without waiting for the replica."""
        ...

    async def has_replayed(self, position: LogPosition) -> bool:
        """Whether this is a replica that follows that timeline and has everything up to that place."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...


Pool = TypeVar("Pool", bound=ReplicaPool)


class Replicas(Generic[Pool]):
    """The replicas that questions may be read from, each in its turn."""

    def __init__(self, pools: Sequence[Pool], seconds: Callable[[], float] = time.monotonic) -> None:
        self._pools = list(pools)
        self._seconds = seconds
        self._resting: dict[int, float] = {}

    async def open(self) -> None:
        """Be ready to connect; a replica that does not answer holds up nothing."""
        for pool in self._pools:
            await pool.open_lazily()

    async def close(self) -> None:
        """Close every connection."""
        for pool in self._pools:
            await pool.close()

    async def having(self, position: LogPosition) -> Pool | None:
        """The next replica that has everything up to a place in the log; None if no replica says so."""
        for _ in range(len(self._pools)):
            pool = self._pools.pop(0)
            self._pools.append(pool)
            if await self._has(pool, position):
                return pool
        return None

    async def _has(self, pool: Pool, position: LogPosition) -> bool:
        """Whether a replica says that it has everything up to a place in the log."""
        if self._resting.get(id(pool), 0.0) > self._seconds():
            return False
        try:
            async with asyncio.timeout(_LONGEST_WAIT):
                return await pool.has_replayed(position)
        except (BackendUnavailable, ConfigurationError, TimeoutError) as error:
            self.failed(pool, error)
            return False

    def failed(self, pool: Pool, error: Exception) -> None:
        """Leave a replica alone for a while."""
        self._resting[id(pool)] = self._seconds() + _REST
        _log.warning("replica_failed", reason=str(error) or type(error).__name__, action="asking the primary")
