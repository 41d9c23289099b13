"""architecture.listBaselines and architecture.diffBaselines: named states of the models, and their differences."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AliasChoices, Field

from citemark.model.architecture import ARCHIMATE
from citemark.model.citation import iso
from citemark.services.state_pairs import DiffRequest
from citemark.text.citation_line import line_of
from citemark.text.escaping import one_line
from citemark.tools.architecture.model_lines import headline, relationship_lines
from citemark.tools.architecture.schemas_out import (
    ElementOut,
    RelationshipOut,
    element_out,
    relationship_out,
)
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
from citemark.tools.schemas_in import Name
from citemark.tools.schemas_out import IsoTime, ResponseMetaOut, count, meta_fields, with_remarks

if TYPE_CHECKING:
    from citemark.services.architecture.model_diff import ElementChange, LinkChange, ModelChanges
    from citemark.services.named_states import ShownBaseline
    from citemark.services.responses import ResponseMeta

_MOST = 100
"""Maximum number of baselines on one page."""


class ListBaselinesIn(Strict):
    """Arguments of listBaselines."""

    cursor: Annotated[Name | None, Field(description="next_cursor of the page before.")] = None


class BaselineOut(Strict):
    """A named state; `as_of` is the moment that it is of."""

    baseline_id: str
    as_of: IsoTime
    made_at: IsoTime
    models: list[str]


class ListBaselinesOut(ResponseMetaOut):
    """Result of listBaselines."""

    baselines: list[BaselineOut]


async def list_baselines(call: ToolCall, asked: ListBaselinesIn) -> ToolReply:
    """List the baselines of models, the oldest first."""
    page = await call.services.baselines.page(call.caller, ARCHIMATE, asked.cursor)
    baselines = page.baselines

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        entries = [_baseline(baseline) for baseline in baselines[:kept]]
        lines = [f"{count(kept, 'baseline')} of models", *map(_line, entries)]
        return ToolReply(ListBaselinesOut(baselines=entries, **meta_fields(meta)), with_remarks(lines, meta))

    async def cursor(kept: int) -> str | None:
        return baselines[kept - 1].baseline.name if kept < len(baselines) else None

    return await fitting(call, page.meta, min(len(baselines), _MOST), build, cursor)


def _baseline(shown: "ShownBaseline") -> BaselineOut:
    return BaselineOut(
        baseline_id=shown.baseline.name,
        as_of=iso(shown.as_of),
        made_at=iso(shown.baseline.made_at),
        models=[each.source.name for each in shown.sources],
    )


def _line(baseline: BaselineOut) -> str:
    return one_line(f"- {baseline.baseline_id}: state of {baseline.as_of} of {', '.join(baseline.models)}")


class DiffBaselinesIn(DiffIn):
    """Arguments of diffBaselines."""

    model: Annotated[
        Name | None,
        Field(validation_alias=AliasChoices("model", "source"), description="One source; else all."),
    ] = None


class ElementChangeOut(Strict):
    """An element that differs, as it was and as it is."""

    change: Change
    before: ElementOut | None = None
    after: ElementOut | None = None
    places: list[PlaceOut] = Field(default_factory=list[PlaceOut])
    more_places: int = 0


class RelationshipChangeOut(Strict):
    """A relationship that differs, as it was and as it is."""

    change: Change
    before: RelationshipOut | None = None
    after: RelationshipOut | None = None


class DiffBaselinesOut(DiffOut):
    """Result of diffBaselines."""

    elements: list[ElementChangeOut]
    relationships: list[RelationshipChangeOut]
    element_counts: CountsOut
    relationship_counts: CountsOut


async def diff_baselines(call: ToolCall, asked: DiffBaselinesIn) -> ToolReply:
    """Return a page of the elements and relationships that differ, as many as fit."""
    request = DiffRequest(
        before=asked.before,
        after=asked.after,
        scope=asked.scope.value(),
        page_size=asked.page_size,
        cursor=asked.cursor,
    )
    service = call.services.model_diff
    page = await service.models(call.caller, request, asked.model)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        elements, links = page.elements[:kept], page.links[: max(0, kept - len(page.elements))]
        out = DiffBaselinesOut(
            elements=[_element(change) for change in elements],
            relationships=[_relationship(change) for change in links],
            element_counts=counts_out(page.element_counts),
            relationship_counts=counts_out(page.link_counts),
            before=StateOut(baseline_id=page.pair.before.baseline_id, as_of=iso(page.pair.before.as_of)),
            after=StateOut(baseline_id=page.pair.after.baseline_id, as_of=iso(page.pair.after.as_of)),
            **meta_fields(meta),
        )
        return ToolReply(out, with_remarks([*_head(page), *_change_lines(elements, links)], meta))

    return await fitting(
        call,
        page.meta,
        len(page.rows),
        build,
        lambda kept: service.cursor(call.caller, request, asked.model, page, kept),
    )


def _element(change: "ElementChange") -> ElementChangeOut:
    sides: dict[str, Any] = {"before": change.before, "after": change.after}
    return ElementChangeOut(
        change=change.change,
        **{name: element_out(card) for name, card in sides.items() if card is not None},
        places=[place_out(place) for place in change.places],
        more_places=change.more_places,
    )


def _relationship(change: "LinkChange") -> RelationshipChangeOut:
    sides: dict[str, Any] = {"before": change.before, "after": change.after}
    relationships = {name: relationship_out(card) for name, card in sides.items() if card is not None}
    return RelationshipChangeOut(change=change.change, **relationships)


def _head(page: "ModelChanges") -> list[str]:
    return [
        f"Models {states_text(page.pair.before, page.pair.after)}",
        f"Elements: {counts_text(page.element_counts)}. Relationships: {counts_text(page.link_counts)}.",
    ]


def _change_lines(elements: "tuple[ElementChange, ...]", links: "tuple[LinkChange, ...]") -> list[str]:
    lines: list[str] = []
    for change in elements:
        for side, card in (("before", change.before), ("after", change.after)):
            if card is not None:
                lines.append(f"- {change.change} element, {side}: {headline(card.part)} [{line_of(card.citation)}]")
        lines += place_lines(change.places, change.more_places)
    for link in links:
        for side, link_card in (("before", link.before), ("after", link.after)):
            if link_card is not None:
                lines += [f"- {link.change} relationship, {side}:", *relationship_lines([link_card], with_state=True)]
    return lines


BASELINE_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="architecture.diffBaselines",
        title="Compare two states of the models",
        description=(
            "Use when you want to know which elements and relationships changed between two states.\n"
            "Do not use when you ask what a model says at one of them: the other tools take read_context.\n"
            "Returns at most page_size elements, then relationships, each as it was and as it is, cited.\n"
            "If you need more, call again with next_cursor as cursor.\n"
            "Defaults and caps: page_size 25 (max 100), to HEAD."
        ),
        takes=DiffBaselinesIn,
        gives=DiffBaselinesOut,
        handle=diff_baselines,
    ),
    Tool(
        name="architecture.listBaselines",
        title="List baselines",
        description=(
            "Use when you want to know which named states of the models there are.\n"
            "Do not use when you know a moment: every tool takes one.\n"
            "Returns at most what fits a result, the oldest first.\n"
            "If you need more, call again with next_cursor as cursor.\n"
            "Defaults and caps: result at most 48 KiB."
        ),
        takes=ListBaselinesIn,
        gives=ListBaselinesOut,
        handle=list_baselines,
    ),
)
