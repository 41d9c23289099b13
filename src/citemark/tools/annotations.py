"""What the annotation of an argument allows, as far as reading a call's arguments needs to know it."""

from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel


def members(annotation: Any) -> Iterator[Any]:
    """The annotations that a value may meet: unions are taken apart, a literal is the types of its values."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from members(get_args(annotation)[0])
    elif origin in {Union, UnionType}:
        for part in get_args(annotation):
            yield from members(part)
    elif origin is Literal:
        yield from {type(value) for value in get_args(annotation)}
    else:
        yield annotation


def kind_of(member: Any) -> Any:
    """The class of a member's values: `tuple` of `tuple[str, ...]`."""
    return get_origin(member) or member


def model_of(annotation: Any) -> type[BaseModel] | None:
    """The model that an object given for this annotation is read into; None if it takes no object of a model."""
    kinds = (kind_of(member) for member in members(annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def item_of(annotation: Any) -> Any:
    """The annotation of the items of an array, or of the values of an open object; `Any` if it says nothing of them."""
    for member in members(annotation):
        parts = get_args(member)
        if parts and is_array(member):
            return parts[0]
        if parts and is_object(member):
            return parts[1]
    return Any


def is_array(member: Any) -> bool:
    """Whether the values of a member are arrays in JSON."""
    kind = kind_of(member)
    return isinstance(kind, type) and issubclass(kind, Sequence | set | frozenset) and not issubclass(kind, str | bytes)


def is_object(member: Any) -> bool:
    """Whether the values of a member are objects in JSON."""
    kind = kind_of(member)
    return isinstance(kind, type) and issubclass(kind, BaseModel | Mapping)
