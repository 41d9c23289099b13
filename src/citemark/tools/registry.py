"""The tools of a server: what each is, and the list that clients see."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from citemark.evidence.requests import Asker
from citemark.model.principal import READ, Principal
from citemark.settings import Settings
from citemark.tools.desk import UseCases
from citemark.tools.names import Spelling, respell, spell
from citemark.tools.reply import Reply
from citemark.tools.schema import JsonSchema, Strict, input_schema, output_schema


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler has besides its arguments. `fits` says whether a reply stays below the cap."""

    desk: UseCases
    asker: Asker
    settings: Settings
    fits: Callable[[Reply], bool]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, named with a dot. It reads only, of what the index holds."""

    name: str
    title: str
    description: str
    takes: type[Strict]
    gives: type[Strict]
    handle: Callable[[Call, Any], Awaitable[Reply]]
    scopes: frozenset[str] = frozenset({READ})


class Registry:
    """Tools in a fixed order, found under either spelling."""

    def __init__(self, tools: Iterable[Tool], *, structured: bool = True) -> None:
        self._tools = tuple(tools)
        self._structured = structured
        self._found = {spell(tool.name, spelling): tool for tool in self._tools for spelling in ("dot", "underscore")}
        self._inputs = {tool.name: input_schema(tool.takes) for tool in self._tools}
        self._outputs = {tool.name: output_schema(tool.gives) for tool in self._tools}

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, with dots."""
        return tuple(tool.name for tool in self._tools)

    def find(self, name: str, principal: Principal) -> Tool | None:
        """The tool that a principal may call by a name in either spelling."""
        tool = self._found.get(name)
        return tool if tool is not None and tool.scopes <= principal.scopes else None

    def input_schema(self, name: str) -> JsonSchema | None:
        """The argument schema behind a name in either spelling."""
        tool = self._found.get(name)
        return None if tool is None else self._inputs[tool.name]

    def listed(self, spelling: Spelling, principal: Principal) -> list[types.Tool]:
        """What tools/list shows a principal, in the order of registration."""
        return [self._wire(tool, spelling) for tool in self._tools if tool.scopes <= principal.scopes]

    def _wire(self, tool: Tool, spelling: Spelling) -> types.Tool:
        return types.Tool(
            name=spell(tool.name, spelling),
            title=tool.title,
            description=respell(tool.description, self.names, spelling),
            input_schema=self._inputs[tool.name],
            output_schema=self._outputs[tool.name] if self._structured else None,
            annotations=types.ToolAnnotations(
                read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
            ),
        )
