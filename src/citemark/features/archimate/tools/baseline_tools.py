"""architecture.listBaselines and architecture.diffBaselines: named states of the models, and their differences."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.features.archimate.results.model_changes import (
    ListBaselinesOut,
    baselines_out,
    baselines_text,
)
from citemark.model.architecture import ARCHIMATE
from citemark.results.compared_models import COMPARED_MODELS
from citemark.results.model_changes import DiffBaselinesOut
from citemark.results.shape import Strict
from citemark.services.bundle import LISTED_BASELINES
from citemark.tools.description_parts import IN_SCHEMA, NEXT_PAGE
from citemark.tools.diff_parts import DiffIn
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Name

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta

_MOST = 100
"""Maximum number of baselines on one page."""


class ListBaselinesIn(Strict):
    """Arguments of listBaselines."""

    cursor: Name | None = None


async def list_baselines(call: ToolCall, asked: ListBaselinesIn) -> ToolReply:
    """List the baselines of models, the oldest first."""
    page = await call.services.get(LISTED_BASELINES).page(call.caller, ARCHIMATE, asked.cursor)
    baselines = page.baselines

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        out = baselines_out(baselines[:kept], meta)
        return ToolReply(out, baselines_text(out, meta))

    async def cursor(kept: int) -> str | None:
        return baselines[kept - 1].baseline.name if kept < len(baselines) else None

    return await fitting(call, page.meta, min(len(baselines), _MOST), build, cursor)


class DiffBaselinesIn(DiffIn):
    """Arguments of diffBaselines."""

    model: Annotated[Name | None, Field(description="A source's name")] = None


async def diff_baselines(call: ToolCall, asked: DiffBaselinesIn) -> ToolReply:
    """Return a page of the elements and relationships that differ, as many as fit."""
    page = await call.services.get(COMPARED_MODELS).page(call.caller, asked.request(), asked.model)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        return ToolReply(page.out(kept, meta), page.text(kept, meta))

    return await fitting(call, page.meta, page.count, build, page.cursor)


BASELINE_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="architecture.diffBaselines",
        title="Compare two states of the models",
        description=(
            "Use when you want to know which elements and relationships changed between two states.\n"
            "Do not use when you ask what a model said: the other tools take read_context.\n"
            "Returns at most page_size elements, then relationships, as they were and are, cited.\n"
            f"{NEXT_PAGE}"
            f"{IN_SCHEMA}"
        ),
        takes=DiffBaselinesIn,
        gives=DiffBaselinesOut,
        handle=diff_baselines,
    ),
    Tool(
        name="architecture.listBaselines",
        title="List baselines",
        description=(
            "Use when you want the named states of the models.\n"
            "Do not use when you know a moment: every tool takes one.\n"
            "Returns at most what fits a result, the oldest first.\n"
            f"{NEXT_PAGE}"
            "Defaults and caps: result of 48 KiB."
        ),
        takes=ListBaselinesIn,
        gives=ListBaselinesOut,
        handle=list_baselines,
    ),
)
