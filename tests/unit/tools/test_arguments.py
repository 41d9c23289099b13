"""What a call's arguments may be."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.features.archimate.tools.baseline_tools import DiffBaselinesIn
from citemark.model.errors import InvalidArgument
from citemark.tools.arguments import parse_arguments
from citemark.tools.kb.diff_tool import KbDiffIn
from citemark.tools.kb.excerpt_tools import ReadExcerptIn
from citemark.tools.kb.search_tool import SearchIn
from citemark.tools.kb.verify_quote_tool import VerifyQuoteIn


def refusal(model: Any, arguments: dict[str, Any]) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as caught:
        parse_arguments(model, arguments)
    return caught.value


def paths(error: InvalidArgument) -> list[str]:
    return [issue["path"] for issue in error.details["issues"]]


@pytest.mark.requirement("kb-search-default-hits", "kb-tools-take-min-score")
def test_a_question_without_other_arguments_gets_the_defaults_of_the_contract() -> None:
    asked = parse_arguments(SearchIn, {"query": "ports"})
    assert (asked.top_k, asked.page_size, asked.cursor) == (5, 5, None)
    options = asked.options
    assert (options.max_snippet_chars, options.max_per_doc, options.min_score, options.mode) == (280, 2, 0.5, "auto")
    assert not options.include_scores
    assert not options.include_debug


def test_null_means_left_out_where_the_contract_allows_it() -> None:
    asked = parse_arguments(
        SearchIn, {"query": "q", "cursor": None, "filters": {"path_prefix": None, "updated_after": None}}
    )
    assert asked.cursor is None
    assert asked.filters.value().empty


@pytest.mark.requirement("unknown-arguments-are-named")
def test_an_unknown_argument_is_refused_with_the_names_that_exist() -> None:
    error = refusal(SearchIn, {"query": "q", "limit": 3})
    assert paths(error) == ["/limit"]
    assert "page_size" in error.message


@pytest.mark.requirement("one-name-for-each-argument")
@pytest.mark.parametrize(
    ("model", "other"),
    [(KbDiffIn, "before"), (KbDiffIn, "after"), (DiffBaselinesIn, "before"), (DiffBaselinesIn, "source")],
)
def test_an_argument_has_one_name_and_the_refusal_of_another_gives_it(model: Any, other: str) -> None:
    error = refusal(model, {"from": "v1", other: "v2"})
    assert paths(error) == [f"/{other}"]
    assert error.message.endswith("scope, to")


@pytest.mark.requirement("unknown-arguments-are-named")
def test_an_unknown_argument_inside_an_object_is_refused_with_the_names_of_that_object() -> None:
    error = refusal(SearchIn, {"query": "q", "filters": {"tag": "x"}})
    assert paths(error) == ["/filters/tag"]
    assert "path_prefix" in error.message
    assert "top_k" not in error.message


@pytest.mark.requirement("unknown-arguments-are-named")
@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"query": 5}, "/query"),
        ({"query": "q", "top_k": "five"}, "/top_k"),
        ({"query": "q", "top_k": 5.5}, "/top_k"),
        ({"query": "q", "top_k": True}, "/top_k"),
        ({"query": "q", "options": {"include_scores": 1}}, "/options/include_scores"),
        ({"query": "q", "options": {"mode": "fast"}}, "/options/mode"),
        ({"query": "q", "filters": {"doc_tag": "guides"}}, "/filters/doc_tag"),
        ({"query": "q", "filters": {"doc_tag": ["a", 1]}}, "/filters/doc_tag/1"),
        ({"query": "q", "filters": {"updated_after": 1700000000}}, "/filters/updated_after"),
        ({"query": "q", "filters": {"updated_after": "yesterday"}}, "/filters/updated_after"),
        ({"query": "q", "scope": []}, "/scope"),
        ({"query": None}, "/query"),
        ({}, "/query"),
    ],
)
def test_a_wrongly_typed_argument_is_refused_at_its_place(arguments: dict[str, Any], path: str) -> None:
    assert path in paths(refusal(SearchIn, arguments))


@pytest.mark.requirement("tools-kb-out-of-range")
@pytest.mark.parametrize(
    ("field", "value", "limits"),
    [("top_k", 0, "1 to 20"), ("top_k", 21, "1 to 20"), ("page_size", 21, "1 to 20"), ("page_size", -1, "1 to 20")],
)
def test_a_number_out_of_range_is_refused_with_the_whole_range(field: str, value: int, limits: str) -> None:
    assert f"from {limits}" in refusal(SearchIn, {"query": "q", field: value}).message


@pytest.mark.requirement("tools-kb-out-of-range")
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_score_outside_zero_to_one_is_refused(value: float) -> None:
    assert paths(refusal(SearchIn, {"query": "q", "options": {"min_score": value}})) == ["/options/min_score"]


@pytest.mark.requirement("tools-kb-out-of-range")
def test_a_number_of_thousands_of_digits_is_refused() -> None:
    assert paths(refusal(SearchIn, {"query": "q", "top_k": 10**5000})) == ["/top_k"]


@pytest.mark.requirement("empty-or-huge-query-gets-error")
@pytest.mark.parametrize("query", ["", " ", "\n\t\u00a0\u2003"])
def test_a_blank_question_is_refused(query: str) -> None:
    assert paths(refusal(SearchIn, {"query": query})) == ["/query"]


def test_a_question_of_8000_characters_is_the_longest() -> None:
    assert parse_arguments(SearchIn, {"query": "é" * 8000}).query == "é" * 8000
    assert "8000" in refusal(SearchIn, {"query": "é" * 8001}).message


@pytest.mark.requirement("empty-or-huge-query-gets-error")
def test_a_megabyte_of_question_is_refused_without_being_repeated() -> None:
    error = refusal(SearchIn, {"query": "y" * 1_000_000})
    assert len(error.message) < 200
    assert len(str(error.details)) < 400


@pytest.mark.requirement("nul-and-surrogates-break-nothing")
@pytest.mark.parametrize("text", ["a\x00b", "\ud800", "tail \udfff", "\udc00\ud800"])
def test_text_that_no_document_can_hold_is_refused_at_its_place(text: str) -> None:
    assert paths(refusal(SearchIn, {"query": text})) == ["/query"]
    assert paths(refusal(SearchIn, {"query": "q", "filters": {"doc_tag": ["a", text]}})) == ["/filters/doc_tag/1"]
    assert paths(refusal(SearchIn, {"query": "q", text: 1})) == [""]


def test_deep_nesting_is_refused_and_not_followed() -> None:
    nested: dict[str, Any] = {}
    for _ in range(500):
        nested = {"a": nested}
    assert "nested too deeply" in refusal(SearchIn, {"query": "q", "scope": nested}).message


def test_a_time_without_offset_is_utc_and_one_with_offset_is_moved_there() -> None:
    bare = parse_arguments(SearchIn, {"query": "q", "filters": {"updated_after": "2026-01-31T12:00:00"}})
    moved = parse_arguments(SearchIn, {"query": "q", "filters": {"updated_after": "2026-01-31T14:00:00+02:00"}})
    assert bare.filters.updated_after == moved.filters.updated_after


def test_a_time_that_utc_cannot_express_is_refused() -> None:
    early = {"query": "q", "filters": {"updated_after": "0001-01-01T00:00:00+10:00"}}
    assert paths(refusal(SearchIn, early)) == ["/filters/updated_after"]


@pytest.mark.requirement("tools-read-context", "read-context-takes-one-kind")
def test_only_one_state_can_be_asked_for() -> None:
    both = {"query": "q", "read_context": {"baseline_id": "b", "as_of": "2026-01-31T12:00:00Z"}}
    assert paths(refusal(SearchIn, both)) == ["/read_context"]


def test_a_citation_of_a_result_can_be_given_back_as_it_is() -> None:
    citation = {
        "source": "handbook",
        "doc_type": "docs_section",
        "document_id": "guide.md#ports",
        "revision_id": "7",
        "baseline_id": None,
        "as_of": "2026-01-31T12:00:00.123456Z",
        "anchor": {"heading": "ports", "lines": {"start": 3, "end": 4}, "chars": {"start": 0, "end": 20}},
        "span": {"start": 0, "end": 20},
        "title": "Guide > Ports",
        "url": None,
    }
    asked = parse_arguments(VerifyQuoteIn, {"citation": citation, "quote": "The server listens"})
    assert asked.citation.span is not None


def test_few_mistakes_are_listed_even_when_there_are_many() -> None:
    error = refusal(SearchIn, {"query": "q", **{f"wrong{number}": 1 for number in range(500)}})
    assert len(error.details["issues"]) <= 8


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from([*SearchIn.model_fields, "passage_id", "max_tokens", "x"]) | st.text(max_size=5),
        json_values,
        max_size=5,
    )
)
def test_any_arguments_are_accepted_or_refused_as_invalid(arguments: dict[str, Any]) -> None:
    for model in (SearchIn, ReadExcerptIn):
        try:
            asked = parse_arguments(model, arguments)
        except InvalidArgument:
            continue
        assert asked.model_fields_set <= {name for name, value in arguments.items() if value is not None}


@pytest.mark.requirement("known-survivors-are-killed")
@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_too_large_for_a_database_column_is_refused_in_any_argument(sign: int) -> None:
    assert "too large" in refusal(SearchIn, {"query": "q", "filters": {"extra": [sign * (2**63 + 1)]}}).message
    assert "too large" not in refusal(SearchIn, {"query": "q", "filters": {"extra": [sign * 2**63]}}).message
