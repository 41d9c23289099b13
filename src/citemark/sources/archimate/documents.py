"""Elements and views as documents of the index."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from citemark.extraction.sandbox.ipc import extracted_from_json, extracted_to_json
from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId, Version
from citemark.model.text import Extracted
from citemark.sources.exchange import relationship_from_json, relationship_to_json


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
