"""Lines in and out."""

import asyncio
import gc
import json
import os
import threading
import warnings
from collections.abc import AsyncGenerator
from typing import Any

import anyio
import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from tests.support.patience import HANG_SECONDS

from citemark.tools.jsonrpc_messages import message_of
from citemark.tools.stdio_transport import MAX_LINE_BYTES, lines_of, message_streams, split_lines


def call(query: str) -> bytes:
    params = {"name": "kb.search", "arguments": {"query": "@"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(request).replace("@", query).encode("utf-8", "surrogatepass")


def query_of(line: bytes) -> str:
    message = message_of(line)
    assert isinstance(message, SessionMessage)
    assert isinstance(message.message, types.JSONRPCRequest)
    params: Any = message.message.params
    return params["arguments"]["query"]


@pytest.mark.parametrize("escape", [r"\ud800", r"\udfff", r"\uDC00\uD800", r"\ud83dx"])
def test_an_unpaired_surrogate_escape_arrives_as_nul_which_no_argument_may_hold(escape: str) -> None:
    assert "\x00" in query_of(call(escape))


def test_bytes_that_are_no_utf8_arrive_as_nul() -> None:
    assert query_of(call("a@").replace(b"@", b"\xff")) == "a\x00"
    assert "\x00" in query_of(call("\ud800"))


@pytest.mark.parametrize(
    ("escape", "text"),
    [(r"\ud83d\ude00", "😀"), (r"\\ud800", r"\ud800"), (r"\u00e9", "é"), (r"\\\ud83d\ude00", "\\😀")],
)
def test_other_escapes_arrive_as_they_are(escape: str, text: str) -> None:
    assert query_of(call(escape)) == text


@given(st.text())
def test_any_text_arrives_unchanged(text: str) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"arguments": {"query": text}}}
    assert query_of(json.dumps(request).encode()) == text
    assert query_of(json.dumps(request, ensure_ascii=False).encode()) == text


@pytest.mark.parametrize(
    ("line", "code", "ident"),
    [
        (b"{", types.PARSE_ERROR, None),
        (b"\xff\xfe", types.PARSE_ERROR, None),
        (b"[" * 100_000, types.PARSE_ERROR, None),
        (b"[]", types.INVALID_REQUEST, None),
        (b'{"id": 7}', types.INVALID_REQUEST, 7),
        (b'{"jsonrpc": "1.0", "id": "a", "method": "ping"}', types.INVALID_REQUEST, "a"),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', types.INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', types.INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', types.INVALID_REQUEST, None),
    ],
)
def test_a_line_that_is_not_a_message_is_answered(line: bytes, code: int, ident: str | int | None) -> None:
    answer = message_of(line)
    assert isinstance(answer, types.JSONRPCError)
    assert (answer.error.code, answer.id) == (code, ident)


@given(st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=8))
def test_lines_are_written_and_read_back_unchanged(lines: list[bytes]) -> None:
    source, sink = os.pipe()
    os.write(sink, b"".join(line + b"\n" for line in lines))
    os.close(sink)
    assert list(split_lines(source)) == lines
    os.close(source)


async def test_a_line_beyond_the_cap_is_refused_and_the_next_one_is_read() -> None:
    source, sink = os.pipe()

    def write() -> None:
        view = memoryview(b"x" * (MAX_LINE_BYTES + 1) + b"\n{}\n")
        while view:
            view = view[os.write(sink, view) :]
        os.close(sink)

    lines: list[bytes | None] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.to_thread.run_sync, write)
        lines += await anyio.to_thread.run_sync(lambda: list(split_lines(source)))
    os.close(source)
    assert lines == [None, b"{}"]


async def test_each_message_that_was_written_is_told() -> None:
    source, feed = os.pipe()
    told, sink = os.pipe()
    written: list[bytes] = []
    async with message_streams(source, sink, lambda: written.append(os.read(told, 1000))) as (_, outbound):
        for ident in (1, 2):
            await outbound.send(SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=ident, result={})))
        with anyio.fail_after(HANG_SECONDS):
            while len(written) < 2:
                await anyio.lowlevel.checkpoint()
    assert [json.loads(line)["id"] for line in written] == [1, 2]
    for end in (source, feed, told, sink):
        os.close(end)


async def test_the_reading_side_ends_with_its_input() -> None:
    source, sink = os.pipe()
    answers, answers_in = os.pipe()
    os.write(sink, b'nonsense\n{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    os.close(sink)
    async with message_streams(source, answers_in) as (inbound, outbound):
        received = [item async for item in inbound]
        await outbound.aclose()
    assert len(received) == 1
    assert json.loads(os.read(answers, 4096))["error"]["code"] == types.PARSE_ERROR
    for descriptor in (source, answers, answers_in):
        os.close(descriptor)


async def test_the_reading_side_waits_for_pending_answers() -> None:
    source, sink = os.pipe()
    answers, answers_in = os.pipe()
    os.write(sink, call("port") + b"\n")
    os.close(sink)
    async with message_streams(source, answers_in) as (inbound, outbound):
        first = await inbound.receive()
        assert isinstance(first, SessionMessage)
        assert isinstance(first.message, types.JSONRPCRequest)
        with anyio.move_on_after(0.05) as early:
            await inbound.receive()
        assert early.cancelled_caught
        response = types.JSONRPCResponse(jsonrpc="2.0", id=first.message.id, result={})
        await outbound.send(SessionMessage(response))
        assert [item async for item in inbound] == []
    assert json.loads(os.read(answers, 4096))["id"] == 1
    for descriptor in (source, answers, answers_in):
        os.close(descriptor)


def test_input_that_ends_after_the_loop_leaves_no_stream_open() -> None:
    source, sink = os.pipe()
    lines: AsyncGenerator[bytes | None] | None = None

    async def wait_for_a_line() -> None:
        nonlocal lines
        lines = lines_of(source)
        with anyio.move_on_after(0.05):
            await anext(lines)

    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always")
        asyncio.run(wait_for_a_line())
        os.close(sink)
        for thread in threading.enumerate():
            if thread.name == "citemark-stdin":
                thread.join(HANG_SECONDS)
        lines = None
        gc.collect()
    os.close(source)
    assert [str(warning.message) for warning in unclosed] == []


async def test_an_answer_that_is_no_json_becomes_an_error_and_the_next_is_written() -> None:
    source, sink = os.pipe()
    answers, answers_in = os.pipe()
    async with message_streams(source, answers_in) as (_, outbound):
        for ident, said in ((1, "half a character: \ud83d"), (2, "whole")):
            await outbound.send(SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=ident, result={"said": said})))
        broken = types.JSONRPCNotification(jsonrpc="2.0", method="notifications/message", params={"data": "\ud83d"})
        await outbound.send(SessionMessage(broken))
        refusal = types.ErrorData(code=types.INVALID_PARAMS, message="\ud83d")
        await outbound.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=4, error=refusal)))
        await outbound.send(SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=3, result={})))
        read = split_lines(answers)
        lines: list[dict[str, Any]] = []
        while not lines or lines[-1]["id"] != 3:
            lines.append(json.loads(await anyio.to_thread.run_sync(next, read) or b""))
        os.close(sink)
    assert [(line["id"], line.get("error", {}).get("code")) for line in lines] == [
        (1, types.INTERNAL_ERROR),
        (2, None),
        (4, types.INTERNAL_ERROR),
        (3, None),
    ]
    for descriptor in (source, answers, answers_in):
        os.close(descriptor)
