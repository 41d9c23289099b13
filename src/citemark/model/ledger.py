"""What the ledger knows about a source's documents, and the changes that planning derives from a listing."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from citemark.model.documents import Listed
from citemark.model.ids import NativeId, SourceId, Version

ItemKey: TypeAlias = tuple[str, NativeId]
"""(doc_type, native_id) inside one source."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The part of a ledger entry that planning needs.

    `parked` means that the document was given up at the wanted version. `text_version` is that of the code which tried
    it last.
    """

    wanted: Version | None
    indexed: Version | None
    missing_since: datetime | None
    parked: bool = False
    text_version: int = 0

    @property
    def waits(self) -> bool:
        """Whether it is in the text queue."""
        return self.wanted != self.indexed and not self.parked


@dataclass(frozen=True, slots=True)
class Want:
    """The source lists a version other than the one wanted so far."""

    listed: Listed


@dataclass(frozen=True, slots=True)
class Outdated:
    """The document is unchanged, but was read and chunked by an older version of the code."""

    key: ItemKey


@dataclass(frozen=True, slots=True)
class Miss:
    """A complete listing lacks the document; its grace period begins."""

    key: ItemKey


@dataclass(frozen=True, slots=True)
class Gone:
    """The document is believed to be deleted."""

    key: ItemKey


Change: TypeAlias = Want | Outdated | Miss | Gone


@dataclass(frozen=True, slots=True)
class Claim:
    """A leased item of the text queue; if `wanted` is None, the document is to be removed."""

    source_id: SourceId
    doc_type: str
    native_id: NativeId
    wanted: Version | None
    indexed: Version | None
    tries: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many documents wait for text, how many were given up, and when the next one may be tried."""

    waiting: int
    parked: int
    next_at: datetime | None
