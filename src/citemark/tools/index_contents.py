"""The contents of an index that decide what a server offers; describing them loads no tool's schema."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citemark.model.sources import Source

if TYPE_CHECKING:  # a server says what it offers before it loads what reads sources
    from citemark.sources.kinds import SourceKinds


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source as clients see it.

    Attributes:
        name: of the source.
        kind: of the source.
        languages: those of its documents, the most frequent first.
        about: what its owner tells models about it; "" for nothing.
    """

    name: str
    kind: str
    languages: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class ToolGroups:
    """The groups of tools that an index can serve.

    Attributes:
        names: those of kinds of source (`SourceKind.tool_group`) and of what features find held (`Feature.holds`).
        capabilities: the names under which the tools of sources are called, one per source that has its own.
    """

    names: frozenset[str] = frozenset()
    capabilities: tuple[str, ...] = ()

    @classmethod
    def of(cls, sources: Iterable[Source], kinds: "SourceKinds", held: Iterable[str] = ()) -> "ToolGroups":
        """The tool groups of an index with these sources, in which features found these groups `held`."""
        every = [(kinds.of(source), source.config) for source in sources]
        names = [kind.capability(config) for kind, config in every]
        return cls(
            frozenset({*(kind.tool_group for kind, _ in every if kind.tool_group), *held}),
            tuple(sorted(name for name in names if name is not None)),
        )


@dataclass(frozen=True, slots=True)
class IndexContents:
    """What a server announces about its index.

    `sources` are the sources that the local user may read, by name; None until they have been listed.
    """

    groups: ToolGroups = field(default_factory=ToolGroups)
    sources: tuple[NamedSource, ...] | None = None
