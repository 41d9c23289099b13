"""Tokens and scopes over HTTP: a real web server, tokens that are really signed, raw requests in both eras."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import METHOD_NOT_FOUND
from starlette.datastructures import Headers
from tests.support.issuer import ISSUER, RESOURCE, Issuer
from tests.support.patience import HANG_SECONDS
from tests.support.web import MODERN, NO_AUTHORITIES, message_in, request_of, web_server
from tests.unit.tools.double import TEXTS, DoubleServices

from citemark.model.errors import BackendUnavailable
from citemark.model.scope import SCOPES, Principal
from citemark.services.people.call_limits import CallLimits, LimitSettings
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchPage
from citemark.tools.http_access import ProtectedResource, bearer_of
from citemark.tools.http_app import MAX_BODY_BYTES_OF_OTHERS
from citemark.tools.http_guards import AllowedHosts

LEGACY = "2025-11-25"
ERAS = pytest.mark.parametrize("version", [MODERN, LEGACY])
SEARCH: dict[str, Any] = {"name": "kb.search", "arguments": {"query": "port"}}
METADATA = "https://citemark.example/.well-known/oauth-protected-resource/mcp"
PLACES = ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp")


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
async def base(issuer: Issuer) -> AsyncGenerator[str]:
    resource = ProtectedResource(RESOURCE, ISSUER)
    async with web_server(DoubleServices(), token="owner", reader=issuer.reader(), resource=resource) as url:
        yield url


@pytest.fixture
async def http() -> AsyncGenerator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=HANG_SECONDS, verify=NO_AUTHORITIES) as client:
        yield client


async def ask(
    http: httpx2.AsyncClient, base: str, token: str | None, version: str, method: str, **params: Any
) -> httpx2.Response:
    body, headers = request_of(method, version, **params)
    sent = headers if token is None else headers | {"authorization": f"Bearer {token}"}
    return await http.post(f"{base}/mcp", content=body, headers=sent)


def result_in(answer: httpx2.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return json.loads(message_in(answer))["result"]


def challenge_in(answer: httpx2.Response) -> str:
    return answer.headers["www-authenticate"]


@pytest.mark.requirement("challenges-name-scopes-and-metadata", "challenge-asks-for-read-alone")
@ERAS
async def test_without_a_token_the_challenge_names_the_metadata_and_the_scope_to_read_alone(
    http: httpx2.AsyncClient, base: str, version: str
) -> None:
    answer = await ask(http, base, None, version, "tools/call", **SEARCH)
    assert answer.status_code == 401
    assert challenge_in(answer) == f'Bearer scope="semantic:read", resource_metadata="{METADATA}"'
    assert "whoever runs this server" in answer.json()["error"]["message"]


@pytest.mark.requirement("challenges-name-scopes-and-metadata", "bad-tokens-are-refused")
@ERAS
async def test_a_wrong_token_is_rejected_as_invalid_without_a_reason(
    http: httpx2.AsyncClient, base: str, issuer: Issuer, version: str
) -> None:
    answers = [
        await ask(http, base, token, version, "tools/list")
        for token in ("opaque", issuer.token(aud="https://other.example"), issuer.token(exp=1_000_000_001))
    ]
    assert {answer.status_code for answer in answers} == {401}
    (said,) = {challenge_in(answer) for answer in answers}
    assert said.startswith('Bearer error="invalid_token"')
    assert f'resource_metadata="{METADATA}"' in said
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.requirement("metadata-at-both-well-known-paths", "scopes-are-in-resource-metadata")
@pytest.mark.parametrize("place", PLACES)
async def test_the_metadata_are_served_at_both_addresses_with_the_scopes_of_the_tools(
    http: httpx2.AsyncClient, base: str, place: str
) -> None:
    answer = await http.get(base + place)
    assert answer.json() == {
        "resource": RESOURCE,
        "resource_name": "Citemark",
        "authorization_servers": [ISSUER],
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
    }


async def test_without_an_authorization_server_there_are_no_metadata(http: httpx2.AsyncClient, issuer: Issuer) -> None:
    async with web_server(DoubleServices(), token="owner", reader=issuer.reader()) as base:
        assert {(await http.get(base + place)).status_code for place in PLACES} == {404}
        refused = await ask(http, base, "wrong", MODERN, "tools/list")
    assert challenge_in(refused).startswith('Bearer realm="citemark", error="invalid_token"')


@pytest.mark.requirement(
    "tools-without-scope-not-listed",
    "scopes-enforced-on-calls",
    "searching-needs-semantic-read",
    "switching-sync-needs-semantic-write",
)
@ERAS
@pytest.mark.parametrize(
    ("scope", "shown"),
    [
        ("semantic:read", {"kb_search", "nc_semantic_search", "nc_get_vector_sync_status"}),
        ("semantic.write", {"nc_enable_vector_sync", "nc_disable_vector_sync"}),
        ("semantic:read semantic:write", {"kb_search", "nc_enable_vector_sync"}),
    ],
)
async def test_a_list_shows_the_tools_that_the_scopes_of_the_token_allow(
    http: httpx2.AsyncClient, base: str, issuer: Issuer, version: str, scope: str, shown: set[str]
) -> None:
    tools = result_in(await ask(http, base, issuer.token(scope=scope), version, "tools/list"))["tools"]
    names = {tool["name"] for tool in tools}
    assert shown <= names
    assert ("nc_enable_vector_sync" in names) == ("write" in scope)
    assert ("kb_search" in names) == ("semantic:read" in scope)


@pytest.mark.requirement("token-without-our-scope-is-challenged", "consent")
@ERAS
@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list", "resources/templates/list"])
async def test_a_token_without_any_scope_of_ours_is_challenged_at_the_lists(
    http: httpx2.AsyncClient, base: str, issuer: Issuer, version: str, method: str
) -> None:
    answer = await ask(http, base, issuer.token(scope="notes:read openid"), version, method)
    assert answer.status_code == 403
    assert challenge_in(answer) == (
        f'Bearer error="insufficient_scope", scope="semantic:read", resource_metadata="{METADATA}"'
    )
    assert answer.json()["error"]["message"] == (
        "This needs a token with the scope semantic:read; ask the authorization server for it, or whoever runs this "
        "server."
    )


async def test_without_an_authorization_server_the_one_who_runs_the_server_is_named(
    http: httpx2.AsyncClient, issuer: Issuer
) -> None:
    async with web_server(DoubleServices(), token="owner", reader=issuer.reader()) as base:
        answer = await ask(http, base, issuer.token(scope="openid"), MODERN, "tools/list")
    assert answer.status_code == 403
    assert answer.json()["error"]["message"].endswith("; ask whoever runs this server for one.")


@pytest.mark.requirement(
    "calls-without-scope-refused", "challenges-name-scopes-and-metadata", "scopes-enforced-on-calls"
)
@ERAS
@pytest.mark.parametrize("name", ["nc_enable_vector_sync", "nc_disable_vector_sync"])
async def test_a_call_without_its_scope_is_refused_with_the_union_of_scopes(
    http: httpx2.AsyncClient, base: str, issuer: Issuer, version: str, name: str
) -> None:
    answer = await ask(http, base, issuer.token(), version, "tools/call", name=name, arguments={})
    assert answer.status_code == 403
    assert challenge_in(answer) == (
        f'Bearer error="insufficient_scope", scope="semantic:read semantic:write", resource_metadata="{METADATA}"'
    )
    assert answer.json()["id"] == 1


@pytest.mark.requirement("scopes-decided-from-the-body", "scopes-enforced-on-calls")
async def test_scopes_are_decided_from_the_body_and_never_from_a_header(
    http: httpx2.AsyncClient, base: str, issuer: Issuer
) -> None:
    body, headers = request_of("tools/call", MODERN, name="nc_enable_vector_sync", arguments={})
    lies = headers | {"mcp-method": "tools/list", "mcp-name": "kb_search"}
    sent = lies | {"authorization": f"Bearer {issuer.token()}"}
    assert (await http.post(f"{base}/mcp", content=body, headers=sent)).status_code == 403


@pytest.mark.requirement("calls-without-scope-refused")
@ERAS
async def test_a_passage_is_read_with_the_scope_to_read_alone(
    http: httpx2.AsyncClient, base: str, issuer: Issuer, version: str
) -> None:
    reads, writes = issuer.token(), issuer.token(scope="semantic:write")
    found = result_in(await ask(http, base, reads, version, "tools/call", **SEARCH))
    uri = found["structuredContent"]["results"][0]["scratch_uri"]
    whole = result_in(await ask(http, base, reads, version, "resources/read", uri=uri))
    assert whole["contents"][0]["text"] == TEXTS[0]
    refused = await ask(http, base, writes, version, "resources/read", uri=uri)
    assert refused.status_code == 403
    assert (await ask(http, base, writes, version, "tools/call", **SEARCH)).status_code == 403


@pytest.mark.requirement("foreign-handle-looks-nonexistent", "handle-of-another-looks-unknown")
@ERAS
async def test_a_passage_of_one_person_is_unknown_to_another_and_to_the_owner(
    http: httpx2.AsyncClient, base: str, issuer: Issuer, version: str
) -> None:
    found = result_in(await ask(http, base, issuer.token("alice"), version, "tools/call", **SEARCH))
    uri = found["structuredContent"]["results"][0]["scratch_uri"]
    never = uri[:-4] + "AAAA"
    for token in (issuer.token("bob"), "owner"):
        foreign = await ask(http, base, token, version, "resources/read", uri=uri)
        unknown = await ask(http, base, token, version, "resources/read", uri=never)
        assert foreign.status_code == unknown.status_code
        assert message_in(foreign).replace(uri, "") == message_in(unknown).replace(never, "")


@pytest.mark.requirement("principal-is-issuer-and-subject")
@ERAS
async def test_the_same_subject_of_another_issuer_is_another_person(
    http: httpx2.AsyncClient, issuer: Issuer, version: str
) -> None:
    first, second = Issuer(issuer="https://one.example"), Issuer(issuer="https://two.example")
    services = DoubleServices()
    async with web_server(services, token="owner", reader=first.reader()) as one:
        found = result_in(await ask(http, one, first.token(), version, "tools/call", **SEARCH))
    uri = found["structuredContent"]["results"][0]["scratch_uri"]
    async with web_server(services, token="owner", reader=second.reader()) as two:
        answer = await ask(http, two, second.token(), version, "resources/read", uri=uri)
    assert "Resource not found" in message_in(answer)


async def test_the_owners_token_goes_on_as_before(http: httpx2.AsyncClient, base: str) -> None:
    tools = result_in(await ask(http, base, "owner", MODERN, "tools/list"))["tools"]
    assert [tool["name"] for tool in tools if tool["name"].startswith("nc_")] == []
    assert not result_in(await ask(http, base, "owner", MODERN, "tools/call", **SEARCH)).get("isError")


@pytest.mark.requirement("principal-is-issuer-and-subject")
async def test_the_instructions_for_other_people_name_no_source(base: str, issuer: Issuer) -> None:
    headers = {"authorization": f"Bearer {issuer.token()}"}
    async with (
        httpx2.AsyncClient(headers=headers, verify=NO_AUTHORITIES) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
    ):
        assert "sources" not in (client.instructions or "").lower().split("\n")[-1]
        found = await client.call_tool("kb_search", {"query": "port"})
    assert not found.is_error


@pytest.mark.requirement("use-is-bounded-per-person")
@ERAS
async def test_who_asks_too_often_is_told_when_to_come_again(
    http: httpx2.AsyncClient, issuer: Issuer, version: str
) -> None:
    limits = CallLimits(LimitSettings(rate=20))
    async with web_server(DoubleServices(), token="owner", reader=issuer.reader(), limits=limits) as base:
        answers = [await ask(http, base, issuer.token(), version, "tools/list") for _ in range(4)]
        other = await ask(http, base, issuer.token("bob"), version, "tools/list")
        owner = await ask(http, base, "owner", version, "tools/list")
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert int(answers[2].headers["retry-after"]) >= 1
    assert (other.status_code, owner.status_code) == (200, 200)


@pytest.mark.requirement("use-is-bounded-per-person")
@ERAS
async def test_people_besides_the_owner_may_send_less(http: httpx2.AsyncClient, issuer: Issuer, version: str) -> None:
    long: dict[str, Any] = {"name": "kb_search", "arguments": {"query": "x" * MAX_BODY_BYTES_OF_OTHERS}}
    async with web_server(DoubleServices(), token="owner", reader=issuer.reader()) as base:
        refused = await ask(http, base, issuer.token(), version, "tools/call", **long)
        read = await ask(http, base, "owner", version, "tools/call", **long)
    assert (refused.status_code, read.status_code) == (413, 200)
    assert str(MAX_BODY_BYTES_OF_OTHERS) in refused.text


class Holding(DoubleServices):
    """Searches that end when they may."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
        self.begun.set()
        await self.go_on.wait()
        return await super().find(caller, request)


