"""`citemark serve --http` behind a real authorization server, with the SDK's client in both eras."""

from collections.abc import Generator
from pathlib import Path
from typing import Literal

import httpx2
import pytest
from tests.acceptance.served import OverHttp, Served, index, over_http
from tests.support.authorization_server import Person, Storage, authorization_server, reserved_port
from tests.support.web import MODERN, request_of

Mode = Literal["auto", "legacy"]
BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture(scope="module", params=["jwt", "opaque"])
def server(request: pytest.FixtureRequest, indexed_folder: Path) -> Generator[tuple[OverHttp, str]]:
    with reserved_port() as port:
        resource = f"http://127.0.0.1:{port}/mcp"
        with authorization_server(resource, request.param) as issuer:
            asked = {
                "CITEMARK_OAUTH_INTROSPECTION_URL": f"{issuer}/token/introspection",
                "CITEMARK_OAUTH_CLIENT_ID": "citemark",
                "CITEMARK_OAUTH_CLIENT_SECRET": "asks",
            }
            env = {"CITEMARK_HTTP_RESOURCE": resource, "CITEMARK_OAUTH_ISSUER": issuer}
            env |= {"CITEMARK_OAUTH_PAGES_CLIENT_ID": "pages"}
            env |= asked if request.param == "opaque" else {}
            known = index(indexed_folder)
            with over_http(Served(known.command, known.question, known.env | env), port) as running:
                yield running, issuer


def ours(scope: str) -> set[str]:
    """The scopes of Citemark in a list of scopes."""
    return {each for each in scope.split() if each.startswith("semantic:")}


@pytest.mark.requirement(
    "real-authorization-server-works",
    "opaque-tokens-are-introspected",
    "login-flow-tested-with-semantic-read",
    "challenge-asks-for-read-alone",
)
@BOTH
async def test_a_client_that_registers_itself_signs_in_and_searches(server: tuple[OverHttp, str], mode: Mode) -> None:
    running, issuer = server
    alice = Person("alice", Storage(issuer, registered=False))
    async with alice.client(running.url, mode) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        found = await client.call_tool("kb_search", {"query": "descaler"})
    assert "kb_search" in names
    assert "nc_enable_vector_sync" not in names, "nobody is asked for a scope that no call needed yet"
    assert not found.is_error, found
    assert [ours(asked["scope"][0]) for asked in alice.asked] == [{"semantic:read"}]
    assert alice.asked[0]["resource"] == [running.url]
    assert alice.storage.client is not None
    assert ours(alice.storage.client.scope or "") == {"semantic:read"}


@pytest.mark.requirement(
    "client-asks-for-a-lacking-scope", "real-authorization-server-works", "calls-without-scope-refused"
)
@BOTH
async def test_a_call_that_needs_more_has_the_client_ask_for_more(server: tuple[OverHttp, str], mode: Mode) -> None:
    running, issuer = server
    bob = Person("bob", Storage(issuer))
    await bob.sign_in(running.url, "semantic:read")
    async with bob.client(running.url, mode) as client:
        before = {tool.name for tool in (await client.list_tools()).tools}
        assert "kb_search" in before
        assert "nc_enable_vector_sync" not in before
        assert bob.asked == []
        refused = await client.call_tool("nc_enable_vector_sync", {})
        # The scope is there now, and an account is what is missing.
        assert refused.structured_content["error"]["code"] == "INVALID_ARGUMENT"
        assert "no Nextcloud account" in refused.structured_content["error"]["message"]
        assert [asked["scope"][0].split()[:2] for asked in bob.asked] == [["semantic:read", "semantic:write"]]


@pytest.mark.requirement("bad-tokens-are-refused", "jwts-checked-in-full")
async def test_a_token_for_another_resource_is_refused(server: tuple[OverHttp, str]) -> None:
    running, issuer = server
    mallory = Person("mallory", Storage(issuer))
    await mallory.sign_in("http://other.example/mcp", "semantic:read")
    assert mallory.storage.tokens is not None
    body, headers = request_of("tools/list", MODERN)
    sent = headers | {"authorization": f"Bearer {mallory.storage.tokens.access_token}"}
    async with httpx2.AsyncClient() as http:
        answer = await http.post(running.url, content=body, headers=sent)
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


@pytest.mark.requirement("page-sign-in-elsewhere")
async def test_a_person_signs_in_to_the_pages_and_sees_nothing_that_was_not_granted(
    server: tuple[OverHttp, str],
) -> None:
    running, issuer = server
    site = running.url.removesuffix("/mcp")
    async with httpx2.AsyncClient(base_url=site, headers={"accept": "text/html"}) as browser:
        wanted = "/search?q=descaler"
        assert (await browser.get(wanted)).status_code == 401
        sent = await browser.get("/sign_in_elsewhere", params={"back": wanted})
        back = await Person("alice", Storage(issuer)).agreed(sent.headers["location"], f"{site}/signed_in")
        returned = await browser.get(back)
        assert returned.status_code == 200, returned.text
        found = await browser.get(wanted)
        assert found.status_code == 200
        assert "Sign out" in found.text
        assert "/document" not in found.text
        assert (await browser.get(back)).status_code == 401, "a browser comes back once"
