"""Citations of chunks and of what is cut from them."""

from citemark.model.candidates import StoredChunk
from citemark.model.citation import Anchor, Citation, address_of
from citemark.model.scope import ResolvedContext
from citemark.model.sources import Source
from citemark.model.text import Lines, Span


def slug_of(chunk: StoredChunk) -> str | None:
    """The heading anchor of the chunk's section, None above the first heading."""
    _, mark, slug = chunk.section_native_id.partition("#")
    return slug if mark else None


def title_of(chunk: StoredChunk) -> str:
    """What a person reads as the chunk's title: the page's, then the headings down to it."""
    parts = [chunk.title, *(part for part in chunk.heading_path if part != chunk.title)]
    return " > ".join(parts)


def cite(chunk: StoredChunk, source: Source, context: ResolvedContext, part: Span | None = None) -> Citation:
    """The citation of a chunk, or of `part` of its text (characters of the chunk's text)."""
    span, lines = chunk.span, chunk.lines
    if part is not None:
        span = Span(chunk.span.start + part.start, chunk.span.start + part.end)
        start = chunk.lines.start + chunk.text.count("\n", 0, part.start)
        lines = Lines(start, start + chunk.text.count("\n", part.start, max(part.start, part.end - 1)))
    return Citation(
        source=source.name,
        doc_type=chunk.section_type,
        document_id=chunk.section_native_id,
        revision_id=str(chunk.revision_id),
        baseline_id=context.baseline_id,
        as_of=context.as_of,
        anchor=Anchor(heading=slug_of(chunk), lines=lines, chars=span),
        span=span,
        title=title_of(chunk),
        url=address_of(chunk.url, chunk.native_id, slug_of(chunk)),
    )
