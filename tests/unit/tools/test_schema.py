"""The published schemas: what they promise stays promised."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, cast, get_args, get_origin

import jsonschema
import pytest
from pydantic import BaseModel
from tests.support.groups import groups, tools_of

from citemark.features.graph.tools import GRAPH_TOOLS
from citemark.model.scope import Principal
from citemark.results.common_parts import ResponseMetaOut
from citemark.results.full_schema import full_schema
from citemark.results.shape import ErrorBody
from citemark.settings import Settings
from citemark.tools.index_contents import ToolGroups
from citemark.tools.registry import Registry, Tool

ROOT = Path(__file__).resolve().parents[3]
FROZEN = Path(__file__).parent / "frozen_outputs.json"
ALL = groups(nextcloud=True, capabilities=("architecture",), past=True, graph=True)
TOOLS = tools_of(ALL, Settings(), answering=True)
PARTS = ("Use when", "Do not use when", "Returns at most", "If you need more", "Defaults and caps")


def listed(groups: ToolGroups = ALL, *, core: bool = False) -> list[dict[str, Any]]:
    registry = Registry(tools_of(groups, Settings(), answering=True), core=core)
    tools = registry.listed("underscore", Principal.local())
    return [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools]


def fields_of(model: type[BaseModel]) -> dict[str, Any]:
    """Every field that a result has, however deep: its type, and whether it is always there."""
    return {
        name: {"type": _kind(field.annotation), "always": field.is_required()}
        for name, field in sorted(model.model_fields.items())
    }


def _kind(annotation: Any) -> Any:
    parts: list[Any] = [annotation, *get_args(annotation)]
    models = [part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)]
    if models:
        return fields_of(models[0])
    members = [part for part in get_args(annotation) if part is not NoneType]
    if get_origin(annotation) is not Literal and {get_origin(each) for each in members} & {Literal, Annotated}:
        # As Python 3.11 writes it; 3.14 writes `... | ...`.
        said = ", ".join(_kind(each) for each in members)
        return f"Optional[{said}]" if len(members) == 1 else f"Union[{said}]"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")


@pytest.mark.requirement("tools-schemas-frozen")
def test_outputs_only_ever_gain_fields() -> None:
    frozen = json.loads(FROZEN.read_text(encoding="utf-8"))
    now = {tool.name: fields_of(tool.gives) for tool in TOOLS}
    for name, fields in frozen.items():
        _still_there(fields, now[name], name)


def _still_there(before: Any, now: Any, place: str) -> None:
    if isinstance(before, dict):
        for key, value in cast("dict[str, Any]", before).items():
            assert key in now, f"{place}/{key} was removed"
            _still_there(value, now[key], f"{place}/{key}")
    else:
        assert before == now, f"{place} was retyped"


@pytest.mark.requirement("tools-schemas-frozen")
def test_every_field_that_exists_is_frozen() -> None:
    frozen = json.loads(FROZEN.read_text(encoding="utf-8"))
    assert frozen == {tool.name: fields_of(tool.gives) for tool in TOOLS}, "add the new fields to frozen_outputs.json"


@pytest.mark.requirement("tools-common-output")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_result_ends_with_the_same_fields(tool: Tool) -> None:
    fields = tool.gives.model_fields
    assert set(ResponseMetaOut.model_fields) <= set(fields)
    for name in ("read_context", "partial", "limit_reason", "usage", "withheld_unverified"):
        assert fields[name].is_required()


def weight(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


DOCUMENTS = groups(graph=True)
CORE = {
    "kb_retrieve_evidence",
    "kb_search",
    "kb_read_excerpt",
    "kb_verify_quote",
    "kb_list_sources",
    "graph_expand",
    "graph_paths",
    "graph_impact",
}


@pytest.mark.requirement(
    "listed-families-fit-their-bytes", "all-families-fit-the-tool-list", "tool-lists-are-small", "two-lists-of-tools"
)
@pytest.mark.parametrize(
    ("here", "core", "most"),
    [
        pytest.param(ALL, False, 30 * 1024, id="all, every source"),
        pytest.param(ALL, True, 22 * 1024, id="core, every source"),
        pytest.param(DOCUMENTS, False, 16 * 1024, id="all, documents"),
        pytest.param(DOCUMENTS, True, 9 * 1024, id="core, documents"),
        pytest.param(groups(graph=True, past=True), True, 9 * 1024, id="core, documents with a past"),
    ],
)
def test_a_list_of_tools_leaves_room_for_the_question(here: ToolGroups, core: bool, most: int) -> None:
    """Every host hands the list to its model with every request."""
    tools = listed(here, core=core)
    assert weight({"tools": tools}) <= most
    assert len(tools) <= 32


@pytest.mark.requirement("core-is-what-an-agent-chooses", "two-lists-of-tools")
def test_the_core_has_what_an_agent_chooses_and_every_other_tool_can_still_be_called() -> None:
    assert {tool["name"] for tool in listed(DOCUMENTS, core=True)} == CORE
    everything = {tool["name"] for tool in listed(ALL, core=True)}
    assert everything - CORE == {
        "kb_diff",
        "architecture_semanticSearch",
        "architecture_getElement",
        "architecture_getContext",
        "architecture_getView",
        "nc_semantic_search",
        "nc_get_vector_sync_status",
    }
    short, whole = Registry(TOOLS, core=True), Registry(TOOLS)
    for tool in TOOLS:
        found = short.find(tool.name, Principal("local", "somebody", tool.scopes))
        assert found is tool
        assert short.input_schema(tool.name) == whole.input_schema(tool.name)


@pytest.mark.requirement("limits-in-every-schema")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_tool_that_takes_a_scope_or_a_state_says_so(tool: Tool) -> None:
    """A tool that asks a question about documents takes both; an account has no scope, a comparison has two states."""
    schema = Registry(TOOLS).input_schema(tool.name)
    assert schema is not None
    limits = {"scope", "read_context"} & set(tool.takes.model_fields)
    assert limits <= set(schema["properties"])
    asks = tool.name.startswith(("kb.", "graph.", "architecture."))
    if asks and tool.name not in {"kb.verify_quote", "kb.list_sources", "kb.diff", *OF_TWO_STATES}:
        assert limits == {"scope", "read_context"}


OF_TWO_STATES = {"architecture.diffBaselines", "architecture.listBaselines"}


@pytest.mark.requirement("no-schema-has-nested-references")
@pytest.mark.parametrize("wire", listed(), ids=lambda wire: wire["name"])
def test_schemas_are_flat_and_every_argument_has_one_type(wire: dict[str, Any]) -> None:
    assert "outputSchema" not in wire, "a resource has it whole"
    assert not {"$ref", "$defs", "allOf", "oneOf", "anyOf"} & keywords_of(wire["inputSchema"])
    for argument in arguments_of(wire["inputSchema"]):
        assert isinstance(argument["type"], str)
        assert argument["type"] != "array" or isinstance(argument["items"]["type"], str)


def arguments_of(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The arguments."""
    for argument in schema["properties"].values():
        yield argument
        if argument["type"] == "object":
            assert argument["description"], "its keys are named in words"