@pytest.mark.requirement("full-queue-says-unavailable")
@ERAS
async def test_a_call_that_finds_the_queue_full_is_answered_backend_unavailable(
    http: httpx2.AsyncClient, issuer: Issuer, version: str
) -> None:
    services, limits = Holding(), CallLimits(LimitSettings(running=1, each=1, waiting=0))
    async with web_server(services, token="owner", reader=issuer.reader(), limits=limits) as base:
        first = asyncio.create_task(ask(http, base, issuer.token(), version, "tools/call", **SEARCH))
        await services.begun.wait()
        refused = result_in(await ask(http, base, issuer.token("bob"), version, "tools/call", **SEARCH))
        services.go_on.set()
        answered = result_in(await first)
    assert refused["structuredContent"]["error"]["code"] == "BACKEND_UNAVAILABLE"
    assert not answered.get("isError")


@ERAS
async def test_other_people_hold_no_stream_open(
    http: httpx2.AsyncClient, base: str, issuer: Issuer, version: str
) -> None:
    wanted = {"notifications": {"toolsListChanged": True}}
    answer = await ask(http, base, issuer.token(), version, "subscriptions/listen", **wanted)
    told = json.loads(message_in(answer))
    assert (told["id"], told["error"]["code"]) == (1, METHOD_NOT_FOUND)


