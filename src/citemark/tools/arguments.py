"""Reads a call's arguments into a checked model: nothing is coerced or dropped silently, and errors name the place.

Hosts send null and "" for arguments that they omit (strict function calling, CrewAI on every call), and whole numbers
with a decimal point. The former are read as omitted, the latter as integers.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from citemark.model.errors import InvalidArgument

_STRING_TYPES = frozenset({str, date, datetime})
"""Types whose values are strings in JSON."""


def without_omitted(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` without the arguments that stand for omitted ones, and with whole numbers as integers, at every depth.

    A null always means omitted; an empty string does where a string is optional. Arguments that `model` does not know
    are kept, so that they can be refused by name.
    """
    fields = _fields(model)
    values: dict[str, Any] = {}
    for name, value in given.items():
        field = fields.get(name)
        if field is None:
            values[name] = value
        elif value is not None and not (value == "" and _optional_string(field)):
            values[name] = _value(set(_kinds(field.annotation)), value)
    return values


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by every name that an argument may have, aliases included."""
    fields = dict(model.model_fields)
    for field in model.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            fields |= {name: field for name in field.validation_alias.choices if isinstance(name, str)}
    return fields


def _optional_string(field: FieldInfo) -> bool:
    return not field.is_required() and not _STRING_TYPES.isdisjoint(_kinds(field.annotation))


def _value(kinds: set[Any], value: Any) -> Any:
    nested = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
    if nested is not None and isinstance(value, Mapping):
        return without_omitted(nested, cast("Mapping[str, Any]", value))
    if isinstance(value, float) and value.is_integer() and int in kinds and float not in kinds:
        return int(value)
    return value


def _kinds(annotation: Any) -> Iterator[Any]:
    """The types that a value of this annotation may have; for a literal, the types of its values."""
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


MAX_ISSUES = 8
"""Maximum issues in one error; a model corrects a few at a time."""

_MAX_DEPTH = 32
"""No tool takes objects deeper than three levels; this only stops recursion."""

_MAX_SHOWN = 80
"""Maximum characters of an argument's name that are repeated in an error."""

_MAX_NUMBER = 2**63
"""PostgreSQL's bigint; no argument needs more."""


Model = TypeVar("Model", bound=BaseModel)


def parse_arguments(model: type[Model], arguments: Mapping[str, Any] | None) -> Model:
    """Read the arguments into `model`.

    Raises:
        InvalidArgument: with the JSON pointer of each issue and what is accepted there; values are never repeated.
    """
    values = dict(arguments or {})
    for pointer, complaint in _unreadable(values, "", 0):
        raise _refusal([{"path": pointer, "rule": "text", "message": complaint}])
    try:
        return model.model_validate_json(json.dumps(without_omitted(model, values)), strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        raise _refusal([_issue(model, detail) for detail in details[:MAX_ISSUES]]) from None


def _refusal(issues: list[dict[str, str]]) -> InvalidArgument:
    message = "; ".join(f"{issue['path'] or 'arguments'}: {issue['message']}" for issue in issues)
    return InvalidArgument(message, issues=issues)


def _unreadable(node: Any, pointer: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield pointer and complaint for each value that no document can hold and no argument needs."""
    complaint = _complaint(node, depth)
    if complaint:
        yield pointer, complaint
    elif isinstance(node, Mapping):
        for key, value in cast("Mapping[str, Any]", node).items():
            yield from _unreadable(value, f"{pointer}/{_escaped(key)}", depth + 1)
    elif isinstance(node, list):
        for index, value in enumerate(cast("list[Any]", node)):
            yield from _unreadable(value, f"{pointer}/{index}", depth + 1)


def _complaint(node: Any, depth: int) -> str:
    if isinstance(node, str):
        return "" if _is_text(node) else "must be text without NUL characters and unpaired surrogates"
    if isinstance(node, int):
        return "" if abs(node) <= _MAX_NUMBER else "is too large a number"
    if depth > _MAX_DEPTH:
        return "is nested too deeply"
    if isinstance(node, Mapping) and not all(_is_text(key) for key in cast("Mapping[str, Any]", node)):
        return "has a name with NUL characters or unpaired surrogates"
    return ""


def _is_text(value: str) -> bool:
    if "\x00" in value:
        return False
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _issue(model: type[BaseModel], detail: ErrorDetails) -> dict[str, str]:
    location = [part for part in detail["loc"] if not _names_a_branch(part)]
    match detail["type"]:
        case "extra_forbidden":
            names = ", ".join(sorted(_fields_at(model, location[:-1])))
            message = f"is not an argument of this tool; accepted here: {names}"
        case "missing":
            message = "is required"
        case "string_too_long" | "string_too_short":
            message = detail["msg"].replace("String should have", "must have")
        case "too_long" | "too_short":
            bound, word = ("max_length", "at most") if detail["type"] == "too_long" else ("min_length", "at least")
            number = detail.get("ctx", {}).get(bound)
            message = f"must have {word} {number} item{'' if number == 1 else 's'}"
        case _:
            message = detail["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    pointer = "".join(f"/{_escaped(str(part))}" for part in location)
    return {"path": pointer, "rule": detail["type"], "message": message}


def _names_a_branch(part: int | str) -> bool:
    """Whether pydantic added this part to a location to say which member of a union it tried."""
    return isinstance(part, str) and ("[" in part or "(" in part)


def _fields_at(model: type[BaseModel], location: Sequence[int | str]) -> Sequence[str]:
    """The names of the arguments that the object at `location` accepts."""
    for part in location:
        field = model.model_fields.get(str(part))
        if field is None:
            continue
        kinds = (field.annotation, *get_args(field.annotation))
        nested = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
        model = nested or model
    return [_schema_name(name, field) for name, field in model.model_fields.items()]


def _schema_name(name: str, field: FieldInfo) -> str:
    """The name of an argument in the schema: the first of its aliases, if it has any."""
    alias = field.validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else name


def _escaped(part: str) -> str:
    """One step of a JSON pointer (RFC 6901), escaped and shortened."""
    shown = part if len(part) <= _MAX_SHOWN else f"{part[:_MAX_SHOWN]}..."
    return shown.replace("~", "~0").replace("/", "~1")
