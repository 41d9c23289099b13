"""The contract: its messages have the fields of the tools, and its code is what the files in proto/ make."""

import re
import subprocess
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, cast

import pytest
from annotated_types import MaxLen
from google.protobuf.descriptor import FieldDescriptor
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from tests.support.generated_stubs import CODE, ROOT, contract_files, generate
from tests.support.groups import EVERY_GROUP, tools_of

from citemark.app.features import contract_of
from citemark.grpc_api.conversion import BUDGET, VALUES
from citemark.grpc_api.methods import Method
from citemark.query.v1 import evidence_pb2, semantic_query_pb2, structured_query_pb2
from citemark.services.requests import MAX_PHRASING_CHARS, MAX_PHRASINGS
from citemark.settings import Settings
from citemark.tools.registry import Tool
from citemark.tools.schemas_in import LAST_CHAR, MAX_NAME_CHARS, Within

TOOLS = {tool.name: tool for tool in tools_of(EVERY_GROUP, Settings(), answering=True)}
METHODS = [
    pytest.param(method, id=f"{service.rpartition('.')[2]}/{name}")
    for service, methods in contract_of().items()
    for name, method in methods.items()
]
CAPS = ("max_", "include_context_tokens")
"""How the names of budgets begin."""

SHARED = {"Citation", "ReadContext"}
"""Messages of several shapes of one thing, of which each result shows a part."""


def inside(annotation: Any) -> Any:
    """What an annotation is about, without what may be absent and the list around it."""
    origin = typing.get_origin(annotation)
    if origin is Annotated or origin in (tuple, list):
        return inside(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return inside(next(each for each in typing.get_args(annotation) if each is not type(None)))
    return annotation


def fields_of(model: type[BaseModel]) -> dict[str, Any]:
    """The annotations of a model by the names that clients see."""
    named: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        named[str(field.validation_alias or name)] = inside(field.annotation)
    return named


def known_of(message: Any) -> dict[str, FieldDescriptor]:
    """The fields of a message, those of its budget among them."""
    known: dict[str, FieldDescriptor] = dict(message.fields_by_name)
    budget = known.pop(BUDGET, None)
    return known if budget is None or budget.message_type is None else {**known, **budget.message_type.fields_by_name}


def differences(message: Any, model: type[BaseModel], place: str) -> list[str]:
    """Where a message and a model do not have the same fields, at any depth."""
    fields = fields_of(model)
    known = known_of(message)
    missing = fields.keys() - known.keys()
    surplus = set[str]() if message.name in SHARED else known.keys() - fields.keys()
    told = [f"{place}.{name}" for name in sorted(missing | surplus)]
    for name in fields.keys() & known.keys():
        inner, annotation = known[name].message_type, fields[name]
        if inner is not None and inner.full_name in VALUES:
            inner = inner.fields_by_name[VALUES[inner.full_name]].message_type
        is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
        is_map = inner is not None and inner.GetOptions().map_entry
        if is_model != (inner is not None and not is_map):
            told.append(f"{place}.{name} is not of the same kind")
        elif is_model and inner is not None:
            told += differences(inner, cast("type[BaseModel]", annotation), f"{place}.{name}")
    return told


def tool_of(method: Method) -> Tool:
    return TOOLS[method.tool]


@pytest.mark.requirement("grpc-one-set-of-fields")
@pytest.mark.parametrize("method", METHODS)
def test_the_messages_of_a_method_have_the_fields_of_its_tool(method: Method) -> None:
    tool = tool_of(method)
    assert differences(method.request.DESCRIPTOR, tool.takes, "request") == []
    if not method.parts:
        assert differences(method.response.DESCRIPTOR, tool.gives, "response") == []


@pytest.mark.requirement("grpc-one-set-of-fields")
@pytest.mark.parametrize("method", METHODS)
def test_what_may_be_left_out_of_a_request_may_be_left_unset(method: Method) -> None:
    takes = tool_of(method).takes
    needed = {name for name in fields_of(takes) if is_needed(takes, name)}
    always = {name for name, field in known_of(method.request.DESCRIPTOR).items() if not may_be_unset(field)}
    assert always == {name for name in needed if known_of(method.request.DESCRIPTOR)[name].message_type is None}


def is_needed(model: type[BaseModel], shown: str) -> bool:
    """Whether a model has to be given the field of this name."""
    return shown in model.model_json_schema().get("required", ())


def may_be_unset(field: FieldDescriptor) -> bool:
    return field.has_presence or field.is_repeated


@pytest.mark.requirement("grpc-own-messages")
def test_scopes_states_citations_phrasings_cursors_and_budgets_are_messages_of_their_own() -> None:
    own = {"scope": {"Scope"}, "read_context": {"ReadContext"}, "citation": {"Citation"}, "also": {"Also"}}
    own |= {"cursor": {"Cursor"}, "next_cursor": {"Cursor"}, "usage": {"Usage"}}
    own |= {"budget": {"EvidenceBudget", "ExcerptBudget", "ContextBudget", "AnswerBudget"}}
    for message in messages_of(evidence_pb2, semantic_query_pb2, structured_query_pb2):
        for field in message.fields:
            kind = None if field.message_type is None else field.message_type.name
            assert field.name not in own or kind in own[field.name], f"{message.name}.{field.name}"
            assert message.name.endswith("Budget") or not field.name.startswith(CAPS), f"{message.name}.{field.name}"


def messages_of(*modules: Any) -> list[Any]:
    """The messages of generated modules, but those that show how a result looks."""
    every = [message for module in modules for message in module.DESCRIPTOR.message_types_by_name.values()]
    return [message for message in every if message.name != "SearchOptions"]


@pytest.mark.requirement("grpc-own-messages")
@pytest.mark.parametrize("method", METHODS)
def test_comments_state_the_caps_and_the_defaults_of_the_tool(method: Method) -> None:
    takes, told, capped = tool_of(method).takes, comments(), 0
    for message, name, field in request_fields(method.request.DESCRIPTOR, takes):
        comment = told[message, name]
        for limit in (each for each in field.metadata if isinstance(each, Within)):
            if limit.high != LAST_CHAR:
                assert f"rom {limit.low:g} to {limit.high:g}" in comment, f"{message}.{name}"
                capped += 1
            assert field.is_required() or f"{field.default:g} by default" in comment, f"{message}.{name}"
        longest = next((each.max_length for each in field.metadata if isinstance(each, MaxLen)), None)
        if longest is not None:
            assert f"t most {longest:,} characters" in comment, f"{message}.{name}"
    assert capped or not {"page_size", BUDGET} & set(method.request.DESCRIPTOR.fields_by_name)


def test_comments_state_the_caps_of_phrasings_and_of_cursors() -> None:
    told = comments()
    assert f"At most {MAX_PHRASINGS}, of at most {MAX_PHRASING_CHARS} characters" in told["Also", "phrasings"]
    assert f"1 to {MAX_NAME_CHARS:,} characters" in told["Cursor", "value"]


def request_fields(message: Any, model: type[BaseModel]) -> Iterator[tuple[str, str, FieldInfo]]:
    """The message that has it, the name and the field of a model, at any depth."""
    known = known_of(message)
    for name, field in model.model_fields.items():
        shown = known[str(field.validation_alias or name)]
        annotation = inside(field.annotation)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel) and shown.message_type is not None:
            yield from request_fields(shown.message_type, annotation)
        elif shown.containing_type is not None:
            yield shown.containing_type.name, shown.name, field


