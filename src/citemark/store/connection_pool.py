"""A pool of connections whose waiting tasks can be cancelled at any moment."""

import asyncio
from typing import Any, TypeVar

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

ConnectionType = TypeVar("ConnectionType", bound=AsyncConnection[Any])


class ConnectionPool(AsyncConnectionPool[ConnectionType]):
    """A pool that loses no cancellation.

    psycopg's pool waits by `asyncio.wait_for`, which before Python 3.12 forgets a cancellation that comes in the same
    turn of the event loop as the connection: the task would go on, and whoever ends it would wait for ever.
    """

    async def getconn(self, timeout: float | None = None) -> ConnectionType:  # noqa: ASYNC109 - the signature of the pool
        """Take a connection out of the pool, waiting for one if need be, as the pool's own method does.

        Raises:
            CancelledError: the task was cancelled meanwhile, even if a connection came at the same time.
            PoolTimeout: no connection came within `timeout` seconds (None: the pool's own limit).
        """
        task = asyncio.current_task()
        before = 0 if task is None else task.cancelling()
        connection = await super().getconn(timeout)
        if task is not None and task.cancelling() > before:
            await self.putconn(connection)
            raise asyncio.CancelledError
        return connection

    async def putconn(self, conn: ConnectionType) -> None:
        """Take a connection back, and replace it if it is closed.

        One that its user closed deserves no warning, unlike one that broke. The pool's own method warns of both.
        """
        if conn.closed and not conn.broken and not self.closed:
            await self._putconn(conn, from_getconn=True)
        else:
            await super().putconn(conn)
