"""Checks every structured result that a client receives against the full schema of its tool."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any, cast

import jsonschema
import pytest
from mcp import Client
from mcp_types import CallToolResult
from tests.support.groups import groups, tools_of

from citemark.model.scope import Principal
from citemark.results.full_schema import full_schema
from citemark.settings import Settings
from citemark.tools.registry import Registry


@cache
def _every_tool() -> Registry:
    whole = groups(nextcloud=True, capabilities=("architecture", "transformation"), past=True, graph=True)
    return Registry(tools_of(whole, Settings(legacy_tools=True, connector_tools=True), answering=True))


@cache
def validator_of(name: str) -> jsonschema.Draft202012Validator | None:
    """Checks results of the tool of that name, in any spelling; None if it is no tool of ours.

    A result may not have fields that its schema does not name, though what is published permits them: a schema that
    does not say what comes is of no use.
    """
    tool = _every_tool().find(name, Principal.local())
    return None if tool is None else jsonschema.Draft202012Validator(closed(full_schema(tool.gives)))


def closed(node: Any) -> Any:
    """A schema whose objects have the fields named and no others."""
    if isinstance(node, list):
        return [closed(each) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    schema = {key: closed(value) for key, value in cast("dict[str, Any]", node).items()}
    fields = isinstance(schema.get("properties"), dict) and schema.get("type") == "object"
    return {**schema, "additionalProperties": False} if fields else schema


@contextmanager
def results_are_checked() -> Generator[None]:
    """While this is open, a client of the SDK refuses a result that does not fit the full schema of its tool."""
    unchecked = Client.call_tool

    async def call_tool(self: Client, name: str, *arguments: Any, **options: Any) -> CallToolResult:
        result = await unchecked(self, name, *arguments, **options)
        validator = validator_of(name)
        if validator is not None and result.structured_content is not None:
            validator.validate(result.structured_content)  # pyright: ignore[reportUnknownMemberType]
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "call_tool", call_tool)
        yield
