"""A stored chunk as tests need it, whatever they do not care about filled in."""

from citemark.model.candidates import StoredChunk
from citemark.model.ids import ChunkId, DocumentId, NativeId, RevisionId, SourceId, Version
from citemark.model.text import Lines, Span


def stored(
    chunk_id: int, text: str = "some words", native_id: str = "a.md", version: str = "1", source_id: int = 1
) -> StoredChunk:
    return StoredChunk(
        source_id=SourceId(source_id),
        chunk_id=ChunkId(chunk_id),
        page_id=DocumentId(1),
        revision_id=RevisionId(1),
        doc_type="docs_page",
        native_id=NativeId(native_id),
        section_type="docs_page",
        section_native_id=NativeId(native_id),
        section_title=None,
        heading_path=(),
        title=native_id,
        url=None,
        version=Version(version),
        tags=(),
        language="english",
        modified_at=None,
        span=Span(0, len(text)),
        lines=Lines(1, 1),
        context="",
        text=text,
        text_hash=text.encode(),
        size_bytes=len(text.encode()),
        head=True,
    )
