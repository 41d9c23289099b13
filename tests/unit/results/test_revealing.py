"""No tool sends a character that nobody sees, neither as text nor as data, and arguments mean what was shown."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from tests.unit.text.test_hidden import IGNORABLE, RANGES
from tests.unit.tools.strangers import TOOLS, Stranger, calls
from tests.unit.tools.test_forged import ASKED, PASSAGE

from citemark.results.revealing import revealed_result
from citemark.text.hidden import HIDDEN_NOTE
from citemark.tools.arguments import parse_arguments
from citemark.tools.kb.verify_quote_tool import VerifyQuoteIn
from citemark.tools.reply import PackedReply, ReplyPacker, ToolReply
from citemark.tools.schemas_in import ScopeIn

EVERY = {chr(code) for code in IGNORABLE}
ONE_OF_EACH_RANGE = "".join(f"{chr(int(entry.partition('..')[0], 16))} " for entry in RANGES.split())
HOSTILE = Stranger(f"Pumps {ONE_OF_EACH_RANGE}are blue.", f"Pumps {ONE_OF_EACH_RANGE}")


def packed(name: str, stranger: Stranger, *, structured: bool) -> PackedReply:
    async def asked() -> PackedReply:
        tool = TOOLS[name]
        async with calls(stranger, checked=True) as call:
            if "passage" in str(ASKED[name]):
                call.services.known[PASSAGE] = (call.caller.session_id, 0)  # type: ignore[attr-defined]
            reply = await tool.handle(call, parse_arguments(tool.takes, ASKED[name]))
            return ReplyPacker(structured=structured).pack(reply)

    return asyncio.run(asked())


def strings(node: Any) -> Iterator[str]:
    match node:
        case str():
            yield node
        case list():
            for entry in cast("list[Any]", node):
                yield from strings(entry)
        case dict():
            for key, value in cast("dict[str, Any]", node).items():
                yield key
                yield from strings(value)
        case _:
            pass


@pytest.mark.requirement("hidden-characters-shown", "no-ignorable-unseen")
@pytest.mark.parametrize("name", sorted(ASKED))
def test_nothing_that_a_tool_sends_is_hidden(name: str) -> None:
    reply = packed(name, HOSTILE, structured=True)
    assert not EVERY.intersection(reply.text)
    assert not EVERY.intersection("".join(strings(reply.structured)))
    assert "<U+" in reply.text
    if name != "graph.describe":  # it names sources only
        assert HIDDEN_NOTE in reply.text
    plain = packed(name, HOSTILE, structured=False)
    assert not EVERY.intersection(plain.text)
    assert HIDDEN_NOTE in json.dumps(reply.structured) or name == "graph.describe"


@pytest.mark.requirement("no-ignorable-unseen")
def test_no_default_ignorable_code_point_reaches_a_model_unseen() -> None:
    text = "".join(f"{chr(code)} " for code in IGNORABLE)
    payload, shown = revealed_result({"read_context": None, "quotes": [{"quote": text, "document_id": text}]}, text)
    assert not EVERY.intersection(shown)
    assert not EVERY.intersection("".join(strings(payload)))
    assert shown.count("<U+") == len(IGNORABLE) + HIDDEN_NOTE.count("<U+")


@pytest.mark.requirement("hidden-characters-shown")
def test_a_result_without_hidden_characters_has_no_note() -> None:
    words = {"read_context": None, "quote": "Donau\u00addampf \U0001f469\u200d\U0001f680"}
    payload, text = revealed_result(words, "Donau\u00addampf")
    assert payload == {"read_context": None, "quote": "Donaudampf \U0001f469\u200d\U0001f680"}
    assert text == "Donaudampf"


def test_older_results_have_the_note_where_their_notes_are() -> None:
    payload, _ = revealed_result({"meta": {"usage": {}, "read_context": {}}, "title": "a\u200bb"}, "")
    assert payload["meta"]["notes"] == [HIDDEN_NOTE]
    assert payload["title"] == "a<U+200B>b"


@pytest.mark.requirement("hidden-characters-shown")
def test_a_name_as_it_was_shown_means_the_name() -> None:
    scope = parse_arguments(ScopeIn, {"doc_tags": ["a<U+200B>b"]}).value()
    assert scope.doc_tags == ("a\u200bb",)
    citation = {"source": "s", "document_id": "soft<U+00AD>ware.md", "anchor": {"heading": "x<U+E0041>"}}
    asked = parse_arguments(VerifyQuoteIn, {"citation": citation, "quote": "q"})
    assert asked.citation.document_id == "soft\u00adware.md"
    assert asked.citation.anchor is not None
    assert asked.citation.anchor.heading == "x\U000e0041"


def test_a_reply_of_plain_words_is_sent_as_it_is() -> None:
    asked = parse_arguments(ScopeIn, {"doc_tags": ["<U+0041>"]})
    reply = ReplyPacker(structured=True).pack(ToolReply(asked, "plain"))
    assert reply.text == "plain"
    assert reply.structured is not None
    assert reply.structured["doc_tags"] == ["<U+0041>"]
