"""What gRPC calls for each of our methods; a handler gets requests as bytes, so that no unknown caller's are parsed."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias, cast

import grpc
from google.protobuf.message import Message

from citemark.grpc_api.calls import QueryCalls
from citemark.grpc_api.conversion import places_in, request_after
from citemark.grpc_api.entrance import Entrance
from citemark.grpc_api.failures import Context, fail
from citemark.grpc_api.methods import Method, Parts
from citemark.model.errors import CitemarkError
from citemark.services.requests import Caller
from citemark.tools.registry import Tool
from citemark.tools.reply import body_of, body_of_crash

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


@dataclass(frozen=True, slots=True)
class MethodHandler:
    """Answers the requests to one method."""

    method: Method
    tool: Tool
    calls: QueryCalls
    entrance: Entrance

    def for_server(self) -> Handler:
        """The handler as a server takes it."""
        serialize = self.method.response.SerializeToString
        many = None
        if self.method.parts is not None:
            many = self._in_parts(self.method.parts)
        elif self.method.all_pages:
            many = self._in_pages
        if many is not None:
            return grpc.unary_stream_rpc_method_handler(cast("Any", many), response_serializer=serialize)
        return grpc.unary_unary_rpc_method_handler(cast("Any", self._one), response_serializer=serialize)

    async def _one(self, raw: bytes, context: Context) -> Message:
        caller = await self.entrance.caller(context, self.tool.scopes)
        try:
            return await self.calls.answer_one(self.method, self.tool, caller, raw, context.time_remaining())
        except Exception as error:  # noqa: BLE001 - the boundary: whatever crashed, the client learns an id alone
            failed = error
        return await self._fail(context, failed, caller)

    async def _in_pages(self, raw: bytes, context: Context) -> AsyncGenerator[Message]:
        """Each page passes the gate and counts as a call of the tool; none is made before the one ahead is sent."""
        following: bytes | None = raw
        while following is not None:
            page = await self._one(following, context)
            yield page
            following = request_after(self.method.request, following, page)

    def _in_parts(self, parts: Parts) -> Any:
        async def answer(raw: bytes, context: Context) -> AsyncGenerator[Message]:
            caller = await self.entrance.caller(context, self.tool.scopes)
            left = context.time_remaining()
            try:
                async for part in self.calls.answer_in_parts(self.method, parts, self.tool, caller, raw, left):
                    yield part
            except Exception as error:  # noqa: BLE001 - as above
                failed = error
            else:
                return
            await self._fail(context, failed, caller)

        return answer

    async def _fail(self, context: Context, error: Exception, caller: Caller) -> NoReturn:
        known = isinstance(error, CitemarkError)
        body = body_of(error, caller.principal) if known else body_of_crash(error, self.tool.name)
        await fail(context, body, places_in(self.method.request))
