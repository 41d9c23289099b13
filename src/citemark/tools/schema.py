"""Pydantic models to the JSON Schemas that are published: short, without titles, the same every time."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from citemark.model.errors import Code

JsonSchema = dict[str, Any]

_NULL = {"type": "null"}
_MAPS = frozenset({"properties", "$defs"})
"""Keywords whose value maps names to schemas."""

_LITERAL = frozenset({"default", "enum", "const", "required"})
"""Keywords whose value is no schema."""


class Strict(BaseModel):
    """The base of everything that comes in or goes out: no unknown fields, no changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Brief(Strict):
    """A shape that many results share. The list of tools names its fields; the documentation says their kinds.

    (A list of tools is read by every client at every start, and has 48 KiB for all of them.)
    """

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchema:
        _ = core_schema, handler
        return {"type": "object", "required": [name for name, field in cls.model_fields.items() if field.is_required()]}


class ErrorBody(Brief):
    """A failure: one of the six codes, what to do about it, and data about the case."""

    code: Code
    message: str
    details: dict[str, Any]


def input_schema(model: type[BaseModel]) -> JsonSchema:
    """What the arguments of a tool look like. An optional value may be null too, which is not spelled out."""
    return _short(model.model_json_schema())


def output_schema(model: type[BaseModel]) -> JsonSchema:
    """What structured content looks like: every field of the result, or an error.

    Some clients check the content of failures against this schema too, so the envelope is part of it, while the root
    stays a plain object for protocol versions before 2026-07-28. Objects stay open: a field added later must not fail
    at a client that kept the schema of before.
    """
    schema = _open(_short(model.model_json_schema()))
    required = schema.pop("required", [])
    schema["properties"]["error"] = _short(ErrorBody.model_json_schema())
    schema["anyOf"] = [{"required": required}, {"required": ["error"]}]
    return schema


def _short(node: Any) -> Any:
    """A schema without what says nothing: titles, docstrings of models, null as the absent value."""
    if not isinstance(node, Mapping):
        return [_short(item) for item in cast("list[Any]", node)] if isinstance(node, list) else node
    schema = dict(cast("Mapping[str, Any]", node))
    schema.pop("title", None)
    if "properties" in schema:
        schema.pop("description", None)
    if schema.get("default", ...) is None:
        schema = _without_null(schema)
    return {key: _shortened(key, value) for key, value in schema.items()}


def _shortened(key: str, value: Any) -> Any:
    if key in _LITERAL:
        return value
    if key in _MAPS:
        return {name: _short(schema) for name, schema in cast("Mapping[str, Any]", value).items()}
    return _short(value)


def _without_null(schema: JsonSchema) -> JsonSchema:
    branches = [branch for branch in schema.get("anyOf", ()) if branch != _NULL]
    rest = {key: value for key, value in schema.items() if key not in {"default", "anyOf"}}
    return {**branches[0], **rest} if len(branches) == 1 else schema


def _open(node: Any) -> Any:
    """A schema of output without what closes objects and without defaults, which only input has."""
    if isinstance(node, list):
        return [_open(item) for item in cast("list[Any]", node)]
    if not isinstance(node, Mapping):
        return node
    entries = cast("Mapping[str, Any]", node)
    return {key: _open(value) for key, value in entries.items() if key not in {"additionalProperties", "default"}}
