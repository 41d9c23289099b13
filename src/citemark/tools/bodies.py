"""The bodies of HTTP requests: bounded, and refused with the same errors as lines over stdio."""

import json

import mcp_types as types
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citemark.tools.messages import message_of, readable, too_long


class MessageBodies:
    """An ASGI application that passes only bodies of one JSON-RPC message on to another one."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or answer that its body is too long or no message."""
        try:
            body = await self._read(Request(scope, receive))
        except ClientDisconnect:
            return
        if body is None:
            await error_response(413, too_long(self._max_bytes))(scope, receive, send)
            return
        message = message_of(body)
        if isinstance(message, types.JSONRPCError):
            await error_response(400, message)(scope, receive, send)
            return
        await self._app(scope, _replayed(readable(body), receive), send)

    async def _read(self, request: Request) -> bytes | None:
        """The body, None when it is longer than the limit; it is never kept beyond that."""
        declared = Headers(scope=request.scope).get("content-length", "")
        if declared.isdecimal() and int(declared) > self._max_bytes:
            return None
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self._max_bytes:
                return None
        return bytes(body)


def error_response(status: int, error: types.JSONRPCError) -> Response:
    """A JSON-RPC error as the answer to a request."""
    body = error.model_dump(mode="json", by_alias=True, exclude_unset=True) | {"id": error.id}
    return Response(json.dumps(body), status_code=status, media_type="application/json")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What an application receives: the body that was read, then whatever comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
