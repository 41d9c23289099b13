"""Failures as gRPC tells them: a canonical status with the same message as over MCP, and details for programs."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn, TypeAlias, cast

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from citemark.results.revealing import Revealer
from citemark.results.shape import ErrorBody
from citemark.services.people.admission import TurnedAway

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

DOMAIN = "citemark"
"""The domain of `ErrorInfo`: whose reasons these are."""

CODES: Mapping[str, grpc.StatusCode] = MappingProxyType(
    {
        "INVALID_ARGUMENT": grpc.StatusCode.INVALID_ARGUMENT,
        "SCOPE_VIOLATION": grpc.StatusCode.PERMISSION_DENIED,
        "BACKEND_UNAVAILABLE": grpc.StatusCode.UNAVAILABLE,
        "TIMEOUT": grpc.StatusCode.DEADLINE_EXCEEDED,
        "BUDGET_EXCEEDED": grpc.StatusCode.RESOURCE_EXHAUSTED,
        "INTERNAL_ERROR": grpc.StatusCode.INTERNAL,
    }
)
"""The status of each code of a failure; the code is the reason in its `ErrorInfo`."""

_REFUSALS: Mapping[int, tuple[grpc.StatusCode, str]] = MappingProxyType(
    {
        401: (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED"),
        403: (grpc.StatusCode.PERMISSION_DENIED, "INSUFFICIENT_SCOPE"),
        429: (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS"),
        503: (grpc.StatusCode.UNAVAILABLE, "BACKEND_UNAVAILABLE"),
    }
)

_MAX_MESSAGE_CHARS = 1000
"""A status travels in headers, of which clients take 8 KiB: as a text, three bytes for each, and as details."""


async def fail(context: Context, body: ErrorBody, places: Mapping[str, str] = MappingProxyType({})) -> NoReturn:
    """End a call with a failure; `places` are those in the request of arguments that have another name there."""
    shown: dict[str, Any] = Revealer().data({"message": body.message, "details": body.details})
    details = cast("dict[str, Any]", shown["details"])
    parts: list[Message] = [ErrorInfo(reason=body.code, domain=DOMAIN, metadata=_texts(details))]
    if issues := details.get("issues"):
        violations = [_violation(issue, places) for issue in issues]
        parts.append(BadRequest(field_violations=violations))
    if seconds := details.get("retry_after"):
        parts.append(_retry(seconds))
    await _abort(context, CODES[body.code], shown["message"], parts)


async def turn_away(context: Context, refused: TurnedAway) -> NoReturn:
    """End a call whose caller is not admitted."""
    code, reason = _REFUSALS[refused.status]
    parts: list[Message] = [ErrorInfo(reason=reason, domain=DOMAIN)]
    if refused.retry_after:
        parts.append(_retry(refused.retry_after))
    await _abort(context, code, refused.message, parts)


async def _abort(context: Context, code: grpc.StatusCode, message: str, parts: list[Message]) -> NoReturn:
    status = Status(code=code.value[0], message=message[:_MAX_MESSAGE_CHARS])
    for part in parts:
        packed = Packed()
        packed.Pack(part)
        status.details.append(packed)
    told = rpc_status.to_status(status)  # pyright: ignore[reportUnknownMemberType] - its status has no type
    await context.abort(told.code, told.details or "", tuple(told.trailing_metadata or ()))


def _violation(issue: Mapping[str, str], places: Mapping[str, str]) -> BadRequest.FieldViolation:
    """One issue of the arguments; a JSON pointer such as `/options/min_score` becomes `options.min_score`."""
    first, *others = (name.replace("~1", "/").replace("~0", "~") for name in issue["path"].removeprefix("/").split("/"))
    path = ".".join((places.get(first, first), *others))
    return BadRequest.FieldViolation(field=path, description=issue["message"], reason=issue["rule"].upper())


def _texts(details: Mapping[str, Any]) -> dict[str, str]:
    """The details that are single values, as the texts that `ErrorInfo` takes."""
    return {name: str(value) for name, value in details.items() if isinstance(value, str | int | float)}


def _retry(seconds: float) -> RetryInfo:
    return RetryInfo(retry_delay=Duration(seconds=math.ceil(seconds)))
