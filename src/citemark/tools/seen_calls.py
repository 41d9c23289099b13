"""What is told of a call after it was answered.

The audit and the metrics take numbers and names from it, never a question or a text.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import mcp_types as types

from citemark.evidence.budget import bytes_len, json_bytes

READ_RESOURCE = "resources/read"
"""The name under which reading a passage is recorded among the tools."""


@dataclass(frozen=True, slots=True)
class SeenCall:
    """The record of one call.

    Attributes:
        principal: the key of the principal who called.
        tool: the tool's name with dots, or `resources/read`.
        outcome: `ok`, `another_round`, or the code of the failure.
        size: bytes of the answer, text and structured content together.
        seconds: the time until the answer was ready.
        follows_cursor: whether the call asked for a further page.
        limit_reason: why the answer is incomplete, or `none` if it is complete.
        folded: the number of places listed with another hit instead of being hits of their own.
        withheld: the number of hits that their source could not confirm.
        arguments: as the client sent them, which only an owner who switched that on has kept.
        content: the data of the answer, or the envelope of a failure; likewise.
    """

    principal: str
    tool: str
    outcome: str
    size: int
    seconds: float
    follows_cursor: bool = False
    limit_reason: str = "none"
    folded: int = 0
    withheld: int = 0
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    content: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)


UNKNOWN_TOOL = "unknown"
"""In the place of a name that is none of a tool: what clients make up is no label of metrics, and not in the audit."""

CallObserver: TypeAlias = Callable[[SeenCall], None]


def seen_call(
    principal: str,
    tool: str,
    arguments: Mapping[str, Any] | None,
    result: types.CallToolResult | types.InputRequiredResult,
    seconds: float,
) -> SeenCall:
    """The record of a tool call."""
    if isinstance(result, types.InputRequiredResult):
        return SeenCall(principal, tool, "another_round", 0, seconds, arguments=arguments or {})
    text = sum(bytes_len(block.text) for block in result.content if isinstance(block, types.TextContent))
    size = text + (json_bytes(result.structured_content) if result.structured_content else 0)
    content = _content(result)
    if result.is_error:
        code = str(content.get("error", {}).get("code", "INTERNAL_ERROR"))
        return SeenCall(principal, tool, code, size, seconds, arguments=arguments or {}, content=content)
    return answered_call(principal, tool, arguments, content, size, seconds)


def answered_call(
    principal: str,
    tool: str,
    arguments: Mapping[str, Any] | None,
    content: Mapping[str, Any],
    size: int,
    seconds: float,
) -> SeenCall:
    """The record of a call that succeeded, over any transport; `size` is what was sent of its `content`."""
    return SeenCall(
        principal=principal,
        tool=tool,
        outcome="ok",
        size=size,
        seconds=seconds,
        follows_cursor=bool((arguments or {}).get("cursor")),
        limit_reason=str(content.get("limit_reason", "none")),
        folded=sum(len(hit.get("also_in", ())) for hit in _hits(content)),
        withheld=int(content.get("withheld_unverified", 0)),
        arguments=arguments or {},
        content=content,
    )


def refused_call(principal: str, tool: str | None, seconds: float) -> SeenCall:
    """The record of a call without a result: there is no such tool (None) for its caller, or its state is not valid."""
    return SeenCall(principal, tool or UNKNOWN_TOOL, "INVALID_ARGUMENT", 0, seconds)


def _content(result: types.CallToolResult) -> Mapping[str, Any]:
    """The data of a result; where the settings have only texts sent, the text is the JSON of the data."""
    if result.structured_content is not None:
        return result.structured_content
    text = next((block.text for block in result.content if isinstance(block, types.TextContent)), "")
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def _hits(content: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    results = content.get("results", ())
    return cast("Sequence[Mapping[str, Any]]", results) if isinstance(results, list) else ()
