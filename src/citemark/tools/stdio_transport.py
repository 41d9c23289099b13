"""JSON-RPC over a pair of file descriptors, one message per line.

The SDK's own transport drops a line that is not a message, so its sender waits for a reply that never comes. This
transport answers such a line with an error.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, redirect_stdout
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
import mcp_types as types
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.shared.message import SessionMessage

from citemark.tools.jsonrpc_messages import message_of, too_long, unwritable

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Longer messages are refused and are not kept in memory."""

LINGER_SECONDS = 30
"""How long to wait for outstanding answers after the input has ended."""

_CHUNK_BYTES = 65536
"""The size of a pipe's buffer on Linux."""


_ENDLESS = "subscriptions/listen"
"""The method of a request whose answer is a stream that lasts as long as the connection."""

_log = structlog.get_logger(__name__)

Inbound = MemoryObjectReceiveStream[SessionMessage | Exception]
Outbound = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def message_streams(
    source: int, sink: int, written: Callable[[], None] = lambda: None
) -> AsyncGenerator[tuple[Inbound, Outbound]]:
    """Streams of the messages read from one descriptor and written to another, until either side ends.

    `written` is called after each message that was written.
    """
    inbound_in, inbound_out = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbound_in, outbound_out = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks, inbound_out, outbound_in:
        unanswered = _Unanswered()

        async def write() -> None:
            try:
                await _write(sink, outbound_out, unanswered, written)
            except ConnectionError:  # the reading side has gone, as when a host is killed: nobody waits for anything
                tasks.cancel_scope.cancel()

        tasks.start_soon(_read, source, inbound_in, outbound_in.clone(), unanswered)
        tasks.start_soon(write)
        try:
            yield inbound_out, outbound_in
        except BaseExceptionGroup as failed:
            # The SDK passes a message on to its own reader, which may have been cancelled first.
            _, others = failed.split(anyio.BrokenResourceError)
            if others is None:
                await anyio.lowlevel.checkpoint_if_cancelled()
                if _is_cancelled():
                    raise asyncio.CancelledError from None
            raise
        tasks.cancel_scope.cancel()


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class _Unanswered:
    """The requests that have been read but not yet answered."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._all_answered = anyio.Event()

    def read(self, message: types.JSONRPCMessage) -> None:
        """Record a request that expects a single answer; forget one that its sender has cancelled."""
        if isinstance(message, types.JSONRPCRequest) and message.method != _ENDLESS:
            self._ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._forget((message.params or {}).get("requestId"))

    def written(self, message: types.JSONRPCMessage) -> None:
        """Forget the request that a message answers."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._forget(message.id)

    async def wait_until_empty(self) -> None:
        """Wait until every request has been answered, but no longer than `LINGER_SECONDS`."""
        with anyio.move_on_after(LINGER_SECONDS):
            while self._ids:
                self._all_answered = anyio.Event()
                await self._all_answered.wait()

    def _forget(self, ident: Any) -> None:
        if isinstance(ident, str | int):
            self._ids.discard(ident)
        if not self._ids:
            self._all_answered.set()


async def _read(
    source: int,
    inbound: MemoryObjectSendStream[SessionMessage | Exception],
    answers: Outbound,
    unanswered: _Unanswered,
) -> None:
    async with inbound, answers, aclosing(lines_of(source)) as lines:
        async for line in lines:
            if line is not None and not line.strip():
                continue
            message = too_long(MAX_LINE_BYTES) if line is None else message_of(line)
            if isinstance(message, types.JSONRPCError):
                await answers.send(SessionMessage(message))
                continue
            unanswered.read(message.message)
            try:
                await inbound.send(message)
            except anyio.BrokenResourceError:  # the server has already ended
                return
        # Returning cancels the running calls, so a client that writes and then closes its pipe would get no answers.
        await unanswered.wait_until_empty()


async def _write(
    sink: int,
    outbound: MemoryObjectReceiveStream[SessionMessage],
    unanswered: _Unanswered,
    written: Callable[[], None],
) -> None:
    async with outbound:
        async for item in outbound:
            await anyio.to_thread.run_sync(_write_all, sink, _line_of(item.message))
            unanswered.written(item.message)
            written()


def _line_of(message: types.JSONRPCMessage) -> bytes:
    """A message as a line. If an answer cannot be written as JSON, an error takes its place and nothing else stops."""
    try:
        return _dumped(message)
    except ValueError as error:
        _log.error("message_unwritable", error_type=type(error).__name__, action="answer")
    if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
        return _dumped(unwritable(message.id))
    return b""


def _dumped(message: types.JSONRPCMessage) -> bytes:
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"


def _write_all(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


async def lines_of(source: int) -> AsyncGenerator[bytes | None]:
    """Yield each line read from a descriptor, without its newline, or None for a line that is too long.

    A daemon thread does the reading, so that a silent peer cannot keep the process from ending.
    """
    send, receive = anyio.create_memory_object_stream[bytes | None](16)
    token = anyio.lowlevel.current_token()

    def pump() -> None:
        try:
            for line in split_lines(source):
                anyio.from_thread.run(send.send, line, token=token)
            anyio.from_thread.run_sync(send.close, token=token)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.RunFinishedError):
            return  # the server has stopped reading

    threading.Thread(target=pump, name="citemark-stdin", daemon=True).start()
    # The thread closes its end of the stream when the input ends, which may be after this loop has ended.
    async with receive, send:
        async for line in receive:
            yield line


def split_lines(source: int) -> Iterator[bytes | None]:
    """Yield lines as they arrive, buffering at most one line of `MAX_LINE_BYTES`; None for a longer one."""
    line, skipping = bytearray(), False
    while chunk := _chunk(source):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            line += end
            yield None if skipping or len(line) > MAX_LINE_BYTES else bytes(line)
            line.clear()
            skipping = False
        line += rest
        if len(line) > MAX_LINE_BYTES:
            line.clear()
            skipping = True
    if line:
        yield bytes(line)


def _chunk(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK_BYTES)
    except OSError:
        return b""


_STDIN, _STDOUT, _STDERR = 0, 1, 2


async def run_stdio(server: Server[Any], written: Callable[[], None] = lambda: None) -> None:
    """Serve until stdin ends; `written` is called after each message that was written.

    Takes over both descriptors for the rest of the process: all other code sees an empty stdin, and what it writes to
    stdout goes to stderr. So no library, child process or late flush can write between messages.
    """
    source, sink = _claim()
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))
    with redirect_stdout(sys.stderr):
        async with message_streams(source, sink, written) as (inbound, outbound):
            await server.run(inbound, outbound, options)


def _claim() -> tuple[int, int]:
    """Duplicate stdin and stdout for this transport, then point the original descriptors elsewhere."""
    source, sink = os.dup(_STDIN), os.dup(_STDOUT)
    devnull = os.open(os.devnull, os.O_RDWR)
    os.dup2(devnull, _STDIN)
    try:
        os.dup2(_STDERR, _STDOUT)
    except OSError:  # started without a stderr
        os.dup2(devnull, _STDOUT)
    os.close(devnull)
    return source, sink
