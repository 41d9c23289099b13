"""Extracts files whose text is taken as it is: prose, and lines of code or data.

Their bodies stay as written, so that the lines of a citation are those of the file.
"""

from citemark.model.text import Block, BlockKind, Extracted, LineIndex, Span

_MOST_BLOCKS = 200_000
"""Most blocks of a text; the rest of a longer one is a single block, which is cut like any other."""


def extract_code(body: str, *, fallback_title: str) -> Extracted:
    """Like `extract_plain`, for text made of lines (source code, data, logs): long paragraphs are cut at line ends."""
    return _extract(body, fallback_title, BlockKind.CODE)


def extract_plain(body: str, *, fallback_title: str) -> Extracted:
    """Extract a text whose blocks are its paragraphs; its title is `fallback_title`."""
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
