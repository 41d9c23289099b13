"""A client of the gRPC query services for tests: every method by its tool, requests out of the arguments of tools."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from collections.abc import Mapping
from typing import Any

import grpc
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from citemark.app.features import contract_of
from citemark.grpc_api.conversion import places_in
from citemark.grpc_api.methods import Method

_SECONDS = 60
"""More than any call takes, however busy the machine is."""

PATHS = {
    method.tool: (f"/{service}/{name}", method)
    for service, methods in contract_of().items()
    for name, method in methods.items()
}
"""The path and method that stand for a tool."""


def with_token(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata of a call with a token."""
    return (("authorization", f"Bearer {token}"),)


def request_for(tool: str, arguments: Mapping[str, Any]) -> bytes:
    """The request with the arguments of a tool."""
    _, method = PATHS[tool]
    fields = dict(arguments)
    for name, place in places_in(method.request).items():
        if name in fields:
            first, inner = place.split(".")
            value = fields.pop(name)
            fields[first] = {**fields.get(first, {}), inner: value}
    return ParseDict(fields, method.request()).SerializeToString()


def data_of(message: Message) -> dict[str, Any]:
    """A message as data as the tools have it, with the fields that have a value."""
    data = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    if "next_cursor" in data:
        data["next_cursor"] = data["next_cursor"]["value"]
    return data


async def send(channel: grpc.aio.Channel, tool: str, raw: bytes, token: str | None = None) -> list[Message]:
    """The responses to a request: one, or several of a method that streams."""
    path, method = PATHS[tool]
    metadata = () if token is None else with_token(token)
    if method.streams:
        call = channel.unary_stream(path, response_deserializer=method.response.FromString)
        return [response async for response in call(raw, metadata=metadata, timeout=_SECONDS)]
    call = channel.unary_unary(path, response_deserializer=method.response.FromString)
    return [await call(raw, metadata=metadata, timeout=_SECONDS)]


async def asked(
    channel: grpc.aio.Channel, tool: str, arguments: Mapping[str, Any], token: str | None = None
) -> dict[str, Any]:
    """The result of a call as data: the parts of an answer together, the first page of a list."""
    responses = await send(channel, tool, request_for(tool, arguments), token)
    if not _method(tool).parts:
        return data_of(responses[0])
    parts: dict[str, Any] = {}
    for response in responses:
        for part in data_of(response).values():
            parts |= part
    return parts


def _method(tool: str) -> Method:
    return PATHS[tool][1]


def details_of(error: grpc.aio.AioRpcError) -> tuple[ErrorInfo, BadRequest, RetryInfo]:
    """The details that a failure has for programs; empty ones where it has none."""
    trailing = dict(error.trailing_metadata() or ())
    status = Status.FromString(trailing["grpc-status-details-bin"])  # pyright: ignore[reportArgumentType] - bytes, for -bin
    assert (status.code, status.message) == (error.code().value[0], error.details())
    found = (ErrorInfo(), BadRequest(), RetryInfo())
    for packed in status.details:
        assert sum(packed.Unpack(each) for each in found) == 1
    return found
