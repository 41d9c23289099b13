"""The code flow against an issuer on loopback that misbehaves in every way that a flow has to notice."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.code_issuer import CLIENT_ID, CLIENT_SECRET, RETURNS_TO, CodeIssuer, code_issuer, sent_back
from tests.support.issuer import RESOURCE, Issuer, unsigned
from tests.unit.identity.test_key_sets import Stopped

from citemark.identity.begun_sign_in import FlowSecrets, SignInRefused
from citemark.identity.code_flow import CodeFlow, CodeFlowRules
from citemark.identity.issuer_requests import IssuerClient
from citemark.identity.key_sets import KeySet
from citemark.model.errors import BackendUnavailable

ALGORITHMS = ("ES256", "RS256")


@asynccontextmanager
async def flow_at(
    made: CodeIssuer, secret: str | None = None, clock: Stopped | None = None
) -> AsyncGenerator[CodeFlow]:
    client = IssuerClient(CLIENT_ID, secret)
    rules = CodeFlowRules(made.url, RESOURCE, RETURNS_TO, client, ALGORITHMS, "openid semantic:read")
    flow = CodeFlow(rules, KeySet(made.url), clock or Stopped())
    try:
        yield flow
    finally:
        await flow.close()


@pytest.fixture
async def issuer() -> AsyncGenerator[CodeIssuer]:
    async with code_issuer() as made:
        yield made


@pytest.mark.requirement("page-sign-in-elsewhere")
async def test_whoever_comes_back_gets_the_token_that_was_issued_for_this_server(issuer: CodeIssuer) -> None:
    async with flow_at(issuer) as flow:
        made = FlowSecrets.new()
        address = await flow.address(made)
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["code_challenge_method"] == "S256"
        assert made.verifier not in address
        assert asked["scope"] == "openid semantic:read"
        assert asked["resource"] == RESOURCE
        issued = await flow.access(await sent_back(address), made)
        principal = await issuer.issuer.reader().principal_of(issued.token)
        assert principal.key.endswith(" alice")
        assert issued.seconds == 600
        assert issuer.exchanged[0]["client_id"] == CLIENT_ID
        assert issuer.exchanged[0]["credentials"] == ""
        assert flow.host == urlsplit(issuer.url).netloc


async def test_a_client_with_a_secret_sends_it_apart_from_the_code(issuer: CodeIssuer) -> None:
    issuer.answer = {"expires_in": None}
    async with flow_at(issuer, CLIENT_SECRET) as flow:
        made = FlowSecrets.new()
        issued = await flow.access(await sent_back(await flow.address(made)), made)
        assert issued.seconds == float("inf")
    sent = issuer.exchanged[0]
    assert "client_id" not in sent
    assert sent["credentials"] == IssuerClient(CLIENT_ID, CLIENT_SECRET).credentials
    assert CLIENT_SECRET not in str(sent)


@pytest.mark.requirement("page-sign-in-elsewhere")
async def test_what_another_browser_or_another_issuer_brings_is_not_exchanged(issuer: CodeIssuer) -> None:
    async with flow_at(issuer) as flow:
        made = FlowSecrets.new()
        good = await sent_back(await flow.address(made))
        for brought in (
            {**good, "state": "another"},
            {**good, "state": "\u00e4"},
            {name: value for name, value in good.items() if name != "state"},
            {**good, "iss": "https://evil.example"},
            {name: value for name, value in good.items() if name != "iss"},
            {**good, "error": "access_denied"},
            {**good, "code": ""},
            {**good, "code": "x" * 5000},
            {"state": made.state, "iss": issuer.url},
        ):
            with pytest.raises(SignInRefused):
                await flow.access(brought, made)
        assert issuer.exchanged == []
        assert (await flow.access(good, made)).token


@pytest.mark.requirement("page-sign-in-elsewhere")
async def test_a_code_is_worth_nothing_twice_or_without_its_verifier(issuer: CodeIssuer) -> None:
    async with flow_at(issuer) as flow:
        made = FlowSecrets.new()
        brought = await sent_back(await flow.address(made))
        await flow.access(brought, made)
        with pytest.raises(SignInRefused):
            await flow.access(brought, made)
        stolen = await sent_back(await flow.address(made))
        with pytest.raises(SignInRefused):
            await flow.access(stolen, replace(made, verifier=FlowSecrets.new().verifier))


@pytest.mark.requirement("page-sign-in-elsewhere")
async def test_a_code_of_another_sign_in_is_noticed_by_its_nonce(issuer: CodeIssuer) -> None:
    async with flow_at(issuer) as flow:
        made = FlowSecrets.new()
        # Whoever injects a code of a sign-in with the same challenge has an ID token with another nonce.
        injected = await sent_back(await flow.address(replace(made, nonce="of the thief")))
        with pytest.raises(SignInRefused):
            await flow.access(injected, made)


@pytest.mark.requirement("page-sign-in-elsewhere")
async def test_an_id_token_that_was_not_made_for_us_is_refused(issuer: CodeIssuer) -> None:
    wrong: list[dict[str, Any]] = [
        {"aud": "another-client"},
        {"aud": [CLIENT_ID, "another-client"]},
        {"azp": "another-client"},
        {"iss": "https://evil.example"},
        {"exp": 1_000_000_001},
        *({name: None} for name in ("aud", "iss", "sub", "exp", "iat", "nonce")),
        {"nonce": 5},
    ]
    async with flow_at(issuer) as flow:
        for issuer.id_claims in wrong:
            made = FlowSecrets.new()
            with pytest.raises(SignInRefused):
                await flow.access(await sent_back(await flow.address(made)), made)
        issuer.id_claims = {"aud": [CLIENT_ID, "another-client"], "azp": CLIENT_ID}
        made = FlowSecrets.new()
        assert (await flow.access(await sent_back(await flow.address(made)), made)).token
        issuer.id_claims = {}
        for issuer.signer in (Issuer(), Issuer("k2")):
            with pytest.raises(SignInRefused):
                await flow.access(await sent_back(await flow.address(made)), made)


async def test_an_answer_without_the_two_tokens_is_refused(issuer: CodeIssuer) -> None:
    wrong: list[dict[str, Any]] = [
        {"id_token": None},
        {"id_token": "x" * 20_000},
        {"id_token": "no token"},
        {"id_token": unsigned({"nonce": "n"})},
        {"access_token": None},
        {"access_token": 5},
        {"token_type": "DPoP"},
        {"expires_in": "soon"},
        {"expires_in": "nan"},
        {"expires_in": [5]},
    ]
    async with flow_at(issuer) as flow:
        for issuer.answer in wrong:
            made = FlowSecrets.new()
            with pytest.raises(SignInRefused):
                await flow.access(await sent_back(await flow.address(made)), made)


async def test_an_issuer_that_fails_is_unavailable_and_one_that_refuses_is_believed(issuer: CodeIssuer) -> None:
    async with flow_at(issuer) as flow:
        made = FlowSecrets.new()
        brought = await sent_back(await flow.address(made))
        for issuer.status, error in ((503, BackendUnavailable), (401, SignInRefused), (302, SignInRefused)):
            with pytest.raises(error):
                await flow.access(brought, made)


@pytest.mark.requirement("page-sign-in-elsewhere")
async def test_nobody_is_sent_to_an_issuer_without_pkce_or_with_endpoints_of_no_use(issuer: CodeIssuer) -> None:
    wrong: list[dict[str, Any]] = [
        {"code_challenge_methods_supported": ["plain"]},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "/authorize"},
        {"authorization_endpoint": None},
        {"token_endpoint": None},
        {"issuer": "https://evil.example"},
    ]
    for issuer.metadata in wrong:
        async with flow_at(issuer) as flow:
            with pytest.raises(BackendUnavailable):
                await flow.address(FlowSecrets.new())
    issuer.metadata = {
        "code_challenge_methods_supported": None,
        "authorization_endpoint": f"{issuer.url}/authorize?a=1",
    }
    async with flow_at(issuer) as flow:
        made = FlowSecrets.new()
        address = await flow.address(made)
        assert "/authorize?a=1&response_type=code" in address
        assert (await flow.access(await sent_back(address), made)).token


async def test_an_issuer_that_learns_something_new_is_asked_again_after_ten_minutes(issuer: CodeIssuer) -> None:
    clock = Stopped()
    async with flow_at(issuer, clock=clock) as flow:
        first = await flow.address(FlowSecrets.new())
        issuer.metadata = {"authorization_endpoint": f"{issuer.url}/elsewhere"}
        assert urlsplit(await flow.address(FlowSecrets.new())).path == urlsplit(first).path
        clock.now += 601
        assert urlsplit(await flow.address(FlowSecrets.new())).path == "/elsewhere"
