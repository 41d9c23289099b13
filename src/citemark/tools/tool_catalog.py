"""The tools and sources that a server currently offers, with listeners for changes."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TypeAlias

from citemark.model.scope import Principal
from citemark.settings import Settings
from citemark.tools.families import ToolFamily
from citemark.tools.index_contents import IndexContents, NamedSource, ToolGroups
from citemark.tools.prompts import FilledPrompt
from citemark.tools.registry import Registry, Tool


def tools_of(families: Sequence[ToolFamily], groups: ToolGroups, settings: Settings) -> tuple[Tool, ...]:
    """Every tool that works with this index, family by family; a list drops what it cannot hold from the end."""
    here = [family for family in families if family.needs <= groups.names and family.offered(settings)]
    return tuple(tool for family in here for tool in family.load(groups))


def unlisted(families: Sequence[ToolFamily], groups: ToolGroups, settings: Settings) -> tuple[str, ...]:
    """The names, as clients spell them, of the tools that do not fit the list; the local user can still call them."""
    tools = tools_of(families, groups, settings)
    registry = Registry(tools, core=settings.tools == "core")
    return registry.left_out(settings.tool_names, Principal.local())


def every_group(families: Sequence[ToolFamily]) -> ToolGroups:
    """What a server for several people offers. A list based on the index would reveal other people's sources."""
    return ToolGroups(frozenset(name for family in families for name in family.needs))


ChangeListener: TypeAlias = Callable[[], Awaitable[None]]


class ToolCatalog:
    """What a running server currently offers; listeners are called when that changes."""

    def __init__(
        self,
        families: Sequence[ToolFamily],
        groups: ToolGroups | None = None,
        sources: tuple[NamedSource, ...] | None = None,
    ) -> None:
        self._families = families
        self._groups = groups or ToolGroups()
        self._sources = sources
        self._source_listeners: list[Callable[[], None]] = []
        self._listeners: list[ChangeListener] = []
        self._enders: list[Callable[[], None]] = []

    @classmethod
    def of(cls, families: Sequence[ToolFamily], holding: IndexContents | None) -> "ToolCatalog":
        """The catalog of a starting server, based on what was last known about its index."""
        return cls(families) if holding is None else cls(families, holding.groups, holding.sources)

    @property
    def holding(self) -> IndexContents:
        """What is currently known about the index."""
        return IndexContents(self._groups, self._sources)

    def tools(self, settings: Settings) -> tuple[Tool, ...]:
        """The tools that are currently offered."""
        return tools_of(self._families, self._groups, settings)

    def prompts(self, names: Collection[str]) -> tuple[FilledPrompt, ...]:
        """The prompts that these tools suffice for."""
        prompts = (prompt for family in self._families for prompt in family.prompts())
        return tuple(prompt for prompt in prompts if set(prompt.needs) <= set(names))

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
        if holding.groups != self._groups:
            self._groups = holding.groups
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
