import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.evidence.budget import RESULT_BYTES, Budget, Usage, joins_previous, json_bytes, settled_usage
from citemark.model.errors import BudgetExceeded


@pytest.mark.requirement("R11", "R11-utf8")
@given(
    st.lists(st.text(max_size=200), max_size=30),
    st.integers(0, 30) | st.none(),
    st.integers(1, 400) | st.none(),
    st.integers(1, 2000),
    st.integers(0, 100),
)
def test_a_budget_is_never_exceeded_and_says_what_stopped_it(
    items: list[str], max_items: int | None, max_tokens: int | None, max_bytes: int, reserved: int
) -> None:
    budget = Budget(max_items=max_items, max_tokens=max_tokens, max_bytes=max_bytes, reserved=reserved)
    try:
        taken = budget.fill(items, json_bytes)
    except BudgetExceeded:
        assert budget.items == 0
        assert budget.limit_reason in {"token_cap", "byte_cap"}
        return
    size = sum(map(json_bytes, taken)) + reserved
    assert taken == items[: len(taken)]
    assert budget.usage == Usage.of_bytes(size)
    assert max_items is None or len(taken) <= max_items
    if taken:
        assert size <= max_bytes
        assert max_tokens is None or budget.usage.tokens_estimate <= max_tokens
    assert budget.partial == (len(taken) < len(items))
    assert (budget.limit_reason == "none") == (not budget.partial)


def test_the_reason_names_the_cap() -> None:
    pages, tokens, size = Budget(max_items=1), Budget(max_tokens=2), Budget(max_bytes=9)
    for budget in (pages, tokens, size):
        budget.fill(["four", "four"], json_bytes)
    assert [budget.limit_reason for budget in (pages, tokens, size)] == ["page_size", "token_cap", "byte_cap"]


def test_nothing_is_taken_behind_a_refused_item() -> None:
    budget = Budget(max_bytes=10)
    assert [budget.charge(8), budget.charge(5), budget.charge(1)] == [True, False, False]


@pytest.mark.requirement("tools-budget-exceeded")
def test_one_item_that_cannot_fit_is_an_error_with_figures() -> None:
    with pytest.raises(BudgetExceeded) as caught:
        Budget(max_bytes=10).fill(["x" * 50], json_bytes)
    assert caught.value.details == {"needed_bytes": 52, "left_bytes": 10, "limit_reason": "byte_cap"}


def test_a_token_cap_counts_in_the_figures_of_the_error() -> None:
    with pytest.raises(BudgetExceeded) as caught:
        Budget(max_tokens=2, max_bytes=100).fill(["x" * 50], json_bytes)
    assert caught.value.details == {"needed_bytes": 52, "left_bytes": 8, "limit_reason": "token_cap"}


def test_an_empty_result_is_not_an_error() -> None:
    assert Budget(max_bytes=1).fill([], json_bytes) == []


@pytest.mark.requirement("R11-measured")
@given(st.text(max_size=RESULT_BYTES // 40), st.text(max_size=300))
def test_the_stated_usage_equals_the_measured_usage(text: str, field: str) -> None:
    text, field = (value.encode("utf-8", "replace").decode() for value in (text, field))

    def build(usage: Usage) -> dict[str, object]:
        return {"f": field, "usage": {"tokens": usage.tokens_estimate, "bytes": usage.bytes_returned}}

    usage = settled_usage(text, build)
    wire = json.dumps(build(usage), ensure_ascii=False, separators=(",", ":")).encode() + text.encode()
    assert usage == Usage.of_bytes(len(wire))


@pytest.mark.parametrize(
    ("text", "at", "joined"),
    [
        ("ab", 0, False),
        ("ab", 2, False),
        ("\r\n", 1, True),
        ("\n\n", 1, False),
        ("e\u0301", 1, True),
        ("👍🏽", 1, True),
        ("👩\u200d👧", 1, True),
        ("👩\u200d👧", 2, True),
        ("🇩🇪🇫🇷", 1, True),
        ("🇩🇪🇫🇷", 2, False),
        ("\ud83d\udc4d", 1, True),
        ("\ud83dé", 1, False),
        ("é\udc4d", 1, False),
    ],
)
def test_combining_characters_are_recognized(text: str, at: int, joined: bool) -> None:
    assert joins_previous(text, at) is joined
