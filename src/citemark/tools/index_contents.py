"""What an index holds, as far as it decides what a server offers; no schema of any tool is needed to say it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from citemark.model.accounts import NEXTCLOUD
from citemark.model.architecture import capability_of
from citemark.model.sources import Source


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source as clients see it; `languages` are those of its documents, the most frequent first."""

    name: str
    kind: str
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolGroups:
    """What of an index decides about the list of tools; `capabilities` has one for each architecture model.

    `past`: it has a baseline, or a superseded revision, so that states can be compared. `graph`: it has documents.
    """

    nextcloud: bool = False
    capabilities: tuple[str, ...] = ()
    past: bool = False
    graph: bool = False

    @classmethod
    def of(cls, sources: Iterable[Source], *, past: bool = False, graph: bool = False) -> "ToolGroups":
        """The families of an index with these sources."""
        known = list(sources)
        names = [capability_of(source.kind, source.config) for source in known]
        return cls(
            nextcloud=any(source.kind == NEXTCLOUD for source in known),
            capabilities=tuple(sorted(name for name in names if name is not None)),
            past=past,
            graph=graph,
        )


@dataclass(frozen=True, slots=True)
class IndexContents:
    """What a server announces of its index.

    `sources` are those that the local user may read, by name; None until they have been listed.
    """

    families: ToolGroups = field(default_factory=ToolGroups)
    sources: tuple[NamedSource, ...] | None = None
