"""Shared by the results of the legacy tools: the outer fields, with the size of the result under `meta`."""

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from citemark.results.common_parts import IncompleteOut, ReadContextOut, UsageOut, meta_fields
from citemark.results.shape import Strict
from citemark.services.empty import EmptyReason

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


class LegacyMetaOut(Strict):
    """What the result weighs, and of which state it is."""

    usage: UsageOut
    read_context: ReadContextOut
    withheld_unverified: int
    notes: list[str] = Field(default_factory=list[str])


class LegacyOut(Strict):
    """The frame of every older result; `unknown_ids` are those of the request that name nothing of the caller's."""

    session_id: str
    partial: bool
    limit_reason: Literal["page_size", "token_cap", "byte_cap", "none"]
    next_cursor: str | None
    unknown_ids: list[str]
    meta: LegacyMetaOut
    empty_reason: EmptyReason | None = None
    empty_message: str | None = None
    incomplete: IncompleteOut | None = None


_OUTER = ("session_id", "partial", "limit_reason", "next_cursor", "empty_reason", "empty_message", "incomplete")


def frame(meta: "ResponseMeta", unknown: tuple[str, ...] = (), *, cut: bool = False) -> dict[str, Any]:
    """The fields of `LegacyOut`. `cut`: something was left out of the reply to stay below the byte cap."""
    fields = meta_fields(meta, cut=cut)
    inner = {name: fields[name] for name in ("usage", "read_context", "withheld_unverified", "notes") if name in fields}
    outer = {name: fields[name] for name in _OUTER if name in fields}
    return {**outer, "unknown_ids": list(unknown), "meta": LegacyMetaOut(**inner)}
