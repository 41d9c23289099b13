"""The parts of results that the tools of the family share."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from citemark.evidence.tokens import whole_sign_before
from citemark.model.citation import Citation, iso
from citemark.tools.schema import Brief, JsonSchema, Strict
from citemark.tools.values import IsoTime

if TYPE_CHECKING:
    from citemark.evidence.results import Frame

_MAX_TITLE_CHARS = 300


class SpanOut(Strict):
    """From a first to a last place."""

    start: int
    end: int


class AnchorOut(Strict):
    """Heading slug, lines (1-based, inclusive), characters (end excluded)."""

    heading: str | None = None
    lines: SpanOut | None = None
    chars: SpanOut | None = None


class CitationOut(Brief):
    """Enough to find the words again later."""

    source: str
    doc_type: str
    document_id: str
    revision_id: str
    baseline_id: str | None
    as_of: IsoTime
    anchor: AnchorOut
    span: SpanOut
    title: str
    url: str | None


class ReadContextOut(Brief):
    """The state that was read."""

    baseline_id: str | None
    as_of: IsoTime


class UsageOut(Brief):
    """What the result weighs; a token is four bytes."""

    tokens_estimate: int
    bytes_returned: int


class FramedOut(Strict):
    """What every result ends with."""

    read_context: ReadContextOut
    partial: bool
    limit_reason: Literal["page_size", "token_cap", "byte_cap", "none"]
    next_cursor: str | None
    usage: UsageOut
    withheld_unverified: int
    session_id: str
    notes: list[str] = Field(default_factory=list[str])


class BrieflyFramedOut(FramedOut):
    """The same. The list of tools names these fields in what is required, and `kb.search` spells them out.

    `named_only` are further fields of a result that are named there and not spelled out.
    """

    named_only: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchema:
        schema = handler.resolve_ref_schema(handler(core_schema))
        for name in (*FramedOut.model_fields, *cls.named_only):
            schema["properties"].pop(name, None)
        return schema


def framed(frame: "Frame", *, cut: bool = False) -> dict[str, Any]:
    """The fields of `FramedOut`. `cut`: this room left something out to stay below the byte cap."""
    fields: dict[str, Any] = {
        "read_context": ReadContextOut(baseline_id=frame.read_context.baseline_id, as_of=iso(frame.read_context.as_of)),
        "partial": frame.partial or cut,
        "limit_reason": "byte_cap" if cut else frame.limit_reason,
        "next_cursor": frame.next_cursor,
        "usage": UsageOut(tokens_estimate=0, bytes_returned=0),
        "withheld_unverified": frame.withheld_unverified,
        "session_id": frame.session_id,
    }
    if frame.notes:
        fields["notes"] = list(frame.notes)
    return fields


def citation_fields(citation: Citation) -> dict[str, Any]:
    """The fields of `CitationOut`."""
    anchor: dict[str, Any] = dict(citation.anchor.as_dict())
    return {
        "source": citation.source,
        "doc_type": citation.doc_type,
        "document_id": citation.document_id,
        "revision_id": citation.revision_id,
        "baseline_id": citation.baseline_id,
        "as_of": iso(citation.as_of),
        "anchor": AnchorOut.model_validate(anchor),
        "span": SpanOut(start=citation.span.start, end=citation.span.end),
        "title": short(citation.title, _MAX_TITLE_CHARS),
        "url": citation.url,
    }


def cited(citation: Citation) -> CitationOut:
    """A citation as it is shown."""
    return CitationOut(**citation_fields(citation))


def scratch_uri(session_id: str, passage_id: str) -> str:
    """Where a host may open a whole passage."""
    return f"citemark://scratch/{session_id}/{passage_id}"


def short(text: str, limit: int) -> str:
    """At most `limit` characters, ending in dots where something is missing."""
    if len(text) <= limit:
        return text
    return text[: whole_sign_before(text, limit - 1)].rstrip() + "…"
