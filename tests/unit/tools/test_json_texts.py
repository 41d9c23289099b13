"""Arguments that a host sends as the JSON text of a value."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from tests.unit.tools.test_omitted import ARGUMENTS, TOOLS, Argument, least

from citemark.model.errors import InvalidArgument
from citemark.results.shape import Strict
from citemark.tools.annotations import is_array, is_object, members
from citemark.tools.arguments import parse_arguments
from citemark.tools.kb.evidence_tools import RetrieveEvidenceIn
from citemark.tools.kb.search_tool import SearchIn
from citemark.tools.kb.verify_quote_tool import SpanIn, VerifyQuoteIn

VALUES: dict[str, Any] = {"array": [], "object": {}, "integer": 7, "number": 0.5, "boolean": True}


def types_of(argument: Argument) -> set[str]:
    """The JSON types that an argument may have, null aside."""
    model: Any = argument.tool.takes
    for step in argument.place[:-1]:
        model = next(kind for kind in members(model.model_fields[step].annotation) if issubclass(kind, BaseModel))
    found: set[str] = set()
    for member in members(cast("type[BaseModel]", model).model_fields[argument.place[-1]].annotation):
        if member is not type(None):
            simple = {bool: "boolean", int: "integer", float: "number"}.get(member, "string")
            found.add("array" if is_array(member) else "object" if is_object(member) else simple)
    return found


def takes_one_name(argument: Argument) -> bool:
    """Whether the name of one entry stands for an array of it, as for the types of ArchiMate."""
    try:
        parse_arguments(argument.tool.takes, argument.given("Business"))
    except InvalidArgument as error:
        return "not a text that holds one" not in error.message
    return True


TYPED = [
    (argument, kind) for argument in ARGUMENTS for kind in types_of(argument) if "string" not in types_of(argument)
]

STRICTLY_TYPED = [case for case in TYPED if not takes_one_name(case[0])]


def outcome(argument: Argument, value: Any) -> Any:
    try:
        return parse_arguments(argument.tool.takes, argument.given(value))
    except InvalidArgument as error:
        return error.details


def complaint_of(argument: Argument, text: str) -> str:
    """What a call with this text is told; "" if it is taken."""
    try:
        parse_arguments(argument.tool.takes, argument.given(text))
    except InvalidArgument as error:
        return error.message
    return ""


def test_arrays_objects_numbers_and_booleans_of_all_tools_are_looked_at() -> None:
    assert {kind for _, kind in TYPED} == set(VALUES)
    assert {argument.tool.on_demand for argument, _ in TYPED} == {True, False}


@pytest.mark.requirement("json-as-text")
def test_the_json_of_a_value_means_the_value() -> None:
    for argument, kind in TYPED:
        default = argument.default
        value = default if isinstance(default, (int, float)) and type(default) is not bool else VALUES[kind]
        assert outcome(argument, json.dumps(value)) == outcome(argument, value), (argument.name, kind)


@pytest.mark.requirement("json-as-text")
@pytest.mark.parametrize("text", ["[1", "{", "five", '"[]"', "NaN", "[" * 100_000, "1" * 10_000])
def test_a_text_that_is_no_json_of_the_type_is_answered_with_what_to_send(text: str) -> None:
    for argument, kind in STRICTLY_TYPED:
        noun = f"{'an' if kind[0] in 'aio' else 'a'} {kind}"
        said = f"/{argument.place[-1]}: must be {noun}: send {noun}, not a text that"
        assert said in complaint_of(argument, text), (argument.name, kind)


@pytest.mark.requirement("json-as-text")
def test_a_broken_array_is_no_name_either() -> None:
    for argument, kind in TYPED:
        article = "an" if kind[0] in "aio" else "a"
        said = f"send {article} {kind}, not a text that holds one"
        assert said in complaint_of(argument, '["a"'), (argument.name, kind)


@pytest.mark.requirement("json-as-text")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_required_arguments_are_read_from_texts_too(tool: Any) -> None:
    call = least(tool.takes)
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in call.items()}
    assert parse_arguments(tool.takes, texts) == parse_arguments(tool.takes, call)


@pytest.mark.requirement("json-as-text")
def test_texts_within_objects_and_within_texts_are_read() -> None:
    span = {"start": "1", "end": 2.0}
    citation = {"source": "docs", "document_id": "a.md", "span": json.dumps(span)}
    for given_as in (citation, json.dumps(citation)):
        asked = parse_arguments(VerifyQuoteIn, {"citation": given_as, "quote": "words"})
        assert asked.citation.span == SpanIn(start=1, end=2)
    asked = parse_arguments(
        SearchIn, {"query": "q", "filters": {"doc_tag": '["a", "b"]'}, "options": '{"min_score": "0"}'}
    )
    assert (asked.filters.doc_tag, asked.options.min_score) == (("a", "b"), 0)


class _Item(Strict):
    count: int
    name: str | None = None
    when: bool | None = None


class _Nested(Strict):
    items: tuple[_Item, ...] = ()
    flags: dict[str, bool] = Field(default_factory=dict)


@pytest.mark.requirement("json-as-text")
def test_the_items_of_arrays_and_the_values_of_objects_are_read() -> None:
    items: list[Any] = ['{"count": "3"}', {"count": "4", "name": "", "when": "null"}]
    for given_as in (items, json.dumps(items)):
        asked = parse_arguments(_Nested, {"items": given_as, "flags": {"on": "true"}})
        assert asked == _Nested(items=(_Item(count=3), _Item(count=4)), flags={"on": True})


@pytest.mark.requirement("json-as-text")
@pytest.mark.parametrize("text", ["1", "[1]", '{"a": 1}', "true", "null", '"quoted"'])
def test_a_text_stays_a_text_where_one_is_taken(text: str) -> None:
    asked = parse_arguments(RetrieveEvidenceIn, {"question": text, "also": [text], "scope": {"project_id": text}})
    assert (asked.question, asked.also, asked.scope.project_id) == (text, (text,), text)


@pytest.mark.requirement("json-as-text")
@pytest.mark.parametrize("text", ["1.5", "true", "1e400", "[5]", " five"])
def test_a_value_of_another_type_is_no_integer(text: str) -> None:
    with pytest.raises(InvalidArgument, match="send an integer, not a text that holds one"):
        parse_arguments(SearchIn, {"query": "q", "top_k": text})


@pytest.mark.requirement("json-as-text")
@pytest.mark.parametrize(
    ("text", "complaint"),
    [('["a\\u0000"]', "NUL"), ('["\\ud800"]', "surrogates"), ("[99999999999999999999]", "too large")],
)
def test_what_a_text_holds_is_checked_like_any_other_value(text: str, complaint: str) -> None:
    with pytest.raises(InvalidArgument, match=complaint):
        parse_arguments(RetrieveEvidenceIn, {"question": "q", "also": text})


@given(st.recursive(st.integers(-99, 99), lambda inner: st.lists(inner, max_size=3), max_leaves=6))
def test_a_wrong_value_is_refused_alike_as_itself_and_as_text(value: Any) -> None:
    def issues(given_as: Any) -> Any:
        try:
            return parse_arguments(RetrieveEvidenceIn, {"question": "q", "also": given_as}).also
        except InvalidArgument as error:
            return [issue["path"] for issue in error.details["issues"]]

    assert issues(json.dumps(value)) == issues(value)
