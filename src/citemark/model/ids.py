"""Types of the identifiers that packages exchange."""

from typing import NewType

SourceId = NewType("SourceId", int)
DocumentId = NewType("DocumentId", int)
RevisionId = NewType("RevisionId", int)
ChunkId = NewType("ChunkId", int)
EmbeddingSetId = NewType("EmbeddingSetId", int)

NativeId = NewType("NativeId", str)
"""The source's own id for a document; it does not change when the body is edited."""

LONGEST_ID = 1_000
"""Most bytes of a native id in UTF-8. PostgreSQL takes 2,704 in a row of an index, where a section's id needs room too:
the id of its page and up to 1,500 bytes for the headings."""

Version = NewType("Version", str)
"""The source's own change token for a document; compared for equality only."""

PassageId = NewType("PassageId", str)
"""An opaque handle for a passage: 22 URL-safe characters; it is bound to a principal and expires."""

SessionId = NewType("SessionId", str)
"""A namespace of passages, created by the server."""
