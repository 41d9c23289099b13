"""Messages between a parsing process and its parent: a length, then JSON, then the bytes of the items.

JSON rather than pickle: the other side has read an untrusted file, and its messages must not be able to run code. A
request names a task and its items. Each item is answered by messages with one part each; the last one says how reading
the item ended.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any, cast

from citemark.model.text import Block, BlockKind, Extracted, Link, Section, Span
from citemark.model.unread_parts import UnreadPart

LENGTH_BYTES = 8

MOST_REPLY_BYTES = 512 * 1024 * 1024
"""More than any document needs: a body has at most 20 million characters (`builder.MOST_CHARACTERS`)."""

ParseFunction = Callable[..., Iterable[Any]]
"""`function(data, **arguments)` yields parts that JSON can hold; raises SkippableSourceError for unreadable data."""


@dataclass(frozen=True, slots=True)
class ParseTask:
    """What a parsing process is asked to do: one of our functions, by name, and the limits for each item.

    Attributes:
        module: the full dotted name of the function's module.
        function: the name of a `ParseFunction` in it.
        what: what it reads, for messages, such as "html files".
        cpu_seconds: processor time for one item; None leaves it to the limit of the process.
        memory_mib: how much memory one item may add to that of the process; None leaves it to the limit of the process.
        ends_process: whether the process ends after it, because it keeps memory that what it reads next would lack.
    """

    module: str
    function: str
    what: str
    cpu_seconds: float | None = None
    memory_mib: int | None = None
    ends_process: bool = False

    def load(self) -> ParseFunction:
        """Import and return the function."""
        return cast("ParseFunction", getattr(import_module(self.module), self.function))


@dataclass(frozen=True, slots=True)
class ParseItem:
    """The bytes to read, and further arguments for the function."""

    data: bytes
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


def packed(message: Mapping[str, Any]) -> bytes:
    """Encode a message for sending, without the bytes of items."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    body = text.encode("utf-8", "surrogatepass")
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


def request_of(task: ParseTask, items: Sequence[ParseItem]) -> list[bytes]:
    """Encode a request in pieces that are sent one after another, so that the bytes of items are not copied."""
    heads = [{"bytes": len(item.data), "arguments": dict(item.arguments)} for item in items]
    return [packed({"task": asdict(task), "items": heads}), *(item.data for item in items)]


def extracted_to_json(extracted: Extracted) -> dict[str, Any]:
    """Convert a document to JSON; blocks, sections and links become short rows, since it has thousands of blocks."""
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
        "left_out": [(part.kind, part.count) for part in extracted.left_out],
        "read_as": extracted.read_as,
        "aliases": list(extracted.aliases),
        "properties": {key: list(values) for key, values in extracted.properties.items()},
    }


def extracted_from_json(given: Mapping[str, Any]) -> Extracted:
    """Restore a document from its JSON.

    Raises:
        ValueError, TypeError, KeyError: the message is malformed, or a span lies outside the body.
    """
    body = str(given["body"])
    most = len(body)
    return Extracted(
        title=str(given["title"]),
        body=body,
        blocks=tuple(
            Block(BlockKind(kind), _span(start, end, most), str(head)) for kind, start, end, head in given["blocks"]
        ),
        sections=tuple(
            Section(
                slug=str(slug),
                title=str(title),
                heading_path=tuple(map(str, path)),
                level=int(level),
                span=_span(start, end, most),
                parent=None if parent is None else str(parent),
            )
            for slug, title, path, level, start, end, parent in given["sections"]
        ),
        links=tuple(
            Link(_span(start, end, most), str(text), str(target)) for start, end, text, target in given["links"]
        ),
        tags=tuple(map(str, given["tags"])),
        language=None if given["language"] is None else str(given["language"]),
        metadata={str(key): str(value) for key, value in given["metadata"].items()},
        left_out=tuple(UnreadPart(str(kind), int(count)) for kind, count in given["left_out"]),
        read_as=str(given["read_as"]),
        aliases=tuple(map(str, given["aliases"])),
        properties={str(key): tuple(map(str, values)) for key, values in given["properties"].items()},
    )


def _span(start: int, end: int, most: int) -> Span:
    if end > most:
        raise ValueError(f"a span ends at {end} of {most} characters")
    return Span(start, end)
