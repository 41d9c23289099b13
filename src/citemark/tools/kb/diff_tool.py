"""kb.diff: which documents differ between two states, and where."""

from typing import TYPE_CHECKING

from citemark.results.document_changes import KbDiffOut, changes_out, changes_text
from citemark.services.history_keys import DOCUMENT_DIFF
from citemark.services.state_pairs import DiffRequest
from citemark.tools.description_parts import IN_SCHEMA, NEXT_PAGE
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
        "Use when you want to know what changed between two states.\n"
        "Do not use when you ask what documents say, or said: kb.retrieve_evidence with read_context.\n"
        "Returns at most page_size documents added, removed, changed or renamed, cited before and after.\n"
        f"{NEXT_PAGE}"
        f"{IN_SCHEMA}"
    ),
    takes=KbDiffIn,
    gives=KbDiffOut,
    handle=diff,
    core=True,
)
