"""kb.diff: which documents differ between two states, and where."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from citemark.model.citation import iso
from citemark.services.state_pairs import DiffRequest
from citemark.text.citation_line import line_of
from citemark.tools.diff_parts import (
    Change,
    CountsOut,
    DiffIn,
    DiffOut,
    PlaceOut,
    StateOut,
    counts_out,
    counts_text,
    place_lines,
    place_out,
    states_text,
)
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schema import Strict
from citemark.tools.schemas_in import Names
from citemark.tools.schemas_out import CitationOut, cited, meta_fields, with_remarks

if TYPE_CHECKING:
    from citemark.services.document_diff import DocumentChange, DocumentChanges
    from citemark.services.responses import ResponseMeta


class KbDiffIn(DiffIn):
    """Arguments of kb.diff."""

    path_prefixes: Names = ()


class DocumentChangeOut(Strict):
    """A document that differs; each side cites it whole at its revision."""

    change: Change
    before: CitationOut | None = None
    after: CitationOut | None = None
    places: list[PlaceOut] = Field(default_factory=list[PlaceOut])
    more_places: int = 0


class KbDiffOut(DiffOut):
    """Result of kb.diff."""

    changes: list[DocumentChangeOut]
    counts: CountsOut


async def diff(call: ToolCall, asked: KbDiffIn) -> ToolReply:
    """Return a page of the documents that differ, as many as fit."""
    request = DiffRequest(
        before=asked.before,
        after=asked.after,
        scope=asked.scope.value(),
        path_prefixes=tuple(prefix.removeprefix("./").lstrip("/") for prefix in asked.path_prefixes),
        page_size=asked.page_size,
        cursor=asked.cursor,
    )
    service = call.services.document_diff
    page = await service.documents(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        out = KbDiffOut(
            changes=[_change(change) for change in page.changes[:kept]],
            counts=counts_out(page.counts),
            before=StateOut(baseline_id=page.pair.before.baseline_id, as_of=iso(page.pair.before.as_of)),
            after=StateOut(baseline_id=page.pair.after.baseline_id, as_of=iso(page.pair.after.as_of)),
            **meta_fields(meta),
        )
        return ToolReply(out, _text(page, kept, meta))

    return await fitting(
        call, page.meta, len(page.changes), build, lambda kept: service.cursor(call.caller, request, page, kept)
    )


def _change(change: "DocumentChange") -> DocumentChangeOut:
    sides: dict[str, Any] = {"before": change.before, "after": change.after}
    return DocumentChangeOut(
        change=change.change,
        **{name: cited(citation) for name, citation in sides.items() if citation is not None},
        places=[place_out(place) for place in change.places],
        more_places=change.more_places,
    )


def _text(page: "DocumentChanges", kept: int, meta: "ResponseMeta") -> str:
    lines = [f"Documents {states_text(page.pair.before, page.pair.after)}: {counts_text(page.counts)}"]
    for number, change in enumerate(page.changes[:kept], start=1):
        lines += ["", f"{number}. {change.change}"]
        lines += [f"[before: {line_of(change.before, named=True)}]"] if change.before else []
        lines += [f"[after: {line_of(change.after, named=True)}]"] if change.after else []
        lines += place_lines(change.places, change.more_places)
    return with_remarks(lines, meta)


DIFF = Tool(
    name="kb.diff",
    title="What changed",
    description=(
        "Use when you want to know which documents changed between two states: since a release, since last week.\n"
        "Do not use when you ask what the documents say (kb.retrieve_evidence), or said (the same with "
        "read_context {as_of} or {baseline_id}).\n"
        "Returns at most page_size documents that were added, removed, changed or renamed, each with citations before "
        "and after and its first 3 changed places.\n"
        "If you need more, call again with next_cursor as cursor.\n"
        "Defaults and caps: page_size 25 (max 100), to HEAD, 300 characters a place."
    ),
    takes=KbDiffIn,
    gives=KbDiffOut,
    handle=diff,
)
