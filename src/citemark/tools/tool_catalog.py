"""The tools and sources that a server currently offers, grouped by kind of source, with listeners for changes."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from citemark.model.scope import Principal
from citemark.settings import Settings
from citemark.tools.answer_tools import KB_ANSWER, NC_ANSWER
from citemark.tools.index_contents import IndexContents, NamedSource, ToolGroups
from citemark.tools.kb import KB_TOOLS
from citemark.tools.registry import Registry, Tool


def tools_of(families: ToolGroups, settings: Settings, *, answering: bool = False) -> tuple[Tool, ...]:
    """Every tool that works with this index, group by group; a list drops what it cannot hold from the end."""
    tools: list[Tool] = []
    if settings.kb_v2_enabled:
        tools += KB_TOOLS
    if settings.kb_v2_enabled and families.past:
        from citemark.tools.kb.diff_tool import DIFF  # noqa: PLC0415 - a server without a past starts without its schema

        tools.append(DIFF)
    if settings.kb_v2_enabled and answering:
        tools.append(KB_ANSWER)
    if families.nextcloud:
        from citemark.tools.nc import NC_TOOLS  # noqa: PLC0415 - a server without accounts starts without their schemas

        tools += NC_TOOLS
    if families.nextcloud and answering:
        tools.append(NC_ANSWER)
    if families.capabilities:
        from citemark.tools.architecture import architecture_tools  # noqa: PLC0415 - likewise without models

        tools += architecture_tools(families.capabilities, past=families.past)
    if settings.kb_v2_enabled and families.graph:
        from citemark.tools.graph import GRAPH_TOOLS  # noqa: PLC0415 - likewise while nothing is indexed

        tools += GRAPH_TOOLS
    if settings.legacy_tools:
        from citemark.tools.legacy import LEGACY_TOOLS  # noqa: PLC0415 - likewise where nobody asks for them

        tools += LEGACY_TOOLS
    return tuple(replace(tool, past=True) for tool in tools) if families.past else tuple(tools)


def unlisted(families: ToolGroups, settings: Settings) -> tuple[str, ...]:
    """The names, as clients spell them, of the tools that do not fit the list; the local user can still call them."""
    registry = Registry(tools_of(families, settings, answering=True), structured=settings.structured_output_enabled)
    return registry.left_out(settings.tool_names, Principal.local())


EVERY_FAMILY = ToolGroups(nextcloud=True, capabilities=("architecture",), past=True, graph=True)
"""What a server for several people offers. A list based on the index would reveal other people's sources."""


ChangeListener: TypeAlias = Callable[[], Awaitable[None]]


class ToolCatalog:
    """What a running server currently offers; listeners are called when that changes."""

    def __init__(self, families: ToolGroups | None = None, sources: tuple[NamedSource, ...] | None = None) -> None:
        self._families = families or ToolGroups()
        self._sources = sources
        self._source_listeners: list[Callable[[], None]] = []
        self._listeners: list[ChangeListener] = []
        self._enders: list[Callable[[], None]] = []

    @classmethod
    def of(cls, holding: IndexContents | None) -> "ToolCatalog":
        """The catalog of a starting server, based on what was last known about its index."""
        return cls() if holding is None else cls(holding.families, holding.sources)

    @property
    def holding(self) -> IndexContents:
        """What is currently known about the index."""
        return IndexContents(self._families, self._sources)

    @property
    def families(self) -> ToolGroups:
        """The tool groups that are currently offered."""
        return self._families

    @property
    def sources(self) -> tuple[NamedSource, ...] | None:
        """The local user's sources; None as long as they are not known."""
        return self._sources

    async def put(self, holding: IndexContents) -> None:
        """Replace what is offered, and call the listeners if it differs."""
        if holding.sources != self._sources:
            self._sources = holding.sources
            for source_listener in self._source_listeners:
                source_listener()
        families = holding.families
        if families != self._families:
            self._families = families
            for listener in self._listeners:
                await listener()

    def on_sources(self, renamed: Callable[[], None]) -> None:
        """Call `renamed` whenever the sources or their languages change."""
        self._source_listeners.append(renamed)

    def on_change(self, listener: ChangeListener, ended: Callable[[], None]) -> None:
        """Call `listener` after each change of the tool groups, and `ended` when the server is about to stop."""
        self._listeners.append(listener)
        self._enders.append(ended)

    def end(self) -> None:
        """Release the listeners: the server is about to stop."""
        for ended in self._enders:
            ended()
