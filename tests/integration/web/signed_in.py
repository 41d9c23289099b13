"""People who sign in at an authorization server, with a browser that keeps cookies."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
from pydantic import SecretStr
from tests.support.code_issuer import CLIENT_ID, CLIENT_SECRET, CodeIssuer, sent_back
from tests.support.issuer import RESOURCE
from tests.support.web_pages import browsing, pages_over

from citemark.app.compose import App
from citemark.web.routes import Pages

SITE = "https://citemark.example"


def pages_elsewhere(app: App, issuer: CodeIssuer, resource: str = RESOURCE) -> Pages:
    """The pages of a server that other machines reach, whose people sign in at an issuer."""
    given = {
        "http_resource": resource,
        "oauth_issuer": issuer.url,
        "oauth_pages_client_id": CLIENT_ID,
        "oauth_pages_client_secret": SecretStr(CLIENT_SECRET),
    }
    return pages_over(app, issuer.issuer.reader(), settings=app.settings.model_copy(update=given))


async def signs_in(client: httpx2.AsyncClient, back: str = "/search") -> httpx2.Response:
    """What a browser sees that comes back from the issuer."""
    sent = await client.get("/sign_in_elsewhere", params={"back": back})
    assert sent.status_code == 303
    return await client.get("/signed_in", params=await sent_back(sent.headers["location"]))


@asynccontextmanager
async def browser_of(pages: Pages, issuer: CodeIssuer, person: str) -> AsyncGenerator[httpx2.AsyncClient]:
    """The browser of somebody who has signed in at the issuer."""
    async with browsing(pages, base=SITE) as client:
        issuer.person = person
        assert (await signs_in(client)).status_code == 200
        yield client