def comments() -> dict[tuple[str, str], str]:
    """What the contract says of each field, by its message and name."""
    told: dict[tuple[str, str], str] = {}
    message, lines = "", list[str]()
    for line in (line.strip() for path in contract_files() for line in path.read_text().splitlines()):
        if line.startswith("//"):
            lines.append(line.removeprefix("//").strip())
            continue
        if opened := re.match(r"message (\w+) \{", line):
            message = opened[1]
        elif field := re.match(r".*?(\w+) = \d+;", line):
            told[message, field[1]] = " ".join(lines)
        lines.clear()
    return told


@pytest.mark.requirement("grpc-long-lists")
@pytest.mark.parametrize("method", METHODS)
def test_answers_and_long_lists_alone_are_streams(method: Method) -> None:
    streamed = {"kb.answer", "architecture.listElements", "architecture.listRelationships"}
    assert method.streams == (method.tool in streamed)


@pytest.mark.requirement("grpc-long-lists")
def test_the_contract_says_which_methods_stream() -> None:
    for module in (evidence_pb2, semantic_query_pb2, structured_query_pb2):
        for service in module.DESCRIPTOR.services_by_name.values():
            for declared in service.methods:
                assert declared.server_streaming == contract_of()[service.full_name][declared.name].streams
                assert not declared.client_streaming


@pytest.mark.requirement("grpc-one-set-of-fields")
def test_the_parts_of_an_answer_have_together_the_fields_of_the_tools_result() -> None:
    parts = [field.message_type for field in evidence_pb2.AnswerResponse.DESCRIPTOR.fields]
    names = [name for part in parts if part is not None for name in part.fields_by_name]
    assert sorted(names) == sorted(TOOLS["kb.answer"].gives.model_fields)


@pytest.mark.requirement("grpc-generated-code")
def test_the_code_in_the_package_is_what_the_contract_makes(tmp_path: Path) -> None:
    made = generate(tmp_path)
    kept = {path.name: path.read_bytes() for path in (ROOT / "src" / CODE).glob("*_pb2*")}
    assert kept == made, "run `make proto`"


@pytest.mark.requirement("grpc-buf-lint")
def test_the_contract_keeps_the_standard_rules_of_buf() -> None:
    assert contract_files()
    buf = Path(sys.executable).with_name("buf")
    done = subprocess.run([buf, "lint"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.requirement("grpc-buf-breaking")
def test_a_field_of_another_number_breaks_the_contract_and_a_new_one_does_not(tmp_path: Path) -> None:
    buf = Path(sys.executable).with_name("buf")
    proto = tmp_path / "proto"
    for path in contract_files():
        target = proto / path.relative_to(ROOT / "proto")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text())
    (tmp_path / "buf.yaml").write_text((ROOT / "buf.yaml").read_text())
    changed = proto / "citemark/query/v1/common.proto"
    text = changed.read_text()

    def breaking() -> str:
        command = [buf, "breaking", str(tmp_path), "--against", str(ROOT)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False).stdout

    changed.write_text(text.replace("int32 waiting = 1;", "int32 waiting = 1;\n  int32 newer = 9;"))
    assert breaking() == ""
    changed.write_text(text.replace("int32 waiting = 1;", "int32 waiting = 9;"))
    assert "waiting" in breaking()
