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
from citemark.results.shape import Strict
from citemark.text.citation_line import line_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citemark.services.document_diff import DocumentChange, DocumentChanges
    from citemark.services.responses import ResponseMeta


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
    sides: dict[str, Any] = {"before": change.before, "after": change.after}
    return DocumentChangeOut(
        change=change.change,
        **{name: cited(citation) for name, citation in sides.items() if citation is not None},
        places=[place_out(place) for place in change.places],
        more_places=change.more_places,
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
