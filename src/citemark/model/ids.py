"""Types of the identifiers that packages exchange."""

from typing import NewType

SourceId = NewType("SourceId", int)
DocumentId = NewType("DocumentId", int)
RevisionId = NewType("RevisionId", int)
ChunkId = NewType("ChunkId", int)
EmbeddingSetId = NewType("EmbeddingSetId", int)

NativeId = NewType("NativeId", str)
"""What the source itself calls a document; stable under edits of its body."""

Version = NewType("Version", str)
"""The source's own change token of a document; compared for equality only."""

PassageId = NewType("PassageId", str)
"""An opaque handle of a passage: 22 URL-safe characters, principal-bound, expiring."""

SessionId = NewType("SessionId", str)
"""A server-minted namespace of passages."""
