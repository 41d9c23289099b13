"""Stands before the services that come with gRPC: health for anybody, reflection for those who may call.

gRPC would parse their requests itself and answer malformed ones as a failure of the server.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health

from citemark.grpc_api.entrance import Entrance
from citemark.grpc_api.failures import Context, fail
from citemark.model.errors import InvalidArgument
from citemark.tools.reply import body_of

_Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any] | None"

_MALFORMED = object()
"""In the place of a request that cannot be parsed."""


class Guard(grpc.aio.ServerInterceptor):
    """Wraps the handlers of those services; the query services take requests as bytes and do the same themselves."""

    def __init__(self, entrance: Entrance) -> None:
        self._entrance = entrance

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[_Handler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> _Handler:
        """The handler of a call, or None if there is no such method."""
        handler: Any = await continuation(handler_call_details)
        if handler is None or handler.request_deserializer is None:
            return handler
        is_open = str(handler_call_details.method).startswith(f"/{health.SERVICE_NAME}/")
        entrance = None if is_open else self._entrance
        if handler.request_streaming:
            wrapped = {"stream_stream": _of_many(handler.stream_stream, entrance)}
        elif handler.response_streaming:
            wrapped = {"unary_stream": _of_one(handler.unary_stream, entrance)}
        else:
            wrapped = {"unary_unary": _of_one(handler.unary_unary, entrance)}
        return handler._replace(request_deserializer=_forgiving(handler.request_deserializer), **wrapped)


def _forgiving(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def parsed(raw: bytes) -> Any:
        try:
            return parse(raw)
        except DecodeError:
            return _MALFORMED

    return parsed


def _of_one(answer: Callable[[Any, Context], Awaitable[Any]], entrance: Entrance | None) -> Any:
    """A method that takes one request; its caller needs no token if there is no `entrance`."""

    async def guarded(request: Any, context: Context) -> Any:
        if entrance is not None:
            await entrance.caller(context)
        return await answer(await _readable(request, context), context)

    return guarded


def _of_many(answer: Callable[[AsyncIterable[Any], Context], AsyncIterable[Any]], entrance: Entrance | None) -> Any:
    """The same for a method that takes many."""

    async def guarded(requests: AsyncIterable[Any], context: Context) -> AsyncGenerator[Any]:
        if entrance is not None:
            await entrance.caller(context)

        async def readable() -> AsyncGenerator[Any]:
            async for request in requests:
                yield await _readable(request, context)

        async for response in answer(readable(), context):
            yield response

    return guarded


async def _readable(request: Any, context: Context) -> Any:
    """A request that was parsed; the call of any other ends here."""
    if request is _MALFORMED:
        await fail(context, body_of(InvalidArgument("The request is not the message that this method takes."), None))
    return request