def keywords_of(node: Any) -> set[str]:
    """Every key at any depth."""
    if isinstance(node, dict):
        entries = cast("dict[str, Any]", node)
        return set(entries).union(*(keywords_of(value) for value in entries.values()))
    if isinstance(node, list):
        return set[str]().union(*(keywords_of(item) for item in cast("list[Any]", node)))
    return set()


OF_THE_SEEDS = {
    "architecture.semanticSearch": {"revision_id", "baseline_id", "as_of"},
    "kb.search": {"anchor"},
}
"""Fields that the founding documents have beside a hit."""


@pytest.mark.requirement("each-channel-cites-once")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_result_states_each_citation_once_and_repeats_no_part_of_it(tool: Tool) -> None:
    fields = {"source", "document_id", "revision_id", "baseline_id", "as_of", "anchor", "span"}
    cited = [shape for shape in shapes_of(fields_of(tool.gives)) if any(_cites(field) for field in shape.values())]
    for shape in cited:
        beside = {name for name in fields & set(shape) if name not in OF_THE_SEEDS.get(tool.name, ())}
        assert beside <= {"source"}, "kb.search and relationships have a field of that name that is another thing"
    assert sum({"number", "title"} <= set(shape) for shape in cited) <= 1, "an answer's documents, not its citations"