@pytest.mark.requirement("off-loopback-needs-authentication")
@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("host", "citemark.example", 200),
        ("host", "Citemark.Example:443", 200),
        ("host", "192.168.1.7:8765", 200),
        ("host", "[fe80::1]:8765", 200),
        ("host", "evil.example", 421),
        ("host", "citemark.example.evil.example", 421),
        ("origin", "https://app.example", 200),
        ("origin", "https://evil.example", 403),
    ],
)
async def test_other_names_and_pages_are_let_in_by_lists_alone(
    http: httpx2.AsyncClient, name: str, value: str, status: int
) -> None:
    hosts = AllowedHosts(frozenset({"citemark.example"}), frozenset({"https://app.example"}), addresses=True)
    body, headers = request_of("tools/list", MODERN)
    async with web_server(DoubleServices(), hosts=hosts) as base:
        answer = await http.post(f"{base}/mcp", content=body, headers={**headers, name: value})
    assert answer.status_code == status


@pytest.mark.requirement("off-loopback-needs-authentication")
async def test_the_preflight_of_a_listed_page_is_answered_and_that_of_another_is_not(
    http: httpx2.AsyncClient, issuer: Issuer
) -> None:
    hosts = AllowedHosts(origins=frozenset({"https://app.example", "*"}))
    body, headers = request_of("tools/call", MODERN, **SEARCH)
    sent = {*headers, "authorization", "mcp-session-id", "last-event-id"}
    asked = {"access-control-request-method": "POST", "access-control-request-headers": ", ".join(sent)}
    async with web_server(DoubleServices(), token="owner", reader=issuer.reader(), hosts=hosts) as base:
        preflights = {
            page: await http.options(f"{base}/mcp", headers={"origin": page, **asked})
            for page in ("https://app.example", "https://evil.example", "http://localhost:6274")
        }
        page = {"origin": "https://app.example"}
        refused = await http.post(f"{base}/mcp", content=body, headers={**headers, **page})
        authorized = {**headers, **page, "authorization": f"Bearer {issuer.token()}"}
        answered = await http.post(f"{base}/mcp", content=body, headers=authorized)
    allowing = {page: answer.headers.get("access-control-allow-origin") for page, answer in preflights.items()}
    assert allowing == {"https://app.example": "https://app.example"} | dict.fromkeys(list(allowing)[1:])
    assert [answer.status_code for answer in preflights.values()] == [200, 403, 400]
    assert [(answer.status_code, answer.headers["access-control-allow-origin"]) for answer in (refused, answered)] == [
        (401, "https://app.example"),
        (200, "https://app.example"),
    ]
    assert "WWW-Authenticate" in refused.headers["access-control-expose-headers"]


class Unreachable:
    """An authorization server that cannot be asked."""

    async def principal_of(self, token: str) -> Principal:
        raise BackendUnavailable("The authorization server does not answer.")


@ERAS
async def test_if_tokens_cannot_be_checked_requests_are_refused_with_a_retry_after_five_seconds(
    http: httpx2.AsyncClient, version: str
) -> None:
    async with web_server(DoubleServices(), token="owner", reader=Unreachable()) as url:
        answer = await ask(http, url, "somebody", version, "tools/call", **SEARCH)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "does not answer" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("given", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer  abc ", "abc"),
        ("Basic abc", None),
        ("Bearer ", None),
        ("Bearer", None),
        ("", None),
    ],
)
def test_a_bearer_token_is_read_regardless_of_case_and_blanks(given: str, token: str | None) -> None:
    assert bearer_of(Headers({"authorization": given})) == token


def test_two_authorization_headers_are_ignored() -> None:
    two = [(b"authorization", b"Bearer abc"), (b"authorization", b"Bearer def")]
    assert bearer_of(Headers(raw=two)) is None
    assert bearer_of(Headers(raw=[])) is None
