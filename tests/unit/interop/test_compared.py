"""What `make interop` counts as a hit of another server, and how it asks one."""

import json

import pytest
from tests.interop.compared import PEERS, asks, holds


@pytest.mark.requirement("peers-are-compared")
def test_an_answer_counts_in_text_in_structured_content_and_in_text_that_is_json() -> None:
    answer = "citric acid\nonly"
    assert holds(answer, "Use **citric acid** only.", None)
    assert holds(answer, "", {"results": [{"snippet": "Use citric acid only."}]})
    assert holds(answer, json.dumps({"content": "Use citric acid\nonly."}), None)
    assert not holds(answer, "Use vinegar only.", {"results": ["citric"]})


@pytest.mark.requirement("peers-are-compared")
def test_a_question_stands_where_the_call_of_a_server_has_it() -> None:
    places = {"home": "/home/x", "folder": "/docs", "question": "Which {acid}?"}
    (qmd,) = [peer for peer in PEERS if peer.name == "qmd"]
    assert asks(qmd, places)["searches"] == [{"type": "lex", "query": "Which {acid}?"}]
    assert asks(qmd, places)["rerank"] is False
