"""Reads a call's arguments into a checked model: nothing is coerced or dropped silently, and errors name the place.

Hosts send null and "" for arguments that they omit (strict function calling, CrewAI on every call), and whole numbers
with a decimal point. The former are read as omitted, the latter as integers. Some send the JSON of a value as text;
see `json_texts`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from citemark.model.errors import InvalidArgument
from citemark.tools.annotations import item_of, members, model_of
from citemark.tools.json_texts import NOT_READ, read_text

_STRING_TYPES = frozenset({str, date, datetime})
"""Types whose values are strings in JSON."""


def without_omitted(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` without the arguments that stand for omitted ones, whole numbers as integers, JSON read from texts.

    A null always means omitted; an empty string does where a string is optional. Arguments that `model` does not know
    are kept, so that they can be refused by name. All of this holds at every depth.
    """
    fields = _fields(model)
    values: dict[str, Any] = {}
    for name, value in given.items():
        field = fields.get(name)
        if field is None:
            values[name] = value
        elif value is not None and not (value == "" and _optional_string(field)):
            read = _value(field.annotation, value)
            values |= {} if read is None else {name: read}
    return values


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by the names of their arguments."""
    return {_argument_name(name, field): field for name, field in model.model_fields.items()}


def _optional_string(field: FieldInfo) -> bool:
    return not field.is_required() and not _STRING_TYPES.isdisjoint(members(field.annotation))


def _value(annotation: Any, value: Any) -> Any:
    """A value as its annotation takes it. One that is not taken stays as it is, so that it is refused at its place."""
    if isinstance(value, str):
        read = read_text(annotation, value)
        return value if read is NOT_READ else _value(annotation, read)
    if isinstance(value, Mapping):
        given, model = cast("Mapping[str, Any]", value), model_of(annotation)
        if model is not None:
            return without_omitted(model, given)
        return {name: _value(item_of(annotation), inner) for name, inner in given.items()}
    if isinstance(value, list):
        return [_value(item_of(annotation), item) for item in cast("list[Any]", value)]
    if isinstance(value, float) and value.is_integer() and float not in (kinds := set(members(annotation))):
        return int(value) if int in kinds else value
    return value


MAX_ISSUES = 8
"""Maximum issues in one error; a model corrects a few at a time."""

_MAX_DEPTH = 32
"""No tool takes objects deeper than three levels; this only stops recursion."""

_MAX_SHOWN = 80
"""Maximum characters of an argument's name that are repeated in an error."""

_MAX_NUMBER = 2**63
"""PostgreSQL's bigint; no argument needs more."""


_SENT: Mapping[str, str] = MappingProxyType(
    {
        "tuple_type": "an array",
        "list_type": "an array",
        "model_type": "an object",
        "dict_type": "an object",
        "int_type": "an integer",
        "float_type": "a number",
        "bool_type": "a boolean",
    }
)
"""What to send instead of a text, by pydantic's type of the error."""

Model = TypeVar("Model", bound=BaseModel)


def parse_arguments(model: type[Model], arguments: Mapping[str, Any] | None) -> Model:
    """Read the arguments into `model`.

    Raises:
        InvalidArgument: with the JSON pointer of each issue and what is accepted there; values are never repeated.
    """
    _require_readable(dict(arguments or {}))
    values = without_omitted(model, dict(arguments or {}))
    _require_readable(values)  # again, for what was read from texts
    try:
        return model.model_validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False)
        raise _refusal([_issue(model, detail) for detail in details[:MAX_ISSUES]]) from None


def _refusal(issues: list[dict[str, str]]) -> InvalidArgument:
    message = "; ".join(f"{issue['path'] or 'arguments'}: {issue['message']}" for issue in issues)
    return InvalidArgument(message, issues=issues)


def _require_readable(values: Mapping[str, Any]) -> None:
    for pointer, complaint in _unreadable(values, "", 0):
        raise _refusal([{"path": pointer, "rule": "text", "message": complaint}])


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
        case kind if kind in _SENT and isinstance(detail["input"], str):
            message = f"must be {_SENT[kind]}: send {_SENT[kind]}, not a text that holds one"
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
        model = model_of(field.annotation) or model_of(item_of(field.annotation)) or model
    return [_argument_name(name, field) for name, field in model.model_fields.items()]


def _argument_name(name: str, field: FieldInfo) -> str:
    """The name of a field's argument: another than the field's where that would be a keyword of Python."""
    alias = field.validation_alias
    return alias if isinstance(alias, str) else name


def _escaped(part: str) -> str:
    """One step of a JSON pointer (RFC 6901), escaped and shortened."""
    shown = part if len(part) <= _MAX_SHOWN else f"{part[:_MAX_SHOWN]}..."
    return shown.replace("~", "~0").replace("/", "~1")
