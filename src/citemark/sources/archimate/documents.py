"""Elements and views as documents of the index."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId, Version
from citemark.model.text import Extracted


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
    said = json.dumps([extracted.title, extracted.body, sorted(known.items()), edges], ensure_ascii=True)
    version = Version(blake2b(said.encode(), digest_size=16).hexdigest())
    return Document(doc_type, NativeId(native_id), version, extracted, known, relationships)
