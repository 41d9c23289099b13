"""Names and texts of the surface: what a model reads is true."""

import json
import re
from importlib.metadata import version
from typing import Any, get_args

import pytest
from mcp.server.lowlevel import Server
from mcp_types import TextResourceContents
from tests.support.groups import catalog
from tests.unit.tools.clients import code_of, connected
from tests.unit.tools.double import DoubleServices

from citemark.app.features import commands_of as contributed
from citemark.cli.command_line import commands_of
from citemark.features.archimate.tools import ARCHITECTURE_TOOLS
from citemark.features.nextcloud.tools import NC_TOOLS
from citemark.model import errors
from citemark.model.ids import SessionId
from citemark.model.scope import READ, WRITE, Principal
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.answer_tools import KB_ANSWER, NC_ANSWER
from citemark.tools.kb import KB_TOOLS
from citemark.tools.registry import Registry
from citemark.tools.schemas_in import ScopeIn
from citemark.tools.server import build_server

NAMES = {tool.name for tool in KB_TOOLS}
WIRE_NAMES = {name.replace(".", "_") for name in NAMES}


def schemas(name: str) -> list[dict[str, Any]]:
    """The input schema of a tool and the objects in it."""
    schema = Registry(KB_TOOLS).input_schema(name)
    assert schema is not None
    return [schema, *(field for field in schema["properties"].values() if "properties" in field)]


def words_of(schema: Any) -> set[str]:
    """Every property name at any depth."""
    if isinstance(schema, dict):
        own = set(schema.get("properties", {}))  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType]
        return own.union(*(words_of(value) for value in schema.values()))  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType]
    if isinstance(schema, list):
        return set[str]().union(*(words_of(value) for value in schema))  # pyright: ignore[reportUnknownVariableType]
    return set()


@pytest.mark.requirement(
    "tool-names-use-plain-characters", "tool-names-carry-no-server-qualifier", "five-kb-tools-exist"
)
def test_names_are_of_the_family_and_of_letters_that_every_host_takes() -> None:
    assert {f"kb.{name}" for name in ("search", "read_excerpt", "expand_excerpt", "extract_evidence")} < NAMES
    assert "kb.retrieve_evidence" in NAMES
    for name in NAMES:
        assert re.fullmatch(r"kb\.[a-z_]{1,61}", name, re.ASCII)
        assert "citemark" not in name


@pytest.mark.requirement("stdio-server-uses-lowlevel-sdk")
async def test_the_server_is_a_lowlevel_one_and_names_its_version() -> None:
    async def provide() -> Services:
        return DoubleServices()

    server = build_server(provide, Settings(), Caller.local(), catalog())
    assert type(server) is Server
    assert server.version == version("citemark")


@pytest.mark.requirement(
    "instructions-name-only-what-exists", "retrieve-evidence-is-recommended-first", "tools-playbook"
)
async def test_instructions_and_playbook_name_only_what_exists_and_one_tool_first() -> None:
    async with connected(mode="legacy") as client:
        instructions = client.instructions or ""
        listed = (await client.list_tools()).tools
        page = (await client.read_resource("citemark://playbook")).contents[0]
    assert isinstance(page, TextResourceContents)
    results = [tool.gives.model_json_schema() for tool in KB_TOOLS]
    taken = [tool.takes.model_json_schema() for tool in KB_TOOLS]
    known = NAMES | set(re.findall("[a-z_]+", json.dumps(taken))) | words_of(results)
    for text in (instructions, page.text):
        named = re.findall(r"\bkb[._]\w+", text)
        assert named[0] == "kb_retrieve_evidence"
        assert set(named) <= WIRE_NAMES
    assert set(re.findall(r"\bkb_\w+", page.text)) == WIRE_NAMES
    parameters = {part for quoted in re.findall(r"`([a-z_.]+)`", page.text) for part in quoted.split(".")}
    assert parameters <= known
    assert len(page.text.encode()) < 4096
    assert listed[0].name == "kb_retrieve_evidence"
    assert "call first" in (listed[0].description or "")


@pytest.mark.requirement("tools-common-output")
@pytest.mark.parametrize("tool", [*KB_TOOLS, *ARCHITECTURE_TOOLS], ids=lambda tool: tool.name)
def test_every_result_says_what_was_read_cut_and_spent(tool: Any) -> None:
    always = {name for name, field in tool.gives.model_fields.items() if field.is_required()}
    assert {"read_context", "partial", "limit_reason", "usage", "withheld_unverified"} <= always
    assert "next_cursor" in always or tool.name == "kb.retrieve_evidence", "evidence has no further pages"


@pytest.mark.requirement("tools-read-context")
@pytest.mark.parametrize(
    "tool",
    [*KB_TOOLS, KB_ANSWER, *NC_TOOLS, NC_ANSWER, *ARCHITECTURE_TOOLS],
    ids=lambda tool: tool.name,
)
def test_every_question_may_name_the_state_that_it_is_asked_of(tool: Any) -> None:
    fields = set(tool.takes.model_fields)
    assert "read_context" in fields or not fields & {"query", "question", "element", "view"}


