"""The full JSON Schema of a result, however deep, or of the failure that may come in its place.

The list of tools has room for the top-level fields only. Objects stay open here as there: a field that a later version
adds must not fail at a client that kept an earlier schema.
"""

from functools import cache
from typing import Any, cast

from citemark.results.cited_files import CITED, FILE
from citemark.results.shape import ErrorBody, JsonSchema, Strict

_DRAFT = "https://json-schema.org/draft/2020-12/schema"

_FILE_SCHEMA: JsonSchema = {
    "type": "object",
    "description": "The cited file, where it is on the reader's machine.",
    "properties": {"path": {"type": "string"}, "link": {"type": "string"}},
    "required": ["path", "link"],
}


class FailureOut(Strict):
    """What comes in the place of a result."""

    error: ErrorBody


@cache
def full_schema(result: type[Strict]) -> JsonSchema:
    """The schema of everything that a tool or command may give out; references in it lead to its own `$defs`.

    It is made once for each kind of result, so callers must not change it.
    """
    definitions: dict[str, JsonSchema] = {}
    for model in (result, FailureOut):
        whole = model.model_json_schema(mode="serialization")
        definitions |= whole.pop("$defs", {})
        definitions[model.__name__] = whole
    places = _with_citations(definitions)
    names = [result.__name__, FailureOut.__name__]
    return {
        "$schema": _DRAFT,
        "type": "object",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in names],
        "$defs": {name: _open(definitions[name], cites=name in places) for name in sorted(definitions)},
    }


def _with_citations(definitions: dict[str, JsonSchema]) -> set[str]:
    """The definitions of objects that have a citation as a field: there, a file may stand beside it."""
    citations = {name for name, schema in definitions.items() if schema.get("properties", {}).keys() >= CITED}
    references = {f"#/$defs/{name}" for name in citations}
    return {
        name
        for name, schema in definitions.items()
        if any(references & set(_references(field)) for field in schema.get("properties", {}).values())
    }


def _references(field: JsonSchema) -> list[str]:
    """The references of a field that is an object or null; those of the entries of an array are not its own."""
    return [branch["$ref"] for branch in [field, *field.get("anyOf", [])] if "$ref" in branch]


def _open(schema: JsonSchema, *, cites: bool) -> JsonSchema:
    """A definition that permits further fields, without what says nothing."""
    opened = cast("JsonSchema", _without_noise(schema))
    if cites:
        opened["properties"] = {**opened["properties"], FILE: _FILE_SCHEMA}
    return opened


def _without_noise(node: Any, *, names: bool = False) -> Any:
    """A schema without titles, null defaults and closed objects. `names`: its keys are those of fields."""
    if isinstance(node, list):
        return [_without_noise(each) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    entries = cast("dict[str, Any]", node).items()
    if names:
        return {name: _without_noise(value) for name, value in entries}
    return {
        key: _without_noise(value, names=key == "properties")
        for key, value in entries
        if not (
            key == "title" or (key == "default" and value is None) or (key, value) == ("additionalProperties", False)
        )
    }
