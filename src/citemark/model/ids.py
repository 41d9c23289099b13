"""Types of the identifiers that packages exchange."""

import re
import secrets
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
"""An opaque handle for a passage, short because results are full of them; bound to a principal, and it expires."""

PASSAGE_ID = r"p_[A-Za-z0-9_-]{10}"
"""How handles look. Their 60 random bits keep them apart; who may use one is checked."""

SessionId = NewType("SessionId", str)
"""A namespace of passages, created by the server."""


def new_passage_id() -> PassageId:
    """A handle that was never used before."""
    return PassageId(f"p_{secrets.token_urlsafe(8)[:10]}")


def is_passage_id(text: str) -> bool:
    """Whether a text looks like a handle."""
    return re.fullmatch(PASSAGE_ID, text) is not None
