"""Sends a response, intact or broken as a fault says."""

import asyncio
from collections.abc import Callable

from starlette.types import Send
from tests.nextcloud.faults import Cut, Drip, Effect, Html, Reset, Status, Truncate
from tests.nextcloud.messages import ServerResponse, html_answer


def status_of(effect: Effect | None, answer: ServerResponse) -> int:
    """The status that goes out; 0 where none does."""
    match effect:
        case Reset():
            return 0
        case Status(code):
            return code
        case Html():
            return 200
        case _:
            return answer.status


async def deliver(
    effect: Effect | None, answer: ServerResponse, send: Send, drop: Callable[[bool], None], *, head: bool
) -> None:
    """Send what the effect makes of an answer."""
    match effect:
        case Reset():
            drop(True)
        case Status(code, body, headers):
            await _whole(ServerResponse(code, dict(headers), body), send, head=head)
        case Html():
            await _whole(html_answer(200, "Please log in to the hotel's network"), send, head=head)
        case Truncate(keep):
            await _start(answer, _length(answer), send)
            whole = answer.body if answer.stream is None else next(iter(answer.stream), b"")
            kept = whole[: int(len(whole) * keep)]
            await send({"type": "http.response.body", "body": kept, "more_body": True})
            drop(False)
        case Cut(keep):
            await _whole(
                ServerResponse(answer.status, answer.headers, answer.body[: int(len(answer.body) * keep)]),
                send,
                head=head,
            )
        case Drip(seconds):
            await _start(answer, _length(answer), send)
            whole = answer.body if answer.stream is None else b"".join(answer.stream)
            for byte in whole[:-1]:
                await send({"type": "http.response.body", "body": bytes([byte]), "more_body": True})
                await asyncio.sleep(seconds)
            await send({"type": "http.response.body", "body": whole[-1:], "more_body": False})
        case _:
            await _whole(answer, send, head=head)


def _length(answer: ServerResponse) -> int:
    return answer.length if answer.stream is not None else len(answer.body)


async def _start(answer: ServerResponse, length: int, send: Send) -> None:
    headers = [(name.encode(), value.encode("latin-1", "replace")) for name, value in answer.headers.items()]
    if answer.status not in {204, 304}:
        headers.append((b"content-length", str(length).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})


async def _whole(answer: ServerResponse, send: Send, *, head: bool) -> None:
    await _start(answer, _length(answer), send)
    for part in answer.stream or () if not head else ():
        await send({"type": "http.response.body", "body": part, "more_body": True})
    last = b"" if head or answer.stream is not None else answer.body
    await send({"type": "http.response.body", "body": last, "more_body": False})
