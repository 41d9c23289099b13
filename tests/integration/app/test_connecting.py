"""People connect a Nextcloud of their own over HTTP: by a link, on a page, each for themselves alone."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.integration.app.two_people import BOTH_SCOPES
from tests.nextcloud.server import Nextcloud
from tests.support.issuer import Issuer
from tests.support.patience import HANG_SECONDS
from tests.support.web import MODERN, NO_AUTHORITIES, message_in, request_of, web_server

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.features.nextcloud.declaration import ACCOUNTS
from citemark.features.nextcloud.services.keys import LOGINS
from citemark.features.nextcloud.store.accounts import AccountStore
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal
from citemark.services.answer_keys import ANSWERS
from citemark.settings import Settings

ERAS = pytest.mark.parametrize("version", [MODERN, "2025-11-25"])
RESOURCE = "http://127.0.0.1:1/mcp"
"""What the pages' addresses begin with; tests replace it by the port that is listened on."""


@dataclass
class Server:
    """A server that offers logins to one Nextcloud, and its people."""

    app: App
    issuer: Issuer
    base: str
    http: httpx2.AsyncClient
    nextcloud: Nextcloud

    async def call(self, who: str, name: str, version: str = MODERN, **arguments: Any) -> dict[str, Any]:
        """What a tool answers somebody."""
        body, headers = request_of("tools/call", version, name=name, arguments=arguments)
        headers["authorization"] = f"Bearer {self.issuer.token(who, BOTH_SCOPES)}"
        answer = await self.http.post(f"{self.base}/mcp", content=body, headers=headers)
        result = httpx2.Response(200, text=message_in(answer)).json()["result"]
        return result["structuredContent"]

    async def invited(self, who: str, version: str = MODERN) -> tuple[str, str]:
        """The link that somebody is given, and the address of their page."""
        told = (await self.call(who, "nc_enable_vector_sync", version))["message"]
        link, page = re.findall(r"https?://[^\s,]+", told)
        return link, self.base + page.removeprefix("http://127.0.0.1:1")

    def principal(self, who: str) -> Principal:
        return Principal.issued(self.issuer.issuer, who, frozenset())

    async def connected(self, who: str) -> None:
        """Wait until nobody has to agree to anything for somebody any more."""
        for _ in range(6000):
            if (await self.app.services.get(ACCOUNTS).connecting.state(self.principal(who))).link is None:
                return
            await asyncio.sleep(0.01)
        raise AssertionError("the login did not end")


