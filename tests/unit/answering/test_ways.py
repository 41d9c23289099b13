"""One way after the other, and what is said of those that gave nothing."""

from dataclasses import dataclass
from typing import get_args

import pytest
from structlog.testing import capture_logs

from citemark.answering.ways import Failure, SamplingReason, WayName, first_that_works
from citemark.model.client_model import Binding
from citemark.model.completions import Completion, Generated, NotGenerated, Reason

ASKED = Completion("the prompt 4711", 100)


@dataclass
class Told:
    """A way that does as told."""

    name: WayName
    says: str | Reason
    fails: bool = False
    asked: int = 0

    async def generate(self, asked: Completion) -> Generated:
        self.asked += 1
        if self.fails:
            raise NotGenerated(self.says)  # type: ignore[arg-type]
        return Generated(self.says)


@pytest.mark.requirement("three-ways-to-answer-in-order", "failing-way-leads-to-next")
async def test_the_first_way_that_gives_words_is_taken_and_later_ones_are_not_asked() -> None:
    ways = [Told("client_sampling", "timeout", fails=True), Told("provider", "words"), Told("extractive", "quotes")]
    with capture_logs() as logs:
        tried = await first_that_works(ways, ASKED)
    assert (tried.way, tried.generated) == ("provider", Generated("words"))
    assert [(failure.way, failure.reason) for failure in tried.failures] == [("client_sampling", "timeout")]
    assert ways[2].asked == 0
    (log,) = logs
    assert (log["log_level"], log["way"], log["reason"]) == ("warning", "client_sampling", "timeout")
    assert "4711" not in str(log)


@pytest.mark.requirement("failed-generation-logged-with-reason")
def test_the_fixed_text_keeps_to_the_reasons_that_clients_know() -> None:
    known = set(get_args(SamplingReason))
    for reason in get_args(Reason):
        failure = Failure("provider", reason)
        assert failure.sampling_reason in known
        assert (failure.sampling_reason == reason) == (reason in known)


async def test_words_that_are_only_white_space_are_malformed() -> None:
    tried = await first_that_works([Told("provider", " \n"), Told("extractive", "quotes")], ASKED)
    assert tried.way == "extractive"
    assert tried.failures[0].reason == "malformed"


@pytest.mark.requirement("documents-stand-in-for-an-answer", "failing-way-leads-to-next")
async def test_when_no_way_works_every_reason_is_kept_in_order() -> None:
    tried = await first_that_works(
        [Told("client_sampling", "unsupported", fails=True), Told("extractive", "non_text", fails=True)], ASKED
    )
    assert (tried.way, tried.generated) == (None, None)
    assert [failure.reason for failure in tried.failures] == ["unsupported", "non_text"]


@pytest.mark.requirement("tampered-request-state-is-refused")
def test_arguments_in_another_order_are_the_same_call_and_other_values_are_not() -> None:
    first = Binding.of("local/me", "kb_answer", {"question": "a", "limit": 5})
    assert first == Binding.of("local/me", "kb_answer", {"limit": 5, "question": "a"})
    others = [
        Binding.of("local/me", "kb_answer", {"question": "a", "limit": "5"}),
        Binding.of("local/me", "kb_answer", {"question": "a"}),
        Binding.of("local/me", "nc_semantic_search_answer", {"question": "a", "limit": 5}),
        Binding.of("local", "me/kb.answer", {"question": "a", "limit": 5}),
    ]
    assert len({binding.fingerprint() for binding in [first, *others]}) == 5
