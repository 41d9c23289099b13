"""Pydantic models to the JSON Schemas that are published: short, flat, without titles, the same every time.

Flat means that no schema refers to another one, that every argument has one `type`, and that results name their own
top-level fields only. Client libraries turn input schemas into classes, and several of them refuse references, unions
or lists of types, or read a union as a string. The snapshot test freezes every field of a result, however deep.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from citemark.model.errors import Code

JsonSchema = dict[str, Any]

OMITTED = 'null and "" mean omitted.'
"""Stands in every input schema instead of a union with null at each argument."""

_NULL = {"type": "null"}


class Strict(BaseModel):
    """The base of everything that comes in or goes out: no unknown fields, no changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lists_read_context: ClassVar[bool] = True
    """Whether arguments list `read_context` where there is a past; spared where other tools of the family list it."""


class ErrorBody(Strict):
    """A failure: one of the six codes, what to do about it, and data about the case."""

    code: Code
    message: str
    details: dict[str, Any]


_OF_PASSAGES = {"passage_id", "passage_ids"}
_READ_CONTEXT: JsonSchema = {
    "type": "object",
    "description": "A past state, by one of the two.",
    "properties": {"baseline_id": {"type": "string"}, "as_of": {"type": "string", "format": "date-time"}},
}


@cache
def input_schema(model: type[BaseModel], *, past: bool = False) -> JsonSchema:
    """What the arguments of a tool look like; an argument marked with `SkipJsonSchema` is accepted and not listed.

    Made once for each model: callers must not change it.

    Args:
        model: of the arguments.
        past: list `read_context` too, because the index has other states than the present one. A tool that takes a
            passage does not list it: a passage is read in the state that it was found in.
    """
    whole = model.model_json_schema()
    schema = _flat({**whole, "description": ""}, whole.get("$defs", {}))
    spared = not getattr(model, "lists_read_context", True) or _OF_PASSAGES & set(model.model_fields)
    if past and "read_context" in model.model_fields and not spared:
        schema["properties"]["read_context"] = _READ_CONTEXT
    schema["additionalProperties"] = False
    if set(schema["properties"]) - set(schema.get("required", ())):
        schema["description"] = OMITTED
    return schema


@cache
def output_schema(model: type[BaseModel], common: type[BaseModel] = Strict) -> JsonSchema:
    """What structured content looks like: the top-level fields of the result besides the `common` ones, or an error.

    Some clients check the content of failures against this schema too, so the envelope is part of it, while the root
    stays a plain object for protocol versions before 2026-07-28; the first field tells a result from a failure. Objects
    stay open: a field added later must not fail at a client that kept the schema of before. Made once, as the input's.
    """
    whole = model.model_json_schema()
    names = [name for name in model.model_fields if name not in common.model_fields]
    fields = {name: _outline(whole["properties"][name], whole.get("$defs", {})) for name in names}
    return {
        "type": "object",
        "properties": {**fields, "error": {"type": "object"}},
        "anyOf": [{"required": names[:1]}, {"required": ["error"]}],
    }


def _flat(node: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    """A schema with what it refers to in its place, and without what says nothing about arguments."""
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        node = {**target, "description": None, **{key: value for key, value in node.items() if key != "$ref"}}
    branches = [branch for branch in node.get("anyOf", ()) if branch != _NULL]
    if len(branches) == 1:
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        return _flat({**branches[0], **rest}, definitions)
    found: JsonSchema = {}
    for key, value in node.items():
        if key == "properties":
            found[key] = {name: _flat(field, definitions) for name, field in value.items()}
        elif key == "items":
            found[key] = _flat(value, definitions)
        elif not _says_nothing(key, value):
            found[key] = value
    return found


def _says_nothing(key: str, value: Any) -> bool:
    """Whether an entry is not worth its bytes: hosts hand the list of tools to a model with every request."""
    return (
        key in {"$defs", "title", "additionalProperties", "minLength", "minItems", "maxItems"}
        or (key == "default" and value in (None, [], {}))
        or (key == "description" and not value)
    )


def _outline(field: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    """A field of a result by its type."""
    kind: JsonSchema = {"type": _flat(field, definitions)["type"]}
    return {"anyOf": [kind, _NULL]} if _NULL in field.get("anyOf", ()) else kind
