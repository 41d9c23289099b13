"""Types of the identifiers that packages exchange."""

from typing import NewType

SourceId = NewType("SourceId", int)
DocumentId = NewType("DocumentId", int)
RevisionId = NewType("RevisionId", int)
ChunkId = NewType("ChunkId", int)
EmbeddingSetId = NewType("EmbeddingSetId", int)

NativeId = NewType("NativeId", str)
"""The source's own id for a document; it does not change when the body is edited."""

Version = NewType("Version", str)
"""The source's own change token for a document; compared for equality only."""

PassageId = NewType("PassageId", str)
"""An opaque handle for a passage: 22 URL-safe characters; it is bound to a principal and expires."""

SessionId = NewType("SessionId", str)
"""A namespace of passages, created by the server."""
