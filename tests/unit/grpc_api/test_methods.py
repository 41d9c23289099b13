"""The contract: its messages have the fields of the tools, and its code is what the files in proto/ make."""

import subprocess
import sys
import types
import typing
from pathlib import Path
from typing import Annotated, Any, cast

import pytest
from google.protobuf.descriptor import FieldDescriptor
from pydantic import AliasChoices, BaseModel
from tests.support.generated_stubs import CODE, ROOT, contract_files, generate
from tests.support.groups import EVERY_GROUP, tools_of

from citemark.app.features import contract_of
from citemark.grpc_api.methods import Method
from citemark.query.v1 import evidence_pb2
from citemark.settings import Settings
from citemark.tools.registry import Tool

TOOLS = {tool.name: tool for tool in tools_of(EVERY_GROUP, Settings(), answering=True)}
METHODS = [
    pytest.param(method, id=f"{service.rpartition('.')[2]}/{name}")
    for service, methods in contract_of().items()
    for name, method in methods.items()
]
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
        alias = field.validation_alias
        named[str(alias.choices[0]) if isinstance(alias, AliasChoices) else name] = inside(field.annotation)
    return named


def differences(message: Any, model: type[BaseModel], place: str) -> list[str]:
    """Where a message and a model do not have the same fields, at any depth."""
    fields = fields_of(model)
    known: dict[str, FieldDescriptor] = dict(message.fields_by_name)
    missing = fields.keys() - known.keys()
    surplus = set[str]() if message.name in SHARED else known.keys() - fields.keys()
    told = [f"{place}.{name}" for name in sorted(missing | surplus)]
    for name in fields.keys() & known.keys():
        inner, annotation = known[name].message_type, fields[name]
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
