"""An authorization server on loopback with the code flow of OpenID Connect, which can be told to misbehave."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from tests.support.issuer import FAR_OFF, LONG_AGO, Issuer
from tests.support.web import NO_AUTHORITIES

from citemark.app.serve_http import listening_sockets, url_of
from citemark.identity.begun_sign_in import FlowSecrets

CLIENT_ID = "citemark-pages"
CLIENT_SECRET = "se:cret"
RETURNS_TO = "https://citemark.example/signed_in"


@dataclass(slots=True)
class CodeIssuer:
    """Signs in whoever `person` names, without asking for a password.

    Attributes:
        issuer: signs its tokens.
        person: who sits at the browser.
        returns_to: the address of the pages that is registered.
        asks: whether a page asks them before the browser is sent back.
        metadata: what it publishes otherwise than usual.
        id_claims: what its ID tokens say otherwise than usual; None leaves a claim out.
        access_claims: what its access tokens say otherwise than usual.
        answer: fields of the answer to a code that are otherwise than usual.
        status: of the answer to a code, if it is not answered as usual.
        signer: signs the ID tokens in the place of `issuer`.
        exchanged: the forms with which codes were exchanged.
    """

    issuer: Issuer
    person: str = "alice"
    returns_to: str = RETURNS_TO
    asks: bool = False
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    id_claims: dict[str, Any] = field(default_factory=dict[str, Any])
    access_claims: dict[str, Any] = field(default_factory=dict[str, Any])
    answer: dict[str, Any] = field(default_factory=dict[str, Any])
    status: int | None = None
    signer: Issuer | None = None
    exchanged: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    _codes: dict[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    @property
    def url(self) -> str:
        return self.issuer.issuer

    def routes(self) -> list[Route]:
        return [
            Route("/.well-known/openid-configuration", self._metadata),
            Route("/keys", self._keys),
            Route("/authorize", self._authorize),
            Route("/token", self._token, methods=["POST"]),
        ]

    async def _metadata(self, _: Request) -> Response:
        said = {
            "issuer": self.url,
            "jwks_uri": f"{self.url}/keys",
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            **self.metadata,
        }
        return JSONResponse({name: value for name, value in said.items() if value is not None})

    async def _keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [self.issuer.jwk]})

    async def _authorize(self, request: Request) -> Response:
        asked = request.query_params
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT_ID
        assert asked["redirect_uri"] == self.returns_to, "a registered address"
        code = secrets.token_urlsafe(16)
        self._codes[code] = {**asked, "person": self.person}
        returned = {"code": code, "state": asked["state"], "iss": self.url}
        address = f"{self.returns_to}?{urlencode(returned)}"
        return HTMLResponse(f'<a href="{escape(address)}">Agree</a>') if self.asks else RedirectResponse(address, 303)

    async def _token(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        self.exchanged.append(form | {"credentials": request.headers.get("authorization", "")})
        if self.status is not None:
            return JSONResponse({"error": "told_so"}, self.status)
        begun = self._codes.pop(form["code"], None)
        challenge = FlowSecrets("", "", form.get("code_verifier", "")).challenge
        if begun is None or begun.get("code_challenge") != challenge or form["redirect_uri"] != begun["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        signed = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "sub": begun["person"],
            "nonce": begun["nonce"],
            "iat": LONG_AGO,
            "exp": FAR_OFF,
            **self.id_claims,
        }
        said = {
            "access_token": self.issuer.token(begun["person"], **self.access_claims),
            "token_type": "Bearer",
            "expires_in": 600,
            "id_token": (self.signer or self.issuer).signed(
                {name: value for name, value in signed.items() if value is not None}
            ),
            **self.answer,
        }
        return JSONResponse({name: value for name, value in said.items() if value is not None})


@asynccontextmanager
async def code_issuer() -> AsyncGenerator[CodeIssuer]:
    """A running one."""
    sockets = listening_sockets("127.0.0.1", 0, authenticated=False)
    made = CodeIssuer(Issuer(issuer=url_of(sockets[0])))
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=made.routes()), log_config=None, lifespan="off"))
    running = asyncio.create_task(server.serve(sockets))
    try:
        yield made
    finally:
        server.should_exit = True
        await running


async def sent_back(address: str) -> dict[str, str]:
    """What a browser brings back that was sent to an issuer, where its person signs in."""
    async with httpx2.AsyncClient(verify=NO_AUTHORITIES) as browser:
        answer = await browser.get(address)
    location = answer.headers["location"]
    assert location.startswith(f"{RETURNS_TO}?")
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
