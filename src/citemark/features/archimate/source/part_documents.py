"""Elements and views as documents: versioned texts, composed line by line and sent from a parsing process as JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar

from citemark.extraction.sandbox.ipc import extracted_from_json, extracted_to_json
from citemark.features.archimate.source.parts import Description, Properties
from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId, Version
from citemark.model.text import Block, BlockKind, Extracted, Span
from citemark.sources.relationships import relationship_from_json, relationship_to_json

T = TypeVar("T")
_ON_A_LINE = 8
"""Items per line. The next line repeats the verb, so that a chunk boundary between lines never separates them."""


@dataclass(frozen=True, slots=True)
class PartDocument:
    """A text with its metadata and relationships. Its version is a hash of all three, so scans notice every change."""

    doc_type: str
    native_id: NativeId
    version: Version
    extracted: Extracted
    metadata: Mapping[str, str]
    relationships: tuple[StatedRelationship, ...]


def document(
    *,
    doc_type: str,
    native_id: str,
    extracted: Extracted,
    metadata: Mapping[str, str],
    relationships: tuple[StatedRelationship, ...] = (),
) -> PartDocument:
    """Make a document with its version; metadata without a value is left out."""
    present = {key: value for key, value in metadata.items() if value}
    edges = [(each.type, each.native_id, each.to_native_id, sorted(each.metadata.items())) for each in relationships]
    content = json.dumps([extracted.title, extracted.body, sorted(present.items()), edges], ensure_ascii=True)
    version = Version(blake2b(content.encode(), digest_size=16).hexdigest())
    return PartDocument(doc_type, NativeId(native_id), version, extracted, present, relationships)


def document_to_json(part: PartDocument) -> list[Any]:
    """Turn a document into a row of JSON values, as the parsing process sends it."""
    relationships = [relationship_to_json(each) for each in part.relationships]
    extracted = extracted_to_json(part.extracted)
    return [part.doc_type, part.native_id, part.version, extracted, dict(part.metadata), relationships]


def document_from_json(row: list[Any]) -> PartDocument:
    """Read a row of `document_to_json` back.

    Raises:
        ValueError, TypeError, KeyError: the row is malformed.
    """
    doc_type, native_id, version, extracted, metadata, relationships = row
    read = extracted_from_json(extracted)
    return PartDocument(
        str(doc_type),
        NativeId(str(native_id)),
        Version(str(version)),
        read,
        {str(key): str(value) for key, value in metadata.items()},
        tuple(relationship_from_json(each, len(read.body)) for each in relationships),
    )


class TextLines:
    """Collects lines, each a block of its own so that chunks are cut between lines, and their spans."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._blocks: list[Block] = []
        self._end = 0

    def add(self, line: str) -> Span:
        """Append a line and return its span."""
        span = Span(self._end, self._end + len(line))
        self._lines.append(line)
        self._blocks.append(Block(BlockKind.PARAGRAPH, span))
        self._end = span.end + 1
        return span

    def add_all(self, lines: Iterable[str]) -> None:
        """Append several lines."""
        for line in lines:
            self.add(line)

    def first(self, words: str) -> Span:
        """Return the span of the first line that holds `words`; of the first line of all where none does."""
        found = (block.span for line, block in zip(self._lines, self._blocks, strict=True) if words in line)
        return next(found, self._blocks[0].span)

    def extracted(self, title: str, description: Description) -> Extracted:
        """Return the finished text; the names in other languages that a description gives are names of it, too."""
        aliases = tuple(name for name, _ in description.other_names)
        return Extracted(title=title, body="\n".join(self._lines), blocks=tuple(self._blocks), aliases=aliases)


def portions(things: Sequence[T]) -> Iterator[Sequence[T]]:
    """Divide items into groups that fit on one line each."""
    for start in range(0, len(things), _ON_A_LINE):
        yield things[start : start + _ON_A_LINE]


def property_lines(properties: Properties) -> Iterator[str]:
    """Write properties as lines of "key=value"."""
    for some in portions([f"{key}={value}" if value else key for key, value in properties if key]):
        yield f"Properties: {', '.join(some)}"


def other_name_lines(description: Description) -> Iterator[str]:
    """Write the names in other languages."""
    for some in portions([f"{name} ({language})" if language else name for name, language in description.other_names]):
        yield f"It is also called {', '.join(some)}."


def other_names(description: Description) -> str:
    """The names in other languages as metadata, one per line."""
    return "\n".join(name for name, _ in description.other_names)


def documentation_lines(documentation: str) -> Iterator[str]:
    """Write the documentation, one line per paragraph."""
    for number, line in enumerate(documentation.split("\n") if documentation else ()):
        yield line if number else f"Description: {line}"


def quoted(name: str) -> str:
    """Put a name in quotation marks."""
    return f'"{name}"'