@asynccontextmanager
async def polling(app: App) -> AsyncGenerator[None]:
    """What a server does beside answering: it finishes logins."""
    task = asyncio.create_task(app.services.get(ACCOUNTS).polling.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


@asynccontextmanager
async def serving(
    dsn: str, nextcloud: Nextcloud, folder: Path, url: str | None, resource: str = RESOURCE
) -> AsyncGenerator[Server]:
    """A server that clients know as `resource`, and whose owner allows logins at `url`."""
    issuer = Issuer()
    given: dict[str, Any] = {"database_url": dsn, "data_dir": folder, "nextcloud_url": url, "http_resource": resource}
    async with open_app(Settings(**given)) as app:
        app.services.get(ACCOUNTS).polling.every = 0.01
        async with (
            polling(app),
            web_server(
                app.services, token="owner", reader=issuer.reader(), answers=app.services.get(ANSWERS), **given
            ) as base,
            httpx2.AsyncClient(timeout=HANG_SECONDS, verify=NO_AUTHORITIES) as http,
        ):
            yield Server(app, issuer, base, http, nextcloud)


@pytest.fixture
async def server(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Server]:
    async with serving(dsn, nextcloud, tmp_path, nextcloud.url) as made:
        yield made


@ERAS
@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_a_person_connects_their_own_nextcloud_which_is_invisible_to_everyone_else(
    server: Server, version: str
) -> None:
    server.nextcloud.world.notes.add("alice", "Okapi", "The okapi sleeps in the barn at night.", "")
    link, _ = await server.invited("alice", version)
    assert link.startswith(server.nextcloud.url)
    assert link in (await server.call("alice", "nc_get_vector_sync_status", version))["message"]
    secret = server.nextcloud.world.login.grant("alice", link)
    await server.connected("alice")
    (source,) = await server.app.stores.of(AccountStore, server.app.stores.sources).owned(server.principal("alice"))
    assert (await server.app.services.get(ACCOUNTS).credentials(source).current()).password == secret
    stored = await server.app.stores.secrets.all()
    assert all(secret.encode() not in sealed for _, sealed in stored)
    assert server.nextcloud.world.accounts.people["alice"].app_passwords[secret].name.endswith(" for alice")
    await server.app.sync(await server.app.local_sources())
    asked = {"query": "okapi", "score_threshold": 0}
    assert len((await server.call("alice", "nc_semantic_search", version, **asked))["results"]) == 1
    theirs = [await server.call(who, "nc_get_vector_sync_status", version) for who in ("bob", "carol")]
    theirs = [{**told, "session_id": 0, "read_context": 0} for told in theirs]
    assert theirs[0] == theirs[1]
    assert theirs[0]["sources"] == []
    assert (await server.call("bob", "nc_semantic_search", version, **asked))["results"] == []
    allowed = await server.app.stores.sources.allowed(Principal.local(), server.app.scoping.project)
    assert list(allowed.sources) == []


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_the_account_of_a_link_goes_to_the_person_who_asked_for_that_link(server: Server) -> None:
    (alices, _), (bobs, _) = await server.invited("alice"), await server.invited("bob")
    assert alices != bobs
    assert (await server.invited("alice"))[0] == alices
    server.nextcloud.world.login.grant("bob", bobs)
    await server.connected("bob")
    assert await server.app.stores.of(AccountStore, server.app.stores.sources).owned(server.principal("alice")) == []
    server.nextcloud.world.login.grant("bob", alices)
    await server.connected("alice")
    owned = [
        await server.app.stores.of(AccountStore, server.app.stores.sources).owned(server.principal(who))
        for who in ("alice", "bob")
    ]
    (first,), (second,) = owned
    assert first.source_id != second.source_id
    assert first.name != second.name  # nor does the name tell that somebody else has the same account


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_the_page_says_what_is_connected_to_the_first_browser_that_opens_it(server: Server) -> None:
    link, page = await server.invited("alice")
    async with httpx2.AsyncClient(verify=NO_AUTHORITIES) as looking, httpx2.AsyncClient(verify=NO_AUTHORITIES) as other:
        assert (await looking.head(page)).status_code == 405  # uses nothing up
        first = await server.http.get(page)
        assert first.status_code == 200
        assert f'href="{link}"' in first.text
        assert "Nothing is connected" in first.text
        assert "<script" not in first.text
        assert "default-src 'none'" in first.headers["content-security-policy"]
        assert (first.headers["cache-control"], first.headers["referrer-policy"]) == ("no-store", "no-referrer")
        assert "httponly" in first.headers["set-cookie"].lower()
        assert [(await other.get(page)).status_code, (await other.get(page[:-3] + "xyz")).status_code] == [404, 404]
        assert (await other.get(page)).text == (await other.get(page[:-3] + "xyz")).text
    server.nextcloud.world.login.grant("alice", link)
    await server.connected("alice")
    after = await server.http.get(page)
    assert "alice@" in after.text
    assert "nc_disable_vector_sync" in after.text
    assert link not in after.text


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_a_page_ends_when_the_person_gets_the_next_one_and_names_that_person_in_full(server: Server) -> None:
    _, before = await server.invited("mallory alice")
    _, page = await server.invited("mallory alice")
    assert (await server.http.get(before)).status_code == 404
    shown = await server.http.get(page)
    assert shown.status_code == 200
    assert "can be read by <b>mallory alice</b> here" in shown.text


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_cancelling_a_login_leads_to_another_link_and_the_first_connects_nothing(server: Server) -> None:
    first, _ = await server.invited("alice")
    told = await server.call("alice", "nc_disable_vector_sync")
    assert told["message"] == "The login is given up; nothing was connected."
    second, _ = await server.invited("alice")
    assert first != second
    server.nextcloud.world.login.grant("alice", first)
    server.nextcloud.world.login.grant("bob", second)
    await server.connected("alice")
    (source,) = await server.app.stores.of(AccountStore, server.app.stores.sources).owned(server.principal("alice"))
    assert source.config["user"] == "bob"


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
@pytest.mark.parametrize("path", ["/mcp", "/citemark/mcp", "/citemark/mcp/"])
async def test_the_page_lies_below_the_path_of_the_server(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path, path: str
) -> None:
    prefix = path.rstrip("/").removesuffix("/mcp")
    async with serving(dsn, nextcloud, tmp_path, nextcloud.url, f"https://tools.example.org{path}") as server:
        told = (await server.call("alice", "nc_enable_vector_sync"))["message"]
        (code,) = re.findall(rf"https://tools\.example\.org{prefix}/connect/([\w-]+)", told)
        shown = await server.http.get(f"{server.base}/connect/{code}")  # the proxy removes the prefix
    assert f"; Path={prefix}/connect/{code}; " in shown.headers["set-cookie"]
    assert "Secure" in shown.headers["set-cookie"]


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_without_a_nextcloud_of_the_settings_the_server_asks_none(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    async with serving(dsn, nextcloud, tmp_path, None) as server:
        refused = await server.call("alice", "nc_enable_vector_sync")
        assert "no Nextcloud account" in refused["error"]["message"]
        assert nextcloud.log.seen == []


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
async def test_the_owner_logs_in_by_a_password_of_their_own_and_by_no_other(server: Server) -> None:
    logins, nextcloud = server.app.services.get(LOGINS), server.nextcloud
    account = await logins.with_password(nextcloud.url, None, "alice", nextcloud.password("alice"))
    assert (account.server, account.user) == (nextcloud.url, "alice")
    with pytest.raises(InvalidArgument):
        await logins.with_password(nextcloud.url, None, "alice", "wrong")


@pytest.mark.requirement("app-passwords-encrypted-at-rest")
async def test_the_owner_logs_in_by_a_link_that_is_shown_once_and_waits_until_they_agreed(server: Server) -> None:
    shown: list[str] = []

    async def show(link: str) -> None:
        shown.append(link)
        server.nextcloud.world.login.grant("alice", link)

    account = await server.app.services.get(LOGINS).by_link(server.nextcloud.url, None, show, every=0.01)
    assert (account.user, len(shown)) == ("alice", 1)
    made = server.nextcloud.world.accounts.people["alice"].app_passwords[account.password]
    assert made.name.startswith("Citemark ")
