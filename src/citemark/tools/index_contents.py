"""The contents of an index that decide what a server offers; describing them loads no tool's schema."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citemark.model.sources import Source

if TYPE_CHECKING:  # a server says what it offers before it loads what reads sources
    from citemark.sources.kinds import SourceKinds


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source as clients see it; `languages` are the languages of its documents, the most frequent first."""

    name: str
    kind: str
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolGroups:
    """The properties of an index that decide which tools are listed; `capabilities` has one per architecture model.

    `past`: the index has a baseline or a superseded revision, so that states can be compared. `graph`: it has
    documents.
    """

    nextcloud: bool = False
    capabilities: tuple[str, ...] = ()
    past: bool = False
    graph: bool = False

    @classmethod
    def of(
        cls, sources: Iterable[Source], kinds: "SourceKinds", *, past: bool = False, graph: bool = False
    ) -> "ToolGroups":
        """The tool groups of an index with these sources."""
        every = [(kinds.of(source), source.config) for source in sources]
        names = [kind.capability(config) for kind, config in every]
        return cls(
            nextcloud=any(kind.tool_group == "nextcloud" for kind, _ in every),
            capabilities=tuple(sorted(name for name in names if name is not None)),
            past=past,
            graph=graph,
        )


@dataclass(frozen=True, slots=True)
class IndexContents:
    """What a server announces about its index.

    `sources` are the sources that the local user may read, by name; None until they have been listed.
    """

    families: ToolGroups = field(default_factory=ToolGroups)
    sources: tuple[NamedSource, ...] | None = None
