"""kb.diff: which documents differ between two states, and where."""

from typing import TYPE_CHECKING

from citemark.results.document_changes import KbDiffOut, changes_out, changes_text
from citemark.services.history_keys import DOCUMENT_DIFF
from citemark.services.state_pairs import DiffRequest
from citemark.tools.diff_parts import DiffIn
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Names

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


class KbDiffIn(DiffIn):
    """Arguments of kb.diff."""

    path_prefixes: Names = ()


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
    service = call.services.get(DOCUMENT_DIFF)
    page = await service.documents(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        return ToolReply(changes_out(page, page.changes[:kept], meta), changes_text(page, kept, meta))

    return await fitting(
        call, page.meta, len(page.changes), build, lambda kept: service.cursor(call.caller, request, page, kept)
    )


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
