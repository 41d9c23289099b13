"""Arguments and results that the graph tools share, and nodes and edges as text."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from citemark.features.graph.services.requests import GraphScope
from citemark.results.shape import Strict
from citemark.tools.schemas_in import (
    Name,
    ReadAt,
    ReadContextIn,
    Scope,
    ScopeIn,
    Within,
    listed,
)

_MOST_IDS = 20
"""Maximum number of nodes that one call starts from: all hits on a page of a search."""

_MOST_TYPES = 32


def _some(names: tuple[str, ...]) -> tuple[str, ...]:
    if not 0 < len(names) <= _MOST_IDS:
        raise PydanticCustomError("ids", "must have 1 to {high} entries", {"high": _MOST_IDS})
    return tuple(dict.fromkeys(names))


def _a_few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > _MOST_TYPES:
        raise PydanticCustomError("too_many", "must have at most {high} entries", {"high": _MOST_TYPES})
    return names


_SHAPE: dict[str, Any] = {"type": "array", "items": {"type": "string"}}

Ids = Annotated[tuple[Name, ...], BeforeValidator(listed), AfterValidator(_some), WithJsonSchema(_SHAPE)]
NodeIds = Annotated[Ids, Field(description="or passage_ids")]
Types = Annotated[tuple[Name, ...], BeforeValidator(listed), AfterValidator(_a_few), WithJsonSchema(_SHAPE)]
Hops = Annotated[int, Within(1, 3)]
PerNode = Annotated[int, Within(1, 100)]
PageSize = Annotated[int, Within(1, 100)]
Cursor = Name | None


class GraphIn(Strict):
    """What every call about the graph may say."""

    scope: Scope = Field(default_factory=ScopeIn)
    read_context: ReadAt = Field(default_factory=ReadContextIn)

    def graph_scope(self) -> GraphScope:
        """Which sources the call walks over, and in which state."""
        return GraphScope(self.scope.value(), self.read_context.value())
