"""Documents as sources list, fetch and verify them, and the relationships that they state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from citemark.model.graph import Entity
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.left_out import LeftOut
from citemark.model.stated_dates import DayRange, StatedDates
from citemark.model.text import Extracted, Span


@dataclass(frozen=True, slots=True, order=True)
class DocumentKey:
    """The identity of a document; editing its body never changes it."""

    source_id: SourceId
    doc_type: str
    native_id: NativeId


@dataclass(frozen=True, slots=True)
class Listed:
    """One document as a source lists it.

    `readers` are the names of the readers that its name or type calls for; `size` is in bytes, 0 if that is not known.
    """

    doc_type: str
    native_id: NativeId
    version: Version
    modified_at: datetime | None = None
    readers: tuple[str, ...] = ()
    size: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the source that a person should know about; it does not stop the scan.

    A `remark` costs no document: what it is about is read.
    """

    native_id: NativeId
    message: str
    remark: bool = False


@dataclass(frozen=True, slots=True)
class TooLarge(Problem):
    """A document that is larger than what is read. If it is indexed in this version, it stays: the limit was higher."""

    document: Listed = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class ScanEnd:
    """The end of a scan; only a complete listing may lead to deletions.

    `unlisted` are the document types that the listing does not cover, even if it is complete for the others: the types
    of an app that could not be listed or that the server no longer has. `reason` says what failed, if anything did.
    `skipped` counts the files of types that are not read, by suffix ("" for no suffix); None if they are not counted.
    `left_out` counts by reason all files that are not listed; None if they are not counted.
    """

    complete: bool
    reason: str = ""
    unlisted: frozenset[str] = frozenset()
    skipped: Mapping[str, int] | None = None
    left_out: LeftOut | None = None

    @property
    def whole(self) -> bool:
        """Whether everything that exists was listed."""
        return self.complete and not (self.unlisted and self.reason)


@dataclass(frozen=True, slots=True)
class StatedRelationship:
    """A typed edge that a document states about itself.

    `from_section` is the slug of the section that states it, or None for the page itself. `to_native_id` is the
    target's native id in the same source; it is None if the target lies outside and `to_url` names it, or if the
    target is the entity `to_entity`. `native_id` is the relationship's own id if it has one, as in an architecture
    model. `metadata` holds the rest (a name, the mode of an access, the target's `doc_type` if it is not the page's,
    ...).
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

    `names` are words by which it can be looked up besides those of its text; if empty, the words of its path are used.
    `dates`, `days` and `labels` say to filters what text and metadata say to readers: the dates that it states, the
    days on which it takes place (for what repeats too often to list, all days between), and the labels that people put
    on it.
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
    dates: StatedDates | None = None
    days: tuple[DayRange, ...] = ()
    labels: tuple[str, ...] = ()


class Verdict(StrEnum):
    """What a source currently says about a document, for one principal.

    REDUCED: it has changed, and the source now shows this reader only part of it, such as a confidential event's time.
    EXCLUDED: the source leaves it out on purpose, because of its patterns or because it leads out of the source. Unlike
    what is GONE, its past texts are not shown either.
    """

    OK = "ok"
    CHANGED = "changed"
    REDUCED = "reduced"
    GONE = "gone"
    EXCLUDED = "excluded"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """A document and the version at which it was indexed."""

    doc_type: str
    native_id: NativeId
    version: Version


PATH_KEY = "Path"
"""The metadata key under which a source states the path of a document whose native id is not its path."""


def suffix_of(name: str) -> str:
    """The suffix of a file name, in lower case with its dot; "" if there is none or only a dot at the beginning."""
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""
