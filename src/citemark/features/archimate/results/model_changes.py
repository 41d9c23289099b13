"""Named states of models, and what differs between two of them."""

from typing import TYPE_CHECKING, Any

from citemark.features.archimate.results.model_parts import (
    element_out,
    headline,
    relationship_lines,
    relationship_out,
)
from citemark.model.citation import iso
from citemark.results.common_parts import IsoTime, ResponseMetaOut, count, meta_fields, with_remarks
from citemark.results.compared_states import (
    counts_out,
    counts_text,
    place_lines,
    place_out,
    state_out,
    states_text,
)
from citemark.results.model_changes import DiffBaselinesOut, ElementChangeOut, RelationshipChangeOut
from citemark.results.shape import Strict
from citemark.text.citation_line import line_of
from citemark.text.escaping import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citemark.features.archimate.services.model_diff import ElementChange, LinkChange, ModelChanges
    from citemark.services.listed_baselines import ShownBaseline
    from citemark.services.responses import ResponseMeta


class BaselineOut(Strict):
    """A named state; `as_of` is the moment that it is of."""

    baseline_id: str
    as_of: IsoTime
    made_at: IsoTime
    models: list[str]


class ListBaselinesOut(ResponseMetaOut):
    """Result of listBaselines."""

    baselines: list[BaselineOut]


def baselines_out(baselines: "Sequence[ShownBaseline]", meta: "ResponseMeta") -> ListBaselinesOut:
    """Named states of models as a result."""
    return ListBaselinesOut(baselines=[_baseline(each) for each in baselines], **meta_fields(meta))


def baselines_text(out: ListBaselinesOut, meta: "ResponseMeta") -> str:
    """Named states of models as text, one on each line."""
    return with_remarks([f"{count(len(out.baselines), 'baseline')} of models", *map(_line, out.baselines)], meta)


def model_changes_out(page: "ModelChanges", kept: int, meta: "ResponseMeta") -> DiffBaselinesOut:
    """The first `kept` changes of elements, then of relationships, as a result; the counts are those of all."""
    elements, links = _kept(page, kept)
    return DiffBaselinesOut(
        elements=[_element(change) for change in elements],
        relationships=[_relationship(change) for change in links],
        element_counts=counts_out(page.element_counts),
        relationship_counts=counts_out(page.link_counts),
        before=state_out(page.pair.before),
        after=state_out(page.pair.after),
        **meta_fields(meta),
    )


def model_changes_text(page: "ModelChanges", kept: int, meta: "ResponseMeta") -> str:
    """The first `kept` changes of elements, then of relationships, as text."""
    return with_remarks([*_head(page), *_change_lines(*_kept(page, kept))], meta)


def _kept(page: "ModelChanges", kept: int) -> "tuple[tuple[ElementChange, ...], tuple[LinkChange, ...]]":
    return page.elements[:kept], page.links[: max(0, kept - len(page.elements))]


def _baseline(shown: "ShownBaseline") -> BaselineOut:
    return BaselineOut(
        baseline_id=shown.baseline.name,
        as_of=iso(shown.as_of),
        made_at=iso(shown.baseline.made_at),
        models=[each.source.name for each in shown.sources],
    )


def _line(baseline: BaselineOut) -> str:
    return one_line(f"- {baseline.baseline_id}: state of {baseline.as_of} of {', '.join(baseline.models)}")


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
