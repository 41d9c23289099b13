"""Streamable HTTP over use cases in memory: a real web server and raw requests, in both eras."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp_types import TextResourceContents
from tests.support.patience import HANG_SECONDS
from tests.support.web import HEADERS, MODERN, NO_AUTHORITIES, message_in, request_of, web_server
from tests.unit.tools.double import TEXTS, DoubleServices

from citemark.model.scope import READ, Principal
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchPage
from citemark.tools.http_app import MAX_BODY_BYTES
from citemark.tools.server import Health

LEGACY = "2025-11-25"
ERAS = pytest.mark.parametrize("version", [MODERN, LEGACY])
SEARCH: dict[str, Any] = {"name": "kb.search", "arguments": {"query": "port"}}


class Slow(DoubleServices):
    """Says when a search begins, and whether it was given up."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.given_up, self.go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
        self.begun.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.given_up.set()
            raise
        return await super().find(caller, request)


@pytest.fixture
async def base() -> AsyncGenerator[str]:
    async with web_server(DoubleServices()) as url:
        yield url


@pytest.fixture
async def http() -> AsyncGenerator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=HANG_SECONDS, verify=NO_AUTHORITIES) as client:
        yield client


async def ask(http: httpx2.AsyncClient, base: str, version: str, method: str, **params: Any) -> Any:
    body, headers = request_of(method, version, **params)
    return json.loads(message_in(await http.post(f"{base}/mcp", content=body, headers=headers)))["result"]


@pytest.mark.requirement("loopback-http-is-stateless", "passages-are-shared-rows")
@ERAS
async def test_a_passage_of_one_request_can_be_read_by_the_next_without_any_session(
    http: httpx2.AsyncClient, base: str, version: str
) -> None:
    found = await ask(http, base, version, "tools/call", **SEARCH)
    uri = found["structuredContent"]["results"][0]["scratch_uri"]
    assert (await ask(http, base, version, "resources/read", uri=uri))["contents"][0]["text"] == TEXTS[0]


@pytest.mark.requirement("scratch-session-minted-by-the-server", "foreign-handle-looks-nonexistent")
async def test_all_processes_of_a_person_share_a_namespace_with_no_one_else() -> None:
    services = DoubleServices()
    other = Principal("local", "guest", frozenset({READ}))
    async with (
        web_server(services) as first,
        web_server(services) as second,
        web_server(services, principal=other) as foreign,
    ):
        async with Client(f"{first}/mcp") as client:
            found = await client.call_tool("kb.search", SEARCH["arguments"])
            uri = found.structured_content["results"][0]["scratch_uri"]
        async with Client(f"{second}/mcp") as client:
            contents = (await client.read_resource(uri)).contents[0]
            assert isinstance(contents, TextResourceContents)
            assert contents.text == TEXTS[0]
        async with Client(f"{foreign}/mcp") as client:
            with pytest.raises(MCPError, match="Resource not found"):
                await client.read_resource(uri)


@pytest.mark.requirement("foreign-host-or-origin-refused")
@ERAS
@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("host", "evil.example", 421),
        ("host", "127.0.0.1.evil.example:80", 421),
        ("host", "localhost:80@evil.example", 421),
        ("host", "127.0.0.1:80:80", 421),
        ("origin", "http://evil.example", 403),
        ("origin", "http://localhost.evil.example", 403),
        ("origin", "null", 403),
        ("host", "localhost", 200),
        ("host", "[::1]:9000", 200),
        ("origin", "http://localhost:6274", 200),
    ],
)
async def test_a_request_under_a_foreign_name_or_from_a_foreign_page_is_refused(
    http: httpx2.AsyncClient, base: str, version: str, header: str, value: str, status: int
) -> None:
    body, headers = request_of("tools/list", version)
    answer = await http.post(f"{base}/mcp", content=body, headers={**headers, header: value})
    assert answer.status_code == status
    health = await http.get(f"{base}/health", headers={header: value})
    assert health.status_code == status
    if status != 200:
        assert answer.json()["error"]["message"] == health.json()["error"]["message"] != ""


