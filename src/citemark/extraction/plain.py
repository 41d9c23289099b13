"""Plain text: paragraphs between blank lines, nothing else is meant."""

from citemark.extraction.lines import LineIndex
from citemark.model.text import Block, BlockKind, Extracted, Span

_MOST_BLOCKS = 200_000


def extract_plain(body: str, *, fallback_title: str) -> Extracted:
    """A text whose blocks are its paragraphs; the title is `fallback_title`."""
    lines = LineIndex(body)
    blocks: list[Block] = []
    first: int | None = None
    last = 0
    for start, end in zip(lines.starts, lines.ends, strict=True):
        text = body[start:end]
        if text and not text.isspace():
            first = start if first is None else first
            last = start + len(text.rstrip())
        elif first is not None and len(blocks) < _MOST_BLOCKS:
            blocks.append(Block(BlockKind.PARAGRAPH, Span(first, last)))
            first = None
    if first is not None:
        blocks.append(Block(BlockKind.PARAGRAPH, Span(first, last)))
    return Extracted(title=fallback_title, body=body, blocks=tuple(blocks))