@pytest.mark.requirement("tools-kb-clamps", "tools-kb-out-of-range")
@pytest.mark.parametrize(
    ("tool", "numbers"),
    [
        ("kb.search", {"top_k": (5, 1, 20), "page_size": (5, 1, 20), "max_snippet_chars": (280, 60, 500),
                       "max_per_doc": (2, 1, 5), "min_score": (0.5, 0, 1)}),
        ("kb.retrieve_evidence", {"top_k": (5, 1, 20), "max_bytes": (1_200, 200, 8_000), "max_quotes": (12, 1, 12),
                                  "max_quote_tokens": (200, 1, 200), "include_context_tokens": (200, 0, 200)}),
        ("kb.extract_evidence", {"max_quotes": (6, 1, 12), "max_quote_tokens": (80, 1, 200),
                                 "include_context_tokens": (20, 0, 200)}),
        ("kb.read_excerpt", {"max_tokens": (300, 1, 800)}),
        ("kb.expand_excerpt", {"before_tokens": (150, 0, 800), "after_tokens": (150, 0, 800)}),
    ],
)  # fmt: skip
@pytest.mark.requirement("read-excerpt-default-and-caps", "evidence-default-quotes-and-tokens")
async def test_every_number_has_its_default_and_its_cap(tool: str, numbers: dict[str, tuple[Any, int, int]]) -> None:
    needed: dict[str, Any] = {"query": "q"} if tool == "kb.search" else {"passage_id": "x" * 22}
    if "evidence" in tool:
        needed = {"question": "q", **({"passage_ids": ["x"]} if "extract" in tool else {})}
    shown = schemas(tool)[0]["properties"]
    for name, (default, _, high) in numbers.items():
        if name in shown:
            assert (shown[name]["default"], shown[name]["maximum"]) == (default, high)
        elif name in {"max_snippet_chars", "max_per_doc", "min_score"}:
            assert name in shown["options"]["description"]
        else:
            assert default == high, "what is not listed has its cap as its default"
    async with connected() as client:
        for name, (_, low, high) in numbers.items():
            for wrong in (low - 1, high + 1):
                inside = name in {"max_snippet_chars", "max_per_doc", "min_score"}
                given = {"options": {name: wrong}} if inside else {name: wrong}
                assert code_of(await client.call_tool(tool, {**needed, **given})) == "INVALID_ARGUMENT"


@pytest.mark.requirement("every-query-tool-enforces-a-scope")
@pytest.mark.parametrize("name", sorted(NAMES - {"kb.verify_quote", "kb.list_sources"}))
def test_every_query_tool_takes_a_scope(name: str) -> None:
    scope = schemas(name)[0]["properties"]["scope"]
    assert scope["type"] == "object"
    assert scope["description"] == "project_id, environment, doc_tags[], repositories[]"
    assert set(ScopeIn.model_fields) == {"project_id", "environment", "doc_tags", "repositories"}


@pytest.mark.requirement("kb-search-knows-three-modes")
async def test_there_are_three_modes() -> None:
    async with connected() as client:
        for mode in ("auto", "vector_only", "hybrid_local"):
            assert not (await client.call_tool("kb.search", {"query": "q", "options": {"mode": mode}})).is_error
        for mode in ("hybrid", " ", 0, 1):
            result = await client.call_tool("kb.search", {"query": "q", "options": {"mode": mode}})
            assert code_of(result) == "INVALID_ARGUMENT"


@pytest.mark.requirement("every-failure-has-one-code")
def test_every_error_of_citemark_has_one_of_six_codes() -> None:
    codes = {
        "INVALID_ARGUMENT", "SCOPE_VIOLATION", "BACKEND_UNAVAILABLE", "TIMEOUT", "BUDGET_EXCEEDED", "INTERNAL_ERROR"
    }  # fmt: skip
    assert set(get_args(errors.Code)) == codes

    def below(kind: type[errors.CitemarkError]) -> list[type[errors.CitemarkError]]:
        return [kind, *(deeper for child in kind.__subclasses__() for deeper in below(child))]

    assert {kind.code for kind in below(errors.CitemarkError)} == codes


@pytest.mark.requirement("searching-needs-semantic-read", "scopes-enforced-on-calls")
async def test_reading_needs_the_reading_scope_and_no_other() -> None:
    for scopes, allowed in (({READ}, True), ({READ, WRITE}, True), ({WRITE}, False)):
        caller = Caller(Principal("local", "reader", frozenset(scopes)), SessionId("s_" + "x" * 24))
        async with connected(caller=caller) as client:
            assert bool((await client.list_tools()).tools) is allowed


@pytest.mark.requirement("every-command-has-json")
def test_every_command_but_servers_and_help_takes_json() -> None:
    import typer  # noqa: PLC0415
    from typer.core import TyperGroup  # noqa: PLC0415

    group = typer.main.get_command(commands_of(contributed()))
    assert isinstance(group, TyperGroup)
    leaves = dict(group.commands)
    for above in ("add", "source", "token", "baseline", "graph", "service"):
        inner = leaves.pop(above)
        assert isinstance(inner, TyperGroup)
        leaves.update({f"{above} {name}": command for name, command in inner.commands.items()})
    without = {name for name, command in leaves.items() if "--json" not in {o for p in command.params for o in p.opts}}
    assert without == {"serve", "bridge", "web", "help"}
    assert len(leaves) >= 10
