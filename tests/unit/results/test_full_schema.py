"""The full schemas of results: additive only, and true of every result that a test receives."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import MCPError
from tests.support.result_schemas import validator_of
from tests.unit.tools.clients import connected
from tests.unit.tools.test_schema import TOOLS

from citemark.results.full_schema import full_schema

FROZEN = Path(__file__).parent / "frozen_schemas.json"


def published() -> dict[str, Any]:
    """The definitions of all results, each once, and those of each tool's result by name."""
    shared: dict[str, Any] = {}
    tools: dict[str, list[str]] = {}
    for tool in TOOLS:
        schema = full_schema(tool.gives)
        for name, definition in schema["$defs"].items():
            assert shared.setdefault(name, definition) == definition, f"two definitions are called {name}"
        tools[tool.name] = [each["$ref"].rpartition("/")[2] for each in schema["anyOf"]]
    return {"results": tools, "definitions": dict(sorted(shared.items()))}


@pytest.mark.requirement("full-schemas-frozen")
def test_a_full_schema_only_ever_gains_fields() -> None:
    frozen, now = json.loads(FROZEN.read_text("utf-8")), published()
    for tool, results in frozen["results"].items():
        assert now["results"][tool] == results
    for name, before in frozen["definitions"].items():
        after = now["definitions"][name]
        for field, schema in before.get("properties", {}).items():
            assert _meaning(after["properties"][field]) == _meaning(schema), f"{name}.{field} was retyped"
        assert set(before.get("required", ())) <= set(after.get("required", ())), (
            f"a field of {name} may be missing now"
        )
    assert _meaning(now) == _meaning(frozen), "freeze what is new: write published() to frozen_schemas.json"


def _meaning(node: Any) -> Any:
    """A schema without its descriptions, which may be worded anew."""
    if isinstance(node, list):
        return [_meaning(each) for each in node]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(node, dict):
        return node
    return {key: _meaning(value) for key, value in node.items() if key != "description" or isinstance(value, dict)}  # pyright: ignore[reportUnknownVariableType]


@pytest.mark.requirement("full-schemas-checked")
async def test_a_result_that_does_not_fit_its_full_schema_fails_the_test_that_receives_it() -> None:
    async with connected() as client:
        found = (await client.call_tool("kb_search", {"query": "port"})).structured_content
    validator = validator_of("kb.search")
    assert validator is not None
    validator.validate(found)  # pyright: ignore[reportUnknownMemberType]
    for wrong in (
        {**found, "unheard_of": 1},
        {**found, "results": [{**found["results"][0], "rank": "first"}]},
        {name: value for name, value in found.items() if name != "read_context"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(wrong)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.requirement("full-schemas-checked")
async def test_every_client_of_every_test_checks_what_it_receives(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(_: str) -> jsonschema.Draft202012Validator:
        return jsonschema.Draft202012Validator({"not": {}})

    monkeypatch.setattr("tests.support.result_schemas.validator_of", refusing)
    async with connected() as client:
        with pytest.raises(jsonschema.ValidationError):
            await client.call_tool("kb_search", {"query": "port"})


@pytest.mark.requirement("full-schemas-as-resources")
async def test_the_full_schema_of_each_tool_is_a_resource_under_both_spellings_of_its_name() -> None:
    async with connected() as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert "citemark://schemas/{tool}" in [template.uri_template for template in templates]
        for tool in (await client.list_tools()).tools:
            (contents,) = (await client.read_resource(f"citemark://schemas/{tool.name}")).contents
            schema = json.loads(contents.text)  # type: ignore[union-attr]
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["$id"] == f"citemark://schemas/{tool.name}"
            assert "usage" in _properties(schema)
        (dotted,) = (await client.read_resource("citemark://schemas/kb.search")).contents
        assert "HitOut" in dotted.text  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="not found"):
            await client.read_resource("citemark://schemas/kb_nothing")


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    return schema["$defs"][schema["anyOf"][0]["$ref"].rpartition("/")[2]]["properties"]
