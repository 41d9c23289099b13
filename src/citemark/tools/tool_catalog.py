"""The tools and sources that a server offers now: grouped by kind of source, with listeners for changes."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from citemark.model.scope import Principal
from citemark.settings import Settings
from citemark.tools.answer_tools import KB_ANSWER, NC_ANSWER
from citemark.tools.index_contents import IndexContents, NamedSource, ToolGroups
from citemark.tools.kb import KB_TOOLS
from citemark.tools.registry import Registry, Tool, spelling_for


def tools_of(families: ToolGroups, settings: Settings, *, answering: bool = False) -> tuple[Tool, ...]:
    """Every tool that works, a line for each family. What a list cannot hold is left out from the end."""
    found: list[Tool] = []
    if settings.kb_v2_enabled:
        found += KB_TOOLS
    if settings.kb_v2_enabled and families.past:
        from citemark.tools.kb.diff_tool import DIFF  # noqa: PLC0415 - a server without a past starts without its schema

        found.append(DIFF)
    if settings.kb_v2_enabled and answering:
        found.append(KB_ANSWER)
    if families.nextcloud:
        from citemark.tools.nc import NC_TOOLS  # noqa: PLC0415 - a server without accounts starts without their schemas

        found += NC_TOOLS
    if families.nextcloud and answering:
        found.append(NC_ANSWER)
    if families.capabilities:
        from citemark.tools.architecture import architecture_tools  # noqa: PLC0415 - likewise without models

        found += architecture_tools(families.capabilities, past=families.past)
    if settings.kb_v2_enabled and families.graph:
        from citemark.tools.graph import GRAPH_TOOLS  # noqa: PLC0415 - likewise while nothing is indexed

        found += GRAPH_TOOLS
    if settings.legacy_tools:
        from citemark.tools.legacy import LEGACY_TOOLS  # noqa: PLC0415 - likewise where nobody asks for them

        found += LEGACY_TOOLS
    return tuple(replace(tool, past=True) for tool in found) if families.past else tuple(found)


def unlisted(families: ToolGroups, settings: Settings) -> tuple[str, ...]:
    """The tools that a list cannot hold, as they are called; the person at this machine may still call them."""
    registry = Registry(tools_of(families, settings, answering=True), structured=settings.structured_output_enabled)
    return registry.left_out(spelling_for(settings.tool_names), Principal.local())


EVERY_FAMILY = ToolGroups(nextcloud=True, capabilities=("architecture",), past=True, graph=True)
"""What a server of several people offers: a list by what the index holds would tell each of them of the others."""


ChangeListener: TypeAlias = Callable[[], Awaitable[None]]


class ToolCatalog:
    """What a running server offers now; listeners are called when it changes."""

    def __init__(self, families: ToolGroups | None = None, sources: tuple[NamedSource, ...] | None = None) -> None:
        self._families = families or ToolGroups()
        self._sources = sources
        self._renamed: list[Callable[[], None]] = []
        self._listeners: list[ChangeListener] = []
        self._enders: list[Callable[[], None]] = []

    @classmethod
    def of(cls, holding: IndexContents | None) -> "ToolCatalog":
        """The offer of a server that starts, by what was known of its index last."""
        return cls() if holding is None else cls(holding.families, holding.sources)

    @property
    def holding(self) -> IndexContents:
        """What is known about the index now."""
        return IndexContents(self._families, self._sources)

    @property
    def families(self) -> ToolGroups:
        """What is offered now."""
        return self._families

    @property
    def sources(self) -> tuple[NamedSource, ...] | None:
        """The sources of the person at this machine; None while they are not known."""
        return self._sources

    async def put(self, holding: IndexContents) -> None:
        """Replace what is offered, and call the listeners if it differs."""
        if holding.sources != self._sources:
            self._sources = holding.sources
            for renamed in self._renamed:
                renamed()
        families = holding.families
        if families != self._families:
            self._families = families
            for told in self._listeners:
                await told()

    def on_sources(self, renamed: Callable[[], None]) -> None:
        """Call `renamed` whenever the sources or their languages change."""
        self._renamed.append(renamed)

    def on_change(self, told: ChangeListener, ended: Callable[[], None]) -> None:
        """Call `told` after each change of the tool groups, and `ended` when the server is about to stop."""
        self._listeners.append(told)
        self._enders.append(ended)

    def end(self) -> None:
        """Release the listeners: the server is about to stop."""
        for ended in self._enders:
            ended()
