"""What strict function calling and client libraries send in place of leaving an argument out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, cast, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from tests.unit.tools.clients import connected
from tests.unit.tools.test_schema import TOOLS as LISTED_TOOLS

from citemark.features.graph.tools.legacy import LEGACY_TOOLS
from citemark.model.errors import InvalidArgument
from citemark.tools.arguments import parse_arguments
from citemark.tools.kb.verify_quote_tool import SpanIn, VerifyQuoteIn
from citemark.tools.registry import Tool

TOOLS = (*LISTED_TOOLS, *LEGACY_TOOLS)

REQUIRED: Mapping[str, Any] = {
    "query": "pumps",
    "question": "pumps",
    "passage_id": "x" * 22,
    "passage_ids": ["x" * 22],
    "element": "e1",
    "changed": "e1",
    "quote": "words",
    "from": "HEAD",
    "citation": {"source": "docs", "document_id": "a.md"},
    "node_ids": [":term:pumps"],
    "from_ids": [":term:pumps"],
    "to_ids": [":term:valves"],
    "section_ids": ["docs:section:a.md#pumps"],
    "entity_ids": [":term:pumps"],
    "a_ids": [":term:pumps"],
    "b_ids": [":term:valves"],
    "parent_id": ":term:pumps",
}


@dataclass(frozen=True)
class Argument:
    """One optional argument: where it stands by the names of fields, what callers call it, and what it may be."""

    tool: Tool
    place: tuple[str, ...]
    sent_as: str
    kinds: frozenset[Any]
    default: Any

    @property
    def name(self) -> str:
        """What a failed test calls it."""
        return f"{self.tool.name}/{'/'.join(self.place)}"

    def given(self, value: Any) -> dict[str, Any]:
        """The least call of the tool, with this argument."""
        call = least(self.tool.takes)
        inner = call
        for step in self.place[:-1]:
            inner[step] = dict(inner.get(step, {}))
            inner = inner[step]
        inner[self.sent_as] = value
        return call


def least(model: type[BaseModel]) -> dict[str, Any]:
    required = (sent_as(name, field) for name, field in model.model_fields.items() if field.is_required())
    return {name: REQUIRED[name] for name in required}


def sent_as(name: str, field: FieldInfo) -> str:
    return str(field.validation_alias or name)


def kinds_of(annotation: Any) -> frozenset[Any]:
    """The types inside an annotation; of literals the types of their values."""
    if get_origin(annotation) is Literal:
        return frozenset(cast("Any", type(value)) for value in get_args(annotation))
    if get_origin(annotation) in {tuple, list}:
        return frozenset({get_origin(annotation)})
    parts = get_args(annotation)
    return frozenset[Any]().union(*(kinds_of(part) for part in parts)) if parts else frozenset({annotation})


def optional_arguments() -> Iterator[Argument]:
    for tool in TOOLS:
        yield from inside(tool, tool.takes, ())


def inside(tool: Tool, model: type[BaseModel], place: tuple[str, ...]) -> Iterator[Argument]:
    for name, field in model.model_fields.items():
        kinds = kinds_of(field.annotation)
        if not field.is_required():
            yield Argument(tool, (*place, name), sent_as(name, field), kinds, field.default)
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, BaseModel) and name != "anchor":
                yield from inside(tool, kind, (*place, name))


ARGUMENTS = list(optional_arguments())


def is_omitted(argument: Argument, value: Any) -> bool:
    """Whether a tool takes a call with this value for one without the argument."""
    asked = parse_arguments(argument.tool.takes, argument.given(value))
    parent: Any = asked
    for step in argument.place[:-1]:
        parent = getattr(parent, step)
    given = argument.place[-1] in cast("BaseModel", parent).model_fields_set
    return not given and asked == parse_arguments(argument.tool.takes, least(argument.tool.takes))


def test_the_arguments_of_every_tool_are_looked_at() -> None:
    assert {argument.tool.name for argument in ARGUMENTS} >= {t.name for t in LISTED_TOOLS if least(t.takes)}
    assert len(ARGUMENTS) > 100


@pytest.mark.requirement("null-argument-means-omitted", "omitted-and-integer-arguments-forgiven")
def test_null_for_an_optional_argument_means_omitted() -> None:
    assert [argument.name for argument in ARGUMENTS if not is_omitted(argument, None)] == []


STRINGS = [argument for argument in ARGUMENTS if argument.kinds & {str, date, datetime}]


@pytest.mark.requirement("empty-string-means-omitted", "omitted-and-integer-arguments-forgiven")
def test_an_empty_optional_string_means_omitted() -> None:
    assert [argument.name for argument in STRINGS if not is_omitted(argument, "")] == []


INTEGERS = [argument for argument in ARGUMENTS if int in argument.kinds]


@pytest.mark.requirement("empty-string-means-omitted", "omitted-and-integer-arguments-forgiven")
@pytest.mark.parametrize("argument", INTEGERS, ids=lambda it: it.name)
def test_a_whole_number_with_a_decimal_point_is_an_integer(argument: Argument) -> None:
    given = 7 if argument.default is None else argument.default
    value: Any = parse_arguments(argument.tool.takes, argument.given(float(given)))
    for step in argument.place:
        value = getattr(value, step)
    assert (value, type(value)) == (given, int)


@pytest.mark.requirement("empty-string-means-omitted")
def test_a_required_number_may_have_a_decimal_point_too() -> None:
    citation = {"source": "docs", "document_id": "a.md", "span": {"start": 1.0, "end": 2.0}}
    asked = parse_arguments(VerifyQuoteIn, {"citation": citation, "quote": "words"})
    assert asked.citation.span == SpanIn(start=1, end=2)


def test_null_for_a_required_argument_is_refused_as_missing() -> None:
    with pytest.raises(InvalidArgument, match="/quote: is required"):
        parse_arguments(VerifyQuoteIn, {"citation": REQUIRED["citation"], "quote": None})


@pytest.mark.requirement("null-argument-means-omitted")
async def test_a_call_with_null_for_everything_optional_is_answered_as_one_without() -> None:
    async with connected() as client:
        (tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == "kb_search"]
        nulls = dict.fromkeys(set(tool.input_schema["properties"]) - {"query"})
        filled = await client.call_tool("kb_search", {"query": "port", **nulls})
        plain = await client.call_tool("kb_search", {"query": "port"})
    assert not filled.is_error
    assert len(filled.structured_content["results"]) == len(plain.structured_content["results"]) > 0
