"""One result for all interfaces: a command prints what the tool for the same use case gives out."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from tests.integration.evidence.graph_client import PAGE, PAST, asking, docs_and_model
from tests.integration.retrieval.world import World

from citemark.app.open_index import open_app
from citemark.cli.command_context import CommandContext
from citemark.features.archimate.commands.model_commands import (
    ElementRequested,
    ViewRequested,
    element_command,
    view_command,
)
from citemark.features.graph.commands.graph_command import describe_command, nodes_command, paths_command, state
from citemark.features.graph.services.requests import NodesRequest, PathsRequest
from citemark.services.app_context import AppContext

AS_JSON = CommandContext(open_app, json=True)
OF_THE_CALL = {"session_id", "usage", "read_context", "as_of", "file"}
"""Fields that differ from call to call."""

STEPS = "docs:docs_page:guides/steps.md"
ELEMENT = "insurance:element:e1"


def without(node: Any, names: set[str]) -> Any:
    match node:
        case dict():
            entries = cast("dict[str, Any]", node).items()
            return {name: without(value, names) for name, value in entries if name not in names}
        case list():
            return [without(each, names) for each in cast("list[Any]", node)]
        case _:
            return node


CASES: tuple[tuple[str, dict[str, Any], Callable[[AppContext], Awaitable[int]]], ...] = (
    ("graph_describe", {}, lambda app: describe_command(AS_JSON, app, state(None, None))),
    ("graph_expand", {"node_ids": [PAGE]}, lambda app: nodes_command(AS_JSON, app, NodesRequest((PAGE,)))),
    (
        "graph_paths",
        {"from_ids": [PAGE], "to_ids": [STEPS]},
        lambda app: paths_command(AS_JSON, app, PathsRequest((PAGE,), (STEPS,))),
    ),
    (
        "architecture_getElement",
        {"element": "e1"},
        lambda app: element_command(AS_JSON, app, ElementRequested("e1", None)),
    ),
    ("architecture_getView", {"view": "v1"}, lambda app: view_command(AS_JSON, app, ViewRequested("v1", None, None))),
    ("architecture_getView", {}, lambda app: view_command(AS_JSON, app, ViewRequested(None, None, None))),
)


@pytest.mark.requirement("one-result-for-each-use-case")
async def test_a_command_prints_the_fields_and_values_of_the_tool(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    await docs_and_model(world)
    async with asking(world, PAST) as client:
        for tool, arguments, command in CASES:
            called = (await client.call_tool(tool, arguments)).structured_content
            assert await command(cast("AppContext", world)) == 0
            printed = json.loads(capsys.readouterr().out)
            assert set(called) == set(printed), "a script finds each field under the name that the tool has for it"
            assert without(printed, OF_THE_CALL) == without(called, OF_THE_CALL), tool
            assert printed["usage"]["bytes_returned"] > 0