@pytest.mark.requirement("oversized-body-refused")
@ERAS
async def test_a_body_over_the_cap_is_refused_declared_or_not(
    http: httpx2.AsyncClient, base: str, version: str
) -> None:
    body, headers = request_of("tools/call", version, **SEARCH)
    long = body.replace(b"port", b"x" * MAX_BODY_BYTES)

    async def undeclared() -> AsyncGenerator[bytes]:
        for start in range(0, len(long), 65536):
            yield long[start : start + 65536]

    for content in (long, undeclared()):
        answer = await http.post(f"{base}/mcp", content=content, headers=headers)
        assert answer.status_code == 413
        assert str(MAX_BODY_BYTES) in answer.json()["error"]["message"]
    assert not (await ask(http, base, version, "tools/call", **SEARCH)).get("isError")


@pytest.mark.requirement("nul-and-surrogates-break-nothing")
@ERAS
@pytest.mark.parametrize("query", [r"a\ud800", r"\udfff", r"nul\u0000", " ", ""])
async def test_text_that_cannot_be_asked_for_is_an_invalid_argument(
    http: httpx2.AsyncClient, base: str, version: str, query: str
) -> None:
    body, headers = request_of("tools/call", version, **SEARCH)
    answer = await http.post(f"{base}/mcp", content=body.replace(b"port", query.encode()), headers=headers)
    error = json.loads(message_in(answer))["result"]["structuredContent"]["error"]
    assert (error["code"], error["details"]["issues"][0]["path"]) == ("INVALID_ARGUMENT", "/query")


@ERAS
@pytest.mark.parametrize(
    ("body", "code"),
    [(b"{not json", -32700), (b"[]", -32600), (b'{"jsonrpc": "2.0", "id": null, "method": "x"}', -32600)],
)
async def test_a_body_that_is_not_a_message_gets_the_same_error_as_a_line(
    http: httpx2.AsyncClient, base: str, version: str, body: bytes, code: int
) -> None:
    answer = await http.post(f"{base}/mcp", content=body, headers={**HEADERS, "mcp-protocol-version": version})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize(("site", "status"), [("same-origin", 200), ("cross-site", 403), ("same-site", 403)])
async def test_a_form_of_a_page_without_referrer_is_told_from_those_of_other_sites(
    base: str, http: httpx2.AsyncClient, site: str, status: int
) -> None:
    answer = await http.get(f"{base}/", headers={"origin": "null", "sec-fetch-site": site})
    assert answer.status_code == status


