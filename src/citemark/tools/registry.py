"""The tools of a server: what a tool consists of, how its name is spelled, and the list that clients see."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import mcp_types as types

from citemark.evidence.budget import json_bytes
from citemark.model.scope import READ, Principal
from citemark.results.shape import JsonSchema, Strict
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.reply import ToolReply
from citemark.tools.schema import input_schema

if TYPE_CHECKING:  # only calls of tools that generate need it
    from citemark.model.client_model import ClientModel

Spelling = Literal["underscore", "dot"]
"""How tools are listed. The APIs of OpenAI and Anthropic refuse an entire request if one tool name in it has a dot."""


def spell(name: str, spelling: Spelling) -> str:
    """`name`, which is written with dots, in the given spelling."""
    return name.replace(".", "_") if spelling == "underscore" else name


_NAMED = re.compile(r"\b(?:(?:kb|architecture|graph)\.\w+|nc_\w+)")
_BETWEEN_SENTENCES = re.compile(r"(?<=\.) ")


def without_missing(text: str, names: Collection[str]) -> str:
    """A text for models, without the sentences about tools that this server does not have."""
    lines = (_BETWEEN_SENTENCES.split(line) for line in text.split("\n"))
    return "\n".join(
        " ".join(sentence for sentence in line if set(_NAMED.findall(sentence)) <= set(names)) for line in lines
    )


def respell(text: str, names: tuple[str, ...], spelling: Spelling) -> str:
    """A text for models, with every tool name in it spelled as the client knows it."""
    for name in names:
        text = text.replace(name, spell(name, spelling))
    return text


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a handler gets besides its arguments. `fits` tells whether a reply stays below the byte cap.

    `model` is the model of the client that made the call; it is set for tools that generate text.
    """

    services: Services
    caller: Caller
    settings: Settings
    fits: Callable[[ToolReply], bool]
    model: "ClientModel | None" = None


class Effect(StrEnum):
    """The effect of a call: it changes nothing, changes something that can be undone, or removes something."""

    READS = "reads"
    WRITES = "writes"
    DESTROYS = "destroys"


@dataclass(frozen=True, slots=True)
class HostApp:
    """An app in which a host shows the results of tools.

    Attributes:
        name: of its address and of its template.
        title: for people.
        shown: what the template shows of the result of a call; None if nothing of it can be shown but its text.
    """

    name: str
    title: str
    shown: Callable[[ToolCall, Any], Awaitable[Mapping[str, Any] | None]]

    @property
    def uri(self) -> str:
        """The address of its page."""
        return f"ui://citemark/{self.name}"


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, with its dotted name.

    `generates`: it may ask a model for text, wait for it, and be called a second time with it. `former_name` can still
    be called but is not listed. `core`: the tool is on the short list too, of what an
    agent chooses. `on_demand`: the tool is there because a setting asks for it, so both lists have it, and it counts
    neither towards the 32 tools of a list nor towards its size. `app` shows its results in hosts that show apps.
    """

    name: str
    title: str
    description: str
    takes: type[Strict]
    gives: type[Strict]
    handle: Callable[[ToolCall, Any], Awaitable[ToolReply]]
    scopes: frozenset[str] = frozenset({READ})
    effect: Effect = Effect.READS
    generates: bool = False
    former_name: str | None = None
    core: bool = False
    on_demand: bool = False
    app: HostApp | None = None


MOST_TOOLS = 32
MOST_LIST_BYTES = 30 * 1024
"""The number of tools and the size that hosts and models can take as one list, without the tools on demand.

The legacy tools are nine, together 7 KB, and those for connectors two; whoever asks for them has programs that call
them by name.
"""

_LIST_BYTES = 128
"""Bytes that a tools/list result has besides the tools themselves."""


class Registry:
    """Tools in a fixed order, found by either spelling. Tools that do not fit the list can still be called."""

    def __init__(self, tools: Iterable[Tool], *, core: bool = False) -> None:
        """Take the tools; with `core`, the list has those of the core alone, and each of the others can be called."""
        self._tools = tuple(tools)
        self._core = core
        self._by_name = {
            spell(name, spelling): tool
            for tool in self._tools
            for name in (tool.former_name, tool.name)
            if name is not None
            for spelling in ("dot", "underscore")
        }
        self._inputs = {tool.name: input_schema(tool.takes) for tool in self._tools}
        self._lists: dict[tuple[Spelling, frozenset[str]], list[types.Tool]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools, with dots."""
        return tuple(tool.name for tool in self._tools)

    def find(self, name: str, principal: Principal) -> Tool | None:
        """The tool with a name in either spelling, or None if it is missing or the principal may not call it."""
        tool = self._by_name.get(name)
        return tool if tool is not None and tool.scopes <= principal.scopes else None

    @property
    def apps(self) -> tuple[HostApp, ...]:
        """The apps that show results of the tools, each once."""
        return tuple(dict.fromkeys(tool.app for tool in self._tools if tool.app is not None))

    def needs(self, name: str) -> frozenset[str]:
        """The scopes needed by the tool with a name in either spelling; empty if there is no such tool."""
        tool = self._by_name.get(name)
        return frozenset() if tool is None else tool.scopes

    @property
    def scopes(self) -> frozenset[str]:
        """All scopes that any of the tools needs."""
        return frozenset(scope for tool in self._tools for scope in tool.scopes)

    def input_schema(self, name: str) -> JsonSchema | None:
        """The argument schema of the tool with a name in either spelling, or None if there is no such tool."""
        tool = self._by_name.get(name)
        return None if tool is None else self._inputs[tool.name]

    def listed(self, spelling: Spelling, principal: Principal) -> list[types.Tool]:
        """What tools/list shows a principal: as many tools as the list can hold, in order, then those on demand."""
        key = (spelling, principal.scopes)
        if key not in self._lists:
            self._lists[key] = self._fitting(
                spelling, [tool for tool in self._tools if tool.scopes <= principal.scopes]
            )
        return self._lists[key]

    def left_out(self, spelling: Spelling, principal: Principal) -> tuple[str, ...]:
        """The names of the tools that a principal may call but that do not fit the list."""
        names = [spell(tool.name, spelling) for tool in self._tools if tool.scopes <= principal.scopes]
        listed = {tool.name for tool in self.listed(spelling, principal)}
        return () if self._core else tuple(name for name in names if name not in listed)

    def _fitting(self, spelling: Spelling, tools: Iterable[Tool]) -> list[types.Tool]:
        listed: list[types.Tool] = []
        on_demand: list[types.Tool] = []
        room = MOST_LIST_BYTES - _LIST_BYTES
        full = False
        for tool in tools:
            if self._core and not (tool.core or tool.on_demand):
                continue
            wire = self._wire(tool, spelling)
            if tool.on_demand:
                on_demand.append(wire)
                continue
            room -= json_bytes(wire.model_dump(mode="json", by_alias=True, exclude_none=True)) + 1
            full = full or len(listed) == MOST_TOOLS or room < 0
            if not full:
                listed.append(wire)
        return [*listed, *on_demand]

    def _wire(self, tool: Tool, spelling: Spelling) -> types.Tool:
        return types.Tool(
            name=spell(tool.name, spelling),
            title=tool.title,
            description=respell(without_missing(tool.description, self.names), self.names, spelling),
            input_schema=self._inputs[tool.name],
            annotations=types.ToolAnnotations(
                read_only_hint=tool.effect is Effect.READS,
                destructive_hint=tool.effect is Effect.DESTROYS,
                idempotent_hint=True,
                open_world_hint=False,
            ),
        )
