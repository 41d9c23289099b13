"""Documents as sources list, fetch and verify them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from citemark.model.graph import Entity
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.text import Extracted, Span


@dataclass(frozen=True, slots=True, order=True)
class DocumentKey:
    """The identity of a document; editing its body never changes it."""

    source_id: SourceId
    doc_type: str
    native_id: NativeId


@dataclass(frozen=True, slots=True)
class Listed:
    """One document as a listing shows it."""

    doc_type: str
    native_id: NativeId
    version: Version
    modified_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the source that a person should know; it stops nothing."""

    native_id: NativeId
    message: str


@dataclass(frozen=True, slots=True)
class ScanEnd:
    """The end of a scan. Only a complete listing may lead to deletions.

    `unlisted` are the types of documents that it says nothing about, however complete it is for the others: those of
    an app that could not be listed, or that the server has no longer. `reason` says what failed, if anything did.
    `skipped` counts the files of types that are not read, by suffix ("" for none); None where they are not counted.
    """

    complete: bool
    reason: str = ""
    unlisted: frozenset[str] = frozenset()
    skipped: Mapping[str, int] | None = None

    @property
    def whole(self) -> bool:
        """Whether everything was listed that there is to list."""
        return self.complete and not (self.unlisted and self.reason)


@dataclass(frozen=True, slots=True)
class StatedRelationship:
    """A typed edge that a document states about itself.

    `from_section` is the slug of the section that states it (None: the page). `to_native_id` is the target's native
    id in the same source, or None when the target lies outside and `to_url` names it, or is the entity `to_entity`.
    `native_id` is its own where it has one, as in an architecture model; `metadata` holds the rest (a name, the mode of
    an access, the `doc_type` of the target where it is not that of the page, ...).
    """

    type: str
    from_section: str | None
    to_native_id: NativeId | None
    to_url: str | None
    span: Span
    native_id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    to_entity: Entity | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document's content at one version.

    `names` are words by which it is looked up besides those of its text; without any, those of its path are.
    """

    doc_type: str
    native_id: NativeId
    version: Version
    modified_at: datetime | None
    url: str | None
    extracted: Extracted
    relationships: tuple[StatedRelationship, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    names: str = ""


class Verdict(StrEnum):
    """What a source says, now and for one principal, of a document."""

    OK = "ok"
    CHANGED = "changed"
    GONE = "gone"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """A document and the version at which it was indexed."""

    doc_type: str
    native_id: NativeId
    version: Version


PATH_KEY = "Path"
"""The metadata in which a source states the path of a document whose native id is not its path."""

LABEL_KEYS = ("Labels", "Tags", "category")
"""Those in which it states what people put on the document, one a line."""


@dataclass(frozen=True, slots=True)
class DayKeys:
    """The metadata in which a source states the days of a document, each as an ISO date at the begin of a text.

    `last_day` is a regular expression whose group is the last day of a rule, as eight digits.
    """

    begin: str = "Start"
    end: str = "End"
    due: str = "Due"
    rule: str = "Recurrence"
    last_day: str = r"UNTIL=(\d{8})"


DAY_KEYS = DayKeys()


def suffix_of(name: str) -> str:
    """The suffix of a file's name, in lower case with its dot; "" without one, and where a dot only begins the name."""
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""
