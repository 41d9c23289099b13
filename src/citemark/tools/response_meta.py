"""What every result ends with: the state that was read, what was cut and why, and what it weighs."""

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from citemark.evidence.empty import EmptyReason
from citemark.model.citation import iso
from citemark.tools.schema import Strict
from citemark.tools.values import IsoTime

if TYPE_CHECKING:
    from citemark.evidence.results import ResponseMeta


class ReadContextOut(Strict):
    """The state that was read."""

    baseline_id: str | None
    as_of: IsoTime


class UsageOut(Strict):
    """What the result weighs; a token is four bytes."""

    tokens_estimate: int
    bytes_returned: int


TotalIs = Literal["exact", "at_least"]
"""What `total_found` says: all documents that there are, or those that were asked for and confirmed so far."""


class ResponseMetaOut(Strict):
    """What every result ends with."""

    read_context: ReadContextOut
    partial: bool
    limit_reason: Literal["page_size", "token_cap", "byte_cap", "none"]
    next_cursor: str | None
    usage: UsageOut
    withheld_unverified: int
    session_id: str
    notes: list[str] = Field(default_factory=list[str])
    empty_reason: EmptyReason | None = None
    empty_message: str | None = None


def meta_fields(meta: "ResponseMeta", *, cut: bool = False) -> dict[str, Any]:
    """The fields of `ResponseMetaOut`. `cut`: this room left something out to stay below the byte cap."""
    fields: dict[str, Any] = {
        "read_context": ReadContextOut(baseline_id=meta.read_context.baseline_id, as_of=iso(meta.read_context.as_of)),
        "partial": meta.partial or cut,
        "limit_reason": "byte_cap" if cut else meta.limit_reason,
        "next_cursor": meta.next_cursor,
        "usage": UsageOut(tokens_estimate=0, bytes_returned=0),
        "withheld_unverified": meta.withheld_unverified,
        "session_id": meta.session_id,
    }
    if meta.notes:
        fields["notes"] = list(meta.notes)
    if meta.empty is not None:
        fields |= {"empty_reason": meta.empty.reason, "empty_message": meta.empty.text}
    return fields
