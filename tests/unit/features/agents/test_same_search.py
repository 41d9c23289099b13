"""The search page that asks what an agent asked."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

from citemark.features.agents.agent_call import AgentCall, KeptCall
from citemark.features.agents.same_search import left_behind, same_search


def call_with(limits: dict[str, Any], phrasings: tuple[str, ...] = ()) -> AgentCall:
    return AgentCall("me", "kb.search", "Why & how?", phrasings, limits, "ok", 1, (), 10, 0.1, 0, ())


def asked_by(limits: dict[str, Any], *, then: bool = False) -> dict[str, list[str]]:
    kept = KeptCall(1, datetime(2026, 1, 31, 12, tzinfo=UTC), call_with(limits, ("one", "two")))
    address = urlsplit(same_search(kept, then=then))
    assert address.path == "/search"
    return parse_qs(address.query)


def test_the_page_is_asked_the_same_under_the_same_limits() -> None:
    limits = {"top_k": 5, "doc_tags": ["pumps"], "path_prefix": "a/", "doc_types": ["note"], "labels": ["x"]}
    assert asked_by(limits) == {
        "q": ["Why & how?"],
        "also": ["one\ntwo"],
        "tag": ["pumps"],
        "path": ["a/"],
        "kind": ["note"],
        "label": ["x"],
    }
    assert left_behind(call_with(limits)) == []


def test_the_state_is_that_of_the_call_or_the_one_that_it_named() -> None:
    assert asked_by({}, then=True)["as_of"] == ["2026-01-31T12:00:00Z"]
    assert asked_by({"as_of": "2025-01-01T00:00:00Z"}, then=True)["as_of"] == ["2025-01-01T00:00:00Z"]


def test_what_the_page_has_no_field_for_is_named() -> None:
    limits = {
        "doc_tags": ["pumps", "noise"],
        "path_prefixes": ["a/"],
        "path_prefix": "b/",
        "baseline_id": "spring",
        "max_quotes": 3,
        "include_scores": True,
    }
    assert asked_by(limits)["path"] == ["a/"]
    assert "tag" not in asked_by(limits)
    assert left_behind(call_with(limits)) == ["doc_tags: pumps, noise", "path_prefix: b/", "baseline_id: spring"]
