"""What is kept of a call, from the arguments and the result that went over the wire."""

import json
from dataclasses import replace
from typing import Any

from mcp_types import CallToolResult, TextContent

from citemark.features.agents.agent_call import CitedPlace
from citemark.features.agents.seen_questions import asked_in
from citemark.tools.seen_calls import SeenCall, seen_call

CITATION: dict[str, Any] = {"source": "manual", "document_id": "pump.md", "revision_id": 7, "anchor": {}}
FOUND: dict[str, Any] = {
    "results": [{"citation": CITATION}, {"citation": CITATION, "also_in": ["x"]}],
    "withheld_unverified": 1,
    "notes": ["One document waits."],
}
ASKED: dict[str, Any] = {
    "query": "How often is the axle greased?",
    "also": ["greasing the axle"],
    "top_k": 5,
    "scope": {"doc_tags": ["pumps"], "project_id": ""},
    "filters": {"path_prefix": "pump"},
    "read_context": {"as_of": "2026-01-31T12:00:00Z"},
}


def seen(arguments: dict[str, Any], result: dict[str, Any], *, as_text: bool = False, failed: bool = False) -> SeenCall:
    text, data = (json.dumps(result), None) if as_text else ("1. pump.md", result)
    content: Any = [TextContent(text=text)]
    answer = CallToolResult(content=content, structured_content=data, is_error=failed)
    return seen_call("local/me", "kb.search", arguments, answer, 0.25)


def test_a_question_is_kept_with_its_limits_and_with_what_it_found() -> None:
    call = asked_in(seen(ASKED, FOUND))
    assert call is not None
    assert (call.question, call.phrasings) == ("How often is the axle greased?", ("greasing the axle",))
    assert call.limits == {
        "top_k": 5,
        "doc_tags": ["pumps"],
        "path_prefix": "pump",
        "as_of": "2026-01-31T12:00:00Z",
    }
    assert (call.outcome, call.hits, call.withheld, call.seconds) == ("ok", 2, 1, 0.25)
    assert call.cited == (CitedPlace("manual", "pump.md", 7),)
    assert call.notes == ("One document waits.",)


def test_what_is_sent_as_text_alone_is_kept_like_data() -> None:
    of_data, of_text = asked_in(seen(ASKED, FOUND)), asked_in(seen(ASKED, FOUND, as_text=True))
    assert of_data is not None
    assert of_text is not None
    assert replace(of_text, size=of_data.size) == of_data
    asked_as_text = {**ASKED, "scope": json.dumps(ASKED["scope"]), "also": json.dumps(ASKED["also"])}
    assert asked_in(seen(asked_as_text, FOUND)) == of_data
    assert asked_in(seen({**ASKED, "also": "greasing the axle"}, FOUND)) == of_data
    broken = asked_in(seen({"query": '{"not": "unpacked', "scope": "{broken"}, FOUND))
    assert broken is not None
    assert (broken.question, broken.limits) == ('{"not": "unpacked', {})


def test_a_failure_is_kept_with_its_code_and_what_it_said() -> None:
    told = "After 30 seconds the call did not finish."
    envelope: dict[str, Any] = {"error": {"code": "TIMEOUT", "message": told, "details": {}}}
    for as_text in (False, True):
        call = asked_in(seen({"question": "Why?"}, envelope, as_text=as_text, failed=True))
        assert call is not None
        assert (call.outcome, call.hits, call.notes) == ("TIMEOUT", 0, (told,))
    unreadable = CallToolResult(content=[TextContent(text="no data")], structured_content=None)
    call = asked_in(seen_call("local/me", "kb.search", {"query": "Why?"}, unreadable, 0.1))
    assert call is not None
    assert call.hits == 0


def test_what_asks_nothing_in_words_is_not_kept() -> None:
    for arguments in ({}, {"query": " "}, {"query": 5}, {"passage_id": "abc"}):
        assert asked_in(seen(arguments, FOUND)) is None


def test_what_no_database_holds_and_what_is_too_long_is_cut() -> None:
    wild = {
        "query": "a\0b \ud800" + "c" * 9000,
        "also": ["d" * 2000, "", 3, *"efghi"],
        "scope": {f"name{number}": "v" * 2000 for number in range(99)},
        "session_id": {"deep": {"er": 1}},
        "flag": True,
    }
    call = asked_in(seen(wild, FOUND))
    assert call is not None
    assert call.question.startswith("ab ?cc")
    assert len(call.question) <= 8000
    assert [len(text) for text in call.phrasings] == [300, 1, 1, 1]
    assert len(call.limits) <= 64
    assert call.limits["flag"] is True
    assert "session_id" not in call.limits
    assert max(len(value) for value in call.limits.values() if isinstance(value, str)) == 1000
