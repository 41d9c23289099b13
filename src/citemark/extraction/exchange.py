"""What a parsing process and its parent send each other: length, then JSON, then the file's bytes.

JSON and nothing that runs: the other side has read a stranger's file and is not trusted with more than text.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from citemark.model.text import Block, BlockKind, Extracted, Link, Section, Span

LENGTH_BYTES = 8
MOST_REPLY_BYTES = 512 * 1024 * 1024


def packed(head: Mapping[str, Any], data: bytes = b"") -> bytes:
    """One message."""
    body = json.dumps({**head, "bytes": len(data)}, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    return len(body).to_bytes(LENGTH_BYTES, "big") + body + data


def extracted_to_json(extracted: Extracted) -> dict[str, Any]:
    """Columns and short rows: a body has thousands of blocks."""
    return {
        "title": extracted.title,
        "body": extracted.body,
        "blocks": [(block.kind.value, block.span.start, block.span.end, block.head) for block in extracted.blocks],
        "sections": [
            (s.slug, s.title, list(s.heading_path), s.level, s.span.start, s.span.end, s.parent)
            for s in extracted.sections
        ],
        "links": [(link.span.start, link.span.end, link.text, link.target) for link in extracted.links],
        "tags": list(extracted.tags),
        "language": extracted.language,
        "metadata": dict(extracted.metadata),
    }


def extracted_from_json(given: Mapping[str, Any]) -> Extracted:
    """The document again.

    Raises:
        ValueError, TypeError, KeyError: the message is not of the form.
    """
    body = str(given["body"])
    rows: Sequence[Any] = given["blocks"]
    return Extracted(
        title=str(given["title"]),
        body=body,
        blocks=tuple(Block(BlockKind(kind), Span(start, end), str(head)) for kind, start, end, head in rows),
        sections=tuple(
            Section(slug, title, tuple(path), level, Span(start, end), parent)
            for slug, title, path, level, start, end, parent in given["sections"]
        ),
        links=tuple(Link(Span(start, end), text, target) for start, end, text, target in given["links"]),
        tags=tuple(given["tags"]),
        language=given["language"],
        metadata={str(key): str(value) for key, value in given["metadata"].items()},
    )
