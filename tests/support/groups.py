"""The tools of this program for indexes that hold one thing or another."""

from citemark.app.features import FEATURES, families_of
from citemark.features.answers.declaration import ANSWERS_FEATURE
from citemark.settings import Settings
from citemark.tools import tool_catalog
from citemark.tools.families import ToolFamily
from citemark.tools.index_contents import NamedSource, ToolGroups
from citemark.tools.registry import Tool
from citemark.tools.tool_catalog import ToolCatalog

FAMILIES = families_of()
SILENT_FAMILIES = families_of([feature for feature in FEATURES if feature is not ANSWERS_FEATURE])
"""Those of a program that does not write answers."""

EVERY_GROUP = tool_catalog.every_group(FAMILIES)


def groups(
    *, nextcloud: bool = False, capabilities: tuple[str, ...] = (), past: bool = False, graph: bool = False
) -> ToolGroups:
    """The groups of an index with a Nextcloud, with models, with a past, with documents."""
    there = {"nextcloud": nextcloud, "architecture": bool(capabilities), "past": past, "graph": graph}
    return ToolGroups(frozenset(name for name, held in there.items() if held), capabilities)


def tools_of(held: ToolGroups, settings: Settings, *, answering: bool = False) -> tuple[Tool, ...]:
    """The tools for an index."""
    return tool_catalog.tools_of(_families(answering=answering), held, settings)


def unlisted(held: ToolGroups, settings: Settings) -> tuple[str, ...]:
    """Those that do not fit the list."""
    return tool_catalog.unlisted(FAMILIES, held, settings)


def catalog(
    held: ToolGroups | None = None, sources: tuple[NamedSource, ...] | None = None, *, answering: bool = False
) -> ToolCatalog:
    """What a server offers over an index."""
    return ToolCatalog(_families(answering=answering), held, sources)


def _families(*, answering: bool) -> tuple[ToolFamily, ...]:
    return FAMILIES if answering else SILENT_FAMILIES
