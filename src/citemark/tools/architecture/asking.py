"""The arguments that the tools of a model share."""

from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from citemark.evidence.architecture.requests import Metadata, Reach
from citemark.model.architecture import LAYERS
from citemark.tools.kb.asking import ReadContextIn, ScopeIn
from citemark.tools.schema import Strict
from citemark.tools.values import Name, Within

_MANY = 32


def _listed(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(cast("list[Any]", value))
    return (value,) if isinstance(value, str) else value


def _a_few(names: tuple[str, ...]) -> tuple[str, ...]:
    if not 0 < len(names) <= _MANY:
        raise PydanticCustomError("too_many", "must have 1 to {high} entries", {"high": _MANY})
    return names


def _layers(names: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(name.strip().lower().replace(" & ", "_").replace(" and ", "_").replace(" ", "_") for name in names)
    if not set(found) <= set(LAYERS):
        raise PydanticCustomError("layer", "must be one of {layers}", {"layers": ", ".join(LAYERS)})
    return found


def _compact(names: tuple[str, ...]) -> tuple[str, ...]:
    """Types as models spell them: `Application Component` is `ApplicationComponent`."""
    return tuple("".join(part[:1].upper() + part[1:] for part in name.split()) for name in names)


_SHAPE: dict[str, Any] = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

Several = Annotated[tuple[Name, ...], BeforeValidator(_listed), AfterValidator(_a_few), WithJsonSchema(_SHAPE)]
Types = Annotated[Several, AfterValidator(_compact)]
Layers = Annotated[
    Several,
    AfterValidator(_layers),
    WithJsonSchema({**_SHAPE, "description": ", ".join(LAYERS)}),
]

PageSize = Annotated[int, Within(1, 100)]
Cursor = Annotated[Name | None, Field(description="next_cursor of the page before; all else as there.")]


class ElementFiltersIn(Strict):
    """Conditions on elements."""

    layer: Layers = Field(default_factory=tuple)
    element_type: Annotated[Types, Field(description="Such as ApplicationComponent.")] = Field(default_factory=tuple)
    capability: Several = Field(default_factory=tuple)

    def value(self) -> Metadata:
        """The same in the words of the house."""
        pairs = (("layer", self.layer), ("element_type", self.element_type), ("capability", self.capability))
        return tuple((key, values) for key, values in pairs if values)


Filters = Annotated[ElementFiltersIn, Field(description="Values of one key are alternatives.")]
Direction = Literal["both", "outgoing", "incoming"]


def _named(words: str) -> WithJsonSchema:
    """A shape that the list of tools only names the keys of; kb.search spells it out."""
    return WithJsonSchema({"type": "object", "description": words})


class ModelIn(Strict):
    """What every call about a model may say."""

    scope: Annotated[ScopeIn, _named("project_id, environment, doc_tags, repositories")] = Field(
        default_factory=ScopeIn
    )
    read_context: Annotated[ReadContextIn, _named("baseline_id or as_of; omitted: now")] = Field(
        default_factory=ReadContextIn
    )

    def reach(self, capability: str) -> Reach:
        """Which models are read, and which state of them."""
        return Reach(capability, self.scope.value(), self.read_context.value())
