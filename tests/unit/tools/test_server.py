"""The protocol surface over use cases in memory, in both eras."""

import asyncio
import re
from base64 import b64decode
from importlib.resources import files
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import ResourceLink, TextContent, TextResourceContents
from structlog.testing import capture_logs
from tests.support.groups import catalog
from tests.support.result_schemas import validator_of
from tests.unit.tools.clients import Mode, code_of, connected, text_of
from tests.unit.tools.double import DoubleServices

from citemark.features.graph.tools.legacy import LEGACY_TOOLS
from citemark.model.errors import BackendUnavailable
from citemark.model.ids import SessionId
from citemark.model.scope import Principal
from citemark.services.bundle import Services
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchPage
from citemark.settings import Settings

BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])
NAMES = [
    "kb.retrieve_evidence",
    "kb.search",
    "kb.read_excerpt",
    "kb.expand_excerpt",
    "kb.extract_evidence",
    "kb.verify_quote",
    "kb.list_sources",
]


class Failing(DoubleServices):
    """Fails every search with `error`."""

    error: Exception = RuntimeError()

    async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
        raise self.error


def failing(error: Exception) -> Failing:
    services = Failing()
    services.error = error
    return services


@pytest.mark.requirement(
    "every-tool-has-both-schemas", "structured-results-validate", "five-kb-tools-exist", "tools-text-alone"
)
@BOTH
async def test_every_tool_answers_in_its_schema(mode: Mode) -> None:
    async with connected(mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == [name.replace(".", "_") for name in NAMES]
        found = await client.call_tool("kb.search", {"query": "port"})
        hit = found.structured_content["results"][0]
        quote = {"citation": hit["citation"], "quote": "The server listens"}
        calls: dict[str, dict[str, Any]] = {
            "kb.search": {"query": "port", "options": {"include_debug": True, "include_scores": True}},
            "kb.retrieve_evidence": {"question": "port"},
            "kb.read_excerpt": {"passage_id": hit["passage_id"]},
            "kb.expand_excerpt": {"passage_id": hit["passage_id"]},
            "kb.extract_evidence": {"question": "port", "passage_ids": [hit["passage_id"]]},
            "kb.verify_quote": quote,
            "kb.list_sources": {},
        }
        assert set(calls) == set(NAMES)
        for name, arguments in calls.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result
            validator = validator_of(name)
            assert validator is not None
            validator.validate(result.structured_content)  # pyright: ignore[reportUnknownMemberType]
            assert name == "kb.list_sources" or hit["citation"]["document_id"] in text_of(result)


@pytest.mark.requirement("both-tool-spellings-can-be-called")
@BOTH
async def test_both_spellings_of_a_name_are_accepted(mode: Mode) -> None:
    async with connected(mode=mode) as client:
        for name in ("kb.search", "kb_search"):
            assert not (await client.call_tool(name, {"query": "port"})).is_error


@pytest.mark.requirement("tools-listed-with-underscores-or-dots", "underscores-listed-both-spellings-accepted")
@pytest.mark.parametrize(
    ("settings", "dotted"),
    [
        ({}, False),
        ({"tool_names": "underscore"}, False),
        ({"tool_names": "dot"}, True),
    ],
    ids=str,
)
@BOTH
async def test_names_are_spelled_with_underscores_unless_the_setting_asks_for_dots(
    mode: Mode, settings: dict[str, Any], dotted: bool
) -> None:
    async with connected(mode=mode, **settings) as client:
        tools = (await client.list_tools()).tools
        prompt = await client.get_prompt("answer_with_evidence", {"question": "Which port?"})
        playbook = (await client.read_resource("citemark://playbook")).contents[0]
        instructions = client.instructions or ""
    expected = NAMES if dotted else [name.replace(".", "_") for name in NAMES]
    assert [tool.name for tool in tools] == expected
    assert dotted or all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool.name) for tool in tools)
    assert isinstance(playbook, TextResourceContents)
    assert isinstance(prompt.messages[0].content, TextContent)
    texts = (instructions, playbook.text, prompt.messages[0].content.text, *(tool.description or "" for tool in tools))
    for text in texts:
        assert ("kb." in text) is dotted


@pytest.mark.requirement("server-info-has-icon-and-address")
@BOTH
async def test_clients_see_the_icon_and_the_project_once_and_not_with_each_result(mode: Mode) -> None:
    async with connected(mode=mode) as client:
        info = client.server_info
        result = await client.call_tool("kb.search", {"query": "port"})
    assert info is not None
    assert info.website_url is not None
    assert info.website_url.startswith("https://")
    (icon,) = info.icons or []
    kind, _, data = icon.src.partition(";base64,")
    assert kind == "data:image/svg+xml"
    assert b64decode(data) == (files("citemark.web") / "static" / "icon.svg").read_bytes().strip()
    assert "icons" not in str(result.meta)
    assert ("citemark" in str(result.meta)) is (mode == "auto")