@pytest.mark.requirement("command-line-conveniences")
async def test_opening_the_address_in_a_browser_shows_an_explanation(base: str, http: httpx2.AsyncClient) -> None:
    answer = await http.get(f"{base}/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert answer.text.startswith("Citemark ")
    assert "/mcp " in answer.text
    assert "/health " in answer.text


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_session_methods_are_not_allowed(http: httpx2.AsyncClient, base: str, method: str) -> None:
    answer = await http.request(method, f"{base}/mcp", headers={"accept": "text/event-stream"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.requirement("vanished-client-releases-its-work")
@ERAS
async def test_a_client_that_disconnects_cancels_its_work(http: httpx2.AsyncClient, version: str) -> None:
    services = Slow()
    async with web_server(services) as base:
        body, headers = request_of("tools/call", version, **SEARCH)
        asked = asyncio.create_task(http.post(f"{base}/mcp", content=body, headers=headers))
        await asyncio.wait_for(services.begun.wait(), HANG_SECONDS)
        asked.cancel()
        await asyncio.wait_for(services.given_up.wait(), HANG_SECONDS)


@pytest.mark.requirement("signal-ends-server-cleanly")
@ERAS
async def test_a_call_in_progress_when_the_server_ends_is_still_answered(
    http: httpx2.AsyncClient, version: str
) -> None:
    services = Slow()
    async with web_server(services) as base:
        asked = asyncio.create_task(ask(http, base, version, "tools/call", **SEARCH))
        await asyncio.wait_for(services.begun.wait(), HANG_SECONDS)
        asyncio.get_running_loop().call_later(0.3, services.go_on.set)
    assert (await asked)["structuredContent"]["results"]


@pytest.mark.requirement("signal-ends-server-cleanly")
async def test_a_call_that_outlasts_the_shutdown_is_cancelled_and_answered_with_an_error(
    http: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    services = Slow()
    async with web_server(services, grace=1) as base:
        body, headers = request_of("tools/call", MODERN, **SEARCH)
        asked = asyncio.create_task(http.post(f"{base}/mcp", content=body, headers=headers))
        await asyncio.wait_for(services.begun.wait(), HANG_SECONDS)
    assert (await asked).status_code == 503
    assert services.given_up.is_set()
    assert "Traceback" not in caplog.text


@pytest.mark.requirement("requests-leave-no-memory")
async def test_requests_leave_no_task_behind(http: httpx2.AsyncClient, base: str) -> None:
    async def ask_both() -> None:
        for version in (MODERN, LEGACY):
            await ask(http, base, version, "tools/call", **SEARCH)

    await ask_both()
    before = asyncio.all_tasks()
    for _ in range(20):
        await ask_both()
    _, left = await asyncio.wait(
        [asyncio.create_task(ask_both()), *(asyncio.all_tasks() - before)], timeout=HANG_SECONDS
    )
    assert not left


@pytest.mark.parametrize(
    ("health", "status"), [(Health("ready"), 200), (Health("opening"), 503), (Health("unavailable", "no disk"), 503)]
)
async def test_health_says_whether_calls_can_be_answered(http: httpx2.AsyncClient, health: Health, status: int) -> None:
    async with web_server(DoubleServices(), health=health) as base:
        answer = await http.get(f"{base}/health")
    assert (answer.status_code, answer.json()["status"]) == (status, health.status)
    assert answer.json().get("reason") == health.reason


@pytest.mark.requirement("excerpts-link-their-document")
@pytest.mark.parametrize(("version", "takes"), [("2025-03-26", False), ("2025-06-18", True), (MODERN, True)])
async def test_only_clients_whose_protocol_knows_links_get_any(
    http: httpx2.AsyncClient, version: str, takes: bool
) -> None:
    async with web_server(DoubleServices(url="https://wiki.example/guide")) as base:

        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            body, headers = request_of("tools/call", version, name=name, arguments=arguments)
            answer = await http.post(f"{base}/mcp", content=body, headers=headers)
            return json.loads(message_in(answer))["result"]

        hit = (await call("kb.search", query="port"))["structuredContent"]["results"][0]
        read = await call("kb.read_excerpt", passage_id=hit["passage_id"])
    assert [block["type"] for block in read["content"]] == ["text", *(["resource_link"] * 2 if takes else [])]


@pytest.mark.requirement("loopback-token-readable-by-owner")
@pytest.mark.parametrize(
    "given",
    [[], ["Bearer wrong"], ["Basic right"], ["right"], ["Bearer right", "Bearer right"], ["Bearer"], ["Bearer ü"]],
)
async def test_without_the_token_nothing_of_the_index_is_revealed(http: httpx2.AsyncClient, given: list[str]) -> None:
    body, headers = request_of("tools/call", MODERN, **SEARCH)
    sent = [
        *((key.encode(), value.encode()) for key, value in headers.items()),
        *((b"authorization", value.encode()) for value in given),
    ]
    async with web_server(DoubleServices(), health=Health("unavailable", "no disk in /home/me"), token="right") as base:
        answer = await http.post(f"{base}/mcp", content=body, headers=sent)
        health = await http.get(f"{base}/health", headers=sent)
        welcome = await http.get(base, headers=sent)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Bearer realm="citemark"')
    assert "citemark serve --http" in answer.json()["error"]["message"]
    assert (health.status_code, set(health.json())) == (503, {"status", "version"})
    assert welcome.status_code == 200


@pytest.mark.requirement("loopback-token-readable-by-owner")
async def test_with_the_token_calls_are_answered_and_health_says_why(http: httpx2.AsyncClient) -> None:
    body, headers = request_of("tools/list", MODERN)
    sent = headers | {"authorization": "bearer right"}
    async with web_server(DoubleServices(), health=Health("unavailable", "no disk"), token="right") as base:
        answer = await http.post(f"{base}/mcp", content=body, headers=sent)
        health = await http.get(f"{base}/health", headers=sent)
    assert answer.status_code == 200
    assert health.json()["reason"] == "no disk"
