"""Argument types that the architecture tools share."""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from citemark.features.archimate.services.requests import Metadata, QueryScope
from citemark.features.archimate.source.vocabulary import LAYER_OF, VERBS, plain_type
from citemark.model.architecture import LAYERS
from citemark.results.shape import Strict
from citemark.tools.schemas_in import (
    Name,
    ReadAt,
    ReadContextIn,
    Scope,
    ScopeIn,
    Within,
    in_words,
    listed,
)

_MANY = 32
"""Maximum number of values in one filter; ArchiMate has 60 element types in all."""


def _a_few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > _MANY:
        raise PydanticCustomError("too_many", "must have at most {high} entries", {"high": _MANY})
    return names


def _layers(names: tuple[str, ...]) -> tuple[str, ...]:
    layers = tuple(name.strip().lower().replace(" & ", "_").replace(" and ", "_").replace(" ", "_") for name in names)
    if not set(layers) <= set(LAYERS):
        raise PydanticCustomError("layer", "must be one of {layers}", {"layers": ", ".join(LAYERS)})
    return layers


def _spelled(names: tuple[str, ...], spellings: Mapping[str, str]) -> tuple[str, ...]:
    """Types as ArchiMate 3 spells them: `application component` becomes `ApplicationComponent`.

    Raises:
        PydanticCustomError: a name is not a type; the message lists similar types.
    """
    types: list[str] = []
    for name in names:
        plain = plain_type("".join(name.split()))
        spelling = spellings.get(plain.lower())
        if spelling is None:
            near = get_close_matches(plain.lower(), spellings, n=3, cutoff=0.4) or sorted(spellings)[:3]
            raise PydanticCustomError(
                "type",
                "{name} is not an ArchiMate type; similar ones: {near}",
                {"name": repr(name[:40]), "near": ", ".join(spellings[key] for key in near)},
            )
        types.append(spelling)
    return tuple(types)


_ELEMENTS = MappingProxyType({name.lower(): name for name in LAYER_OF})
_RELATIONSHIPS = MappingProxyType({name.lower(): name for name in VERBS})

_SHAPE: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
"""A single name is accepted too, but not listed: several client libraries cannot read a union of the two."""

Several = Annotated[tuple[Name, ...], BeforeValidator(listed), AfterValidator(_a_few), WithJsonSchema(_SHAPE)]
ElementTypes = Annotated[Several, AfterValidator(lambda names: _spelled(names, _ELEMENTS))]
RelationshipTypes = Annotated[Several, AfterValidator(lambda names: _spelled(names, _RELATIONSHIPS))]
Layers = Annotated[Several, AfterValidator(_layers)]

PageSize = Annotated[int, Within(1, 100)]
Cursor = Name | None


class ElementFiltersIn(Strict):
    """Conditions on elements."""

    layer: Layers = Field(default_factory=tuple)
    element_type: ElementTypes = Field(default_factory=tuple)
    capability: Several = Field(default_factory=tuple)

    def value(self) -> Metadata:
        """Convert to the type that the services take."""
        pairs = (("layer", self.layer), ("element_type", self.element_type), ("capability", self.capability))
        return tuple((key, values) for key, values in pairs if values)


ElementFilters = Annotated[ElementFiltersIn, in_words("layer[], element_type[] (ApplicationComponent), capability[]")]
Direction = Literal["both", "outgoing", "incoming"]


class ModelIn(Strict):
    """What every call about models may say."""

    model: Annotated[Name | None, Field(description="A source's name")] = None
    scope: Scope = Field(default_factory=ScopeIn)
    read_context: ReadAt = Field(default_factory=ReadContextIn)

    def query_scope(self) -> QueryScope:
        """Which models are read, and which state of them."""
        return QueryScope(self.model, self.scope.value(), self.read_context.value())
