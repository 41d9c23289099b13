"""Elements, relationships and views of architecture models as stored, and the capabilities that name their tools."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from citemark.model.errors import InvalidArgument
from citemark.model.ids import ChunkId, NativeId, RevisionId, SourceId
from citemark.model.text import Span

ARCHIMATE = "archimate"
"""The kind of a source that is an architecture model."""

DEFAULT_CAPABILITY = "architecture"

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}", re.ASCII)
"""At most 40 characters, which leave room for the rest of a tool's name within the 64 that hosts accept."""

_TAKEN = frozenset({"kb", "graph", "nc", "legacy"})
"""Names that other families of tools already use."""

OTHER_NAMES = "other_names"
"""The metadata key under which a part of a model states its names in further languages, one per line."""

ELEMENT = "element"
VIEW = "view"

LAYERS = (
    "strategy",
    "business",
    "application",
    "technology",
    "physical",
    "motivation",
    "implementation_migration",
    "other",
)
"""The seven layers of ArchiMate, and `other` for what belongs to no layer (junctions, groupings, locations)."""


PartKey: TypeAlias = tuple[str, str, int]
LinkKey: TypeAlias = tuple[str, str, int]
"""The key of the row after which a list continues."""


@dataclass(frozen=True, slots=True)
class StoredPart:
    """An element or a view, without its text.

    `chunk_id` is its first chunk, with which access to it is verified. `metadata` is what the reader of the model
    recorded: `element_type`, `layer`, `capability` (one per line), `folder`, ...
    """

    source_id: SourceId
    chunk_id: ChunkId
    revision_id: RevisionId
    native_id: NativeId
    name: str
    metadata: Mapping[str, str]
    sort_key: str = ""

    @property
    def key(self) -> PartKey:
        """The key by which a list of parts is sorted."""
        return self.sort_key, self.native_id, self.source_id

    @property
    def type(self) -> str:
        """The ArchiMate type, such as `ApplicationComponent`; empty for a view."""
        return self.metadata.get("element_type", "")

    @property
    def layer(self) -> str:
        """One of `LAYERS`; empty for a view."""
        return self.metadata.get("layer", "")

    @property
    def capabilities(self) -> tuple[str, ...]:
        """The capabilities that the element belongs to, according to the model."""
        return tuple(name for name in self.metadata.get("capability", "").split("\n") if name)


@dataclass(frozen=True, slots=True)
class StoredEnd:
    """One end of a relationship: an element or, without a name, type and chunk, another relationship."""

    native_id: NativeId
    name: str = ""
    type: str = ""
    chunk_id: ChunkId | None = None


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A relationship between two parts of one model.

    `metadata` holds its name, access mode, strength and documentation. `text_span` is the span in which the text of the
    start element states the relationship; it is empty if no line does.
    """

    source_id: SourceId
    native_id: NativeId
    type: str
    start: StoredEnd
    end: StoredEnd
    metadata: Mapping[str, str]
    text_span: Span

    @property
    def kind(self) -> str:
        """The type, with the mode of an access, the strength of an influence or the direction of an association."""
        qualifiers = [self.metadata.get("access"), self.metadata.get("strength")]
        qualifiers.append("directed" if self.metadata.get("directed") else None)
        details = ", ".join(word for word in qualifiers if word)
        return f"{self.type} ({details})" if details else self.type

    @property
    def key(self) -> LinkKey:
        """The key by which a list of relationships is sorted."""
        return self.type, self.native_id, self.source_id


@dataclass(frozen=True, slots=True)
class PartFilter:
    """Which parts to list: values of one key are alternatives, keys are combined with AND, empty means all.

    `ids` are native ids and `names` are names in any case; a part passes if it matches one of either.
    """

    doc_type: str = ELEMENT
    metadata: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkFilter:
    """Which relationships to list: those of an element (in one or both directions), of some types, with some ids."""

    part: tuple[SourceId, NativeId] | None = None
    outgoing: bool = True
    incoming: bool = True
    types: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


def capability_of(config: Mapping[str, Any]) -> str:
    """The capability that the configuration of an architecture model names."""
    return str(config.get("capability") or DEFAULT_CAPABILITY)


def checked_capability(name: str) -> str:
    """Return `name` if tools can be named after it.

    Raises:
        InvalidArgument: hosts would reject such a name, or another family of tools already uses it.
    """
    if not _NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name!r} cannot begin a tool's name: take a letter, then up to 39 of letters, digits, - and _.",
            capability=name[:80],
        )
    if name.lower() in _TAKEN:
        raise InvalidArgument(f"The tools of {name!r} are others; name the capability otherwise.", capability=name)
    return name
