"""Whether a passage still stands in a document that has changed since it was indexed."""

from citemark.model.candidates import StoredChunk
from citemark.model.text import Block, Extracted, Span


def stands(now: Extracted, chunk: StoredChunk) -> bool:
    """Whether a page, as it is now, contains everything that is shown of the chunk, in the same place.

    That is the text, below the same headings and, if it begins with rows of a table, below the same header row.
    """
    if chunk.title != now.title:
        return False
    first = now.sections[0].span.start if now.sections else len(now.body)
    spans = [section.span for section in now.sections if section.heading_path == chunk.heading_path]
    spans += [] if chunk.heading_path else [Span(0, first)]
    if not chunk.table_header:
        return any(now.body.find(chunk.text, span.start, span.end) >= 0 for span in spans)
    tables = [block for block in now.blocks if chunk.table_header in " ".join(block.head.split())]
    return any(_begins_in(now.body, table, span, chunk.text) for span in spans for table in tables)


def _begins_in(body: str, table: Block, section: Span, text: str) -> bool:
    """Whether a text begins in the rows of a table of this section and ends in the section."""
    if not section.contains(table.span):
        return False
    end = min(section.end, table.span.end + len(text))
    return 0 <= body.find(text, table.span.start + len(table.head), end) < table.span.end
