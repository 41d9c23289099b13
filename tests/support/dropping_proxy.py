"""A proxy between a client and PostgreSQL that can drop an answer after the server has done the work.

It can also tell the client another process id than the server's, as poolers do, whose clients change servers.
"""

import asyncio
import re
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_READY = b"Z\x00\x00\x00\x05I"
"""The end of an answer outside of a transaction."""


_BACKEND = re.compile(rb"K\x00\x00\x00\x0c(.{4})", re.DOTALL)
"""The message with the server's process id."""

_ANOTHER = b"K\x00\x00\x00\x0c\x7f\xff\xff\xff"


@dataclass
class DroppedAnswer:
    """Which answers to lose: the first `times` to messages that hold `marker`, once it is set."""

    dsn: str
    marker: bytes | None = None
    times: int = 1
    lost: int = 0

    def asks_for_one(self, data: bytes) -> bool:
        """Whether a message is one whose answer is to be lost; counts it."""
        if not self.times or self.marker is None or self.marker not in data:
            return False
        self.times -= 1
        return True


@asynccontextmanager
async def dropping_proxy(dsn: str, *, as_pooler: bool = False) -> AsyncGenerator[DroppedAnswer, None]:
    """A DSN of the same database, all traffic of which passes a proxy on a Unix socket; `as_pooler` with other ids."""
    given = conninfo_to_dict(dsn)
    name = f".s.PGSQL.{given.get('port', 5432)}"
    folder = Path(tempfile.mkdtemp(prefix="dropped-"))
    dropped = DroppedAnswer(make_conninfo(dsn, host=str(folder)))

    pumping: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            pumping.add(task)
        from_server, to_server = await asyncio.open_unix_connection(f"{given['host']}/{name}")
        losing = asyncio.Event()

        async def ask() -> None:
            with suppress(ConnectionError):
                while data := await reader.read(65536):
                    if dropped.asks_for_one(data):
                        losing.set()
                    to_server.write(data)
            to_server.close()

        async def answer() -> None:
            held = b""
            told = not as_pooler
            with suppress(ConnectionError):
                while not held.endswith(_READY) and (data := await from_server.read(65536)):
                    if losing.is_set():
                        held += data
                    else:
                        changed = data if told else _BACKEND.sub(lambda _: _ANOTHER, data)
                        told = told or changed != data
                        writer.write(changed)
            dropped.lost += losing.is_set()
            writer.close()

        await asyncio.gather(ask(), answer())
        for end in (writer, to_server):
            end.close()
            with suppress(ConnectionError):
                await end.wait_closed()

    server = await asyncio.start_unix_server(serve, folder / name)
    try:
        yield dropped
    finally:
        server.close()
        await asyncio.wait(pumping)
        shutil.rmtree(folder, ignore_errors=True)
