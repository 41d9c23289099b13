"""The tools of a server: what each is, how its name is spelled, and the list that clients see."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import mcp_types as types

from citemark.evidence.budget import json_bytes
from citemark.model.scope import READ, Principal
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.reply import ToolReply
from citemark.tools.schema import JsonSchema, Strict, input_schema, output_schema
from citemark.tools.schemas_out import ResponseMetaOut

if TYPE_CHECKING:  # only tools that generate load it
    from citemark.answering.ways import ClientModel
    from citemark.services.answers import AnswerService

Spelling = Literal["underscore", "dot"]


def spelling_for(setting: Literal["auto", "dot", "underscore"]) -> Spelling:
    """The spelling in which tools are listed. `auto`, a setting of earlier releases, is read as `underscore`.

    The APIs of OpenAI and Anthropic refuse a whole request with a dotted tool name in it, and most client libraries
    hand names through unchanged, whatever the client calls itself.
    """
    return "dot" if setting == "dot" else "underscore"


def spell(name: str, spelling: Spelling) -> str:
    """`name`, which is written with dots, in a spelling."""
    return name.replace(".", "_") if spelling == "underscore" else name


_NAMED = re.compile(r"\b(?:(?:kb|architecture|graph)\.\w+|nc_\w+)")
_BETWEEN_SENTENCES = re.compile(r"(?<=\.) ")


def without_missing(text: str, names: Collection[str]) -> str:
    """A text for models without the sentences about tools that there are not."""
    lines = (_BETWEEN_SENTENCES.split(line) for line in text.split("\n"))
    return "\n".join(" ".join(said for said in line if set(_NAMED.findall(said)) <= set(names)) for line in lines)


def respell(text: str, names: tuple[str, ...], spelling: Spelling) -> str:
    """A text for models with every tool name in it as the client knows it."""
    for name in names:
        text = text.replace(name, spell(name, spelling))
    return text


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a handler has besides its arguments. `fits` says whether a reply stays below the cap.

    `answers` is there for tools that generate; `model` is that of the client that called.
    """

    services: Services
    caller: Caller
    settings: Settings
    fits: Callable[[ToolReply], bool]
    answers: "AnswerService | None" = None
    model: "ClientModel | None" = None


class Effect(StrEnum):
    """What a call does to the world: nothing, something that can be undone, or something that takes away."""

    READS = "reads"
    WRITES = "writes"
    DESTROYS = "destroys"


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, named with a dot.

    `generates`: it may ask a model for words, wait for them, and be called a second time with them. `former_name` can
    be called as well, and is not listed. `past`: the index has other states than the present one. `legacy`: it is not
    counted among the 32 tools of a list.
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
    past: bool = False
    legacy: bool = False


MOST_TOOLS = 32
MOST_LIST_BYTES = 48 * 1024
"""What hosts and models can take as one list."""

_LIST_BYTES = 512
"""Bytes of a tools/list result around the tools themselves."""


class Registry:
    """Tools in a fixed order, found under either spelling. Those that a list cannot hold can still be called."""

    def __init__(self, tools: Iterable[Tool], *, structured: bool = True) -> None:
        self._tools = tuple(tools)
        self._structured = structured
        self._found = {
            spell(name, spelling): tool
            for tool in self._tools
            for name in (tool.former_name, tool.name)
            if name is not None
            for spelling in ("dot", "underscore")
        }
        self._inputs = {tool.name: input_schema(tool.takes, past=tool.past) for tool in self._tools}
        self._outputs = {tool.name: output_schema(tool.gives, ResponseMetaOut) for tool in self._tools}
        self._lists: dict[tuple[Spelling, frozenset[str]], list[types.Tool]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, with dots."""
        return tuple(tool.name for tool in self._tools)

    def find(self, name: str, principal: Principal) -> Tool | None:
        """The tool that a principal may call by a name in either spelling."""
        tool = self._found.get(name)
        return tool if tool is not None and tool.scopes <= principal.scopes else None

    def needs(self, name: str) -> frozenset[str]:
        """The scopes that the tool behind a name in either spelling needs; none where there is no such tool."""
        tool = self._found.get(name)
        return frozenset() if tool is None else tool.scopes

    @property
    def scopes(self) -> frozenset[str]:
        """Every scope that some tool needs."""
        return frozenset(scope for tool in self._tools for scope in tool.scopes)

    def input_schema(self, name: str) -> JsonSchema | None:
        """The argument schema behind a name in either spelling."""
        tool = self._found.get(name)
        return None if tool is None else self._inputs[tool.name]

    def listed(self, spelling: Spelling, principal: Principal) -> list[types.Tool]:
        """What tools/list shows a principal, in the order of registration: the first ones that a list can hold."""
        key = (spelling, principal.scopes)
        if key not in self._lists:
            self._lists[key] = self._first(spelling, [tool for tool in self._tools if tool.scopes <= principal.scopes])
        return self._lists[key]

    def left_out(self, spelling: Spelling, principal: Principal) -> tuple[str, ...]:
        """What a principal may call and a list of tools cannot hold."""
        names = [spell(tool.name, spelling) for tool in self._tools if tool.scopes <= principal.scopes]
        return tuple(names[len(self.listed(spelling, principal)) :])

    def _first(self, spelling: Spelling, tools: Iterable[Tool]) -> list[types.Tool]:
        found: list[types.Tool] = []
        room = MOST_LIST_BYTES - _LIST_BYTES
        counted_apart = sum(tool.legacy for tool in self._tools)
        for tool in tools:
            wire = self._wire(tool, spelling)
            room -= json_bytes(wire.model_dump(mode="json", by_alias=True, exclude_none=True)) + 1
            if len(found) == MOST_TOOLS + counted_apart or room < 0:
                break
            found.append(wire)
        return found

    def _wire(self, tool: Tool, spelling: Spelling) -> types.Tool:
        return types.Tool(
            name=spell(tool.name, spelling),
            title=tool.title,
            description=respell(without_missing(tool.description, self.names), self.names, spelling),
            input_schema=self._inputs[tool.name],
            output_schema=self._outputs[tool.name] if self._structured else None,
            annotations=types.ToolAnnotations(
                read_only_hint=tool.effect is Effect.READS,
                destructive_hint=tool.effect is Effect.DESTROYS,
                idempotent_hint=True,
                open_world_hint=False,
            ),
        )
