"""Excerpts: text of a passage or around it, and where to read on."""

from typing import TYPE_CHECKING, Any, Literal

from citemark.results.common_parts import (
    CitationOut,
    ResponseMetaOut,
    citation_fields,
    line_numbers,
    meta_fields,
    place_of,
    quoted,
    scratch_uri,
    with_remarks,
)
from citemark.text.citation_line import name_of
from citemark.text.escaping import marked

if TYPE_CHECKING:
    from citemark.services.responses import Excerpt


class ExcerptCitationOut(CitationOut):
    """A citation, and where to read on."""

    section_id: str
    doc_tag: str
    uri: str


class ExcerptOut(ResponseMetaOut):
    """Result of both tools."""

    passage_id: str
    excerpt: str
    truncated: bool
    start_char: int
    next_passage_id: str | None
    next_start_char: int | None
    offsets_of: Literal["passage", "revision"]
    citation: ExcerptCitationOut | None = None


def excerpt_out(excerpt: "Excerpt", *, with_citation: bool = True, cut: bool = False) -> ExcerptOut:
    """An excerpt as a result. `cut`: it was shortened to stay below the byte cap."""
    optional: dict[str, Any] = {}
    onward = excerpt.onward
    if with_citation:
        optional["citation"] = ExcerptCitationOut(
            **citation_fields(excerpt.citation),
            section_id=excerpt.citation.document_id,
            doc_tag=excerpt.doc_tag,
            uri=scratch_uri(excerpt.meta.session_id, excerpt.passage_id),
        )
    return ExcerptOut(
        passage_id=excerpt.passage_id,
        excerpt=excerpt.text,
        truncated=excerpt.truncated,
        start_char=excerpt.start_char,
        next_passage_id=onward.passage_id if onward else None,
        next_start_char=None if onward is None or onward.at_start else onward.start_char,
        offsets_of=excerpt.of,
        **optional,
        **meta_fields(excerpt.meta, cut=cut),
    )


def render_excerpt(excerpt: "Excerpt", *, with_citation: bool) -> str:
    """The excerpt with its citation, and how to read on, as text."""
    lines = [*marked(excerpt.text), ""]
    if with_citation:
        lines.append(place_of([excerpt.citation], excerpt.passage_id, name_of(excerpt.citation)))
    lines.append(_onward(excerpt))
    return with_remarks(lines, excerpt.meta).rstrip()


def _onward(excerpt: "Excerpt") -> str:
    """A sentence that says how to read on, or that the document ends."""
    onward = excerpt.onward
    if onward is None:
        return "The document ends here."
    start = "" if onward.at_start else f", start_char {onward.start_char}"
    if onward.passage_id == excerpt.passage_id:
        return f"The passage goes on: kb_read_excerpt with passage_id {onward.passage_id}{start}."
    title = f" in {quoted(onward.title)}" if onward.title else ""
    place = f"line{'' if onward.lines.start == onward.lines.end else 's'} {line_numbers(onward.lines)}"
    return f"The document goes on{title}, {place}: kb_read_excerpt with passage_id {onward.passage_id}{start}."
