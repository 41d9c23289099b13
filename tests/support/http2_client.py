"""A client of HTTP/2 that sends and answers pings as a test says, which no library does: frames over a socket."""

import asyncio
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import NamedTuple

SETTINGS, PING, GOAWAY = 4, 6, 7
_ACK = 1
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


class Frame(NamedTuple):
    """A frame of the connection itself, which belongs to no stream."""

    kind: int
    ack: bool
    payload: bytes


class Http2Client:
    """One connection, whose settings are agreed upon."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._pings = 0

    async def next(self, *kinds: int) -> Frame | None:
        """The next frame of one of these kinds; None once the server has closed the connection."""
        while True:
            try:
                head = await self._reader.readexactly(9)
                payload = await self._reader.readexactly(int.from_bytes(head[:3], "big"))
            except (asyncio.IncompleteReadError, ConnectionResetError):
                return None
            if head[3] in kinds:
                return Frame(head[3], bool(head[4] & _ACK), payload)

    async def ping(self) -> Frame | None:
        """What answers a ping: itself if it is allowed, the end of the connection if it is not."""
        self._pings += 1
        sent = struct.pack(">Q", self._pings)
        self.send(PING, sent)
        while (frame := await self.next(PING, GOAWAY)) is not None:
            if frame.kind == GOAWAY or (frame.ack and frame.payload == sent):
                return frame
        return None

    def send(self, kind: int, payload: bytes = b"", *, ack: bool = False) -> None:
        """Send a frame."""
        head = len(payload).to_bytes(3, "big") + bytes([kind, _ACK if ack else 0]) + bytes(4)
        self._writer.write(head + payload)


@asynccontextmanager
async def http2_client(address: str) -> AsyncGenerator[Http2Client]:
    """A connection to an address such as `127.0.0.1:50051`."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    client = Http2Client(reader, writer)
    writer.write(_PREFACE)
    client.send(SETTINGS)
    await client.next(SETTINGS)
    client.send(SETTINGS, ack=True)
    yield client
    writer.close()