def shapes_of(node: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a result, as `fields_of` describes it."""
    if isinstance(node, dict):
        entries = cast("dict[str, Any]", node)
        if "always" not in entries:
            yield entries
        for value in entries.values():
            yield from shapes_of(value)


def _cites(field: Any) -> bool:
    return isinstance(field, dict) and isinstance(field.get("type"), dict) and "document_id" in field["type"]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


@pytest.mark.requirement("tools-list-48k")
def test_the_list_is_the_same_every_time_and_whole() -> None:
    first, second = json.dumps(listed()), json.dumps(listed())
    assert first == second
    assert len(listed()) == len(TOOLS) <= 32, "every tool of an index with all kinds of sources fits its list"


@pytest.mark.requirement("tools-description-order")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_description_says_when_what_and_how_much_in_that_order(tool: Tool) -> None:
    places = [tool.description.find(f"{part}") for part in PARTS]
    assert all(place >= 0 for place in places)
    assert places == sorted(places)


@pytest.mark.parametrize("wire", listed(), ids=lambda wire: wire["name"])
def test_schemas_are_valid_and_root_objects_without_titles(wire: dict[str, Any]) -> None:
    schema = wire["inputSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert '"title": "' not in json.dumps(schema)


@pytest.mark.requirement("tools-annotations", "tools-only-writers")
@pytest.mark.parametrize("wire", listed(), ids=lambda wire: wire["name"])
def test_tools_say_whether_they_only_read(wire: dict[str, Any]) -> None:
    writers = {"nc_enable_vector_sync", "nc_disable_vector_sync"}
    assert wire["annotations"] == {
        "readOnlyHint": wire["name"] not in writers,
        "destructiveHint": wire["name"] == "nc_disable_vector_sync",
        "idempotentHint": True,
        "openWorldHint": False,
    }


@pytest.mark.requirement("switching-sync-needs-semantic-write", "app-scopes-do-not-count")
def test_each_scope_lists_and_finds_its_own_tools_and_app_scopes_none() -> None:
    registry = Registry(TOOLS)

    def names(*scopes: str) -> set[str]:
        principal = Principal("local", "somebody", frozenset(scopes))
        shown = {tool.name for tool in registry.listed("dot", principal)}
        assert shown == {tool.name for tool in TOOLS if registry.find(tool.name, principal)}
        return shown

    assert names("semantic:write") == {"nc_enable_vector_sync", "nc_disable_vector_sync"}
    assert names("semantic:read") == {tool.name for tool in TOOLS} - names("semantic:write")
    assert names("notes:read", "calendar:read", "deck:read", "files:read", "contacts:read") == set()


@pytest.mark.requirement("scopes-are-documented")
def test_the_page_for_users_names_each_scope_with_the_tools_that_need_it() -> None:
    page = (ROOT / "docs" / "nextcloud.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `semantic:")]
    for tool in [tool for tool in TOOLS if tool.name.startswith("nc_")]:
        (scope,) = tool.scopes
        assert any(line.startswith(f"| `{scope}`") and f"`{tool.name}`" in line for line in rows), tool.name


@pytest.mark.requirement("structured-results-validate")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_error_envelope_fits_every_output_schema_and_an_empty_object_none(tool: Tool) -> None:
    schema = full_schema(tool.gives)
    body = ErrorBody(code="TIMEOUT", message="later", details={})
    jsonschema.validate({"error": body.model_dump(mode="json")}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({}, schema)


@pytest.mark.requirement("descriptions-state-real-defaults")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_number_that_is_listed_has_its_default_and_its_cap_in_the_schema(tool: Tool) -> None:
    schema = Registry(TOOLS).input_schema(tool.name)
    assert schema is not None
    for name, shape in schema["properties"].items():
        if shape["type"] in {"integer", "number"} and name != "start_char":
            assert shape["default"] < shape["maximum"], "a knob whose default is its cap is not listed"


@pytest.mark.requirement("graph-descriptions-say-search-first")
@pytest.mark.parametrize("tool", GRAPH_TOOLS, ids=lambda tool: tool.name)
def test_descriptions_of_graph_tools_advise_to_search_first_to_narrow_and_what_to_do_without_a_graph(
    tool: Tool,
) -> None:
    for hint in (
        "kb.search has given its top 1-3 hits",
        "no graph (BACKEND_UNAVAILABLE): kb.search",
        "3 passages or fewer",
    ):
        assert hint in tool.description
