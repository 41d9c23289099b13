"""The differences between two states: documents and relationships that were added, removed, changed or renamed."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from citemark.model.ids import NativeId, RevisionId, SourceId, Version

ChangeKind = Literal["added", "removed", "changed", "renamed"]

ChangeKey: TypeAlias = tuple[int, str, str]
"""The key of the row after which a list of changes continues: source, native id, type."""


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
    """A document that differs: `before` is None if it was added, `after` is None if it was removed."""

    source_id: SourceId
    doc_type: str
    native_id: NativeId
    change: ChangeKind
    before: StateOfDocument | None
    after: StateOfDocument | None

    @property
    def key(self) -> ChangeKey:
        """The key by which a list of changes is sorted."""
        return self.source_id, self.native_id, self.doc_type

    @property
    def states(self) -> tuple[StateOfDocument, ...]:
        """The states in which the document exists, the earlier one first."""
        return tuple(state for state in (self.before, self.after) if state is not None)


@dataclass(frozen=True, slots=True)
class ChangedLink:
    """A relationship of a model that differs."""

    source_id: SourceId
    native_id: NativeId
    change: ChangeKind

    @property
    def key(self) -> ChangeKey:
        """The key by which a list of changes is sorted."""
        return self.source_id, self.native_id, ""


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """The total number of differences, by kind of change."""

    added: int = 0
    removed: int = 0
    changed: int = 0
    renamed: int = 0

    @property
    def total(self) -> int:
        """The sum over all kinds of change."""
        return self.added + self.removed + self.changed + self.renamed
