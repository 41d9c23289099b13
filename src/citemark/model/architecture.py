"""Elements, relationships and views of architecture models as stored, and the capabilities that name their tools."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from citemark.model.errors import InvalidArgument
from citemark.model.ids import ChunkId, NativeId, RevisionId, SourceId
from citemark.model.text import Span

ARCHIMATE = "archimate"
"""The kind of sources that are architecture models."""

DEFAULT_CAPABILITY = "architecture"

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}", re.ASCII)
"""40 characters leave room for the rest of a tool's name below the 64 that hosts accept."""

_TAKEN = frozenset({"kb", "graph", "nc", "legacy"})
"""Other families of tools."""

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
"""The seven layers of ArchiMate, and what belongs to none (junctions, groupings, locations)."""


PartKey: TypeAlias = tuple[str, str, int]
LinkKey: TypeAlias = tuple[str, str, int]
"""After which row a list continues."""


@dataclass(frozen=True, slots=True)
class StoredPart:
    """An element or a view, without its text. `chunk_id` is its first chunk, by which access to it is verified.

    `metadata` is what its reader recorded: `element_type`, `layer`, `capability` (one per line), `folder`, ...
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
        """Its place in the order of a list."""
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
        """The capabilities that the model says the element belongs to."""
        return tuple(name for name in self.metadata.get("capability", "").split("\n") if name)


@dataclass(frozen=True, slots=True)
class StoredEnd:
    """One end of a relationship. Without a name, type and chunk it is no element: another relationship."""

    native_id: NativeId
    name: str = ""
    type: str = ""
    chunk_id: ChunkId | None = None


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A relationship between two parts of one model. `metadata` has its name, access mode, strength, documentation.

    `said` is where the text of the element at its start says it; empty where no line does.
    """

    source_id: SourceId
    native_id: NativeId
    type: str
    start: StoredEnd
    end: StoredEnd
    metadata: Mapping[str, str]
    said: Span

    @property
    def kind(self) -> str:
        """Its type, with the mode of an access, the strength of an influence, the direction of an association."""
        known = [self.metadata.get("access"), self.metadata.get("strength")]
        known.append("directed" if self.metadata.get("directed") else None)
        said = ", ".join(word for word in known if word)
        return f"{self.type} ({said})" if said else self.type

    @property
    def key(self) -> LinkKey:
        """Its place in the order of a list."""
        return self.type, self.native_id, self.source_id


@dataclass(frozen=True, slots=True)
class PartFilter:
    """Which parts to list; values of one key are alternatives, keys add up, empty means all.

    `ids` are native ids or, as `names`, names in any case: a part passes that has one of either.
    """

    doc_type: str = ELEMENT
    metadata: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkFilter:
    """Which relationships to list: of an element (in one or both directions), of types, of ids."""

    part: tuple[SourceId, NativeId] | None = None
    outgoing: bool = True
    incoming: bool = True
    types: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


def capability_of(kind: str, config: Mapping[str, Any]) -> str | None:
    """The capability that a source belongs to; None where it is no architecture model."""
    if kind != ARCHIMATE:
        return None
    return str(config.get("capability") or DEFAULT_CAPABILITY)


def checked_capability(name: str) -> str:
    """`name`, if tools can be named after it.

    Raises:
        InvalidArgument: hosts would refuse such a name, or another family of tools has it.
    """
    if not _NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name!r} cannot begin a tool's name: take a letter, then up to 39 of letters, digits, - and _.",
            capability=name[:80],
        )
    if name.lower() in _TAKEN:
        raise InvalidArgument(f"The tools of {name!r} are others; name the capability otherwise.", capability=name)
    return name
