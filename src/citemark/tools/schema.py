"""Turns pydantic models into the JSON Schemas that are published: short, flat, without titles, always the same.

Flat means that no schema refers to another one, that every argument has a single `type`, and that the schema of a
result names only its own top-level fields. Client libraries turn input schemas into classes, and several of them refuse
references, unions or lists of types, or read a union as a string. The snapshot test freezes every field of a result,
however deep.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from citemark.results.shape import JsonSchema, Strict

OMITTED = 'null and "" mean omitted.'
"""The description of every input schema with optional arguments, instead of a union with null at each of them."""

_NULL = {"type": "null"}


_OF_PASSAGES = {"passage_id", "passage_ids"}
_READ_CONTEXT: JsonSchema = {
    "type": "object",
    "description": "A past state, by one of the two.",
    "properties": {"baseline_id": {"type": "string"}, "as_of": {"type": "string", "format": "date-time"}},
}


@cache
def input_schema(model: type[BaseModel], *, past: bool = False) -> JsonSchema:
    """The schema of a tool's arguments. An argument marked with `SkipJsonSchema` is accepted but not listed.

    The schema is made once for each model, so callers must not change it.

    Args:
        model: the model of the arguments.
        past: also list `read_context`, because the index has states other than the present one. A tool that takes a
            passage does not list it: a passage is read in the state in which it was found.
    """
    whole = model.model_json_schema()
    schema = _flat({**whole, "description": ""}, whole.get("$defs", {}))
    unlisted = not getattr(model, "lists_read_context", True) or _OF_PASSAGES & set(model.model_fields)
    if past and "read_context" in model.model_fields and not unlisted:
        schema["properties"]["read_context"] = _READ_CONTEXT
    schema["additionalProperties"] = False
    if set(schema["properties"]) - set(schema.get("required", ())):
        schema["description"] = OMITTED
    return schema


@cache
def output_schema(model: type[BaseModel], common: type[BaseModel] = Strict) -> JsonSchema:
    """The schema of structured content: the top-level fields of the result except the `common` ones, or an error.

    Some clients also check the content of failures against this schema, so the error envelope is part of it, while
    the root stays a plain object for protocol versions before 2026-07-28. Fields that may be null are not listed:
    the list has no room for what says so. The first field distinguishes a result from a failure. Objects stay open:
    a field added later must not fail at a client that kept an earlier schema. Like the input schema, it is made
    once for each model.
    """
    whole = model.model_json_schema()
    names = [name for name in model.model_fields if name not in common.model_fields]
    fields = {
        name: {"type": _flat(field, whole.get("$defs", {}))["type"]}
        for name in names
        if _NULL not in (field := whole["properties"][name]).get("anyOf", ())
    }
    return {
        "type": "object",
        "properties": {**fields, "error": {"type": "object"}},
        "anyOf": [{"required": names[:1]}, {"required": ["error"]}],
    }


def _flat(node: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    """A schema with its references resolved in place, without the entries that say nothing about arguments."""
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        node = {**target, "description": None, **{key: value for key, value in node.items() if key != "$ref"}}
    branches = [branch for branch in node.get("anyOf", ()) if branch != _NULL]
    if len(branches) == 1:
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        return _flat({**branches[0], **rest}, definitions)
    flat: JsonSchema = {}
    for key, value in node.items():
        if key == "properties":
            flat[key] = {name: _flat(field, definitions) for name, field in value.items()}
        elif key == "items":
            flat[key] = _flat(value, definitions)
        elif not _says_nothing(key, value):
            flat[key] = value
    return flat


def _says_nothing(key: str, value: Any) -> bool:
    """Whether an entry is not worth its bytes: hosts send the list of tools to a model with every request."""
    return (
        key in {"$defs", "title", "additionalProperties", "minLength", "minItems", "maxItems"}
        or (key == "default" and value in (None, [], {}))
        or (key == "description" and not value)
    )
