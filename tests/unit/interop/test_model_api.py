"""The model that `make interop` puts behind other makers' agents refuses what the real APIs refuse."""

from typing import Any

import pytest
from tests.interop.model_api import ModelApi

from citemark.tools.answer_tools import KB_ANSWER
from citemark.tools.kb import KB_TOOLS
from citemark.tools.registry import spell
from citemark.tools.schema import input_schema

QUESTION = {"role": "user", "content": "Which descaler may be used?"}


def model() -> ModelApi:
    return ModelApi("", "Which descaler may be used?", "Citric acid.")


def function(name: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters or {"type": "object"}}}


@pytest.mark.requirement("requests-pass-a-strict-model-api")
@pytest.mark.parametrize("name", ["kb.search", "kb search", "kb/search", "s" * 65, ""])
def test_one_bad_name_refuses_the_whole_request(name: str) -> None:
    asked = model()
    refusal = asked.reply({"messages": [QUESTION], "tools": [function("kb_search"), function(name)]})
    assert isinstance(refusal, str)
    assert "tools[1].function.name" in refusal
    assert asked.refusals == [refusal]


@pytest.mark.requirement("requests-pass-a-strict-model-api", "interop-tries-eight-more-libraries")
def test_every_tool_as_listed_by_default_is_accepted_and_one_is_called() -> None:
    tools = [function(spell(tool.name, "underscore"), input_schema(tool.takes)) for tool in (*KB_TOOLS, KB_ANSWER)]
    reply = model().reply({"messages": [QUESTION], "tools": tools})
    assert isinstance(reply, dict)
    assert reply["tool_calls"][0]["function"]["name"] == "kb_retrieve_evidence"


def test_what_a_schema_requires_is_given_and_what_may_be_null_is_null() -> None:
    parameters = {
        "type": "object",
        "properties": {
            "question": {"type": "string"},
            "scope": {"anyOf": [{"type": "object"}, {"type": "null"}]},
            "top_k": {"type": "integer", "default": 5},
            "cursor": {"type": ["string", "null"]},
        },
        "required": ["question", "top_k"],
    }
    reply = model().reply({"messages": [QUESTION], "tools": [function("kb_retrieve_evidence", parameters)]})
    assert isinstance(reply, dict)
    given = reply["tool_calls"][0]["function"]["arguments"]
    assert given == '{"scope": null, "cursor": null, "top_k": 5, "question": "Which descaler may be used?"}'


def test_the_last_message_follows_the_result_in_any_role() -> None:
    for role in ("tool", "user"):
        messages = [QUESTION, {"role": "assistant", "content": None}, {"role": role, "content": "citric acid"}]
        asked = model()
        assert asked.reply({"messages": messages}) == {"role": "assistant", "content": "Citric acid."}
        assert asked.results == ["citric acid"]
