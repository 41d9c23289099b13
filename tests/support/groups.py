"""The tools of this program for indexes that hold one thing or another."""

from citemark.app.features import families_of
from citemark.settings import Settings
from citemark.tools import tool_catalog
from citemark.tools.index_contents import NamedSource, ToolGroups
from citemark.tools.registry import Tool
from citemark.tools.tool_catalog import ToolCatalog

FAMILIES = families_of()
EVERY_GROUP = tool_catalog.every_group(FAMILIES)


def groups(
    *, nextcloud: bool = False, capabilities: tuple[str, ...] = (), past: bool = False, graph: bool = False
) -> ToolGroups:
    """The groups of an index with a Nextcloud, with models, with a past, with documents."""
    there = {"nextcloud": nextcloud, "architecture": bool(capabilities), "past": past, "graph": graph}
    return ToolGroups(frozenset(name for name, held in there.items() if held), capabilities)


def tools_of(held: ToolGroups, settings: Settings, *, answering: bool = False) -> tuple[Tool, ...]:
    """The tools for an index."""
    return tool_catalog.tools_of(FAMILIES, held, settings, answering=answering)


def unlisted(held: ToolGroups, settings: Settings) -> tuple[str, ...]:
    """Those that do not fit the list."""
    return tool_catalog.unlisted(FAMILIES, held, settings)


def catalog(held: ToolGroups | None = None, sources: tuple[NamedSource, ...] | None = None) -> ToolCatalog:
    """What a server offers over an index."""
    return ToolCatalog(FAMILIES, held, sources)
