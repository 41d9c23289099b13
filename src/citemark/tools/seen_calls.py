"""What is kept of a call after it was answered: numbers and names, never a question or a text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import mcp_types as types

from citemark.evidence.budget import bytes_len, json_bytes

READ_RESOURCE = "resources/read"
"""How reading a passage is called among the tools."""


@dataclass(frozen=True, slots=True)
class SeenCall:
    """One call.

    Attributes:
        principal: who called.
        tool: its name with dots, or `resources/read`.
        outcome: `ok`, `another_round`, or the code of the failure.
        size: bytes of the answer, text and structured content together.
        seconds: until the answer was ready.
        follows_cursor: whether it turned a page.
        limit_reason: why the answer is not whole, `none` where it is.
        folded: places that are told with another hit instead of as hits of their own.
        withheld: hits that their source could not confirm.
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


CallObserver: TypeAlias = Callable[[SeenCall], None]


def seen_call(
    principal: str,
    tool: str,
    arguments: Mapping[str, Any] | None,
    result: types.CallToolResult | types.InputRequiredResult,
    seconds: float,
) -> SeenCall:
    """What is kept of a tool's call."""
    if isinstance(result, types.InputRequiredResult):
        return SeenCall(principal, tool, "another_round", 0, seconds)
    said: Mapping[str, Any] = result.structured_content or {}
    text = sum(bytes_len(block.text) for block in result.content if isinstance(block, types.TextContent))
    return SeenCall(
        principal=principal,
        tool=tool,
        outcome=str(said.get("error", {}).get("code", "INTERNAL_ERROR")) if result.is_error else "ok",
        size=text + (json_bytes(said) if said else 0),
        seconds=seconds,
        follows_cursor=bool((arguments or {}).get("cursor")),
        limit_reason=str(said.get("limit_reason", "none")),
        folded=sum(len(hit.get("also_in", ())) for hit in _hits(said)),
        withheld=int(said.get("withheld_unverified", 0)),
    )


def _hits(said: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found = said.get("results", ())
    return cast("Sequence[Mapping[str, Any]]", found) if isinstance(found, list) else ()
