"""kb.diff: which documents, or which elements and relationships of a model, differ between two states, and where."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.model.errors import InvalidArgument
from citemark.results.compared_models import COMPARED_MODELS
from citemark.results.document_changes import KbDiffOut, changes_out, changes_text, model_out
from citemark.services.history_keys import DOCUMENT_DIFF
from citemark.tools.description_parts import IN_SCHEMA, NEXT_PAGE
from citemark.tools.diff_parts import DiffIn
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Name, Names

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


class KbDiffIn(DiffIn):
    """Arguments of kb.diff."""

    path_prefixes: Names = ()
    model: Annotated[Name | None, Field(description="A model")] = None


async def diff(call: ToolCall, asked: KbDiffIn) -> ToolReply:
    """Return a page of what differs, as many rows as fit.

    Raises:
        InvalidArgument: paths of a model are asked for.
    """
    if asked.model is not None:
        return await _model_diff(call, asked, asked.model)
    prefixes = tuple(prefix.removeprefix("./").lstrip("/") for prefix in asked.path_prefixes)
    request = replace(asked.request(), path_prefixes=prefixes)
    service = call.services.get(DOCUMENT_DIFF)
    page = await service.documents(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        return ToolReply(changes_out(page, page.changes[:kept], meta), changes_text(page, kept, meta))

    return await fitting(
        call, page.meta, len(page.changes), build, lambda kept: service.cursor(call.caller, request, page, kept)
    )


async def _model_diff(call: ToolCall, asked: KbDiffIn, model: str) -> ToolReply:
    if asked.path_prefixes:
        raise InvalidArgument("/path_prefixes: elements of a model have no path; leave out path_prefixes or model.")
    page = await call.services.get(COMPARED_MODELS).page(call.caller, asked.request(), model)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        return ToolReply(model_out(page.out(kept, meta)), page.text(kept, meta))

    return await fitting(call, page.meta, page.count, build, page.cursor)


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
