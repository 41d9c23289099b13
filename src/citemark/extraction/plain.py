"""Plain text: paragraphs between blank lines, nothing else is meant; and code, whose lines count."""

from citemark.extraction.lines import LineIndex
from citemark.model.text import Block, BlockKind, Extracted, Span

_MOST_BLOCKS = 200_000


def extract_code(body: str, *, fallback_title: str) -> Extracted:
    """As `extract_plain`, of what is written in lines (source code, data, logs): long paragraphs are cut at them."""
    return _extract(body, fallback_title, BlockKind.CODE)


def extract_plain(body: str, *, fallback_title: str) -> Extracted:
    """A text whose blocks are its paragraphs; the title is `fallback_title`."""
    return _extract(body, fallback_title, BlockKind.PARAGRAPH)


def _extract(body: str, title: str, kind: BlockKind) -> Extracted:
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
            blocks.append(Block(kind, Span(first, last)))
            first = None
    if first is not None:
        blocks.append(Block(kind, Span(first, last)))
    return Extracted(title=title, body=body, blocks=tuple(blocks))
