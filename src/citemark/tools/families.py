"""Which families of tools a server lists: those that can work with the sources of its index."""

from collections.abc import Iterable
from dataclasses import dataclass

from citemark.model.accounts import NEXTCLOUD
from citemark.model.architecture import capability_of
from citemark.model.scope import Principal
from citemark.model.sources import Source
from citemark.settings import Settings
from citemark.tools.architecture import architecture_tools
from citemark.tools.kb import ANSWER, KB_TOOLS
from citemark.tools.names import spelling_for
from citemark.tools.nc import NC_ANSWER, NC_TOOLS
from citemark.tools.registry import Registry, Tool


@dataclass(frozen=True, slots=True)
class Families:
    """What of an index decides about the list of tools; `capabilities` has one for each architecture model."""

    nextcloud: bool = False
    capabilities: tuple[str, ...] = ()

    @classmethod
    def of(cls, sources: Iterable[Source]) -> "Families":
        """The families of an index with these sources."""
        known = list(sources)
        names = [capability_of(source.kind, source.config) for source in known]
        return cls(
            nextcloud=any(source.kind == NEXTCLOUD for source in known),
            capabilities=tuple(sorted(name for name in names if name is not None)),
        )


def tools_of(families: Families, settings: Settings, *, answering: bool = False) -> tuple[Tool, ...]:
    """Every tool that works, a line for each family. What a list cannot hold is left out from the end."""
    found: list[Tool] = []
    if settings.kb_v2_enabled:
        found += KB_TOOLS
    if settings.kb_v2_enabled and answering:
        found.append(ANSWER)
    if families.nextcloud:
        found += NC_TOOLS
    if families.nextcloud and answering:
        found.append(NC_ANSWER)
    found += architecture_tools(families.capabilities)
    return tuple(found)


def unlisted(families: Families, settings: Settings) -> tuple[str, ...]:
    """The tools that a list cannot hold, as they are called; the person at this machine may call them all the same."""
    registry = Registry(tools_of(families, settings, answering=True), structured=settings.structured_output_enabled)
    return registry.left_out(spelling_for(settings.tool_names), Principal.local())