@BOTH
async def test_an_unknown_tool_is_a_protocol_error(mode: Mode) -> None:
    async with connected(mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("kb.nothing", {})
    assert caught.value.error.code == -32602


@pytest.mark.requirement("failures-are-marked-as-errors", "tools-error-text")
@BOTH
async def test_bad_arguments_are_an_error_result_that_names_the_place(mode: Mode) -> None:
    async with connected(mode=mode) as client:
        result = await client.call_tool("kb.search", {"query": "q", "top_k": 99})
    assert code_of(result) == "INVALID_ARGUMENT"
    assert text_of(result).startswith("INVALID_ARGUMENT: /top_k: must be from 1 to 20")


@pytest.mark.requirement("failures-are-marked-as-errors")
async def test_a_foreseen_failure_keeps_its_code_message_and_details() -> None:
    services = failing(BackendUnavailable("The database does not answer; try again.", port=5432))
    async with connected(services) as client:
        result = await client.call_tool("kb.search", {"query": "q"})
    assert result.structured_content == {
        "error": {
            "code": "BACKEND_UNAVAILABLE",
            "message": "The database does not answer; try again.",
            "details": {"port": 5432},
        }
    }
    assert text_of(result) == "BACKEND_UNAVAILABLE: The database does not answer; try again."


@pytest.mark.requirement("unforeseen-errors-tell-no-internals")
async def test_a_crash_is_logged_under_the_id_that_the_answer_names_without_the_words_of_the_exception() -> None:
    with capture_logs() as logs:
        async with connected(failing(RuntimeError("secret text of a document"))) as client:
            result = await client.call_tool("kb.search", {"query": "q"})
    assert code_of(result) == "INTERNAL_ERROR"
    entry = next(log for log in logs if log.get("action") == "tool_crashed")
    assert entry["request_id"] == result.structured_content["error"]["details"]["request_id"]
    assert "secret" not in str(logs)
    assert "secret" not in str(result)


@pytest.mark.requirement("call-past-deadline-is-timeout")
async def test_a_call_that_takes_too_long_is_answered_with_an_error() -> None:
    class Slow(DoubleServices):
        async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
            await asyncio.Event().wait()
            raise AssertionError

    async with connected(Slow(), tool_timeout=0.05) as client:
        result = await client.call_tool("kb.search", {"query": "q"})
    assert code_of(result) == "TIMEOUT"


async def test_details_that_would_flood_a_context_are_left_out() -> None:
    async with connected(failing(BackendUnavailable("x" * 100_000, rows=["y" * 100_000]))) as client:
        result = await client.call_tool("kb.search", {"query": "q"})
    assert len(result.model_dump_json()) < 10_000


@pytest.mark.requirement("tools-scratch-template")
@BOTH
async def test_a_passage_can_be_read_by_the_address_in_its_hit(mode: Mode) -> None:
    services = DoubleServices()
    async with connected(services, mode=mode) as client:
        found = await client.call_tool("kb.search", {"query": "port"})
        hit = found.structured_content["results"][0]
        content = (await client.read_resource(hit["scratch_uri"])).contents[0]
    assert isinstance(content, TextResourceContents)
    assert (content.text, content.mime_type) == (services.texts[0], "text/plain")
    assert content.meta == {"size": hit["size_bytes"], "lastModified": "2026-01-31T12:00:00Z"}


@pytest.mark.requirement("resource-uri-validated-before-reading", "foreign-handle-looks-nonexistent")
@BOTH
async def test_foreign_expired_unknown_and_malformed_addresses_look_the_same(mode: Mode) -> None:
    services = DoubleServices()
    mine, theirs = Caller.local(), Caller.local()
    async with connected(services, caller=theirs) as other:
        found = await other.call_tool("kb.search", {"query": "port"})
        foreign = found.structured_content["results"][0]["scratch_uri"]
    addresses = [
        foreign,
        foreign.replace(theirs.session_id, mine.session_id),
        f"citemark://scratch/{mine.session_id}/p_{'A' * 10}",
        f"citemark://scratch/{mine.session_id}/p_{'A' * 10}/",
        f"citemark://scratch/{mine.session_id}/../{'A' * 19}",
        f"citemark://scratch/{mine.session_id}/p_{'A' * 10}?x=1",
        f"CITEMARK://scratch/{mine.session_id}/{'A' * 22}",
        "citemark://scratch//",
        "file:///etc/passwd",
    ]
    async with connected(services, caller=mine, mode=mode) as client:
        for address in addresses:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(address)
            error = caught.value.error
            assert (error.code, error.message, error.data) == (-32602, "Resource not found", {"uri": address})


@pytest.mark.requirement("tools-scratch-link-size", "tools-scratch-annotations")
async def test_an_excerpt_links_to_its_passage_with_size_age_and_low_priority() -> None:
    services = DoubleServices()
    async with connected(services) as client:
        found = await client.call_tool("kb.search", {"query": "port"})
        hit = found.structured_content["results"][0]
        result = await client.call_tool("kb.read_excerpt", {"passage_id": hit["passage_id"], "max_tokens": 5})
    link = next(block for block in result.content if isinstance(block, ResourceLink))
    assert (link.uri, link.size, link.mime_type) == (hit["scratch_uri"], hit["size_bytes"], "text/plain")
    assert link.annotations is not None
    assert link.annotations.model_dump() == {
        "audience": ["assistant"],
        "priority": 0.1,
        "last_modified": "2026-01-31T12:00:00Z",
    }


@pytest.mark.requirement("excerpts-link-their-document")
@pytest.mark.parametrize("tool", ["kb.read_excerpt", "kb.expand_excerpt"])
async def test_an_excerpt_links_to_its_document_if_a_browser_opens_it_and_it_is_cited(tool: str) -> None:
    async def linked(url: str | None, **options: Any) -> list[str]:
        async with connected(DoubleServices(url=url)) as client:
            found = await client.call_tool("kb.search", {"query": "port"})
            passage_id = found.structured_content["results"][0]["passage_id"]
            result = await client.call_tool(tool, {"passage_id": passage_id, "options": options})
        usage = result.structured_content["usage"]["bytes_returned"]
        links = [block for block in result.content if isinstance(block, ResourceLink)]
        assert usage >= len(text_of(result)) + sum(len(link.uri) + len(link.name) for link in links)
        return [link.uri for link in links if not link.uri.startswith("citemark:")]

    address = "https://wiki.example/guide"
    assert await linked(address) == [address]
    assert await linked(address, include_citation=False) == []
    assert await linked("file:///home/me/guide.md") == await linked(None) == []


@pytest.mark.requirement("scores-only-if-asked-for", "debug-fields-only-on-request")
async def test_scores_and_debug_come_only_when_asked_for() -> None:
    async with connected() as client:
        plain = await client.call_tool("kb.search", {"query": "port"})
        both = {"query": "port", "options": {"include_scores": True, "include_debug": True}}
        full = await client.call_tool("kb.search", both)
    assert not {"score", "why"} & set(plain.structured_content["results"][0])
    assert {"score", "why"} <= set(full.structured_content["results"][0])


@pytest.mark.requirement("excerpt-citation-can-be-declined")
async def test_a_citation_can_be_left_out_of_an_excerpt() -> None:
    async with connected() as client:
        found = await client.call_tool("kb.search", {"query": "port"})
        passage_id = found.structured_content["results"][0]["passage_id"]
        arguments = {"passage_id": passage_id, "options": {"include_citation": False}}
        result = await client.call_tool("kb.read_excerpt", arguments)
    assert "citation" not in result.structured_content
    assert "guide-0.md" not in text_of(result)


@pytest.mark.requirement("kb-tools-take-min-score")
async def test_the_servers_threshold_holds_unless_the_call_names_one() -> None:
    services = DoubleServices()
    async with connected(services, min_score=0.3) as client:
        await client.call_tool("kb.search", {"query": "port"})
        await client.call_tool("kb.search", {"query": "port", "options": {"min_score": 0.7}})
    assert [request.min_score for request in services.searches] == [0.3, 0.7]


async def test_withheld_hits_are_counted_in_both_channels() -> None:
    async with connected(DoubleServices(withheld=2)) as client:
        result = await client.call_tool("kb.search", {"query": "port"})
    assert result.structured_content["withheld_unverified"] == 2
    assert "2 hits withheld" in text_of(result)


async def test_nothing_found_is_an_ordinary_result_that_says_so() -> None:
    async with connected(DoubleServices(texts=())) as client:
        search = await client.call_tool("kb.search", {"query": "port"})
        evidence = await client.call_tool("kb.retrieve_evidence", {"question": "port"})
    assert search.structured_content["results"] == []
    assert text_of(search).startswith("The documents do not say")
    assert evidence.structured_content["quotes"] == []
    assert text_of(evidence).startswith("The documents do not say")


@pytest.mark.requirement("structured-output-off-gives-minified-json")
async def test_without_structured_output_the_text_is_the_minified_result() -> None:
    import json  # noqa: PLC0415

    async with connected(structured_output_enabled=False) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("kb.search", {"query": "port"})
        failure = await client.call_tool("kb.search", {"query": ""})
    assert all(tool.output_schema is None for tool in tools)
    assert result.structured_content is None
    text = text_of(result)
    assert json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")) == text
    assert json.loads(text)["usage"]["bytes_returned"] == len(text.encode())
    assert failure.is_error
    assert json.loads(text_of(failure))["error"]["code"] == "INVALID_ARGUMENT"


@pytest.mark.requirement("setting-hides-kb-and-graph", "tools-families-work", "legacy-tools-listed-without-kb")
async def test_with_the_family_off_nothing_of_it_can_be_seen_or_called() -> None:
    async with connected(kb_v2_enabled=False) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == [tool.name for tool in LEGACY_TOOLS], "programs that know only the older names find them"
        assert (await client.list_prompts()).prompts == []
        with pytest.raises(MCPError):
            await client.call_tool("kb.search", {"query": "port"})


@pytest.mark.requirement("tools-scratch-template")
@BOTH
async def test_the_playbook_and_the_template_are_listed_and_passages_are_not(mode: Mode) -> None:
    async with connected(mode=mode) as client:
        await client.call_tool("kb.search", {"query": "port"})
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
    assert [(resource.uri, resource.mime_type) for resource in resources] == [("citemark://playbook", "text/markdown")]
    assert [template.uri_template for template in templates] == [
        "citemark://scratch/{session_id}/{passage_id}",
        "citemark://schemas/{tool}",
    ]


@pytest.mark.requirement("tools-prompt-evidence")
@BOTH
async def test_a_prompt_carries_the_question_and_refuses_a_missing_one(mode: Mode) -> None:
    async with connected(mode=mode) as client:
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["answer_with_evidence"]
        filled = await client.get_prompt("answer_with_evidence", {"question": "Which port?"})
        assert isinstance(filled.messages[0].content, TextContent)
        assert filled.messages[0].content.text.endswith("Question: Which port?")
        for name, arguments in (("answer_with_evidence", {}), ("answer_with_evidence", {"q": "x"}), ("other", {})):
            with pytest.raises(MCPError) as caught:
                await client.get_prompt(name, arguments)
            assert caught.value.error.code == -32602


@pytest.mark.requirement("tools-no-database-wait")
async def test_the_list_of_tools_does_not_wait_for_the_index() -> None:
    from mcp import Client  # noqa: PLC0415

    from citemark.tools.server import build_server  # noqa: PLC0415

    release = asyncio.Event()

    async def provide() -> Services:
        await release.wait()
        return DoubleServices()

    async with Client(build_server(provide, Settings(), Caller.local(), catalog())) as client:
        assert (await client.list_tools()).tools
        waiting = asyncio.create_task(client.call_tool("kb.search", {"query": "port"}))
        assert (await client.list_prompts()).prompts
        assert not waiting.done()
        release.set()
        assert not (await waiting).is_error


async def test_an_index_that_cannot_be_opened_fails_the_call_and_is_tried_again() -> None:
    from mcp import Client  # noqa: PLC0415

    from citemark.tools.server import build_server  # noqa: PLC0415

    attempts: list[int] = []

    async def provide() -> Services:
        attempts.append(1)
        if len(attempts) == 1:
            raise BackendUnavailable("The database does not start.")
        return DoubleServices()

    async with Client(build_server(provide, Settings(), Caller.local(), catalog())) as client:
        failed = await client.call_tool("kb.search", {"query": "port"})
        assert code_of(failed) == "BACKEND_UNAVAILABLE"
        for _ in range(2):
            assert not (await client.call_tool("kb.search", {"query": "port"})).is_error
    assert len(attempts) == 2


@pytest.mark.requirement("scopes-enforced-on-calls")
async def test_a_principal_without_the_scope_sees_and_calls_nothing() -> None:
    stranger = Caller(Principal("local", "guest", frozenset()), SessionId("s_" + "x" * 24))
    async with connected(caller=stranger) as client:
        assert (await client.list_tools()).tools == []
        with pytest.raises(MCPError):
            await client.call_tool("kb.search", {"query": "port"})


@pytest.mark.requirement("scratch-session-minted-by-the-server")
def test_every_process_has_a_namespace_of_its_own() -> None:
    first, second = Caller.local(), Caller.local()
    assert first.session_id != second.session_id
    assert len(first.session_id) == 26
    assert first.principal == Principal.local()
