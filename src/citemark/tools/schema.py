"""Turns models of arguments into the JSON Schemas that are listed: short, flat, without titles, always the same.

Flat means that no schema refers to another one and that every argument has a single `type`. Client libraries turn
schemas into classes, and several of them refuse references, unions or lists of types, or read a union as a string. The
schemas of results are resources (`results.full_schema`), since a list has no room for them.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from citemark.results.shape import JsonSchema

_NULL = {"type": "null"}


@cache
def input_schema(model: type[BaseModel]) -> JsonSchema:
    """The schema of a tool's arguments. An argument marked with `SkipJsonSchema` is accepted but not listed.

    The schema is made once for each model, so callers must not change it. Null and "" mean omitted (`arguments`), which
    no schema says: only programs send them.
    """
    whole = model.model_json_schema()
    schema = _flat({**whole, "description": ""}, whole.get("$defs", {}))
    arguments = schema["properties"]
    for limit in ("scope", "read_context"):
        if limit in arguments:
            arguments[limit] = arguments.pop(limit)
    return schema


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
        key in {"$defs", "title", "additionalProperties", "minLength", "maxLength", "minItems", "maxItems"}
        or (key == "default" and (value is None or value is False or value in ([], {})))
        or (key == "description" and not value)
    )
