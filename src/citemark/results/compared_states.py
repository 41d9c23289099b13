"""What differs between two states: the states, the places, how many."""

from typing import TYPE_CHECKING, Literal

from citemark.model.citation import iso
from citemark.results.common_parts import IsoTime, ResponseMetaOut, SpanOut, line_numbers
from citemark.results.shape import Strict
from citemark.services.asked_states import state_named
from citemark.text.escaping import marked, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citemark.evidence.changed_places import ChangedPlace, PlaceSide
    from citemark.model.changes import ChangeCounts
    from citemark.model.scope import ResolvedContext


Change = Literal["added", "removed", "changed", "renamed"]


class StateOut(Strict):
    """One of the two states."""

    baseline_id: str | None = None
    as_of: IsoTime


class CountsOut(Strict):
    """How many differ in all."""

    added: int
    removed: int
    changed: int
    renamed: int = 0


class PlaceSideOut(Strict):
    """Words of one revision at a place; the lines belong to the citation of the same side."""

    text: str
    lines: SpanOut
    span: SpanOut
    cut: bool = False


class PlaceOut(Strict):
    """A place that differs; a side is missing where lines only came or only went."""

    before: PlaceSideOut | None = None
    after: PlaceSideOut | None = None


class DiffOut(ResponseMetaOut):
    """What every comparison says of its states."""

    before: StateOut
    after: StateOut


def state_out(state: "ResolvedContext") -> StateOut:
    """One of the two states, as it appears in a result."""
    return StateOut(baseline_id=state.baseline_id, as_of=iso(state.as_of))


def place_out(place: "ChangedPlace") -> PlaceOut:
    """A place that differs, as it appears in a result."""
    sides = {"before": place.before, "after": place.after}
    return PlaceOut(**{name: _side_out(side) for name, side in sides.items() if side is not None})


def _side_out(side: "PlaceSide") -> PlaceSideOut:
    return PlaceSideOut(
        text=side.text,
        lines=SpanOut(start=side.lines.start, end=side.lines.end),
        span=SpanOut(start=side.span.start, end=side.span.end),
        cut=side.cut,
    )


def counts_out(counts: "ChangeCounts") -> CountsOut:
    """Counts as they appear in a result."""
    return CountsOut(added=counts.added, removed=counts.removed, changed=counts.changed, renamed=counts.renamed)


def counts_text(counts: "ChangeCounts") -> str:
    """Counts as text, such as `2 added, 1 changed`."""
    kinds = ("added", "removed", "changed", "renamed")
    parts = [f"{number} {kind}" for kind in kinds if (number := getattr(counts, kind))]
    return ", ".join(parts) or "none differs"


def states_text(before: "ResolvedContext", after: "ResolvedContext") -> str:
    """Both states as text."""
    return one_line(f"from {state_named(before)} to {state_named(after)}")


def place_lines(places: "Sequence[ChangedPlace]", more: int) -> list[str]:
    """Places as text: the words before and after, each with their line numbers."""
    lines: list[str] = []
    for place in places:
        for name, side in (("before", place.before), ("after", place.after)):
            if side is not None:
                cut = ", cut" if side.cut else ""
                lines += [f"{name}, line {line_numbers(side.lines)}{cut}:", *marked(side.text)]
    return [*lines, f"{more} more places differ."] if more else lines
