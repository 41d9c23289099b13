"""A source as the index knows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citemark.model.ids import SourceId


@dataclass(frozen=True, slots=True)
class NewSource:
    """What `citemark add` asks for."""

    name: str
    kind: str
    config: Mapping[str, Any]
    tenant: str = "local"
    project_id: str | None = None
    environment: str | None = None
    repository: str | None = None
    tags: tuple[str, ...] = ()
    language: str = "english"
    keep_history: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """One configured connection: a docs tree, an ArchiMate model, one person's Nextcloud account."""

    source_id: SourceId
    tenant: str
    name: str
    kind: str
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    project_id: str | None = None
    environment: str | None = None
    repository: str | None = None
    tags: tuple[str, ...] = ()
    language: str = "english"
    keep_history: bool = True

    @property
    def doc_tag(self) -> str:
        """The one tag that hits show: the source's first, or its name."""
        return self.tags[0] if self.tags else self.name


@dataclass(frozen=True, slots=True)
class Fence:
    """The sources that one question may touch, and the size of what they hold at HEAD."""

    sources: tuple[Source, ...]
    chunks: int
    sum_length: int

    @property
    def ids(self) -> list[int]:
        """The source ids, ascending."""
        return [source.source_id for source in self.sources]

    def source(self, source_id: int) -> Source | None:
        """The source of that id, None when the fence keeps it out."""
        return next((source for source in self.sources if source.source_id == source_id), None)
