"""The fence around a question, and the filters inside it."""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class RequestScope:
    """What the caller limits a question to. Values of one key are OR, keys are AND; empty means no limit.

    `kind` and `source` are set by the tools of architecture models: only sources of that kind, only that one.
    """

    project_id: str | None = None
    environment: str | None = None
    doc_tags: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    kind: str | None = None
    source: str | None = None

    @property
    def narrow(self) -> bool:
        """Whether it keeps some of a project's sources out."""
        return bool(self.environment or self.doc_tags or self.repositories or self.source)


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on documents, applied inside candidate SQL. Empty means no condition.

    `metadata` are pairs of a key and the values that pass: keys are AND, the values of one key OR. A stored value that
    holds several has one per line. A path is the metadatum `Path`, or the native id where there is none. `labels` are
    what people put on a document: labels, categories, tags. `dated_from` and `dated_to` are days, both included, of the
    span from `Start` to `End` or `Due` as they are stored; what repeats spans from its first date to its last.
    """

    doc_tags: tuple[str, ...] = ()
    path_prefixes: tuple[str, ...] = ()
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    doc_types: tuple[str, ...] = ()
    metadata: tuple[tuple[str, tuple[str, ...]], ...] = ()
    labels: tuple[str, ...] = ()
    dated_from: date | None = None
    dated_to: date | None = None

    @property
    def empty(self) -> bool:
        """True when no condition is set."""
        return self == Filters()
