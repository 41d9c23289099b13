"""Elements and views as documents of the index."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar

from citemark.extraction.sandbox.ipc import extracted_from_json, extracted_to_json
from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId, Version
from citemark.model.text import Block, BlockKind, Extracted, Span
from citemark.sources.archimate.parts import Properties
from citemark.sources.relationships import relationship_from_json, relationship_to_json


@dataclass(frozen=True, slots=True)
class Document:
    """A text with what filters and lists know of it. Its version is a hash of all that: scans find every change."""

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
) -> Document:
    """A document with its version; metadata without a value are left out."""
    known = {key: value for key, value in metadata.items() if value}
    edges = [(each.type, each.native_id, each.to_native_id, sorted(each.metadata.items())) for each in relationships]
    description = json.dumps([extracted.title, extracted.body, sorted(known.items()), edges], ensure_ascii=True)
    version = Version(blake2b(description.encode(), digest_size=16).hexdigest())
    return Document(doc_type, NativeId(native_id), version, extracted, known, relationships)


def document_to_json(given: Document) -> list[Any]:
    """A document as the parsing process sends it."""
    relationships = [relationship_to_json(each) for each in given.relationships]
    extracted = extracted_to_json(given.extracted)
    return [given.doc_type, given.native_id, given.version, extracted, dict(given.metadata), relationships]


def document_from_json(row: list[Any]) -> Document:
    """The document again.

    Raises:
        ValueError, TypeError, KeyError: the row is not of the form.
    """
    doc_type, native_id, version, extracted, metadata, relationships = row
    read = extracted_from_json(extracted)
    return Document(
        str(doc_type),
        NativeId(str(native_id)),
        Version(str(version)),
        read,
        {str(key): str(value) for key, value in metadata.items()},
        tuple(relationship_from_json(each, len(read.body)) for each in relationships),
    )


T = TypeVar("T")

_ON_A_LINE = 8
"""Things listed on one line; the next line says its verb again, so that a long list can be cut anywhere."""


class TextLines:
    """Takes lines in order and knows where each one stands."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._blocks: list[Block] = []
        self._at = 0

    def add(self, line: str) -> Span:
        """Put a line at the end; where it stands."""
        span = Span(self._at, self._at + len(line))
        self._lines.append(line)
        self._blocks.append(Block(BlockKind.PARAGRAPH, span))
        self._at = span.end + 1
        return span

    def add_all(self, lines: Iterable[str]) -> None:
        """Put lines at the end."""
        for line in lines:
            self.add(line)

    def extracted(self, title: str) -> Extracted:
        """The text, done."""
        return Extracted(title=title, body="\n".join(self._lines), blocks=tuple(self._blocks))


def portions(things: Sequence[T]) -> Iterator[Sequence[T]]:
    """The things of one line after the other."""
    for start in range(0, len(things), _ON_A_LINE):
        yield things[start : start + _ON_A_LINE]


def property_lines(properties: Properties) -> Iterator[str]:
    """What is said as keys and values."""
    for some in portions([f"{key}={value}" if value else key for key, value in properties if key]):
        yield f"Properties: {', '.join(some)}"


def documentation_lines(documentation: str) -> Iterator[str]:
    """What a person wrote, by paragraph."""
    for number, line in enumerate(documentation.split("\n") if documentation else ()):
        yield line if number else f"Description: {line}"


def quoted(name: str) -> str:
    """A name between quotation marks."""
    return f'"{name}"'
