"""The fence around a question, and the filters inside it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RequestScope:
    """What the caller limits a question to. Values of one key are OR, keys are AND; empty means no limit."""

    project_id: str | None = None
    environment: str | None = None
    doc_tags: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on documents, applied inside candidate SQL. Empty means no condition."""

    doc_tags: tuple[str, ...] = ()
    path_prefix: str | None = None
    updated_after: datetime | None = None
    doc_types: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """True when no condition is set."""
        return not (self.doc_tags or self.path_prefix or self.updated_after or self.doc_types)
