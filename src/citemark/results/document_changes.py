"""Documents that differ between two states."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from citemark.results.common_parts import CitationOut, cited, meta_fields, with_remarks
from citemark.results.compared_states import (
    Change,
    CountsOut,
    DiffOut,
    PlaceOut,
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citemark.services.document_diff import DocumentChange, DocumentChanges
    from citemark.services.responses import ResponseMeta


class DocumentChangeOut(Strict):
    """A document that differs; each side cites it whole at its revision.

    `element_type` is that of an element in the later state that has it, where a model is compared.
    """

    change: Change
    before: CitationOut | None = None
    after: CitationOut | None = None
    places: list[PlaceOut] = Field(default_factory=list[PlaceOut])
    more_places: int = 0
    element_type: str | None = None


class KbDiffOut(DiffOut):
    """Result of kb.diff; where a model is compared, `changes` are its elements, followed by its relationships."""

    changes: list[DocumentChangeOut]
    counts: CountsOut
    relationships: list[RelationshipChangeOut] | None = None
    relationship_counts: CountsOut | None = None


def changes_out(page: "DocumentChanges", changes: "Sequence[DocumentChange]", meta: "ResponseMeta") -> KbDiffOut:
    """Some of the changes between two states as a result; the counts are those of all."""
    return KbDiffOut(
        changes=[_change(change) for change in changes],
        counts=counts_out(page.counts),
        before=state_out(page.pair.before),
        after=state_out(page.pair.after),
        **meta_fields(meta),
    )


def _change(change: "DocumentChange") -> DocumentChangeOut:
    sides = {"before": change.before, "after": change.after}
    cited_sides: dict[str, Any] = {name: cited(side) for name, side in sides.items() if side is not None}
    return DocumentChangeOut(
        change=change.change,
        **cited_sides,
        places=[place_out(place) for place in change.places],
        more_places=change.more_places,
    )


def model_out(compared: DiffBaselinesOut) -> KbDiffOut:
    """What differs between two states of a model: its elements are documents, which state its relationships."""
    common = {name: getattr(compared, name) for name in DiffOut.model_fields if name in compared.model_fields_set}
    return KbDiffOut(
        changes=[_element(change) for change in compared.elements],
        counts=compared.element_counts,
        relationships=compared.relationships,
        relationship_counts=compared.relationship_counts,
        **common,
    )


def _element(change: ElementChangeOut) -> DocumentChangeOut:
    shown = {name: side for name, side in (("before", change.before), ("after", change.after)) if side is not None}
    cited_sides: dict[str, Any] = {name: side.citation for name, side in shown.items()}
    return DocumentChangeOut(
        change=change.change,
        **cited_sides,
        places=change.places,
        more_places=change.more_places,
        element_type=[side.element_type for side in shown.values()][-1],
    )


def changes_text(page: "DocumentChanges", kept: int, meta: "ResponseMeta") -> str:
    """The first `kept` of the changes as text."""
    lines = [f"Documents {states_text(page.pair.before, page.pair.after)}: {counts_text(page.counts)}"]
    for number, change in enumerate(page.changes[:kept], start=1):
        lines += ["", f"{number}. {change.change}"]
        lines += [f"[before: {line_of(change.before, named=True)}]"] if change.before else []
        lines += [f"[after: {line_of(change.after, named=True)}]"] if change.after else []
        lines += place_lines(change.places, change.more_places)
    return with_remarks(lines, meta)
