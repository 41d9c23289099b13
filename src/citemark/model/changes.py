"""What differs between two states: documents and relationships that came, went or changed."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from citemark.model.ids import NativeId, RevisionId, SourceId, Version

ChangeKind = Literal["added", "removed", "changed", "renamed"]

ChangeKey: TypeAlias = tuple[int, str, str]
"""After which row a list of changes continues: source, native id, type."""


@dataclass(frozen=True, slots=True)
class StateOfDocument:
    """A document as it was in one of two states."""

    revision_id: RevisionId
    native_id: NativeId
    version: Version
    title: str
    url: str | None


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document that differs: `before` is None where it was added, `after` where it was removed."""

    source_id: SourceId
    doc_type: str
    native_id: NativeId
    change: ChangeKind
    before: StateOfDocument | None
    after: StateOfDocument | None

    @property
    def key(self) -> ChangeKey:
        """Its place in the order of a list."""
        return self.source_id, self.native_id, self.doc_type

    @property
    def states(self) -> tuple[StateOfDocument, ...]:
        """Those of the two that there are."""
        return tuple(state for state in (self.before, self.after) if state is not None)


@dataclass(frozen=True, slots=True)
class ChangedLink:
    """A relationship of a model that differs."""

    source_id: SourceId
    native_id: NativeId
    change: ChangeKind

    @property
    def key(self) -> ChangeKey:
        """Its place in the order of a list."""
        return self.source_id, self.native_id, ""


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """How many differ in all, by what became of them."""

    added: int = 0
    removed: int = 0
    changed: int = 0
    renamed: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.added + self.removed + self.changed + self.renamed
