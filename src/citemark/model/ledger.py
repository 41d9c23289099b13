"""What the ledger knows about a source's documents, and the changes that planning derives from a listing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from citemark.model.documents import Listed
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.readers import TextVersion

ItemKey: TypeAlias = tuple[str, NativeId]
"""(doc_type, native_id) inside one source."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The part of a ledger entry that planning needs.

    `parked` means that the document was given up at the wanted version. `tried_with` is the version of the
    code that tried it last.
    """

    wanted: Version | None
    indexed: Version | None
    missing_since: datetime | None
    parked: bool = False
    tried_with: TextVersion = field(default_factory=TextVersion)

    @property
    def waits(self) -> bool:
        """Whether it is in the text queue."""
        return self.wanted != self.indexed and not self.parked


@dataclass(frozen=True, slots=True)
class Want:
    """The source lists a version other than the one wanted so far.

    `readers` are the versions of the readers that its name or type calls for.
    """

    listed: Listed
    readers: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Outdated:
    """The document is unchanged, but was read and chunked by an older version of the code.

    `readers` are the versions of the readers that its name or type calls for.
    """

    key: ItemKey
    readers: Mapping[str, int] = field(default_factory=dict[str, int])


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
    """A leased item of the text queue; if `wanted` is None, the document is to be removed.

    `readers` are the names of the readers that it was listed for, or last read by. `late`: nothing else was waiting,
    and it is large, was tried before, or is only read again.
    """

    source_id: SourceId
    doc_type: str
    native_id: NativeId
    wanted: Version | None
    indexed: Version | None
    tries: int
    readers: tuple[str, ...] = ()
    late: bool = False


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many documents wait for text, how many were given up, and when the next one may be tried."""

    waiting: int
    parked: int
    next_at: datetime | None
