"""Arguments as hosts send them: null and "" in place of leaving one out, and integers with a decimal point.

Strict function calling and some client libraries (CrewAI on every call) fill in each optional argument; others compute
with floating-point numbers only.
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

_WRITTEN = frozenset({str, date, datetime})
"""Kinds of values that are strings in JSON."""


def without_omitted(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """What of `given` was really given, with whole numbers as integers, in nested objects too.

    A null is never a value; an empty string is none where a string is optional. What `model` does not know is kept, to
    be refused with its name.
    """
    fields = _fields(model)
    found: dict[str, Any] = {}
    for name, value in given.items():
        field = fields.get(name)
        if field is None:
            found[name] = value
        elif value is not None and not (value == "" and _optional_string(field)):
            found[name] = _value(set(_kinds(field.annotation)), value)
    return found


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by each name under which an argument may come."""
    found = dict(model.model_fields)
    for field in model.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            found |= {name: field for name in field.validation_alias.choices if isinstance(name, str)}
    return found


def _optional_string(field: FieldInfo) -> bool:
    return not field.is_required() and not _WRITTEN.isdisjoint(_kinds(field.annotation))


def _value(kinds: set[Any], value: Any) -> Any:
    nested = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
    if nested is not None and isinstance(value, Mapping):
        return without_omitted(nested, cast("Mapping[str, Any]", value))
    if isinstance(value, float) and value.is_integer() and int in kinds and float not in kinds:
        return int(value)
    return value


def _kinds(annotation: Any) -> Iterator[Any]:
    """The types that a value of this annotation may have; of literals the types of their values."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _kinds(get_args(annotation)[0])
    elif origin in {Union, UnionType}:
        for part in get_args(annotation):
            yield from _kinds(part)
    elif origin is Literal:
        yield from {type(value) for value in get_args(annotation)}
    else:
        yield origin or annotation
